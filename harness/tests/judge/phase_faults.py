"""Faults of one trial: for each the rule that names it, the phase, the damage, the outcome and words of the reading."""

from __future__ import annotations

from plumbline.model.evidence import QUANTILES, Evidence, Failure, HostBefore, LoadPart, LogSummary, TlsUse
from tests.judge.damage import (
    Change,
    both,
    with_column,
    with_fields,
    with_load,
)
from tests.judge.evidence import TIMES

START_S, END_S = TIMES["closed"]

OPEN_S = TIMES["open@500"][0]

MIX = (
    LoadPart(
        use_case="order", request=None, requests=90, latency_mean_ms=7.0, latency_max_ms=9.0, latency_ms=(7.0, 8.0, 9.0)
    ),
)


def slower(column: str, factor: float) -> Change:
    """A counter that grows by a share of its usual growth."""
    return with_column(column, lambda _, value: value * factor)


def grown(column: str, per_s: float, since_s: float = START_S) -> Change:
    """A counter that grows faster from a moment on."""
    return with_column(column, lambda t_s, value: value + max(0.0, t_s - since_s) * per_s)


def busier(role: str, share: float, cpus: int) -> Change:
    """Somebody uses a share of a set's time, from the closed phase on."""
    return both(grown(f"set.{role}.busy_us", share * cpus * 1e6), grown(f"set.{role}.idle_us", -share * cpus * 1e6))


def in_microseconds(role: str) -> Change:
    """CPU time as a control group counts it, and not in ticks."""
    return with_column(f"cpu.{role}.user_us", lambda t_s, value: value + t_s)


def frozen(column: str, from_s: float, to_s: float) -> Change:
    """A counter that stands still for a while, and stays behind ever after."""

    def change(evidence: Evidence) -> Evidence:
        rows = zip(evidence.series.t_s, evidence.series.columns[column], strict=True)
        first_value = next(value for t_s, value in rows if t_s >= from_s)
        assert first_value is not None
        frozen_value = first_value
        return with_column(column, lambda t_s, value: frozen_value if from_s <= t_s <= to_s else value)(evidence)

    return change


def ending(phase: str, end_s: float) -> Change:
    """A phase whose window ends at another time."""
    return lambda evidence: evidence.model_copy(
        update={
            "windows": tuple(
                window.model_copy(update={"end_s": end_s}) if window.phase == phase else window
                for window in evidence.windows
            )
        }
    )


def stopped_around(us_per_s: float) -> Change:
    """A quota of a group around all roles stops it from the closed phase on."""

    def change(evidence: Evidence) -> Evidence:
        stopped_us = tuple(max(0.0, t_s - START_S) * us_per_s for t_s in evidence.series.t_s)
        columns = {**evidence.series.columns, "harness.throttled_us": stopped_us}
        return evidence.model_copy(update={"series": evidence.series.model_copy(update={"columns": columns})})

    return change


def _declining(column: str, by: float, since_s: float) -> Change:
    """A counter that grows by ever less: by 2 `by` less from each second to the next."""
    return with_column(column, lambda t_s, value: value - by * max(0.0, t_s - since_s) ** 2)


def _ended_early(evidence: Evidence) -> Evidence:
    processes = tuple(
        process.model_copy(update={"ended_early": True, "exit_code": 137}) if process.role == "load" else process
        for process in evidence.processes
    )
    return evidence.model_copy(update={"processes": processes})


def idle_app(busy: float) -> Change:
    """The application's CPUs are busy for a share of the closed phase."""
    return busier("app", busy - 0.974, 4)


