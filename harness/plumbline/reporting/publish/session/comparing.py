"""Makes the document of comparisons: trial values, latency curves and warm-up curves of every subject of a session."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from plumbline.archive.history.extract import PHASES, environment, phases_without_rates, watched
from plumbline.archive.record.names import seconds
from plumbline.archive.record.standings import MetricStandings, in_record
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Scenario
from plumbline.model.record import Record
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.curves import curves, ladders
from plumbline.reporting.report.parts.naming import names, phase_in_words, unit_of
from plumbline.reporting.report.parts.trust import verdict_of_counting
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.stats.compare import (
    LEVEL,
    MARGIN,
    MINIMUM_PAIRS,
    YUEN_ASKED_FROM,
    YUEN_DOUBTS_ABOVE,
)
from plumbline.verdicts.stats.interval import TRIMMED_SHARE
from ..digest import to_digits
from ..model.compare import CompareFile, CompareRule, Contender, Latency, Measure, Values, WarmUp
from .timeline import rounded

_VALUE_DIGITS, _CURVE_DIGITS = 9, 4
RULE = CompareRule(
    level=LEVEL,
    margin=to_digits(MARGIN, 12),
    minimum_pairs=MINIMUM_PAIRS,
    trimmed_share=TRIMMED_SHARE,
    trimmed_from=YUEN_ASKED_FROM,
    trimmed_doubts_above=YUEN_DOUBTS_ABOVE,
)


def compare_document(record: Record, evidence: Mapping[int, Evidence], *, recent: bool) -> CompareFile:
    """Return the document of a session. Curves are of the trials whose evidence is there."""
    plan = record.plan
    contenders: list[Contender] = []
    measures: dict[Measure, int] = {}
    for scenario in plan.scenarios if plan.comparison is None else ():
        contenders += _of_scenario(record, scenario, evidence, measures)
    return CompareFile(
        simulated=plan.simulated,
        session=plan.session,
        t=seconds(record.provenance.started_at),
        host=slug_of(record.host.name),
        word=verdict_of_counting(trial for trial in record.trials if trial.role == "measured"),
        environment={name: clean_text(word) for name, word in environment(record).items() if name != PHASES},
        phases={slug_of(scenario.id): clean_text(phases_without_rates(scenario)) for scenario in plan.scenarios},
        blocks=plan.blocks,
        recent=recent,
        measures=tuple(measures),
        contenders=tuple(contenders),
        rule=RULE,
    )


def _of_scenario(
    record: Record, scenario: Scenario, evidence: Mapping[int, Evidence], measures: dict[Measure, int]
) -> list[Contender]:
    plan = record.plan
    subject_names = names(plan, scenario)
    latency: dict[str, list[Latency]] = {}
    warm_ups: dict[str, WarmUp] = {}
    if evidence:
        for ladder in ladders(record, scenario, evidence, subject_names):
            for line in ladder.lines:
                latency.setdefault(line.name.id, []).append(
                    Latency(
                        phase=ladder.phase,
                        where=ladder.where,
                        rate_per_s=ladder.rate_per_s,
                        samples=line.samples,
                        trials=line.trials,
                        points=tuple((share, to_digits(ms, _CURVE_DIGITS)) for share, ms in line.points),
                    )
                )
        for curve in curves(record, scenario, evidence, subject_names):
            warm_ups[curve.name.id] = WarmUp(
                bands=tuple(map(rounded, curve.bands)),
                pieces=tuple(
                    tuple((round(t_s, 2), to_digits(rate, _CURVE_DIGITS)) for t_s, rate in piece)
                    for piece in curve.median
                ),
            )
    values = _values(record, scenario, measures)
    return [
        Contender(
            subject=slug_of(subject),
            short=subject_names[subject].short,
            mark=subject_names[subject].mark,
            control=subject == plan.control,
            data_access=None if subject == plan.control else plan.class_of(subject, scenario),
            scenario=slug_of(scenario.id),
            operation=clean_text((scenario.of_control if subject == plan.control else scenario).operation),
            values=tuple(values[subject]),
            latency=tuple(latency.get(subject, ())),
            warm_up=warm_ups.get(subject),
        )
        for subject in (*plan.subjects, plan.control)
        if values.get(subject)
    ]


def _values(record: Record, scenario: Scenario, measures: dict[Measure, int]) -> dict[str, list[Values]]:
    values_by_subject: dict[str, list[Values]] = {}
    phases = {phase for trial in record.trials if trial.scenario == scenario.id for phase in trial.figures}
    followed = [metric for metric in METRICS.values() if watched(metric, record.plan.host_class)]
    for phase, definition in product(sorted(phases), followed):
        standings = in_record(record, scenario, phase, definition)
        if standings is None:
            continue
        # The page compares logarithms.
        points_by_subject = {
            subject: points
            for subject, by_block in standings.values.items()
            if (points := [(block, value) for block in sorted(by_block) for value in by_block[block] if value > 0])
        }
        if not points_by_subject:
            continue
        unit = unit_of(definition.unit, ())
        measure = measures.setdefault(
            Measure(
                phase=phase,
                metric=definition.name,
                title=definition.title,
                where=phase_in_words(scenario, phase),
                symbol=unit.symbol,
                per=unit.per,
                better=definition.better or "lower",
                primary=definition.primary,
            ),
            len(measures),
        )
        for subject, points in points_by_subject.items():
            values_by_subject.setdefault(subject, []).append(
                Values(
                    measure=measure,
                    level=standings.level_of(subject),
                    warming_up=clean_text(standings.unsteady.get(subject, "")),
                    drift=_drift(standings, subject),
                    blocks=tuple([block for block, _ in points]),
                    values=tuple([to_digits(value, _VALUE_DIGITS) for _, value in points]),
                )
            )
    return values_by_subject


def _drift(standings: MetricStandings, subject: str) -> tuple[float, float]:
    """Return how far the logarithm of a figure may still fall, and how far it may rise."""
    drift = standings.drifts.get(subject)
    if drift is None:
        return 0.0, 0.0
    falls, rises = drift.moves(standings.better)
    return to_digits(falls, _VALUE_DIGITS), to_digits(rises, _VALUE_DIGITS)
