"""Series: changes within an environment, on the ratio to the control."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plumbline.archive.history.analysis import analyse
from plumbline.archive.history.points import Points
from plumbline.archive.history.series import FigureSeries, FoundChange, segments
from plumbline.archive.history.series import changes as changes_in
from tests.history.series_of import series


def changes(one_series: FigureSeries) -> tuple[FoundChange, ...]:
    return changes_in(one_series, segments(one_series))


def test_a_step_of_the_subject_is_a_change() -> None:
    found_changes = changes(series([100.0] * 60 + [95.0] * 40, control=[200.0] * 100))
    assert [change.index for change in found_changes] == [60]
    assert found_changes[0].worse is True and found_changes[0].against_control
    assert found_changes[0].change.ratio == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize(("better", "worse"), [("higher", True), ("lower", False), (None, None)])
def test_which_way_is_worse(better: str | None, worse: bool | None) -> None:
    stepped = replace(series([100.0] * 40 + [95.0] * 40), better=better)  # type: ignore[arg-type]
    assert [change.worse for change in changes(stepped)] == [worse]


def test_a_step_of_the_host_moves_both_and_raises_nothing() -> None:
    levels = [100.0] * 60 + [90.0] * 60
    stepped = series(levels, control=[2 * level for level in levels])
    assert changes(stepped) == ()
    assert analyse([stepped], (), {}).alerts == ()


def test_a_stated_step_of_the_host_starts_a_segment() -> None:
    stepped = series([100.0] * 60 + [90.0] * 60, environments=["6.12"] * 60 + ["6.13"] * 60)
    assert [len(part.indices) for part in segments(stepped)] == [60, 60]
    assert changes(stepped) == ()


def test_an_environment_that_comes_back_goes_on_with_its_segment() -> None:
    environments = ["a", "b"] * 60
    levels = [100.0 if name == "a" else 50.0 for name in environments]
    levels = [level * (0.95 if night >= 80 else 1) for night, level in enumerate(levels)]
    found_changes = changes(series(levels, environments=environments))
    assert [abs(change.index - 80) <= 4 for change in found_changes] == [True, True]
    assert all(change.index - change.before_index == 2 for change in found_changes)


def test_points_without_a_control_are_left_out_where_others_have_one() -> None:
    with_control = series([100.0] * 30, control=[200.0] * 30)
    points = Points.of(
        point._replace(control=None) if night == 7 else point for night, point in enumerate(with_control.points)
    )
    (part,) = segments(replace(with_control, points=points))
    assert 7 not in part.indices and len(part.indices) == 29


def test_a_level_that_came_back() -> None:
    found_changes = changes(series([100.0] * 50 + [90.0] * 40 + [100.0] * 50))
    assert [(change.index, change.back) for change in found_changes] == [(50, 90), (90, None)]
