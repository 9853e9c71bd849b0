"""Rules on one trial: each with evidence of the fault that it is there for, on a lab host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from plumbline.judge.referee import judge
from plumbline.model.evidence import Evidence, Failure, HostBefore, LogSummary, TlsUse
from tests.judge.evidence import (
    TIMES,
    damaged,
    findings,
    measured,
    scenario,
    session,
    with_column,
    with_fields,
    with_load,
)

Change = Callable[[Evidence], Evidence]
START_S, END_S = TIMES["closed"]
OPEN_S = TIMES["open@500"][0]


def both(*changes: Change) -> Change:
    def changed(found: Evidence) -> Evidence:
        for change in changes:
            found = change(found)
        return found

    return changed


def slower(column: str, factor: float) -> Change:
    """A counter that grows by only a part of what it did."""
    return with_column(column, lambda _, value: value * factor)


def grown(column: str, per_s: float, since_s: float = START_S) -> Change:
    """A counter that grows faster from a moment on."""
    return with_column(column, lambda t_s, value: value + max(0.0, t_s - since_s) * per_s)


def busier(role: str, share: float, cpus: int) -> Change:
    """Somebody uses a share of a set's time, from the closed phase on."""
    return both(
        grown(f"set.{role}.busy_us", share * cpus * 1e6), grown(f"set.{role}.idle_us", -share * cpus * 1e6)
    )


def frozen(column: str, from_s: float, to_s: float) -> Change:
    """A counter that stands still for a while, and stays behind ever after."""

    def change(found: Evidence) -> Evidence:
        rows = zip(found.series.t_s, found.series.columns[column], strict=True)
        held = next(value for t_s, value in rows if t_s >= from_s)
        assert held is not None
        stop = held
        return with_column(column, lambda t_s, value: stop if from_s <= t_s <= to_s else value)(found)

    return change


