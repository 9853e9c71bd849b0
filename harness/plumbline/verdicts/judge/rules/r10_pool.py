"""R10: the pool is as large as declared, full, and its connections work."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable

from plumbline.model.evidence import Evidence, Series, Window
from plumbline.verdicts.figures.series import known_rows, rows_inside
from plumbline.verdicts.figures.shares import busy_share
from ..facts import PhaseFacts, SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, as_doubt, broken, doubtful, in_windows, passed, unknown
from ..wording import cpus_of, percent

# A transaction that is open for longer waits for its client, and holds a connection that others wait for.
IDLE_IN_TRANSACTION_MAX_S = 1.0
# Under closed load nearly always some session is at work in the database. Otherwise the answers do not come through the
# pool.
ACTIVE_P95_MIN = 1.0
# Where clients wait for a connection, all connections are in use nearly all the time. In 40 closed phases of three
# seconds, of four subjects on one CPU, at least 6 of 20 were in use at once at some moment.
IN_USE_MIN = 0.25
# If there were fewer looks at the pool, all of them may have met a moment with few connections in use.
IN_USE_SAMPLES_MIN = 4
# A clean pool of 20 was seen with 3 connections in use at most, in four looks: so few looks are no proof.
REFUSED_FROM_SAMPLES = 8
# With fewer clients than connections nobody waits for some of the connections.
CLIENTS_PER_CONNECTION_MIN = 1
# If other subjects had at least so many times as many connections in use at once, it was not the load that kept them
# few.
OTHERS_TIMES_MIN = 2
# A set of CPUs that is busier than this is used up: requests wait for a CPU, and few of them reach the pool.
USED_UP = 0.95
# The 95th percentile of fewer samples is the greatest of them, and chance decides that one.
ACTIVE_SAMPLES_MIN = 20


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """The pool's size against what was declared, the connections once the application was healthy, then connections and
    their state in each measured phase.
    """
    configured = trial.environment("pool", "configured")
    size = configured if isinstance(configured, int) else None
    filled = () if _fills_by_itself(trial) else _filled(trial.evidence, size)
    yield None, [_configured(size, session.settings(trial.planned.subject).get("pool")), *filled]

    def checks(facts: PhaseFacts, window: Window) -> list[Check]:
        phase_checks = [
            *_phase(trial.evidence.series, facts, window, size),
            *_at_once(trial, session, facts, size),
        ]
        return [as_doubt(check) for check in phase_checks] if _fills_by_itself(trial) else phase_checks

    yield from in_windows(trial, checks)


def _fills_by_itself(trial: TrialFacts) -> bool:
    """Return whether the application says that its pool grows by itself, as study 001 asked and found."""
    settings = trial.environment("settings")
    return isinstance(settings, dict) and (
        settings.get("pool_warm_up") == "off" or settings.get("pool_initial") == "half"
    )


def _configured(size: int | None, declared: str | None) -> Check:
    if size is None or declared is None:
        return unknown("The application did not say how large its pool is, or no size is declared.")
    if str(size) == declared:
        return passed(f"The pool has {size} connections, as declared.", size, "connections", size)
    return broken(f"The pool has {size} connections where {declared} are declared.", size, "connections")


def _filled(evidence: Evidence, size: int | None) -> Iterable[Check]:
    """Yield the check of the connections that the database had when the application had called itself healthy, and
    nobody but the harness had asked it anything.
    """
    load_s = min((window.start_s for window in evidence.windows), default=math.inf)
    looks = known_rows(evidence.series, "db.connections")
    if size is not None and looks and looks[0][0] <= load_s and looks[0][1] < size:
        reading = f"The application called itself healthy with {looks[0][1]:.0f} of {size} connections open."
        yield broken(reading, looks[0][1], "connections", size)


def _phase(series: Series, facts: PhaseFacts, window: Window, size: int | None) -> Iterable[Check]:
    open_connections = rows_inside(series, "db.connections", window)
    if not open_connections or size is None:
        yield unknown("The application's connections were not counted.")
    elif min(open_connections) == max(open_connections) == size:
        yield passed(f"{size} of {size} connections were open throughout.", size, "connections", size)
    else:
        odd = max(open_connections, key=lambda count: abs(count - size))
        yield broken(f"{odd:.0f} connections were open where the pool has {size}.", odd, "connections", size)
    idle = rows_inside(series, "db.idle_in_transaction_max_s", window)
    if not idle:
        yield unknown("How long transactions stood idle was not read.")
    elif max(idle) > IDLE_IN_TRANSACTION_MAX_S:
        reading = f"A transaction stood idle for {max(idle):.1f} s and held its connection."
        yield broken(reading, max(idle), "s", IDLE_IN_TRANSACTION_MAX_S)
    if facts.phase.kind == "closed":
        yield from _at_work(_in_use(series, window))


def _at_once(trial: TrialFacts, session: SessionFacts, facts: PhaseFacts, size: int | None) -> Iterable[Check]:
    """Yield the check of the most connections in a transaction at once, where more clients than connections wait."""
    clients = facts.phase.connections or 0
    if size is None or not facts.phase.saturates or clients < CLIENTS_PER_CONNECTION_MIN * size:
        return
    samples = _in_use(trial.evidence.series, facts.window)
    peak = _peak(samples)
    if peak is None or peak < ACTIVE_P95_MIN or peak >= IN_USE_MIN * size:
        return
    own_peak, other_peaks = _peaks_by_subject(trial, session, facts.phase.name)
    reading = f"{peak:.0f} of {size} connections were in use at once, at most"
    busiest = _used_up(trial, session, facts)
    outcome = doubtful
    if busiest is not None:
        reading += f", while {clients} clients waited; {busiest}, which may be all that they waited for."
    elif own_peak >= IN_USE_MIN * size:
        reading += f", and {own_peak:.0f} in another process of the same subject: nothing in it lets in fewer."
    elif other_peaks and statistics.median(other_peaks) >= OTHERS_TIMES_MIN * peak:
        reading += f", of other subjects {statistics.median(other_peaks):.0f}"
        if len(samples) >= REFUSED_FROM_SAMPLES:
            outcome = broken
            reading += ": something else lets in fewer."
        else:
            reading += f": something else may let in fewer, and {len(samples)} samples are too few to tell."
    else:
        reading += f", while {clients} clients waited."
    yield outcome(reading, peak / size, "share", IN_USE_MIN)


def _peaks_by_subject(trial: TrialFacts, session: SessionFacts, phase: str) -> tuple[float, list[float]]:
    """Return the most connections at once in any process of the trial's contender, and in each trial of the others."""
    own_peaks: list[float] = []
    other_peaks: list[float] = []
    for other in session.asked_alike(trial):
        peak = _peak(_in_use(other.evidence.series, other.window(phase)))
        if peak is not None:
            (own_peaks if other.planned.contender == trial.planned.contender else other_peaks).append(peak)
    return max(own_peaks, default=0.0), other_peaks