CASES: dict[str, tuple[str, str | None, Change, str, str]] = {
    "the app is idle": (
        "R1",
        "closed",
        idle_app(0.71),
        "invalid",
        "something else was the limit (load generator",
    ),
    "the app is nearly busy": ("R1", "closed", idle_app(0.93), "warn", "used 93 % of its CPU"),
    "k6 is starved": ("R4", "closed", busier("load", 0.6, 1), "invalid", "load generator used 9"),
    "arrivals late": ("R4", "open@500", with_load("open@500", lag_p99_ms=89.0), "invalid", "89 ms late"),
    "a generator begins late": (
        "R4",
        "closed",
        with_load("closed", began_ms=(0.0, 4.0, 14.0)),
        "invalid",
        "The generator 3 of 3 began 14 ms after the first (allowed 10 ms).",
    ),
    "a generator begins late by its node's clock": (
        "R4",
        "closed",
        with_load("closed", began_ms=(0.0, 14.0), began_unsure_ms=3.0),
        "invalid",
        "The generator 2 of 2 began 11 ms after the first (allowed 10 ms).",
    ),
    "clocks of nodes don't tell whether generators begin at once": (
        "R4",
        "closed",
        with_load("closed", began_ms=(0.0, 9.0), began_unsure_ms=3.0),
        "unknown",
        "2 generators began 6 to 12 ms apart (allowed 10 ms): the clocks of their nodes are not known better.",
    ),
    "generators begin at once by their nodes' clocks": (
        "R4",
        "open@500",
        with_load("open@500", began_ms=(2.0, 0.0), began_unsure_ms=8.0),
        "pass",
        "The load generator used 12 %",
    ),
    "generators begin at once": (
        "R4",
        "open@500",
        with_load("open@500", began_ms=(2.0, 0.0)),
        "pass",
        "The load generator used 12 %",
    ),
    "arrivals late by less than a twentieth of a slow answer": (
        "R4",
        "open@500",
        with_load("open@500", lag_p99_ms=4.0, latency_ms=(100.0,) * len(QUANTILES)),
        "pass",
        "The load generator used 12 %",
    ),
    "arrivals dropped": (
        "R4",
        "open@500",
        with_load("open@500", dropped=12, lag_p99_ms=89.0),
        "invalid",
        "k6 dropped 12 arrivals",
    ),
    "arrivals dropped from a mix": (
        "R4",
        "open@500",
        with_load("open@500", dropped=12, lag_p99_ms=89.0, parts=MIX),
        "invalid",
        "12 arrivals dropped: requests that nobody made have no latency.",
    ),
    "arrivals dropped from a mix while the load generator is on time": (
        "R4",
        "open@500",
        with_load("open@500", dropped=12, lag_p99_ms=24.4, parts=MIX),
        "invalid",
        "12 arrivals dropped while all clients of k6 waited for answers",
    ),
    "arrivals of a mix late": (
        "R4",
        "open@500",
        with_load("open@500", lag_p99_ms=89.0, parts=MIX),
        "invalid",
        "89 ms late (p99; allowed 1 ms): the load generator was starved.",
    ),
    "the app can't answer a mix": (
        "R4",
        "open@500",
        both(with_load("open@500", dropped=12, lag_p99_ms=89.0, parts=MIX), busier("app", 0.68, 4)),
        "warn",
        "saturated at 500/s: 12 arrivals",
    ),
    "the app can't": (
        "R4",
        "open@500",
        both(with_load("open@500", dropped=12, lag_p99_ms=24.4), busier("app", 0.68, 4)),
        "warn",
        "saturated at 500/s: 12 arrivals",
    ),
    "the client idles": (
        "R5",
        "closed",
        with_load("closed", latency_mean_ms=15.0),
        "invalid",
        "the client was busy with itself for 40 % of the time.",
    ),
    "requests cut at the end of a phase with few of them": (
        "R5",
        "closed",
        with_load("closed", completed=1000, latency_mean_ms=6000.0),
        "pass",
        "Connections over rate times mean latency are 1.083.",
    ),
    "a batch that the end of the phase cuts at its end": (
        "R5",
        "closed",
        with_load("closed", connections=1, completed=5, latency_mean_ms=11_000.0),
        "pass",
        "Connections over rate times mean latency are 1.182.",
    ),
    "counts too high": (
        "R5",
        "closed",
        with_load("closed", latency_mean_ms=40.0),
        "invalid",
        "more answers than",
    ),
    "a failed request": ("R7", "closed", with_load("closed", failed=1), "invalid", "1 request of"),
    "a 503": (
        "R7",
        "open@500",
        with_load("open@500", statuses={"2xx": 7490, "5xx": 10}),
        "invalid",
        "10 x 5xx",
    ),
    "a wrong body": ("R7", "closed", with_load("closed", checks_failed=2), "invalid", "wrong body"),
    "failing on and on while warming up": (
        "R7",
        "warm-up",
        with_load("warm-up", failed=400, statuses={"2xx": 3600, "5xx": 400}),
        "invalid",
        "400 requests of",
    ),
    "a wrong body while warming up": (
        "R7",
        "warm-up",
        with_load("warm-up", checks_failed=1),
        "invalid",
        "wrong body",
    ),
    "another length while warming up": (
        "R7",
        "warm-up",
        with_load("warm-up", wrong_length=3000),
        "invalid",
        "3000 answers",
    ),
    "refused": ("R7", "closed", with_load("closed", connect_errors=12522), "invalid", "12522 connections"),
    "k6 ends badly": ("R7", "closed", with_load("closed", exit_code=107), "invalid", "status 107"),
    "nothing compared": ("R7", "closed", with_load("closed", checks_passed=0), "unknown", "No answer's body"),
    "accept queue": ("R7", "closed", grown("tcp.listen_overflows", 2), "invalid", "overflowed"),
    "turned away": (
        "R7",
        "closed",
        both(grown("tcp.listen_overflows", 2), with_load("closed", failed=29)),
        "invalid",
        "failed. The queue of new connections overflowed 130 times.",
    ),
    "sent again": ("R7", "open@500", grown("tcp.timeouts", 1), "invalid", "sent again"),
    "an exception": (
        "R7",
        None,
        with_fields(logs={"app": LogSummary(bytes=9, lines=1, errors=0, exceptions=1, first_error="Boom.")}),
        "invalid",
        "1 exception, first: Boom.",
    ),
    "ends early": (
        "R7",
        None,
        with_fields(failure=Failure(phase="closed", problem="The application died with status 1.")),
        "invalid",
        "did not reach its end (phase closed): The application died",
    ),
    "a process ends early": (
        "R7",
        None,
        _ended_early,
        "invalid",
        "The load generator ended in mid-trial with status 137.",
    ),
    "writes that left no row": ("R8", "closed", with_load("closed", writes=900), "invalid", "900 missing"),
    "a deadlock": (
        "R9",
        "closed",
        frozen("load.requests", START_S + 5, START_S + 11),
        "invalid",
        "No request",
    ),
    "hardly any good answer": (
        "R9",
        "closed",
        with_load("closed", requests=1030, failed=930),
        "invalid",
        "930 of 1030 requests failed: the work did not go on",
    ),
    "nothing committed": (
        "R9",
        "closed",
        slower("db.commits", 0.05),
        "invalid",
        "transactions were committed",
    ),
    "a half-used pool": (
        "R10",
        "closed",
        with_column("db.connections", lambda t_s, _: 8.0),
        "invalid",
        "8 connections were open where the pool has 20",
    ),
    "idle in transaction": (
        "R10",
        "open@500",
        with_column("db.idle_in_transaction_max_s", lambda t_s, value: 4.5 if t_s > OPEN_S + 3 else value),
        "invalid",
        "idle for 4.5 s",
    ),
    "nobody at work": (
        "R10",
        "closed",
        with_column("db.active", lambda *_: 0.0),
        "invalid",
        "Hardly ever was a connection at work",
    ),
    "nobody seen at work in a few seconds": (
        "R10",
        "closed",
        both(with_column("db.active", lambda *_: 0.0), ending("closed", START_S + 15)),
        "unknown",
        "too few to tell",
    ),
    "still warming up": (
        "R29",
        "closed",
        both(grown("load.requests", -800), grown("load.requests", 800, START_S + 30)),
        "warn",
        "it may still change by",
    ),
    "warmed up too late": (
        "R29",
        "closed",
        both(grown("load.requests", -1500), grown("load.requests", 1500, START_S + 3)),
        "warn",
        "it may still change by",
    ),
    "a slow decline": (
        "R29",
        "closed",
        with_column("load.requests", lambda t_s, value: value - 0.4 * max(0.0, t_s - START_S) ** 2 * 10),
        "invalid",
        "of this process: still changing",
    ),
    "a slow decline at the same cost": (
        "R29",
        "closed",
        both(
            _declining("load.requests", 4.0, START_S),
            _declining("cpu.app.user_us", 3104.0, START_S),
            _declining("cpu.app.system_us", 776.0, START_S),
        ),
        "invalid",
        "Throughput of this process: still changing",
    ),
    "a cost that grows at a fixed rate": (
        "R29",
        "open@500",
        _declining("cpu.app.user_us", -20_000.0, OPEN_S),
        "invalid",
        "Application CPU per request of this process: still changing",
    ),
    "a compiler that does not rest": (
        "R29",
        "closed",
        grown("jvm.jit_us", 30_000),
        "warn",
        "still changing the program",
    ),
    "a leak": (
        "R29",
        "closed",
        with_column("jvm.heap_used_bytes", lambda t_s, value: value + 1.5e6 * max(0.0, t_s - START_S)),
        "warn",
        "of the heap: it could not have gone on like this",
    ),
    "measured too short": (
        "R29",
        "closed",
        ending("closed", START_S + 10),
        "warn",
        "Not proven steady: 10 s measured, and it takes 15 s to tell",
    ),
    "the database is busy": ("R11", "closed", busier("db", 0.45, 2), "invalid", "may have been the limit"),
    "a slow disk": (
        "R11",
        "closed",
        both(grown("db.psi.io.some_us", 300_000), grown("psi.io.some_us", 300_000)),
        "invalid",
        "waited for the disk 30 %",
    ),
    "CPUs of the database that wait for the disk": (
        "R11",
        "closed",
        grown("set.db.iowait_us", 60_000),
        "invalid",
        "The database's CPUs waited for the disk 2.9 % of the time.",
    ),
    "a database that waits for a CPU": (
        "R11",
        "closed",
        both(grown("db.psi.cpu.some_us", 60_000), grown("psi.cpu.some_us", 60_000)),
        "invalid",
        "Somebody in the database waited for a CPU 6",
    ),
    "a database that waits for a CPU now and then": (
        "R11",
        "closed",
        grown("db.psi.cpu.some_us", 40_000),
        "pass",
        "The database used 4",
    ),
    "lock waits": (
        "R11",
        "closed",
        with_column("db.waiting_locks", lambda *_: 2.0),
        "invalid",
        "waited for a lock",
    ),
    "lock waits for a while": (
        "R11",
        "closed",
        with_column("db.waiting_locks", lambda t_s, value: 8.0 if START_S + 4 < t_s < START_S + 20 else value),
        "invalid",
        "waited for a lock",
    ),
    "encrypted unasked": (
        "R13",
        None,
        with_fields(tls=(TlsUse(version="TLSv1.3", cipher="X", connections=20),)),
        "invalid",
        "20 connections to the database are encrypted where plain ones are declared",
    ),
    "encrypted until the look": (
        "R13",
        None,
        with_column("db.tls_connections", lambda t_s, value: 3.0 if START_S + 4 < t_s < START_S + 6 else value),
        "invalid",
        "Up to 3 connections to the database at once were encrypted in closed where plain ones are declared",
    ),
    "a neighbour": ("R18", "open@500", busier("app", 0.08, 4), "invalid", "unnamed neighbour"),
    "interrupts are no neighbour": (
        "R18",
        "open@500",
        both(busier("app", 0.08, 4), grown("set.app.irq_us", 160_000), grown("set.app.softirq_us", 160_000)),
        "pass",
        "Others used",
    ),
    "a neighbour as large as the interrupts that our processes' time contains": (
        "R18",
        "open@500",
        both(
            busier("app", 0.08, 4),
            grown("set.app.softirq_us", 320_000),
            with_column("set.app.irq_us", lambda t_s, value: 0.0),
        ),
        "warn",
        "Others used up to",
    ),
    "a quota": (
        "R20",
        "closed",
        grown("db.throttled_us", 40_000),
        "invalid",
        "database was stopped by a CPU quota",
    ),
    "a quota of a slice, or of a container that all runs in": (
        "R20",
        "open@500",
        stopped_around(6),
        "invalid",
        "The slice or container around our processes was stopped by a CPU quota for 0.",
    ),
    "no stop by a quota around": ("R20", "open@500", stopped_around(0), "pass", "No process was stopped by a quota."),
    "a quota around, while those of the roles are not seen": (
        "R20",
        "closed",
        both(stopped_around(6), *(with_column(f"{role}.throttled_us", None) for role in ("app", "db", "load"))),
        "invalid",
        "around our processes was stopped",
    ),
    "the group of the database counts no stops": (
        "R20",
        "closed",
        with_column("db.throttled_us", None),
        "unknown",
        "the database is not known: no control group of its own that counts such stops was read.",
    ),
    "a quota, for a moment": (
        "R20",
        "closed",
        grown("app.throttled_us", 6),
        "invalid",
        "application was stopped by a CPU quota for 0.39 ms",
    ),
    "stolen": ("R21", "open@500", grown("set.app.steal_us", 200_000), "invalid", "hypervisor took"),
    "in swap": (
        "R24",
        "closed",
        with_column("db.swap_bytes", lambda *_: 5 * 2.0**30),
        "invalid",
        "5120.0 MiB",
    ),
    "swap traffic": ("R24", "open@500", grown("vm.swapped_in_pages", 40), "invalid", "from swap"),
    "squeezed": ("R24", "closed", grown("psi.memory.some_us", 50_000), "invalid", "waited for memory 5.0 %"),
    "killed": ("R24", None, grown("app.oom_kills", 1), "invalid", "application because memory ran out"),
    "killed, who is not known": (
        "R24",
        None,
        grown("vm.oom_kills", 1),
        "invalid",
        "killed a process because memory ran out",
    ),
    "killed, and no phase came to its end": (
        "R24",
        None,
        both(grown("app.oom_kills", 1), with_fields(windows=(), load=())),
        "invalid",
        "application because memory ran out",
    ),
    "read back": ("R24", "open@500", grown("app.major_faults", 200), "warn", "200.0 pages/s"),
    "a clock read late": ("R26", None, with_fields(clock_step_ms=-9.9), "pass", "clock agree"),
    "set forward": ("R26", None, with_fields(clock_step_ms=2000.004), "invalid", "set forward by 2000 ms"),
    "set back": ("R26", None, with_fields(clock_step_ms=-12.0), "invalid", "set back by 12 ms"),
    "somebody else's work before the trial": (
        "R25",
        None,
        with_fields(host_before=HostBefore(load_1m=3, runnable=4, foreign_cpu_share=0.05, busy_commands=("sh",))),
        "warn",
        "5.0 % of the host's CPUs: sh",
    ),
    "a compiler": (
        "R25",
        None,
        with_fields(host_before=HostBefore(load_1m=3, runnable=4, foreign_cpu_share=0.25, busy_commands=("cc1",))),
        "invalid",
        "25 % of the host's CPUs: cc1",
    ),
}
