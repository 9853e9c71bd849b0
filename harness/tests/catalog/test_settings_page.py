"""docs/settings.md has a row for each setting, and for no other."""

from __future__ import annotations

import re
from pathlib import Path

from plumbline.catalog.settings import SETTINGS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "settings.md"


def test_every_setting_has_its_row() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(SETTINGS)
