"""R29: the record says how far each figure may still drift, and a figure is claimed only within that bound."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.evidence import Series, Window
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.figures.proof import COST, LEAST_MEASURED_S, RATE, PhaseProof, lasts_long_enough
from plumbline.verdicts.figures.series import increase, known_rows, mean
from plumbline.verdicts.stats.drift import LAB_LIMIT
from plumbline.verdicts.stats.interval import mean as mean_of
from plumbline.verdicts.stats.steady import trend_share
from ..facts import SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, doubtful, passed, unknown
from ..steadiness import of_drift, still_changing, too_short
from ..wording import no_window, percent

# A lab has to show that a figure drifts by no more than this share of it, since figures closer than 2 % are equivalent.
# Elsewhere a wider bound is a warning that says how wide it is.
BOUND_MAX = LAB_LIMIT
# A compiler that takes more than this share of one CPU's time still changes the program while it is measured.
JIT_SHARE_MAX = 0.02
# The heap after collections may rise by less than this share of the heap. A leak goes on rising after that.
HEAP_RISE_SHARE_MAX = 0.10
# A phase is divided into so many parts. Each is long enough for a collection under load, and the least heap of a part
# is what a collection left.
HEAP_PARTS = 10


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Rate and CPU time per request of each measured phase, told together by all processes of the subject that no
    other rule refuses; a process that is refused is asked alone.
    """
    proofs = session.proofs_of(trial)
    for facts in trial.phases():
        phase = facts.phase
        if facts.window is None:
            yield phase.name, [unknown(no_window(phase.name))]
            continue
        proof, measured_s = proofs[phase.name], facts.window.end_s - facts.window.start_s
        if not lasts_long_enough(measured_s):
            reading = f"Not proven steady: {measured_s:.0f} s measured, and it takes {LEAST_MEASURED_S} s to tell."
            yield phase.name, [doubtful(reading, measured_s, "s", LEAST_MEASURED_S)]
            continue
        number = trial.planned.number
        if phase.kind == "open":
            yield phase.name, [_check(proof, COST, number)]
        else:
            checks = (_check(proof, metric, number) for metric in (COST, RATE))
            yield phase.name, [*checks, *_jvm(trial, facts.window)]


def _check(proof: PhaseProof, metric: str, trial: int) -> Check:
    """Return the check of a drift. A lab has to show its limit; elsewhere a wider bound is a warning that says it."""
    title, drifts = METRICS[metric].title, proof.drifts.get(metric)
    if drifts is None or trial not in drifts.alone:
        return unknown(f"{title}: {too_short(proof)}.")
    own_drift, drift = drifts.alone[trial], drifts.drift
    if own_drift.still_on_its_way:
        return broken(f"{title} of this process: {still_changing(own_drift)}.", own_drift.bound, "share", BOUND_MAX)
    reading = f"{title}: {of_drift(drift, proof.limit)}."
    if drift.still_on_its_way:
        return broken(reading, drift.bound, "share", BOUND_MAX)
    if drift.bound > BOUND_MAX:
        return doubtful(reading, drift.bound, "share", BOUND_MAX)
    return passed(reading, drift.bound, "share", BOUND_MAX)


def _jvm(trial: TrialFacts, window: Window) -> Iterable[Check]:
    """Yield the checks of compiler and heap, for an application that has them."""
    if trial.runtime == "jvm":
        yield _jit(trial.evidence.series, window)
        yield _heap(trial.evidence.series, window)


def _jit(series: Series, window: Window) -> Check:
    grown_us = increase(series, "jvm.jit_us", window)
    length_s = window.end_s - window.start_s
    if grown_us is None or length_s <= 0:
        return unknown("What the JIT compiler did is not known for the whole phase.")
    share = grown_us / (length_s * 1e6)
    reading = f"The JIT compiler used {percent(share)} of a CPU"
    if share > JIT_SHARE_MAX:
        return doubtful(f"{reading}: it was still changing the program.", share, "share", JIT_SHARE_MAX)
    return passed(f"{reading}.", share, "share", JIT_SHARE_MAX)


def _heap(series: Series, window: Window) -> Check:
    heap = mean(series, "jvm.heap_committed_bytes", window)
    rows = [row for row in known_rows(series, "jvm.heap_used_bytes") if window.start_s <= row[0] <= window.end_s]
    part_s = (window.end_s - window.start_s) / HEAP_PARTS
    starts_s = [window.start_s + part * part_s for part in range(HEAP_PARTS)]
    parts = [[used for t_s, used in rows if start <= t_s <= start + part_s] for start in starts_s]
    if not heap or heap <= 0 or not all(parts):
        return unknown("What was left on the heap is not known for the whole phase.")
    least_used = [min(part) for part in parts]
    rise = trend_share(least_used) * mean_of(least_used) / heap
    if rise > HEAP_RISE_SHARE_MAX:
        reading = f"What collections left grew by {percent(rise)} of the heap: it could not have gone on like this."
        return doubtful(reading, rise, "share", HEAP_RISE_SHARE_MAX)
    return passed("What collections left on the heap did not grow.", rise, "share", HEAP_RISE_SHARE_MAX)


RULE = Rule(
    id="R29",
    title="Steady while it was measured",
    source="the running count of requests and the application's CPU time, second by second, of all trials; hsperfdata",
    mistake="5,564 requests a second became 78,253 by repeating the load on one process (study 003)",
    kind="capacity",
    needs=(
        "series:load.requests",
        "series:cpu.app.user_us",
        "windows",
        "series:jvm.jit_us",
        "series:jvm.heap_used_bytes",
    ),
    judge=judge,
)
