"""Faults that are hard to see, of the application, the database and the machine, in the form of `CASES`."""

from __future__ import annotations

from plumbline.model.evidence import Evidence, Stray
from tests.judge.damage import Change, both, with_column, with_environment, with_fields, with_load
from tests.judge.evidence import TIMES
from tests.judge.phase_faults import START_S, frozen, grown, in_microseconds


def _for_a_moment(column: str, amount: float, from_s: float) -> Change:
    """A counter that grows by `amount` more within a second and a half."""
    return with_column(column, lambda t_s, value: value + amount * min(1.0, max(0.0, (t_s - from_s) / 1.5)))


STOP_S = TIMES["open@500"][0] + 3.9


def _stopped(role: str) -> Change:
    """Two whole seconds in which a role uses no CPU time, and no request is answered."""
    columns = ("load.requests", f"cpu.{role}.user_us", f"cpu.{role}.system_us")
    return both(in_microseconds(role), *(frozen(column, STOP_S, STOP_S + 3.2) for column in columns))


def _unanswered(evidence: Evidence) -> Evidence:
    """The database does not answer the sampler while the database is stopped."""
    rows = tuple(
        None if STOP_S < t_s < STOP_S + 3.2 else value
        for t_s, value in zip(evidence.series.t_s, evidence.series.columns["db.active"], strict=True)
    )
    columns = {**evidence.series.columns, "db.active": rows}
    return evidence.model_copy(update={"series": evidence.series.model_copy(update={"columns": columns})})


_TWO_IN_USE = both(with_column("db.active", lambda *_: 2.0), with_column("db.idle_in_transaction", lambda *_: 0.0))


def _with_time_to_spare(role: str) -> tuple[Change, Change]:
    """Half of a role's CPU time is idle."""
    return (
        with_column(f"set.{role}.busy_us", lambda _, value: value / 2),
        with_column(f"set.{role}.idle_us", lambda t_s, value: value + t_s * 5e5),
    )


TWO_IN_USE_WITH_TIME_TO_SPARE = both(_TWO_IN_USE, *_with_time_to_spare("app"))


