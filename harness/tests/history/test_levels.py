"""Levels: the newest segment since its last change, and which of them may be set beside each other."""

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


def of(subject: str, whole: FigureSeries, data_access: AccessClass = "sql", **more: str) -> FigureSeries:
    named = {"id": subject, "subject": subject, "scenario": "fruits@1", "phase": "closed", "host": "lab"}
    return replace(whole, **{**named, **more}, data_access=data_access)  # type: ignore[arg-type]


def group(*its: FigureSeries) -> LevelGroup:
    (found,) = levels(analyse(its, (), {}))
    return found


def subjects(found: LevelGroup) -> list[str]:
    return [one.series.subject for one in found.rows]


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
    (first,) = group(of("a", series([100.0] * 20))).rows
    assert (first.since.t, first.differs) == ("night 0000", ())


def test_a_change_of_another_segment_is_not_that_of_the_newest() -> None:
    """The environments take turns, and only the older one of the two changes."""
    environments = ["b", "a"] * 60
    levels_ = [90.0 if name == "b" and night >= 80 else 100.0 for night, name in enumerate(environments)]
    (level,) = group(of("x", series(levels_, environments=environments))).rows
    assert (level.change, level.sessions, level.since.t) == (None, 60, "night 0001")


@pytest.mark.parametrize(("better", "order"), [("lower", ["b", "c", "a"]), ("higher", ["c", "b", "a"])])
def test_by_class_then_the_best_first(better: str, order: Sequence[str]) -> None:
    its = {
        "a": of("a", series([50.0] * 10), "sql"),
        "b": of("b", series([80.0] * 10), "orm"),
        "c": of("c", series([90.0] * 10), "orm"),
    }
    assert subjects(group(*(replace(one, better=better) for one in its.values()))) == order  # type: ignore[arg-type]


def test_the_order_is_by_the_ratio_to_the_control_where_all_have_one() -> None:
    """The host became slower while only one of them was measured; by its own values it would be the worse one."""
    before = of("old", series([100.0] * 20, control=[200.0] * 20, better="lower"))
    late = series([100.0] * 20 + [150.0] * 20, control=[200.0] * 20 + [400.0] * 20, better="lower")
    after = of("new", replace(late, points=late.points[20:]))
    assert subjects(group(after, before)) == ["new", "old"]
    (new, old) = group(after, before).rows
    assert new.value.mean > old.value.mean
    assert new.of_control is not None and new.of_control.mean == pytest.approx(150 / 400, rel=0.02)


def test_only_levels_of_the_newest_environment_stand_beside_each_other() -> None:
    whole = series([100.0] * 20, environments=["6.12"] * 10 + ["6.13"] * 10)
    retired = Points(whole.points.nights, whole.points[:10].columns, whole.points.labels)
    control = of("control", replace(whole, control=True))
    found = group(of("stays", whole), of("retired", replace(whole, points=retired)), control)
    assert subjects(found) == ["stays"]
    assert found.control is not None and found.control.series.subject == "control"
    assert [one.series.subject for one in found.elsewhere] == ["retired"]
    assert found.until.t == "night 0019"


def test_another_host_scenario_or_phase_is_another_group() -> None:
    one = of("a", series([100.0] * 10))
    others = (
        replace(one, id=name, **{name: "another"})  # type: ignore[arg-type]
        for name in ("host", "scenario", "phase")
    )
    found = levels(analyse([one, *others], (), {}))
    assert [(its.host, its.scenario, its.phase) for its in found] == [
        ("another", "fruits@1", "closed"),
        ("lab", "another", "closed"),
        ("lab", "fruits@1", "another"),
        ("lab", "fruits@1", "closed"),
    ]
