"""Levels: the newest segment since its last change, and which levels may be set beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from plumbline.archive.history.analysis import analyse
from plumbline.archive.history.levels import LevelGroup, levels
from plumbline.archive.history.points import Points
from plumbline.archive.history.series import FigureSeries
from plumbline.model.data_access import AccessClass
from tests.history.series_of import series


def of(subject: str, base_series: FigureSeries, data_access: AccessClass = "sql", **changes: str) -> FigureSeries:
    fields = {"id": subject, "subject": subject, "scenario": "fruits@1", "phase": "closed", "host": "lab"}
    return replace(base_series, **{**fields, **changes}, data_access=data_access)  # type: ignore[arg-type]


def group(*all_series: FigureSeries) -> LevelGroup:
    (only_group,) = levels(analyse(all_series, (), {}))
    return only_group


def subjects(level_group: LevelGroup) -> list[str]:
    return [level.series.subject for level in level_group.rows]


def test_a_level_holds_since_the_last_change() -> None:
    (level,) = group(of("a", series([100.0] * 30 + [90.0] * 30 + [80.0] * 20))).rows
    assert (level.since.t, level.until.t, level.sessions) == ("night 0060", "night 0079", 20)
    assert level.change is not None and level.change.worse is True
    assert level.value.low is not None and level.value.high is not None
    assert 79 < level.value.low < level.value.mean < level.value.high < 81
    assert level.of_control is None and level.differs == ()


def test_without_a_change_it_holds_since_its_segment_began() -> None:
    environments = ["6.12"] * 40 + ["6.13"] * 15
    (level,) = group(of("a", series([100.0] * 20 + [80.0] * 35, environments=environments))).rows
    assert (level.since.t, level.sessions, level.change) == ("night 0040", 15, None)
    assert level.differs == ("kernel",)
    (only_level,) = group(of("a", series([100.0] * 20))).rows
    assert (only_level.since.t, only_level.differs) == ("night 0000", ())


def test_a_change_of_another_segment_is_not_that_of_the_newest() -> None:
    """The environments take turns, and only the older environment of the two has a change."""
    environments = ["b", "a"] * 60
    levels_ = [90.0 if name == "b" and night >= 80 else 100.0 for night, name in enumerate(environments)]
    (level,) = group(of("x", series(levels_, environments=environments))).rows
    assert (level.change, level.sessions, level.since.t) == (None, 60, "night 0001")


@pytest.mark.parametrize(("better", "order"), [("lower", ["b", "c", "a"]), ("higher", ["c", "b", "a"])])
def test_by_class_then_the_best_first(better: str, order: Sequence[str]) -> None:
    series_by_subject = {
        "a": of("a", series([50.0] * 10), "sql"),
        "b": of("b", series([80.0] * 10), "orm"),
        "c": of("c", series([90.0] * 10), "orm"),
    }
    assert subjects(group(*(replace(one_series, better=better) for one_series in series_by_subject.values()))) == order  # type: ignore[arg-type]


def test_the_order_is_by_the_ratio_to_the_control_where_all_have_one() -> None:
    """The host became slower while only `new` was measured; by its own values `new` would be the worse subject."""
    old_series = of("old", series([100.0] * 20, control=[200.0] * 20, better="lower"))
    late = series([100.0] * 20 + [150.0] * 20, control=[200.0] * 20 + [400.0] * 20, better="lower")
    new_series = of("new", replace(late, points=late.points[20:]))
    assert subjects(group(new_series, old_series)) == ["new", "old"]
    (new, old) = group(new_series, old_series).rows
    assert new.value.mean > old.value.mean
    assert new.of_control is not None and new.of_control.mean == pytest.approx(150 / 400, rel=0.02)


def test_only_levels_of_the_newest_environment_stand_beside_each_other() -> None:
    two_kernels = series([100.0] * 20, environments=["6.12"] * 10 + ["6.13"] * 10)
    retired = Points(two_kernels.points.nights, two_kernels.points[:10].columns, two_kernels.points.labels)
    control = of("control", replace(two_kernels, control=True))
    newest_group = group(of("stays", two_kernels), of("retired", replace(two_kernels, points=retired)), control)
    assert subjects(newest_group) == ["stays"]
    assert newest_group.control is not None and newest_group.control.series.subject == "control"
    assert [level.series.subject for level in newest_group.elsewhere] == ["retired"]
    assert newest_group.until.t == "night 0019"


def test_another_host_scenario_or_phase_is_another_group() -> None:
    base = of("a", series([100.0] * 10))
    variations = (
        replace(base, id=name, **{name: "another"})  # type: ignore[arg-type]
        for name in ("host", "scenario", "phase")
    )
    groups = levels(analyse([base, *variations], (), {}))
    assert [(level_group.host, level_group.scenario, level_group.phase) for level_group in groups] == [
        ("another", "fruits@1", "closed"),
        ("lab", "another", "closed"),
        ("lab", "fruits@1", "another"),
        ("lab", "fruits@1", "closed"),
    ]
