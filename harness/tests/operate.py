"""Commands of docs/operate.md, letter by letter: tests that follow the document take the commands from here."""

from __future__ import annotations

import re
from pathlib import Path

SAID = (Path(__file__).resolve().parents[2] / "docs/operate.md").read_text(encoding="utf-8")


def commands(step: str, first: str) -> str:
    """The indented commands of a step that begin with a word."""
    text = SAID.partition(f"\n## {step}")[2].partition("\n## ")[0]
    (wanted,) = (
        block for block in re.findall(r"(?:^    .*\n)+", text, re.MULTILINE) if block.startswith(f"    {first}")
    )
    return str(wanted)


def named(words: str) -> str:
    """A command that stands within a sentence of the document."""
    assert f"`{words}`" in SAID, f"docs/operate.md does not name '{words}'"
    return words
