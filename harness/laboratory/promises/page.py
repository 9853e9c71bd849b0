"""The parts of docs/promises.md that a command of their own measures: simulations leave them as they are."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "promises.md"

REPEATS = "The default run, repeated"
REFUSALS = "Trials that were refused"
CURVES = "Recorded curves"
HABITS = "Side by side with what people do"
COST_OF_SAMPLERS = "What the samplers cost"
COST_OF_COMPARING = "What comparing answers costs k6"
LIVE = "Live"
KEPT = (REPEATS, REFUSALS, CURVES, HABITS, COST_OF_SAMPLERS, COST_OF_COMPARING, LIVE)
"""Titles of those parts, in their order."""


def put(page: Path, title: str, text: str) -> None:
    """Write one of them, in place of what it said before."""
    whole = page.read_text(encoding="utf-8")
    parts = {one: part_of(whole, one) for one in KEPT} | {title: f"\n## {title}\n\n{text.strip()}\n"}
    for one in KEPT:
        whole = whole.replace(part_of(whole, one), "")
    page.write_text(whole + "".join(parts[one] for one in KEPT), encoding="utf-8")


def kept(page: Path) -> str:
    """All of them, as they stand there; nothing where there is no page."""
    if not page.exists():
        return ""
    whole = page.read_text(encoding="utf-8")
    return "".join(part_of(whole, one) for one in KEPT)


def part_of(whole: str, title: str) -> str:
    """From a title to the next one; nothing where there is no such part."""
    _, mark, rest = whole.partition(f"\n## {title}\n")
    text, more, _ = rest.partition("\n## ")
    return mark + text + ("" if not mark or more == "" or text.endswith("\n") else "\n")
