"""The texts that pages show: the glossary, the method, and the entries of the search."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from .base import Document


class Term(Frozen):
    """A word of the glossary."""

    word: str
    slug: str
    meaning: str


class Block(Frozen):
    """A part of a text. `drawing` keeps its spaces; a list, `numbered` or not, has one text for each item,
    a table has one tuple of cells for each row.

    Texts keep the marks `code`, *emphasis* and **strong** of their source; nothing else in them is markup.
    """

    kind: Literal["heading", "paragraph", "drawing", "list", "numbered", "table"]
    rows: tuple[tuple[str, ...], ...]


class Section(Frozen):
    """A heading and what follows it."""

    title: str
    slug: str
    blocks: tuple[Block, ...]


class MethodFile(Document):
    """`api/v1/method.json`: docs/method.md, docs/glossary.md and the vocabulary of settings."""

    kind: Literal["method"] = "method"
    title: str
    sections: tuple[Section, ...]
    terms: tuple[Term, ...]
    settings: tuple[Term, ...]


FoundGroup = Literal[
    "page",
    "framework",
    "subject",
    "scenario",
    "measure",
    "setting",
    "host",
    "alert",
    "term",
    "run",
    "study",
    "rule",
    "section",
]


class Found(Frozen):
    """Something that can be searched for. `words` are lower case, besides the title."""

    title: str
    group: FoundGroup
    words: str
    page: str


class SearchFile(Document):
    """`api/v1/search.json`: pages, frameworks, subjects, scenarios, measures, settings, hosts, alerts,
    terms, sections of the method, studies, rules, the newest 90 sessions."""

    kind: Literal["search"] = "search"
    entries: tuple[Found, ...]


class WaysOn(Document):
    """The pages that 404.html lists, and that the search page lists before a search."""

    kind: Literal["ways-on"] = "ways-on"
    pages: tuple[Found, ...]
