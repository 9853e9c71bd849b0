"""The parts of docs/promises.md that other commands measure: the simulations leave these parts as they are."""

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
KEPT_TITLES = (REPEATS, REFUSALS, CURVES, HABITS, COST_OF_SAMPLERS, COST_OF_COMPARING, LIVE)
"""The titles of these parts, in their order on the page."""


def write_part(page: Path, title: str, text: str) -> None:
    """Write the part with this title, in place of its earlier text."""
    page_text = page.read_text(encoding="utf-8")
    parts = {name: part_of(page_text, name) for name in KEPT_TITLES} | {title: f"\n## {title}\n\n{text.strip()}\n"}
    for name in KEPT_TITLES:
        page_text = page_text.replace(part_of(page_text, name), "")
    page.write_text(page_text + "".join(parts[name] for name in KEPT_TITLES), encoding="utf-8")


def kept_parts(page: Path) -> str:
    """Return all these parts, as they stand on the page; an empty text without a page."""
    if not page.exists():
        return ""
    page_text = page.read_text(encoding="utf-8")
    return "".join(part_of(page_text, title) for title in KEPT_TITLES)


def part_of(page_text: str, title: str) -> str:
    """Return the text from a title to the next title; an empty text without such a part."""
    _, mark, after_title = page_text.partition(f"\n## {title}\n")
    text, next_mark, _ = after_title.partition("\n## ")
    return mark + text + ("" if not mark or next_mark == "" or text.endswith("\n") else "\n")
