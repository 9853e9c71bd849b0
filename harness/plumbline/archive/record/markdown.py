"""Writes Markdown in which no text of a record, of a log or of a stranger has any effect but as words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ANYWHERE = re.compile(r"([\\`*_\[\]|~$])")
# What begins a heading, a list, a rule or a quotation, at the start of a line only.
_AT_START = re.compile(r"^(\s*\d*)([#+=.):-]+)(?=\s|$)")
# A forge makes links of mentions, issues and addresses by itself, and a runner commands of `::`.
_LINKED = re.compile(r"(?i)(?<!\w)@(?=\w)|@(?=[a-z][\w-]*\.)|#(?=\w)|:(?=//|:)|www(?=\.)")
# A space of no width, which nobody sees.
_JOINT = "\u200b"


def escaped(text: str) -> str:
    """Return one line of text in which no Markdown reader sees markup, HTML, a mention, a link or a command."""
    inline = _ANYWHERE.sub(r"\\\1", text.translate(_ENTITIES))
    return _AT_START.sub(r"\1\\\2", _LINKED.sub(rf"\g<0>{_JOINT}", inline))


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, escape: bool = True) -> list[str]:
    """Return the lines of a table. Cells are escaped here; without `escape` they are Markdown of ours."""
    cells = [[escaped(cell) for cell in row] if escape else row for row in (head, *rows)]
    return [f"| {' | '.join(row)} |" for row in (cells[0], ["---"] * len(head), *cells[1:])]
