"""What a plan says it could find."""

from __future__ import annotations

import pytest

from plumbline.plan.detectable import detectable


def test_as_method_2_has_it_for_a_lab() -> None:
    assert detectable(8, "lab").change == pytest.approx(0.03, rel=0.06)
    assert detectable(13, "lab").change == pytest.approx(0.02, rel=0.06)
    assert detectable(6, "shared").change == pytest.approx(0.10, rel=0.06)


def test_too_few_for_a_verdict() -> None:
    assert detectable(2, "lab").change is None
    assert "no history of this host" in detectable(2, "lab").basis