def ending(phase: str, end_s: float) -> Change:
    """A phase whose window ends at another time."""
    return lambda found: found.model_copy(
        update={
            "windows": tuple(
                window.model_copy(update={"end_s": end_s}) if window.phase == phase else window
                for window in found.windows
            )
        }
    )


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
    "arrivals dropped": (
        "R4",
        "open@500",
        with_load("open@500", dropped=12),
        "invalid",
        "dropped 12 arrivals",
    ),
    "the app can't": (
        "R4",
        "open@500",
        both(with_load("open@500", dropped=12), busier("app", 0.68, 4)),
        "warn",
        "saturated at 500/s: 12 arrivals",
    ),
    "the client idles": (
        "R5",
        "closed",
        with_load("closed", latency_mean_ms=15.0),
        "invalid",
        "busy with itself",
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
    "a timeout while warming up": (
        "R7",
        "warm-up",
        with_load("warm-up", timeouts=3),
        "invalid",
        "3 requests timed",
    ),
    "refused": ("R7", "closed", with_load("closed", connect_errors=12522), "invalid", "12522 connections"),
    "k6 ends badly": ("R7", "closed", with_load("closed", exit_code=107), "invalid", "status 107"),
    "nothing compared": ("R7", "closed", with_load("closed", checks_passed=0), "unknown", "No answer's body"),
    "accept queue": ("R7", "closed", grown("tcp.listen_overflows", 2), "invalid", "overflowed"),
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
    "writes that left no row": ("R8", "closed", with_load("closed", writes=900), "invalid", "900 missing"),
    "a deadlock": (
        "R9",
        "closed",
        frozen("load.requests", START_S + 5, START_S + 11),
        "invalid",
        "No request",
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
        "invalid",
        "and 60 s are needed",
    ),
    "warmed up too late": (
        "R29",
        "closed",
        both(grown("load.requests", -1500), grown("load.requests", 1500, START_S + 3)),
        "invalid",
        "into the measured part: warm-up was too short",
    ),
    "a slow decline": (
        "R29",
        "closed",
        with_column("load.requests", lambda t_s, value: value - 0.4 * max(0.0, t_s - START_S) ** 2 * 10),
        "invalid",
        "not steady",
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
        ending("closed", START_S + 15),
        "warn",
        "Not proven steady: 23 s",
    ),
    "the database is busy": ("R11", "closed", busier("db", 0.45, 2), "invalid", "may have been the limit"),
    "a slow disk": (
        "R11",
        "closed",
        grown("db.psi.io.some_us", 300_000),
        "invalid",
        "waited for the disk 30 %",
    ),
    "lock waits": (
        "R11",
        "closed",
        with_column("db.waiting_locks", lambda *_: 2.0),
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
    "a neighbour": ("R18", "open@500", busier("app", 0.08, 4), "invalid", "unnamed neighbour"),
    "a quota": (
        "R20",
        "closed",
        grown("db.throttled_us", 40_000),
        "invalid",
        "database was stopped by a CPU quota",
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
    "a compiler": (
        "R25",
        None,
        with_fields(
            host_before=HostBefore(load_1m=3, runnable=4, foreign_cpu_share=0.25, busy_commands=("cc1",))
        ),
        "invalid",
        "25 % of the host's CPUs: cc1",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_fault_is_named_by_its_rule(case: str) -> None:
    rule, phase, change, outcome, words = CASES[case]
    whole = session(blocks=5)
    number = measured(whole)[1]
    found = findings(damaged(whole, number, change), number, rule)[phase]
    assert found.outcome == outcome, found.reading
    assert words in found.reading


def test_a_fault_of_one_trial_is_not_the_others() -> None:
    whole = session()
    number = measured(whole)[1]
    after = judge(damaged(whole, number, with_load("closed", failed=1)))
    before = judge(whole)
    assert {other for other in before if before[other] != after[other]} == {number}


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ({"pool_warm_up": "off", "pool_initial": "max"}, "warn"),
        ({"pool_warm_up": "on", "pool_initial": "half"}, "warn"),
        ({"pool_warm_up": "on", "pool_initial": "max"}, "invalid"),
    ],
)
def test_a_pool_that_grows_as_it_likes_is_a_finding_beside_the_figure(
    said: dict[str, str], outcome: str
) -> None:
    whole = session()
    number = measured(whole)[1]

    def change(found: Evidence) -> Evidence:
        environment = {**(found.environment or {}), "settings": {"db_tls": "off", **said}}
        fewer = with_column("db.connections", lambda t_s, _: 8.0)(found)
        return fewer.model_copy(update={"environment": environment})

    found = findings(damaged(whole, number, change), number, "R10")["closed"]
    assert found.outcome == outcome
    assert "8 connections were open where the pool has 20" in found.reading


def test_seldom_active_over_many_samples_is_invalid() -> None:
    whole = session()
    number = measured(whole)[1]
    trial = whole.trials[number]
    windows = tuple(
        window.model_copy(update={"end_s": 40.0}) if window.phase == "closed" else window
        for window in trial.evidence.windows
    )
    change = both(with_column("db.active", lambda *_: 0.0), with_fields(windows=windows))
    assert findings(damaged(whole, number, change), number, "R10")["closed"].outcome == "invalid"


def test_pressure_of_the_host_bounds_that_of_the_database() -> None:
    whole = session()
    number = measured(whole)[1]
    without = with_column("db.psi.io.some_us", None)
    assert findings(damaged(whole, number, without), number, "R11")["closed"].outcome == "pass"
    more = both(without, grown("psi.io.some_us", 300_000))
    found = findings(damaged(whole, number, more), number, "R11")["closed"]
    assert found.outcome == "unknown"
    assert "the database's part of it is not known" in found.reading


@pytest.mark.parametrize("rule", ["R8", "R9", "R10", "R11", "R13", "R17"])
def test_rules_of_the_database_do_not_apply_without_one(rule: str) -> None:
    whole = session()
    number = measured(whole)[1]
    without = damaged(whole, number, lambda found: found, scenario(uses_database=False))
    assert {one.outcome for one in findings(without, number, rule).values()} == {"n/a"}


def test_a_share_of_the_cpus_that_a_setting_declares_is_no_fault_and_is_named() -> None:
    whole = session()
    number = measured(whole)[1]
    held = both(idle_app(0.49), grown("app.throttled_us", 30_000_000))
    undeclared = damaged(whole, number, held)
    assert findings(undeclared, number, "R20")["closed"].outcome == "invalid"
    assert findings(undeclared, number, "R1")["closed"].outcome == "invalid"
    planned = whole.trials[number].planned
    subject = f"{planned.subject}+cpu-share=50"
    declared = replace(
        undeclared,
        trials={
            **undeclared.trials,
            number: replace(
                undeclared.trials[number], planned=planned.model_copy(update={"subject": subject})
            ),
        },
    )
    named = findings(declared, number, "R20")["closed"]
    assert (
        named.outcome == "pass" and "50 % of its CPU time, as the setting cpu-share declares" in named.reading
    )
    blind = damaged(declared, number, with_column("db.throttled_us", None))
    half_known = findings(blind, number, "R20")["closed"]
    assert half_known.outcome == "unknown"
    assert "as the setting cpu-share declares" in half_known.reading
    assert "database has no cgroup of its own" in half_known.reading
    used = findings(declared, number, "R1")["closed"]
    assert used.outcome == "pass" and "of the 50 % of its CPUs" in used.reading


@pytest.mark.parametrize(
    ("operation", "outcome"),
    [
        ("GET /fruits", "invalid"),
        ("POST /orders (mix)", "n/a"),
        ("GET /benchmark?query=one&count=50", "n/a"),
    ],
)
def test_bytes_an_answer_are_compared_where_answers_are_alike(operation: str, outcome: str) -> None:
    whole = session()
    number = measured(whole)[1]
    its = scenario().model_copy(update={"operation": operation})
    received = whole.trials[number].evidence.load[1].received_bytes
    longer = damaged(whole, number, with_load("closed", received_bytes=round(received * 1.003)), its)
    assert findings(longer, number, "R16")["closed"].outcome == outcome


@pytest.mark.parametrize("rule", ["R1", "R5"])
def test_saturation_is_asked_only_of_phases_that_saturate(rule: str) -> None:
    whole = session()
    number = measured(whole)[1]
    phases = tuple(phase.model_copy(update={"saturates": False}) for phase in scenario().phases)
    calm = damaged(whole, number, idle_app(0.3), scenario().model_copy(update={"phases": phases}))
    found = findings(calm, number, rule)
    assert {one.outcome for one in found.values()} == {"n/a"}


def test_writes_within_those_in_flight_tally() -> None:
    whole = session()
    number = measured(whole)[1]
    work = tuple(
        one.model_copy(update={"rows_inserted": {"fruits": 960}})
        for one in whole.trials[number].evidence.database
    )
    change = both(with_load("closed", writes=900), with_fields(database=work))
    found = findings(damaged(whole, number, change), number, "R8")
    assert found["closed"].outcome == "pass"
    assert found["open@500"].outcome == "invalid"  # 960 rows that nobody asked for


def test_a_trial_that_did_not_get_far_is_unknown_there() -> None:
    whole = session()
    number = measured(whole)[1]
    evidence = whole.trials[number].evidence
    change = with_fields(windows=evidence.windows[:1], load=evidence.load[:1], database=())
    after = damaged(whole, number, change)
    for rule in ("R1", "R4", "R8", "R9", "R18", "R24"):
        assert findings(after, number, rule)["closed"].outcome == "unknown", rule


def test_a_virtual_machine_is_no_lab() -> None:
    whole = session()
    host = whole.host.model_copy(update={"hypervisor": True})
    found = findings(replace(whole, host=host), 1, "R21")[None]
    assert found.outcome == "invalid"


def test_a_load_generator_that_starts_with_its_phase_is_known() -> None:
    whole = session()
    number = measured(whole)[1]

    def change(found: Evidence) -> Evidence:
        columns = dict(found.series.columns)
        rows = zip(found.series.t_s, columns["load.major_faults"], strict=True)
        alive = ((START_S, END_S + 1), (OPEN_S, OPEN_S + 16))
        columns["load.major_faults"] = tuple(
            value if any(start <= t_s <= end for start, end in alive) else None for t_s, value in rows
        )
        return found.model_copy(update={"series": found.series.model_copy(update={"columns": columns})})

    found = findings(damaged(whole, number, change), number, "R24")
    assert {one.outcome for one in found.values()} == {"pass"}


def test_a_native_image_has_neither_compiler_nor_counters_of_a_heap() -> None:
    whole = session()
    number = measured(whole)[0]

    def native(found: Evidence) -> Evidence:
        columns = {name: rows for name, rows in found.series.columns.items() if not name.startswith("jvm.")}
        return found.model_copy(
            update={
                "environment": {**(found.environment or {}), "runtime": "native"},
                "series": found.series.model_copy(update={"columns": columns}),
            }
        )

    assert findings(damaged(whole, number, native), number, "R29")["closed"].outcome == "pass"


def growing(table: str, rows: int, grown: int) -> Callable[[Evidence], Evidence]:
    """Evidence in which a table of so many rows grew by so many in each phase."""

    def changed(found: Evidence) -> Evidence:
        work = tuple(
            one.model_copy(update={"rows_inserted": {table: grown}, "table_rows": {table: rows + grown}})
            for one in found.database
        )
        return found.model_copy(update={"database": work})

    return changed


@pytest.mark.parametrize(
    ("rows", "rows_at_s", "grows", "outcome", "words"),
    [
        # A row each millisecond, on a table that does not notice.
        (10_000_000, lambda t_s: 1000 * t_s, (), "pass", "The table zipcode grew"),
        # The same on an empty one, which the scenario says is meant to grow.
        (0, lambda t_s: 1000 * t_s, ("zipcode",), "pass", "rows were written a request"),
        (0, lambda t_s: 1000 * t_s, (), "invalid", "The table zipcode grew from 0 to 9,000 rows"),
        # All writes at first, and ever fewer of them.
        (10_000_000, lambda t_s: 1e6 * (1 - 1 / (1 + t_s)), (), "invalid", "the work drifted"),
    ],
)
def test_work_that_drifts_is_named(
    rows: int, rows_at_s: Callable[[float], float], grows: tuple[str, ...], outcome: str, words: str
) -> None:
    whole = session()
    number = measured(whole)[1]
    change = both(
        growing("zipcode", rows, 9000), with_column("db.rows_inserted", lambda t_s, _: rows_at_s(t_s))
    )
    meant = scenario().model_copy(update={"grows": grows})
    found = findings(damaged(whole, number, change, meant), number, "R17")["closed"]
    assert (found.outcome, words in found.reading) == (outcome, True), found.reading


def test_reads_alone_need_no_thirds() -> None:
    whole = session()
    number = measured(whole)[1]
    found = findings(damaged(whole, number, with_column("db.rows_inserted", None)), number, "R17")
    assert {one.outcome for one in found.values()} == {"pass"}


def test_writes_without_their_series_are_unknown() -> None:
    whole = session()
    number = measured(whole)[1]
    change = both(growing("zipcode", 10_000_000, 9000), with_column("db.rows_inserted", None))
    assert findings(damaged(whole, number, change), number, "R17")["closed"].outcome == "unknown"


@pytest.mark.parametrize(
    ("grows", "rows", "outcome"),
    [(("zipcode",), 900, "pass"), (("zipcode",), 10**6, "invalid"), ((), 900, "invalid")],
)
def test_what_finds_or_inserts_writes_at_most_a_row_each(
    grows: tuple[str, ...], rows: int, outcome: str
) -> None:
    whole = session()
    number = measured(whole)[1]
    meant = scenario().model_copy(update={"grows": grows})
    found = findings(damaged(whole, number, growing("zipcode", 0, rows), meant), number, "R8")
    assert found["closed"].outcome == outcome
