"""R4: the load generator is on time and not the limit; several begin together. A process that stood still is named."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.evidence import LoadResult, Window
from plumbline.verdicts.figures.latency import grid_of, latency_at
from plumbline.verdicts.figures.shares import busy_share, used_share
from ..cpu import Pause, pause_within
from ..facts import PhaseFacts, SessionFacts, TrialFacts
from ..rule import OWN_LOAD, Check, PhaseChecks, Rule, broken, doubtful, in_windows, passed, unknown
from ..wording import ROLE_NAMES, counted, percent

# Above this k6's own goroutines wait for a CPU, and their wait is read as latency of the application.
LOAD_CPU_MAX = 0.75
# A lag is part of the latency that is reported: it may be a twentieth of it, and the grain of a timer is forgiven.
LAG_MAX_PART_OF_P99 = 0.05
LAG_FORGIVEN_MS = 1.0
# While some generators have begun and others have not, the load is another one than was asked for.
BEGAN_APART_MAX_MS = 10.0
# From here on the application is what could not keep up (as in R1), so the dropped arrivals are its own result.
APP_SATURATED = 0.95


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """CPU of k6, and the role that stopped for a while; in open phases lag and dropped arrivals as well."""

    def checks(facts: PhaseFacts, window: Window) -> list[Check]:
        if trial.loads_itself:
            return [OWN_LOAD]
        shared = len(session.sets_of(trial).sharing("load")) > 1
        cpu = _cpu(trial, session, window)
        return [
            cpu,
            *_began_together(facts.load, shared),
            *_arrivals(trial, facts, window, cpu.outcome == "pass"),
        ]

    yield from in_windows(trial, checks)


def _cpu(trial: TrialFacts, session: SessionFacts, window: Window) -> Check:
    sets = session.sets_of(trial)
    used = used_share(trial.evidence.series, "load", sets, window)
    if used is None:
        return unknown("The load generator's CPU time is not known.")
    shared = len(sets.sharing("load")) > 1
    whose = "CPUs, which it shares" if shared else "CPUs"
    reading = f"The load generator used {percent(used)} of its {whose}"
    if used <= LOAD_CPU_MAX:
        return passed(f"{reading}.", used, "share", LOAD_CPU_MAX)
    outcome = doubtful if shared else broken
    return outcome(f"{reading}: it may have been the limit.", used, "share", LOAD_CPU_MAX)


def _began_together(load: LoadResult | None, shared: bool) -> list[Check]:
    """Return the check that several generators began at one moment; none for a single generator.

    A generator on a shared CPU may have to wait. The clocks of several nodes may leave the answer open.
    """
    if load is None or not load.began_ms:
        return []
    apart_ms, count = max(load.began_ms), len(load.began_ms)
    least_ms, most_ms = apart_ms - load.began_unsure_ms, apart_ms + load.began_unsure_ms
    allowed = f"allowed {BEGAN_APART_MAX_MS:.3g} ms"
    if most_ms <= BEGAN_APART_MAX_MS:
        reading = f"{count} generators began within {most_ms:.3g} ms ({allowed})."
        return [passed(reading, most_ms, "ms", BEGAN_APART_MAX_MS)]
    if least_ms <= BEGAN_APART_MAX_MS:
        range_of_delay = f"{max(least_ms, 0):.3g} to {most_ms:.3g} ms apart ({allowed})"
        return [unknown(f"{count} generators began {range_of_delay}: the clocks of their nodes are not known better.")]
    latest = load.began_ms.index(apart_ms) + 1
    reading = f"The generator {latest} of {count} began {least_ms:.3g} ms after the first ({allowed})."
    return [(doubtful if shared else broken)(reading, least_ms, "ms", BEGAN_APART_MAX_MS)]


def _arrivals(trial: TrialFacts, facts: PhaseFacts, window: Window, has_cpu: bool) -> list[Check]:
    """Return the checks of arrivals in time; `has_cpu`: the load generator had CPU time to spare."""
    load, series = facts.load, trial.evidence.series
    if load is None:
        return [unknown("k6 left no result of this phase.")] if facts.phase.kind == "open" else []
    expected_per_s = load.rate_per_s or (load.completed / load.window_s if load.window_s > 0 else 0.0)
    pause = pause_within(series, window, expected_per_s)
    checks: list[Check] = []
    if facts.phase.kind == "open":
        lag = _lag(load)
        on_time = None if lag.outcome == "unknown" or pause is not None else has_cpu and lag.outcome == "pass"
        checks = [_dropped(load, busy_share(series, "app", window), on_time), lag]
    if pause is None:
        return checks
    if pause.doubt is not None:
        return [_perhaps_paused(pause), *checks]
    return [_paused(load, pause), *(check for check in checks if check.outcome == "pass")]


def _perhaps_paused(pause: Pause) -> Check:
    name = ROLE_NAMES[pause.role]
    return unknown(
        f"Requests waited for {pause.seconds:.1f} s of this phase. Whether the {name} ran meanwhile is not known: "
        f"{pause.doubt}."
    )


def _paused(load: LoadResult, pause: Pause) -> Check:
    """Return the check that fails because a role stood still: then the load generator is not to blame."""
    lost = f", and {counted(load.dropped, 'arrival')} dropped meanwhile" if load.dropped else ""
    name, seconds = ROLE_NAMES[pause.role], pause.seconds
    reading = f"The {name} did not run for {seconds:.1f} s of this phase while requests waited{lost}"
    return broken(f"{reading}: it used no CPU time at all.", seconds, "s", 0)


def _dropped(load: LoadResult, app_busy: float | None, on_time: bool | None) -> Check:
    """Return the check of dropped arrivals; a generator that is `on_time` drops some only when all its clients wait.

    `on_time` is None where nobody knows, and then nobody is blamed.
    """
    if load.dropped == 0:
        return passed("No arrival was dropped.", 0, "arrivals", 0)
    lost = counted(load.dropped, "arrival")
    if app_busy is not None and app_busy >= APP_SATURATED:
        reading = (
            f"The application was saturated at {load.rate_per_s}/s: {lost} dropped while its CPUs were "
            f"{percent(app_busy)} busy."
        )
        return doubtful(reading, load.dropped, "arrivals", 0)
    sentence = {
        True: f"{lost} dropped while all clients of k6 waited for answers",
        False: f"k6 dropped {lost}",
        None: f"{lost} dropped",
    }[on_time]
    return broken(f"{sentence}: requests that nobody made have no latency.", load.dropped, "arrivals", 0)


def _lag(load: LoadResult) -> Check:
    grid = grid_of(load)
    if load.lag_p99_ms is None or grid is None:
        return unknown("How late arrivals were started is not known.")
    limit_ms = max(LAG_FORGIVEN_MS, LAG_MAX_PART_OF_P99 * latency_at(grid, 0.99))
    # k6 computes when an arrival was due from the number of arrivals that it started before: after each dropped arrival
    # all later ones seem late by one interval.
    seeming_ms = 1000 * load.dropped / load.rate_per_s if load.rate_per_s else 0.0
    late_ms = max(0.0, load.lag_p99_ms - seeming_ms)
    reading = f"Arrivals were started up to {late_ms:.3g} ms late (p99; allowed {limit_ms:.3g} ms)"
    if late_ms <= limit_ms:
        return passed(f"{reading}.", late_ms, "ms", limit_ms)
    if load.dropped and (load.parts or load.began_ms):
        # k6 numbers the arrivals of each use case and of each generator apart, and counts what was dropped together.
        return unknown(
            "How late arrivals were started is not known, since some were dropped from one of several series."
        )
    return broken(f"{reading}: the load generator was starved.", late_ms, "ms", limit_ms)


RULE = Rule(
    id="R4",
    title="The load generator is not the limit",
    source="/proc/stat, CPU time of each role by the second, and k6's summary",
    mistake="a load generator on the application's own cores (study 002), starved while it shows 0 dropped",
    kind="capacity",
    needs=(
        "windows",
        "series:set.load.busy_us|cpu.load.user_us",
        "series:set.load.idle_us|cpu.load.system_us",
    ),
    judge=judge,
)
