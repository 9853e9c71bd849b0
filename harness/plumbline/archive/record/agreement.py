"""The ratios of a session, and how they agree with those of the session that it runs again.

All functions are pure: `verify` calls them again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from plumbline.model.comparison import Agreement, Ratio
from plumbline.model.host import HostClass
from plumbline.model.plan import COUNTED, Plan
from plumbline.model.record import Steadiness, Trial
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.stats.agree import Estimate, agreement, paired, unpaired
from plumbline.verdicts.stats.compare import Better
from plumbline.verdicts.stats.drift import moves_of_ratio
from plumbline.verdicts.stats.wording import change, ratio
from .steadiness import drift_of, row_of

Logs = dict[int, list[float]]
"""Block -> logarithms of the values of one contender's trials that count."""


def ratios_of(plan: Plan, trials: Sequence[Trial], proven: Sequence[Steadiness]) -> tuple[Ratio, ...]:
    """Return the ratios that another host can be compared by: subject to control, subject to the first
    subject, head to base.

    The ratios are of primary metrics, and of trials that are not invalid; each side needs two values at least. `proven`
    says how far a figure may still drift; a figure whose drift nobody knows has no ratio.
    """
    found = []
    for scenario in plan.scenarios:
        of_scenario = [
            trial
            for trial in trials
            if trial.scenario == scenario.id and trial.role in COUNTED and trial.verdict != "invalid"
        ]
        for phase in scenario.phases:
            for metric in METRICS.values():
                if not metric.primary or metric.better is None:
                    continue
                for numerator, denominator, by_block in _contender_pairs(plan):
                    numerator_logs, denominator_logs = (
                        _logs(of_scenario, contender, phase.name, metric.name) for contender in (numerator, denominator)
                    )
                    estimate = (
                        _paired(numerator_logs, denominator_logs)
                        if by_block
                        else _unpaired(numerator_logs, denominator_logs)
                    )
                    numerator_row, denominator_row = (
                        row_of(proven, subject, scenario.id, phase.name, metric.name, side)
                        for side, subject in (numerator, denominator)
                    )
                    moves = _moves(numerator_row, denominator_row, metric.better)
                    if estimate is not None and moves is not None:
                        found.append(
                            Ratio(
                                scenario=scenario.id,
                                phase=phase.name,
                                metric=metric.name,
                                subject=_contender_name(numerator),
                                against=_contender_name(denominator),
                                log_ratio=rounded(estimate.effect),
                                error=rounded(estimate.error),
                                degrees=rounded(estimate.degrees),
                                falls=rounded(moves[0]),
                                rises=rounded(moves[1]),
                            )
                        )
    return tuple(found)


def estimate_of(recorded: Ratio) -> Estimate:
    """Return the estimate that a ratio was written from."""
    return Estimate(recorded.log_ratio, recorded.error, recorded.degrees, recorded.falls, recorded.rises)


def agreements(plan: Plan, trials: Sequence[Trial], proven: Sequence[Steadiness]) -> tuple[Agreement, ...]:
    """Return each ratio of the session that is run again, with our ratio beside it; none where no session is."""
    if plan.reproduces is None:
        return ()
    ours = {_key(our_ratio): our_ratio for our_ratio in ratios_of(plan, trials, proven)}
    asked = [theirs for theirs in plan.reproduces.ratios if is_sound(theirs.metric, plan.host_class)]
    return tuple(_agreement(theirs, ours.get(_key(theirs)), len(asked)) for theirs in asked)


def is_sound(metric: str, host_class: HostClass) -> bool:
    """Return whether a metric measures the application on a host of this class."""
    return metric in METRICS and (METRICS[metric].sound_on_small or host_class != "small")


Contender = tuple[str | None, str]


def _contender_pairs(plan: Plan) -> list[tuple[Contender, Contender, bool]]:
    """Return (numerator, denominator, whether trials are paired by block). The control runs outside the blocks."""
    if plan.comparison is not None:
        return [(("head", contest.head), ("base", contest.base), True) for contest in plan.comparison.contests]
    first, *others = plan.subjects
    against_control = [((None, subject), (None, plan.control), False) for subject in plan.subjects]
    return [*against_control, *(((None, subject), (None, first), True) for subject in others)]


def _logs(trials: Sequence[Trial], contender: Contender, phase: str, metric: str) -> Logs:
    logs: Logs = {}
    for trial in trials:
        value = trial.figures.get(phase, {}).get(metric, 0.0)
        if (trial.side, trial.subject) == contender and value > 0:
            logs.setdefault(trial.block, []).append(math.log(value))
    return logs


def _paired(numerator: Logs, denominator: Logs) -> Estimate | None:
    common = sorted(numerator.keys() & denominator.keys())
    if len(common) < 2:
        return None
    return paired([numerator[block][0] - denominator[block][0] for block in common])


def _unpaired(numerator: Logs, denominator: Logs) -> Estimate | None:
    numerator_values, denominator_values = (
        [value for _, values in sorted(logs.items()) for value in values] for logs in (numerator, denominator)
    )
    return (
        unpaired(numerator_values, denominator_values)
        if min(len(numerator_values), len(denominator_values)) > 1
        else None
    )


def _moves(numerator: Steadiness | None, denominator: Steadiness | None, better: Better) -> tuple[float, float] | None:
    """Return how far a log ratio may still fall and rise; None where nobody knows it.

    Where neither figure needs a steady state there is no drift.
    """
    if numerator is None and denominator is None:
        return 0.0, 0.0
    numerator_drift, denominator_drift = (None if row is None else drift_of(row) for row in (numerator, denominator))
    return (
        None
        if numerator_drift is None or denominator_drift is None
        else moves_of_ratio(numerator_drift, denominator_drift, better)
    )


def _contender_name(contender: Contender) -> str:
    side, subject = contender
    return subject if side is None else f"{side} {subject}"


def _key(recorded: Ratio) -> tuple[str, str, str, str, str]:
    return recorded.scenario, recorded.phase, recorded.metric, recorded.subject, recorded.against


def _agreement(theirs: Ratio, ours: Ratio | None, ratios: int) -> Agreement:
    untested = Agreement(
        scenario=theirs.scenario,
        phase=theirs.phase,
        metric=theirs.metric,
        subject=theirs.subject,
        against=theirs.against,
        theirs=rounded(ratio(theirs.log_ratio)),
        ours=None,
        difference=None,
        low=None,
        high=None,
        detectable=None,
        word="can't tell",
    )
    if ours is None:
        return untested
    tested = agreement(estimate_of(theirs), estimate_of(ours), ratios)
    return untested.model_copy(
        update={
            "ours": rounded(ratio(ours.log_ratio)),
            "difference": rounded(ratio(tested.difference)),
            "low": rounded(ratio(tested.low)),
            "high": rounded(ratio(tested.high)),
            "detectable": rounded(change(tested.detectable)),
            "word": tested.word,
            "undone_by_drift": tested.undone_by_drift,
        }
    )
