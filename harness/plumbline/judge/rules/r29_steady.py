"""R29: the measured part is steady: warm-up was over when it began, and nothing drifted until its end."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.figures.series import increase, known, mean
from plumbline.figures.steady import LoadedSeconds, loaded_seconds, warm_ups_before
from plumbline.model.evidence import Series, Window
from plumbline.stats.moments import mean as mean_of
from plumbline.stats.steady import LEAST_S, steadiness, trend_share
from ..facts import SessionFacts, TrialFacts
from ..rule import Check, Rule, Said, broken, doubtful, passed, unknown
from ..wording import no_window, percent

# Of one CPU's time. A compiler that still takes more goes on changing the program while it is measured.
JIT_SHARE_MAX = 0.02
# Of the heap. What is left after collections may wander by less; a leak goes on.
HEAP_RISE_SHARE_MAX = 0.10
# Each part is long enough to hold a collection under load, and the least of it is what a collection left.
HEAP_PARTS = 10


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[Said]:
    """Rate and CPU time per request of warm-up and closed phase, second by second (METHOD 1.5)."""
    del session
    for facts in trial.phases(("closed",)):
        phase = facts.phase
        if facts.window is None:
            yield phase.name, [unknown(no_window(phase.name))]
            continue
        seconds = loaded_seconds(phase, warm_ups_before(phase, trial.scenario), trial.evidence)
        if seconds is None:
            yield phase.name, [unknown("The running count of requests has holes.")]
        elif seconds.load_s < LEAST_S:
            reading = f"Not proven steady: {seconds.load_s:.0f} s of load, and it takes {LEAST_S} s to tell."
            yield phase.name, [doubtful(reading, seconds.load_s, "s", LEAST_S)]
        elif len(seconds.rates_per_s) < LEAST_S:
            yield phase.name, [unknown("The running count of requests was not read often enough.")]
        else:
            yield phase.name, [*_checks(seconds), *_jvm(trial, facts.window)]


def _checks(seconds: LoadedSeconds) -> Iterable[Check]:
    if seconds.cpu_us_per_request:
        yield _check("CPU time per request", seconds.cpu_us_per_request, seconds.closed_from)
    else:
        yield unknown("The application's CPU time per request is not known for every second.")
    yield _check("The rate", seconds.rates_per_s, seconds.closed_from)


def _check(what: str, values: tuple[float, ...], closed_from: int) -> Check:
    found = steadiness(values)
    if found.from_s is None:
        return broken(f"{what} is not steady: {found.reason}.", found.steady_s, "s", LEAST_S)
    if found.from_s > closed_from:
        late_s = found.from_s - closed_from
        reading = f"{what} was not steady before {late_s} s into the measured part: warm-up was too short."
        return broken(reading, found.from_s, "s", closed_from)
    reading = f"{what} was steady from second {found.from_s} of the load, {found.steady_s} s long."
    return passed(reading, found.from_s, "s", closed_from)


def _jvm(trial: TrialFacts, window: Window) -> Iterable[Check]:
    """Compiler and heap, of an application that has them."""
    if trial.environment("runtime") != "native":
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
    rows = [row for row in known(series, "jvm.heap_used_bytes") if window.start_s <= row[0] <= window.end_s]
    part_s = (window.end_s - window.start_s) / HEAP_PARTS
    starts_s = [window.start_s + part * part_s for part in range(HEAP_PARTS)]
    parts = [[used for t_s, used in rows if start <= t_s <= start + part_s] for start in starts_s]
    if not heap or heap <= 0 or not all(parts):
        return unknown("What was left on the heap is not known for the whole phase.")
    left = [min(part) for part in parts]
    rise = trend_share(left) * mean_of(left) / heap
    if rise > HEAP_RISE_SHARE_MAX:
        reading = (
            f"What collections left grew by {percent(rise)} of the heap: it could not have gone on like this."
        )
        return doubtful(reading, rise, "share", HEAP_RISE_SHARE_MAX)
    return passed("What collections left on the heap did not grow.", rise, "share", HEAP_RISE_SHARE_MAX)


RULE = Rule(
    id="R29",
    title="Steady while it was measured",
    source="the running count of requests and the application's CPU time, second by second; hsperfdata",
    mistake="seed 003: 5,564 -> 78,253 requests a second by repeating the load on one process",
    kind="capacity",
    required=True,
    needs=(
        "series:load.requests",
        "series:cpu.app.user_us",
        "windows",
        "series:jvm.jit_us",
        "series:jvm.heap_used_bytes",
    ),
    judge=judge,
)
