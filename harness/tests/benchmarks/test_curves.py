"""Recorded curves of warm-up, replayed window by window."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from benchmarks import curves
from benchmarks.curves import LEAST_CURVE_S, curves_below, replayed

from laboratory.promises.seconds import Noise, noise
from plumbline.model.errors import UsageError
from tests.record.sessions import written

pytestmark = pytest.mark.slow


def warming(seconds: int) -> list[float]:
    """A cost that falls to 150 in some 25 s of load and stays there, under noise of 3 %."""
    deviations = noise(np.random.default_rng(seconds), 1, seconds, Noise(0.03))[0]
    return [float((150 + 600 * math.exp(-second / 6)) * math.exp(deviations[second])) for second in range(seconds)]


def test_recorded_curves_are_replayed_window_by_window() -> None:
    replay = replayed([warming(105), warming(110), warming(LEAST_CURVE_S - 1)])
    assert replay.curves == 2
    assert replay.windows == 12 + 13
    assert 0 < replay.proven < replay.windows
    assert replay.held >= 0.9 * replay.proven
    assert replay.fell > 0
    assert replay.missed == 0


def test_no_curve_is_no_answer() -> None:
    assert replayed([]).curves == replayed([[]]).windows == 0


def test_the_curves_of_a_folder_and_whose_they_are_stand_in_the_text(tmp_path: Path) -> None:
    folder = written(tmp_path / "data")
    subjects_and_curves = list(curves_below([tmp_path / "data"]))
    assert len(subjects_and_curves) == len(list((folder / "evidence").iterdir()))
    # 8 s of warm-up and 65 s of closed load, of which the first row of each is not a whole second.
    assert {len(curve) for _, curve in subjects_and_curves} == {71}
    text = " ".join(curves.text([tmp_path / "data"]).split())
    assert text.startswith(f"{len(subjects_and_curves)} processes of real sessions, ")
    assert all(f"`{subject}`" in text for subject, _ in subjects_and_curves)
    assert "`./bench benchmark curves data --write`" in text


def test_bounds_are_spoken_of_where_a_window_was_steady(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    for flat in (False, True):
        course = [100.0 if flat else 1000.0 - 9 * second for second in range(105)]
        monkeypatch.setattr(curves, "_curve", lambda *_, course=course: course)
        folder = tmp_path / str(flat)
        written(folder)
        texts.append(" ".join(curves.text([folder]).split()))
    assert " ended up within their bound. " not in texts[0]
    assert " ended up within their bound. " in texts[1]


def test_folders_without_a_long_curve_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "data")
    monkeypatch.setattr(curves, "_curve", lambda *_: [100.0] * (LEAST_CURVE_S - 1))
    with pytest.raises(UsageError, match="process with 50 s of load"):
        curves.text([tmp_path / "data"])
