"""Figures and findings of a stored session change only with a version of the rules or the figures."""

from __future__ import annotations

import json

import pytest

from tests.record.digests import KEPT, document

pytestmark = pytest.mark.slow


def test_no_figure_and_no_finding_changes_within_a_version() -> None:
    kept, current = json.loads(KEPT.read_bytes()), document()
    assert current == kept, (
        "The figures or findings of stored sessions are others, or their versions. Where only the former are, raise "
        "RULES_VERSION or FIGURES_VERSION. Then call `./bench python -m tests.record.digests`."
    )