def _used_up(trial: TrialFacts, session: SessionFacts, facts: PhaseFacts) -> str | None:
    """Return whose CPUs were used up in a phase, in words; None if all had time to spare, or if that is not known."""
    assert facts.window is not None, "the caller looked"
    sets = session.sets_of(trial)
    for role in trial.roles:
        busy = busy_share(trial.evidence.series, role, facts.window)
        if busy is not None and busy >= USED_UP:
            roles = (sharing_role for sharing_role in sets.sharing(role) if sharing_role in trial.roles)
            return f"{cpus_of(roles)} were {percent(busy)} busy"
    return None


def _in_use(series: Series, window: Window | None) -> list[float]:
    """Return the connections inside a transaction at each sample of a window; none if there is no window."""
    if window is None:
        return []
    active, idle = (rows_inside(series, f"db.{state}", window) for state in ("active", "idle_in_transaction"))
    return [sum(counts) for counts in zip(active, idle, strict=False)]


def _peak(in_use: list[float]) -> float | None:
    """Return the most connections in use at once; None if there are too few samples."""
    return max(in_use) if len(in_use) >= IN_USE_SAMPLES_MIN else None


def _at_work(connections: list[float]) -> Iterable[Check]:
    """Yield the check of connections inside a transaction, running a statement or between two statements."""
    if not connections:
        yield unknown("Connections at work were not counted.")
        return
    p95 = sorted(connections)[math.ceil(0.95 * len(connections)) - 1]
    if p95 >= ACTIVE_P95_MIN:
        return
    if len(connections) < ACTIVE_SAMPLES_MIN:
        yield unknown(f"No connection was seen at work, in {len(connections)} samples: too few to tell.")
    else:
        yield broken("Hardly ever was a connection at work: the load does not reach the database.", p95, "connections")


RULE = Rule(
    id="R10",
    title="The pool is as declared, and works",
    source="pg_stat_activity and GET /environment",
    mistake="40 of 100 connections in use (study 001); pools of different sizes (studies 000 and 002)",
    kind="correctness",
    of_database=True,
    needs=(
        "windows",
        "environment",
        "series:db.connections",
        "series:db.idle_in_transaction_max_s",
        "series:db.active",
        "series:db.idle_in_transaction",
    ),
    judge=judge,
)
