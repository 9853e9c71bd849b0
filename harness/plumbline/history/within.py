"""Compute what one session alone shows: how its trials scattered, and differences between equal sides."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence

from plumbline.model.comparison import Side
from plumbline.model.plan import Plan
from plumbline.model.record import Record, Trial
from plumbline.stats.compare import MINIMUM_PAIRS, PairedComparison, compare
from plumbline.stats.families import family, holm
from plumbline.stats.scatter import NONE, Scatter, pooled, scatter, scatter_of_one

AGAINST_ITSELF = "aa"
"""The suite of bench.toml that measures one subject, to be read as two."""

Contender = tuple[Side | None, str]
Scatters = dict[str, dict[str, dict[str, Scatter]]]
"""scenario -> phase -> metric -> scatter of one trial's log value"""


def scatters(record: Record, metrics: Collection[str]) -> Scatters:
    """Return the scatter of the measured trials that are not invalid, subjects and blocks taken out."""
    found: Scatters = {}
    for (scenario, phase, metric), rows in _logs(record, metrics).items():
        whole = pooled([_scatter(rows, group) for group in _groups(record.plan)])
        if whole.degrees:
            found.setdefault(scenario, {}).setdefault(phase, {})[metric] = whole
    return found


def equal_sides(record: Record, metrics: Collection[str]) -> dict[str, str]:
    """Return the mapping question -> verdict of a session whose two sides are the same; empty for every other session.

    Of the suite `aa` each two trials of the subject in a row make a pair, A B B A with a random start out of the
    session's seed, and all `metrics` are one family (Holm). Of a comparison it is what it said of its primary
    questions, where both sides ran the same bytes with the same settings.
    """
    compared = record.comparison
    if compared is not None:
        digests = {(one.side, one.subject): one.sha256 for one in record.ran}
        return {
            f"{one.scenario} {one.phase} {one.metric}": one.verdict
            for one in compared.answers
            if one.primary
            and one.verdict is not None
            and one.base_subject == one.head_subject
            and digests.get(("base", one.base_subject), "") == digests.get(("head", one.head_subject))
        }
    if record.plan.suite != AGAINST_ITSELF or len(record.plan.subjects) != 1:
        return {}
    contender: Contender = (None, record.plan.subjects[0])
    asked: dict[str, PairedComparison] = {}
    for (scenario, phase, metric), rows in _logs(record, metrics).items():
        values = _as_pairs([row[contender] for _, row in sorted(rows.items())], record.plan.seed)
        if len(values) >= MINIMUM_PAIRS:
            asked[f"{scenario} {phase} {metric}"] = compare(values)
    return {name: one.verdict for name, one in family(asked, holm).items()}


def _as_pairs(values: Sequence[float], seed: int) -> list[float]:
    """Return differences head - base of values in their order."""
    sign = random.Random(seed).choice((1, -1))
    pairs = zip(values[0::2], values[1::2], strict=False)
    return [(second - first) * sign * (-1) ** place for place, (first, second) in enumerate(pairs)]


Rows = dict[int, dict[Contender, float]]
"""block -> contender -> log value"""


def _logs(record: Record, metrics: Collection[str]) -> dict[tuple[str, str, str], Rows]:
    found: dict[tuple[str, str, str], Rows] = {}
    for trial in record.trials:
        if trial.role != "measured" or trial.verdict == "invalid":
            continue
        for phase, figures in trial.figures.items():
            for metric, value in figures.items():
                if metric in metrics and value > 0:
                    rows = found.setdefault((trial.scenario, phase, metric), {})
                    rows.setdefault(trial.block, {})[_contender(trial)] = math.log(value)
    return found


def _contender(trial: Trial) -> Contender:
    return trial.side, trial.subject


def _groups(plan: Plan) -> list[tuple[Contender, ...]]:
    """Return the groups that are compared within a block: the two sides of each contest, or all subjects."""
    if plan.comparison is None:
        return [tuple((None, subject) for subject in plan.subjects)]
    return [(("base", one.base), ("head", one.head)) for one in plan.comparison.contests]


def _scatter(rows: Rows, group: Sequence[Contender]) -> Scatter:
    table = [
        [row[one] for one in group] for _, row in sorted(rows.items()) if all(one in row for one in group)
    ]
    if len(group) == 1:
        return scatter_of_one([row[0] for row in table])
    return scatter(table) if table else NONE
