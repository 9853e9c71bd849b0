"""Faults that hide from whoever asks: of the application, the database and the machine, in the form of `CASES`."""

from __future__ import annotations

from plumbline.model.evidence import Evidence, Stray
from tests.judge.damage import Change, both, with_column, with_fields, with_load
from tests.judge.evidence import TIMES
from tests.judge.phase_faults import START_S, frozen


def _for_a_moment(column: str, amount: float, from_s: float) -> Change:
    """A counter that grows by so much within a second and a half."""
    return with_column(column, lambda t_s, value: value + amount * min(1.0, max(0.0, (t_s - from_s) / 1.5)))


STOP_S = TIMES["open@500"][0] + 3.9


def _stopped(role: str) -> Change:
    """Two whole seconds in which a role uses no CPU time, and no request is answered."""
    columns = ("load.requests", f"cpu.{role}.user_us", f"cpu.{role}.system_us")
    return both(*(frozen(column, STOP_S, STOP_S + 3.2) for column in columns))


def _unanswered(found: Evidence) -> Evidence:
    """The database says nothing to the sampler while it is stopped."""
    rows = tuple(
        None if STOP_S < t_s < STOP_S + 3.2 else value
        for t_s, value in zip(found.series.t_s, found.series.columns["db.active"], strict=True)
    )
    columns = {**found.series.columns, "db.active": rows}
    return found.model_copy(update={"series": found.series.model_copy(update={"columns": columns})})


_LEFT = (Stray(pid=9, command="sh", cpu_us=4_120_000), Stray(pid=10, command="sleep", cpu_us=0))

HIDDEN: dict[str, tuple[str, str | None, Change, str, str]] = {
    "processes left behind": (
        "R33",
        None,
        with_fields(left_behind=_LEFT),
        "invalid",
        "left 2 processes behind, whose CPU time is its own: sh (4.12 s of CPU time) and sleep",
    ),
    "left by an earlier trial": (
        "R25",
        None,
        with_fields(found_before=_LEFT),
        "warn",
        "were ended first: sh (4.12",
    ),
    "left by an earlier trial, and still there": (
        "R25",
        None,
        with_fields(found_before=(_LEFT[0].model_copy(update={"ended": False}),)),
        "invalid",
        "withstood their end: sh (4.12 s",
    ),
    "on other CPUs for a moment": (
        "R19",
        "closed",
        _for_a_moment("cpu.app.outside_us", 1_500_000, START_S + 20),
        "invalid",
        "The application spent 0.6 % of its CPU time outside its set: 1.50 s.",
    ),
    "on other CPUs while warming up": (
        "R19",
        "warm-up",
        _for_a_moment("cpu.app.outside_us", 1_500_000, TIMES["warm-up"][0] + 2),
        "invalid",
        "outside its set: 1.50 s.",
    ),
    "the database elsewhere": (
        "R19",
        "open@500",
        _for_a_moment("cpu.db.outside_us", 400_000, TIMES["open@500"][0] + 2),
        "invalid",
        "The database spent",
    ),
    "a neighbour while warming up": (
        "R18",
        "warm-up",
        _for_a_moment("set.app.busy_us", 6e6, TIMES["warm-up"][0] + 2),
        "warn",
        "of the CPUs of application while it warmed up: an unnamed neighbour, who took from the warm-up.",
    ),
    "the application is stopped": (
        "R4",
        "open@500",
        both(_stopped("app"), with_load("open@500", dropped=41)),
        "invalid",
        "The application did not run for 2.0 s of this phase while requests waited, and 41 arrivals dropped meanwhile",
    ),
    "the database is stopped": (
        "R4",
        "open@500",
        both(_stopped("db"), with_load("open@500", lag_p99_ms=89.0), _unanswered),
        "invalid",
        "The database did not run for 2.0 s of this phase while requests waited: it used no CPU time at all.",
    ),
}
