"""Faults of every part of a trial that no list had named, in the form of `CASES`."""

from __future__ import annotations

from plumbline.model.evidence import Evidence, ThreadUse
from tests.judge.damage import Change, both, with_column, with_load
from tests.judge.evidence import SETTINGS, TIMES
from tests.judge.hidden_faults import STOP_S
from tests.judge.phase_faults import START_S, frozen, grown, in_microseconds


def _without_ticks(role: str) -> Change:
    """Two whole seconds of the closed phase in which no request is answered, and /proc shows no tick of a role."""
    columns = ("load.requests", f"cpu.{role}.user_us", f"cpu.{role}.system_us")
    return both(*(frozen(column, START_S + 20, START_S + 23.2) for column in columns))


def _stopped_in_the_middle(role: str) -> Change:
    """Two whole seconds of the closed phase in which a role uses no CPU time, and no request is answered."""
    return both(in_microseconds(role), _without_ticks(role))


def _silent(column: str, from_s: float) -> Change:
    """Two seconds in which the sampler got no answer."""

    def change(evidence: Evidence) -> Evidence:
        rows = tuple(
            None if from_s < t_s < from_s + 3.2 else value
            for t_s, value in zip(evidence.series.t_s, evidence.series.columns[column], strict=True)
        )
        columns = {**evidence.series.columns, column: rows}
        return evidence.model_copy(update={"series": evidence.series.model_copy(update={"columns": columns})})

    return change


def _with_other_settings(phase: str, *, before: dict[str, str], after: dict[str, str]) -> Change:
    """A database with other settings than usual before and after one phase."""
    return lambda evidence: evidence.model_copy(
        update={
            "database": tuple(
                work.model_copy(update={"settings": ({**SETTINGS, **before}, {**SETTINGS, **after})})
                if work.phase == phase
                else work
                for work in evidence.database
            )
        }
    )


def _more_rows(evidence: Evidence) -> Evidence:
    rows = {"fruits": 10, "store_fruit_prices": 9034, "stores": 8}
    return evidence.model_copy(
        update={"database": tuple(work.model_copy(update={"table_rows": rows}) for work in evidence.database)}
    )


def _preferred(evidence: Evidence) -> Evidence:
    rows = tuple(row.model_copy(update={"preferred": 3 if row.role == "app" else 0}) for row in evidence.affinity)
    return evidence.model_copy(update={"affinity": rows})


def _visited(evidence: Evidence) -> Evidence:
    visitor = ThreadUse(phase="closed", name="Attach Listener", cpu_us=0)
    return evidence.model_copy(update={"threads": (*evidence.threads, visitor)})


def _uncounted(evidence: Evidence) -> Evidence:
    """The counters of the control group stand still from the middle of the phase on."""
    at_s = START_S + 20
    for column in ("cpu.app.user_us", "cpu.app.system_us"):
        evidence = frozen(column, at_s, TIMES["open@500"][1] + 9)(evidence)
    busy = ThreadUse(phase="closed", name="executor-thread-1", cpu_us=250_000_000)
    other_threads = tuple(use for use in evidence.threads if use.phase != "closed")
    return evidence.model_copy(update={"threads": (busy, *other_threads)})


def _other_k6(evidence: Evidence) -> Evidence:
    processes = tuple(
        process.model_copy(update={"environment": {"GOGC": "off"}}) if process.role == "load" else process
        for process in evidence.processes
    )
    return evidence.model_copy(update={"processes": processes})


_TOO_COARSE = "its CPU time was read in steps of 10 ms, and it used none or less than a step."

