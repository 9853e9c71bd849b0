"""docs/threat-model.md: every attempt that the page describes is covered by a test that exists."""

from __future__ import annotations

import re

import pytest

from tests.emulated.attack.attempts import ATTEMPTS
from .reading import ROOT

PAGE = (ROOT / "docs/threat-model.md").read_text(encoding="utf-8")
TABLES = [table.splitlines() for table in re.findall(r"(?:^\|.*\|\n)+", PAGE, re.MULTILINE)]
ROWS = [row for table in TABLES if table[0].endswith("| test |") for row in table[2:]]

ATTACKED = [row for table in TABLES if table[0].startswith("| attempt |") for row in table[2:]]


def test_every_attempt_of_the_application_has_a_row_and_no_other() -> None:
    """Each is made twice on the emulated host: in a session, and without the barrier that its row names."""
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in ATTACKED]
    assert [name.strip("`") for name, _, _ in cells] == [attempt.name for attempt in ATTEMPTS]
    assert all(action and barrier for _, action, barrier in cells)


def test_both_tables_of_attempts_are_read() -> None:
    assert len(ROWS) >= 15


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(re.findall(r"\w+", row))[:60])
def test_a_row_names_tests_that_there_are(row: str) -> None:
    files = re.findall(r"`([\w/]+\.py)`", row.split("|")[-2])
    assert files
    assert [name for name in files if not (ROOT / "harness/tests" / name).is_file()] == []
