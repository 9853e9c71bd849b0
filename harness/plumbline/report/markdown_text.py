"""Text and tables of Markdown, in which every string is taken to be hostile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ANYWHERE = re.compile(r"([\\`*_\[\]|~$])")
# What begins a heading, a list, a rule or a quotation, at the start of a line only.
_AT_START = re.compile(r"^(\s*\d*)([#+=.):-]+)(?=\s|$)")
# A mention would call people or link an issue; one invisible joiner behind the sign stops it.
_MENTION = re.compile(r"(?<!\w)([@#])(?=\w)")
_JOINER = "\u2060"


def escaped(text: str) -> str:
    """Text that no Markdown reader takes for markup, HTML or a mention. The view holds no line breaks."""
    inline = _ANYWHERE.sub(r"\\\1", text.translate(_ENTITIES))
    return _AT_START.sub(r"\1\\\2", _MENTION.sub(rf"\1{_JOINER}", inline))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table; every cell is escaped here."""
    return [
        _line(head),
        _line(["---"] * len(head), escape=False),
        *(_line(row) for row in rows),
    ]


def _line(cells: Sequence[str], *, escape: bool = True) -> str:
    return "| " + " | ".join(escaped(cell) if escape else cell for cell in cells) + " |"