INVENTED: dict[str, tuple[str, str | None, Change, str, str]] = {
    "the application may have run a little, by the steps of /proc": (
        "R4",
        "closed",
        _without_ticks("app"),
        "unknown",
        f"waited for 2.0 s of this phase. Whether the application ran meanwhile is not known: {_TOO_COARSE}",
    ),
    "the database may have run a little, by the steps of /proc": (
        "R4",
        "closed",
        both(_without_ticks("db"), _silent("db.active", START_S + 20)),
        "unknown",
        f"Whether the database ran meanwhile is not known: {_TOO_COARSE}",
    ),
    "the load generator may have run a little, by the steps of /proc": (
        "R4",
        "closed",
        both(_without_ticks("load"), _silent("load.requests", START_S + 20)),
        "unknown",
        f"Whether the load generator ran meanwhile is not known: {_TOO_COARSE}",
    ),
    "arrivals dropped while the application may have run a little": (
        "R4",
        "open@500",
        both(
            *(frozen(name, STOP_S, STOP_S + 3.2) for name in ("load.requests", "cpu.app.user_us", "cpu.app.system_us")),
            with_load("open@500", dropped=41),
        ),
        "invalid",
        "41 arrivals dropped: requests that nobody made have no latency.",
    ),
    "the application is stopped in a closed phase": (
        "R4",
        "closed",
        _stopped_in_the_middle("app"),
        "invalid",
        "The application did not run for 2.0 s of this phase while requests waited: it used no CPU time at all.",
    ),
    "the application is stopped where nobody asks the database": (
        "R4",
        "closed",
        both(
            _stopped_in_the_middle("app"),
            *(with_column(column, None) for column in ("db.active", "cpu.db.user_us", "cpu.db.system_us")),
        ),
        "invalid",
        "The application did not run for 2.0 s of this phase while requests waited: it used no CPU time at all.",
    ),
    "the application is stopped while nobody asks a database whose CPU time was not read": (
        "R4",
        "closed",
        both(
            _stopped_in_the_middle("app"),
            _silent("db.active", START_S + 20),
            *(with_column(column, None) for column in ("cpu.db.user_us", "cpu.db.system_us")),
        ),
        "invalid",
        "The application did not run for 2.0 s of this phase while requests waited: it used no CPU time at all.",
    ),
    "the load generator is stopped in a closed phase": (
        "R4",
        "closed",
        both(_stopped_in_the_middle("load"), _silent("load.requests", START_S + 20)),
        "invalid",
        "The load generator did not run for 2.0 s",
    ),
    "the load generator is stopped in a long trial, of which fewer rows are kept": (
        "R4",
        "open@500",
        both(
            in_microseconds("load"),
            frozen("cpu.load.user_us", STOP_S, STOP_S + 3.2),
            with_column("cpu.load.system_us", None),
            _silent("load.requests", STOP_S),
            with_load("open@500", dropped=41),
        ),
        "invalid",
        "The load generator did not run for 2.0 s of this phase while requests waited, and 41 arrivals dropped",
    ),
    "a generator with another environment": (
        "R33",
        None,
        _other_k6,
        "invalid",
        "The load generator was started otherwise than in most trials: GOGC=off.",
    ),
    "somebody who looks into the JVM": (
        "R33",
        None,
        _visited,
        "invalid",
        "Somebody attached to the JVM by the end of closed",
    ),
    "another priority": (
        "R19",
        None,
        _preferred,
        "invalid",
        "3 threads of app (application) run at another priority than the harness.",
    ),
    "out of its control group": (
        "R19",
        "closed",
        _uncounted,
        "invalid",
        "The application left its control group, which missed",
    ),
    "out of its control group, which makes nobody a neighbour": (
        "R18",
        "closed",
        _uncounted,
        "unknown",
        "The application left its control group: who used its CPUs is not known.",
    ),
    "half of the answers from memory": (
        "R16",
        "closed",
        with_load("closed", fresh=200, checks_passed=65 * 400),
        "invalid",
        "that were compared then: others came from memory",
    ),
    "a setting of this trial alone": (
        "R34",
        None,
        _with_other_settings("closed", before={"jit": "on"}, after={"jit": "on"}),
        "invalid",
        "In closed the database had jit on, and in most trials otherwise.",
    ),
    "a setting from mid-phase on": (
        "R34",
        None,
        _with_other_settings("closed", before={}, after={"log_statement": "all"}),
        "invalid",
        "The database was told otherwise during closed: log_statement all.",
    ),
    "rows of somebody else": (
        "R34",
        None,
        _more_rows,
        "invalid",
        "The table store_fruit_prices began with 9,034 rows, and in most trials with another number.",
    ),
    "a file in memory": (
        "R34",
        "closed",
        grown("vm.shared_pages", 50),
        "warn",
        "Files in memory grew by 19",
    ),
    "a checkpoint in mid-phase": (
        "R11",
        "closed",
        with_column("db.checkpoints", lambda t_s, value: value + (1 if t_s > START_S + 9 else 0)),
        "warn",
        "1 checkpoint fell on this phase",
    ),
    "somebody else writes to the disk": (
        "R11",
        "closed",
        grown("disk.written_bytes", 30 * 2**20),
        "warn",
        "Somebody wrote 30 MiB/s to the database's disk, in other trials",
    ),
    "somebody else's session": (
        "R18",
        "closed",
        with_column("db.others_active", lambda t_s, value: 1.0 if START_S + 5 < t_s < START_S + 15 else value),
        "invalid",
        "Somebody else was at work in the database in 10 of 65 seconds",
    ),
}
