"""The ratios of a session, and how they agree with those of the one it runs again. Pure: `verify` repeats it."""

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
    """Return the ratios that another host can be compared by: subject to control, subject to the first one, head to
    base.

    The ratios are of primary metrics, and of trials that are not invalid; each side needs two values at least. `proven`
    says how far a figure may still drift; one of which nobody knows it has no ratio.
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
                for one, other, alike in _held_against(plan):
                    mine, theirs = (
                        _logs(of_scenario, side, phase.name, metric.name) for side in (one, other)
                    )
                    estimate = _paired(mine, theirs) if alike else _unpaired(mine, theirs)
                    mine_row, their_row = (
                        row_of(proven, subject, scenario.id, phase.name, metric.name, side)
                        for side, subject in (one, other)
                    )
                    moves = _moves(mine_row, their_row, metric.better)
                    if estimate is not None and moves is not None:
                        found.append(
                            Ratio(
                                scenario=scenario.id,
                                phase=phase.name,
                                metric=metric.name,
                                subject=_word(one),
                                against=_word(other),
                                log_ratio=rounded(estimate.effect),
                                error=rounded(estimate.error),
                                degrees=rounded(estimate.degrees),
                                falls=rounded(moves[0]),
                                rises=rounded(moves[1]),
                            )
                        )
    return tuple(found)


def estimate_of(one: Ratio) -> Estimate:
    """Return the estimate that a ratio was written from."""
    return Estimate(one.log_ratio, one.error, one.degrees, one.falls, one.rises)


def agreements(plan: Plan, trials: Sequence[Trial], proven: Sequence[Steadiness]) -> tuple[Agreement, ...]:
    """Return each ratio of the session that is run again, with our ratio beside it; nothing for other sessions."""
    if plan.reproduces is None:
        return ()
    ours = {_key(one): one for one in ratios_of(plan, trials, proven)}
    return tuple(
        _agreement(theirs, ours.get(_key(theirs)))
        for theirs in plan.reproduces.ratios
        if is_sound(theirs.metric, plan.host_class)
    )


def is_sound(metric: str, host_class: HostClass) -> bool:
    """Return whether a metric means the application on this class of host."""
    return metric in METRICS and (METRICS[metric].sound_on_small or host_class != "small")


Contender = tuple[str | None, str]


def _held_against(plan: Plan) -> list[tuple[Contender, Contender, bool]]:
    """Return (one, other, whether they are paired by block). The control runs apart from the blocks."""
    if plan.comparison is not None:
        return [(("head", one.head), ("base", one.base), True) for one in plan.comparison.contests]
    first, *rest = plan.subjects
    against_control = [((None, subject), (None, plan.control), False) for subject in plan.subjects]
    return [*against_control, *(((None, subject), (None, first), True) for subject in rest)]


def _logs(trials: Sequence[Trial], contender: Contender, phase: str, metric: str) -> Logs:
    logs: Logs = {}
    for trial in trials:
        value = trial.figures.get(phase, {}).get(metric, 0.0)
        if (trial.side, trial.subject) == contender and value > 0:
            logs.setdefault(trial.block, []).append(math.log(value))
    return logs


def _paired(one: Logs, other: Logs) -> Estimate | None:
    common = sorted(one.keys() & other.keys())
    if len(common) < 2:
        return None
    return paired([one[block][0] - other[block][0] for block in common])


def _unpaired(one: Logs, other: Logs) -> Estimate | None:
    ones, others = ([value for _, its in sorted(logs.items()) for value in its] for logs in (one, other))
    return unpaired(ones, others) if min(len(ones), len(others)) > 1 else None


def _moves(one: Steadiness | None, other: Steadiness | None, better: Better) -> tuple[float, float] | None:
    """Return how far a log ratio may still fall and rise; None where nobody knows it.

    Where neither figure needs a steady state there is no drift.
    """
    if one is None and other is None:
        return 0.0, 0.0
    mine, theirs = (None if row is None else drift_of(row) for row in (one, other))
    return None if mine is None or theirs is None else moves_of_ratio(mine, theirs, better)


def _word(contender: Contender) -> str:
    side, subject = contender
    return subject if side is None else f"{side} {subject}"


def _key(one: Ratio) -> tuple[str, str, str, str, str]:
    return one.scenario, one.phase, one.metric, one.subject, one.against


def _agreement(theirs: Ratio, ours: Ratio | None) -> Agreement:
    plain = Agreement(
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
        return plain
    found = agreement(estimate_of(theirs), estimate_of(ours))
    return plain.model_copy(
        update={
            "ours": rounded(ratio(ours.log_ratio)),
            "difference": rounded(ratio(found.difference)),
            "low": rounded(ratio(found.low)),
            "high": rounded(ratio(found.high)),
            "detectable": rounded(change(found.detectable)),
            "word": found.word,
            "undone_by_drift": found.undone_by_drift,
        }
    )
