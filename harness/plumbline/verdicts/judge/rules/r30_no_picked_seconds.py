"""R30: every second that was measured counts, and odd ones are told.

An odd second alone never makes a trial invalid: anybody who drops trials by their values picks results. A trial is left
out only where another rule fails it, and it stays in the record with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from statistics import median

from plumbline.model.evidence import Window
from plumbline.verdicts.figures.series import is_covered, known_rows
from ..facts import PhaseFacts, SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, doubtful, not_applicable, passed, unknown
from ..wording import counted, no_window

# Among fewer seconds nobody can tell which of them is the odd one.
SECONDS_MIN = 10
# Not one Gaussian second in 10,000 is so many robust standard deviations off (Hampel 1974).
ODD_DEVIATIONS = 5.0
# The median deviation times this factor is the standard deviation of Gaussian seconds (Hampel 1974).
ROBUST = 1.4826
# A second that is closer than this to the others is not odd, however regular they are. The samplers' own clock makes
# such differences.
ODD_SHARE_MIN = 0.10
# Where few requests are answered in a second, one more or one fewer at either end of it tells nothing.
ODD_REQUESTS_MIN = 2
# Figures are of the whole phase. The clocks of k6 and of the harness may differ by this much.
MISSING_MAX_S = 1.0


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Whether the load of each measured phase is the planned load, for the whole phase; and the requests of each of its
    seconds."""
    left_out = _left_out(trial, session)
    for facts in trial.phases():
        if facts.window is None or facts.load is None:
            yield facts.phase.name, [*left_out, unknown(no_window(facts.phase.name))]
        else:
            yield facts.phase.name, [*left_out, *_whole(facts, facts.window), _seconds(trial, facts.window)]


def _left_out(trial: TrialFacts, session: SessionFacts) -> list[Check]:
    """Return the check of trials without evidence before a later trial; a session cut short lacks only its end."""
    own_numbers = [
        planned.number
        for planned in session.plan.trials
        if (planned.contender, planned.scenario) == (trial.planned.contender, trial.planned.scenario)
    ]
    # A comparison runs no more trials of a decided question, and goes on with the others.
    ran = (
        session.trials
        if session.plan.comparison is None
        else [number for number in own_numbers if number in session.trials]
    )
    missing = [number for number in own_numbers if number < max(ran, default=0) and number not in session.trials]
    if not missing:
        return []
    reading = f"Trial {missing[0]} of this subject was left out, though later ones are there: picked trials."
    return [broken(reading, len(missing), "trials", 0)]


def _whole(facts: PhaseFacts, window: Window) -> list[Check]:
    assert facts.load is not None
    asked = {"connections": facts.phase.connections, "requests/s": facts.phase.rate_per_s}
    kept = {"connections": facts.load.connections, "requests/s": facts.load.rate_per_s}
    other = [unit for unit, amount in asked.items() if amount is not None and kept[unit] != amount]
    if other and facts.load.executor != "program":
        reading = f"The load was of {kept[other[0]]} {other[0]}, and the plan asks for {asked[other[0]]}"
        return [broken(f"{reading}: another load.", kept[other[0]], other[0], asked[other[0]])]
    measured_s = min(facts.load.window_s, window.end_s - window.start_s)
    planned_s = facts.phase.duration_s
    if planned_s - measured_s <= MISSING_MAX_S:
        return []
    reading = f"Figures are of {measured_s:.0f} s out of {planned_s:.0f} s of load: picked seconds."
    return [broken(reading, planned_s - measured_s, "s", MISSING_MAX_S)]


def _seconds(trial: TrialFacts, window: Window) -> Check:
    rows = [
        (t_s, count)
        for t_s, count in known_rows(trial.evidence.series, "load.requests")
        if window.start_s <= t_s <= window.end_s
    ]
    if not is_covered(trial.evidence.series, "load.requests", window):
        return unknown("The running count of requests has holes.")
    grown = [
        (later - earlier, after - before) for (earlier, before), (later, after) in pairwise(rows) if later > earlier
    ]
    rates = [requests / length_s for length_s, requests in grown]
    if len(rates) < SECONDS_MIN:
        return not_applicable(f"It takes {SECONDS_MIN} s to tell an odd second from the others.")
    centre = median(rates)
    spread = ROBUST * median(abs(rate - centre) for rate in rates)
    grain = ODD_REQUESTS_MIN / median(length_s for length_s, _ in grown)
    far = max(ODD_DEVIATIONS * spread, ODD_SHARE_MIN * abs(centre), grain)
    odd = [rate for rate in rates if abs(rate - centre) > far]
    if not odd:
        return passed(f"None of {len(rates)} s is odd.", 0, "s", 0)
    worst = max(odd, key=lambda rate: abs(rate - centre))
    count_of_odd = f"{counted(len(odd), 'odd second')} of {len(rates)}, kept"
    return doubtful(f"{count_of_odd}: {worst:.0f} requests/s where {centre:.0f} are usual.", len(odd), "s", 0)


RULE = Rule(
    id="R30",
    title="No second picked, odd ones told",
    source="the plan, the windows, the running count of requests second by second",
    mistake="silent cherry-picking: the best seconds, or the best runs, published as the result",
    kind="design",
    required=False,
    needs=("windows", "load", "series:load.requests"),
    judge=judge,
)
