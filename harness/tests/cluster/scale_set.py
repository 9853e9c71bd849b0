"""The lines of `_measure.yml` that docs/scale.md changes for a runner scale set, letter by letter."""

from __future__ import annotations

import re

from tests.checkout import ROOT

WORKFLOW = ".github/workflows/_measure.yml"


def changed_lines() -> dict[str, str]:
    """Each line that is changed, and the line in its place: nothing where it goes."""
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    table = page.partition("| line of `_measure.yml` | becomes |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [re.split(r"(?<!\\)\|", row)[1:3] for row in table.splitlines()]
    return {_code(line): _code(becomes).replace("no such line", "") for line, becomes in rows}


def _code(cell: str) -> str:
    return cell.strip().strip("`").replace("\\|", "|")
