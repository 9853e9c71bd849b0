"""R29: the measured part is steady: warm-up was over when it began, and nothing drifted until its end."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.figures.steady import LoadedSeconds, loaded_seconds, warm_ups_before
from plumbline.stats.steady import LEAST_S, steadiness
from ..facts import SessionFacts, TrialFacts
from ..rule import Check, Rule, Said, broken, doubtful, passed, unknown
from ..wording import no_window


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
            yield phase.name, list(_checks(seconds))


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


RULE = Rule(
    id="R29",
    title="Steady while it was measured",
    source="the running count of requests and the application's CPU time, second by second",
    mistake="seed 003: 5,564 -> 78,253 requests a second by repeating the load on one process",
    kind="capacity",
    required=True,
    needs=("series:load.requests", "series:cpu.app.user_us", "windows"),
    judge=judge,
)
