"""Series: changes within an environment, on the ratio to the control."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plumbline.archive.history.analysis import analyse
from plumbline.archive.history.points import Points
from plumbline.archive.history.series import FigureSeries, FoundChange, segments
from plumbline.archive.history.series import changes as changes_in
from tests.history.series_of import series


def changes(whole: FigureSeries) -> tuple[FoundChange, ...]:
    return changes_in(whole, segments(whole))


def test_a_step_of_the_subject_is_a_change() -> None:
    found = changes(series([100.0] * 60 + [95.0] * 40, control=[200.0] * 100))
    assert [one.index for one in found] == [60]
    assert found[0].worse is True and found[0].against_control
    assert found[0].change.ratio == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize(("better", "worse"), [("higher", True), ("lower", False), (None, None)])
def test_which_way_is_worse(better: str | None, worse: bool | None) -> None:
    whole = replace(series([100.0] * 40 + [95.0] * 40), better=better)  # type: ignore[arg-type]
    assert [one.worse for one in changes(whole)] == [worse]


def test_a_step_of_the_host_moves_both_and_raises_nothing() -> None:
    levels = [100.0] * 60 + [90.0] * 60
    whole = series(levels, control=[2 * level for level in levels])
    assert changes(whole) == ()
    assert analyse([whole], (), {}).alerts == ()


def test_a_stated_step_of_the_host_starts_a_segment() -> None:
    whole = series([100.0] * 60 + [90.0] * 60, environments=["6.12"] * 60 + ["6.13"] * 60)
    assert [len(part.indices) for part in segments(whole)] == [60, 60]
    assert changes(whole) == ()


def test_an_environment_that_comes_back_goes_on_with_its_segment() -> None:
    environments = ["a", "b"] * 60
    levels = [100.0 if name == "a" else 50.0 for name in environments]
    levels = [level * (0.95 if night >= 80 else 1) for night, level in enumerate(levels)]
    found = changes(series(levels, environments=environments))
    assert [abs(one.index - 80) <= 4 for one in found] == [True, True]
    assert all(one.index - one.before_index == 2 for one in found)


def test_points_without_a_control_are_left_out_where_others_have_one() -> None:
    whole = series([100.0] * 30, control=[200.0] * 30)
    points = Points.of(
        point._replace(control=None) if night == 7 else point for night, point in enumerate(whole.points)
    )
    (part,) = segments(replace(whole, points=points))
    assert 7 not in part.indices and len(part.indices) == 29


def test_a_level_that_came_back() -> None:
    found = changes(series([100.0] * 50 + [90.0] * 40 + [100.0] * 50))
    assert [(one.index, one.back) for one in found] == [(50, 90), (90, None)]