def _interpreting(evidence: Evidence) -> Evidence:
    assert evidence.jvm is not None
    return evidence.model_copy(update={"jvm": evidence.jvm.model_copy(update={"mode": "interpreted mode"})})


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
        "of the CPUs of the application while it warmed up: an unnamed neighbour, who took from the warm-up.",
    ),
    "a neighbour in the first ten seconds, after the warm-up": (
        "R18",
        "warm-up",
        # The warm-up lasts eight seconds; the other two are the first ones of the closed phase.
        _for_a_moment("set.app.busy_us", 6e6, START_S + 0.1),
        "warn",
        "of the CPUs of the application in the first ten seconds of load: an unnamed neighbour. What was answered in",
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
    "at another priority for a moment": (
        "R19",
        "closed",
        _for_a_moment("cpu.app.preferred_us", 1_500_000, START_S + 20),
        "invalid",
        "The application spent 0.6 % of its CPU time at another priority than the harness: 1.50 s.",
    ),
    "priorities that nobody watched": (
        "R19",
        "open@500",
        with_column("cpu.app.preferred_us", None),
        "unknown",
        "At which priority the application's threads ran was not read throughout the phase.",
    ),
    "a JVM that calls itself native, and interprets": (
        "R34",
        None,
        both(with_environment(runtime="native"), _interpreting),
        "invalid",
        "The JVM ran in interpreted mode: it did not compile as JVMs do.",
    ),
    "a JVM that calls itself native": (
        "R33",
        None,
        with_environment(runtime="native"),
        "invalid",
        "The application says that it is native, and its packaging is jvm.",
    ),
    "nobody answers for a while, and the application is at work": (
        "R4",
        "open@500",
        with_load("open@500", dropped=41, lag_p99_ms=82.4),
        "invalid",
        "41 arrivals dropped while all clients of k6 waited for answers",
    ),
    "one wrong body, of the same length": (
        "R7",
        "closed",
        with_load("closed", checks_failed=5),
        "invalid",
        "5 answers of those compared had a wrong body",
    ),
    "one body of another length": (
        "R7",
        "open@500",
        with_load("open@500", wrong_length=1),
        "invalid",
        "1 answer had another length.",
    ),
    "too few bodies compared": (
        "R7",
        "open@500",
        with_load("open@500", checks_passed=75),
        "unknown",
        "one wrong answer in 1000 would have been missed with 93 %, too few to tell.",
    ),
    "compressed under load": (
        "R16",
        "open@500",
        with_load("open@500", received_bytes=7500 * 1200),
        "invalid",
        "an answer had 3923 bytes less than the 5123 when it was probed: another header, or another encoding",
    ),
    "another header under load": (
        "R16",
        "open@500",
        with_load("open@500", received_bytes=7500 * 5140),
        "invalid",
        "an answer had 17 bytes more than the 5123 when it was probed",
    ),
    "connections not kept alive under load": (
        "R16",
        "closed",
        grown("tcp.passive_opens", 1200),
        "invalid",
        "they were not kept alive",
    ),
    "answers in more pieces": (
        "R16",
        "closed",
        both(grown("net.lo.packets", 8000), grown("net.lo.bytes", 8000 * 66)),
        "warn",
        "Packets over loopback were 10 % smaller",
    ),
    "connections not kept alive, by the load's own count": (
        "R16",
        "closed",
        with_load("closed", reused=0.9),
        "invalid",
        "10 % of the requests opened a connection: they were not kept alive",
    ),
    "a neighbour that opens connections": (
        "R16",
        "closed",
        both(with_load("closed", reused=0.99), grown("tcp.passive_opens", 1200)),
        "warn",
        "the load kept its own alive, so a neighbour or the application opened them",
    ),
    "answers from memory": (
        "R16",
        "closed",
        with_load("closed", fresh=0),
        "invalid",
        "was changed for 1.0 s: 0 answers showed it",
    ),
    "answers from memory, for long": (
        "R16",
        "closed",
        with_load("closed", fresh=3000),
        "invalid",
        "later ones came from memory",
    ),
    "hardly an answer while a row was changed": (
        "R16",
        "closed",
        both(frozen("load.requests", START_S + 4, START_S + 6), with_load("closed", fresh=0)),
        "unknown",
        "Only some 7 compared answers fell on the 1.0 s of a changed row.",
    ),
    "no row was changed": (
        "R16",
        "closed",
        with_fields(freshness=()),
        "unknown",
        "No row that is served was changed",
    ),
    "too few answers on a changed row": (
        "R16",
        "open@500",
        with_load("open@500", checks_passed=90),
        "unknown",
        "Only some 6 compared answers fell on",
    ),
    "a file that grows": (
        "R34",
        "closed",
        grown("app.written_bytes", 60_000),
        "invalid",
        "KiB/s to storage, others",
    ),
    "a load generator that writes": (
        "R34",
        "open@500",
        grown("load.written_bytes", 60_000),
        "invalid",
        "The load generator wrote",
    ),
    "two of twenty connections in use, in one process of several": (
        "R10",
        "closed",
        TWO_IN_USE_WITH_TIME_TO_SPARE,
        "warn",
        "in another process of the same subject: nothing in it lets in fewer.",
    ),
    "two of twenty connections in use, by an application without CPU time to spare": (
        "R10",
        "closed",
        _TWO_IN_USE,
        "warn",
        "the CPUs of the application were 97 % busy, which may be all that they waited for.",
    ),
    "the database is stopped in a long trial, of which fewer rows are kept": (
        "R4",
        "open@500",
        both(
            _stopped("db"),
            _unanswered,
            with_column("cpu.db.user_us", None),
            with_column("cpu.db.system_us", None),
        ),
        # Silence alone does not prove it: the sampler rests for five seconds after an answer that came too late.
        "unknown",
        "Whether the database ran meanwhile is not known: its CPU time was not read.",
    ),
}
