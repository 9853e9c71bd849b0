"""Makes the document of comparisons: trial values, latency curves and warm-up curves of every subject of a session."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.archive.history.extract import PHASES, environment, phases_without_rates, watched
from plumbline.archive.record.names import seconds
from plumbline.archive.record.standings import MetricStandings, in_record
from plumbline.model.evidence import Evidence
from plumbline.model.plan import COUNTED, Scenario
from plumbline.model.record import Record
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.curves import curves, ladders
from plumbline.reporting.report.parts.naming import names, phase_in_words, unit_of
from plumbline.reporting.report.parts.trust import verdict_of_counting
from plumbline.verdicts.figures.metrics import METRICS, WARMING, Metric
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
_STEADY_OF = {warming: steady for steady, warming in WARMING.items()}
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
    subject_names = names(plan)
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
            values=tuple(values[subject]),
            latency=tuple(latency.get(subject, ())),
            warm_up=warm_ups.get(subject),
        )
        for subject in (*plan.subjects, plan.control)
        if values.get(subject)
    ]


def _values(record: Record, scenario: Scenario, measures: dict[Measure, int]) -> dict[str, list[Values]]:
    grouped: dict[tuple[str, str], dict[str, list[tuple[int, float]]]] = {}
    metric_of = {
        name: steady
        for name in METRICS
        if watched(METRICS[steady := _STEADY_OF.get(name, name)], record.plan.host_class)
    }
    scenario_id = scenario.id
    for trial in record.trials:
        if trial.scenario != scenario_id or trial.role not in COUNTED or trial.verdict == "invalid":
            continue
        for phase, figures in trial.figures.items():
            for name, value in figures.items():
                if value > 0 and (metric := metric_of.get(name)) is not None:
                    by_subject = grouped.setdefault((phase, metric), {})
                    by_subject.setdefault(trial.subject, []).append((trial.block, value))
    values_by_subject: dict[str, list[Values]] = {}
    order = {name: place for place, name in enumerate(METRICS)}
    for (phase, metric), subjects in sorted(grouped.items(), key=lambda item: (item[0][0], order[item[0][1]])):
        definition = METRICS[metric]
        unit = unit_of(definition.unit, ())
        standings = in_record(record, scenario, phase, definition)
        measure = measures.setdefault(
            Measure(
                phase=phase,
                metric=metric,
                title=definition.title,
                where=phase_in_words(scenario, phase),
                symbol=unit.symbol,
                per=unit.per,
                better=definition.better or "lower",
                primary=definition.primary,
            ),
            len(measures),
        )
        for subject, points in subjects.items():
            points.sort(key=lambda point: point[0])
            values_by_subject.setdefault(subject, []).append(
                Values(
                    measure=measure,
                    level=LEVEL if standings is None else standings.level_of(subject),
                    warming_up=clean_text("" if standings is None else standings.unsteady.get(subject, "")),
                    drift=_drift(standings, subject, definition),
                    blocks=tuple([block for block, _ in points]),
                    values=tuple([to_digits(value, _VALUE_DIGITS) for _, value in points]),
                )
            )
    return values_by_subject


def _drift(standings: MetricStandings | None, subject: str, metric: Metric) -> tuple[float, float]:
    """Return how far the logarithm of a figure may still fall, and how far it may rise."""
    drift = None if standings is None else standings.drifts.get(subject)
    if drift is None:
        return 0.0, 0.0
    falls, rises = drift.moves("lower" if metric.better == "lower" else "higher")
    return to_digits(falls, _VALUE_DIGITS), to_digits(rises, _VALUE_DIGITS)
