"""Markdown of our own making: texts from elsewhere become plain words in it, whatever they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_PUNCTUATION = re.compile(r"([\\`*_{}\[\]()#+!|~$^=-])")
# Invisible, and it breaks what GitHub links by itself: mentions, issue numbers, addresses.
_JOINT = "\u200b"
LONGEST = 300


def plain(text: str, longest: int = LONGEST) -> str:
    """Return a text as one line of plain words: no markup, no mention, no link, no control or direction character."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if len(line) > longest:
        line = line[: longest - 1] + "…"
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = _PUNCTUATION.sub(r"\\\1", line)
    line = line.replace("@", f"@{_JOINT}").replace("\\#", f"\\#{_JOINT}").replace("://", f":{_JOINT}//")
    line = re.sub(r"(?i)www\.", f"www{_JOINT}.", line)
    # A line that begins so would be a list or a workflow command in a log.
    return re.sub(r"^([0-9]+)([.)])", r"\1\\\2", line).replace("::", f":{_JOINT}:")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> str:
    """Return a table whose last `numbers` columns stand to the right. Cells must be escaped already."""
    marks = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    lines = [head, marks, *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
