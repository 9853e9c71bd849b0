"""Trial values, latency and warm-up curves of every subject of a session."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.archive.history.extract import watched
from plumbline.archive.record.names import seconds
from plumbline.archive.record.standings import MetricStandings, in_record
from plumbline.model.evidence import Evidence
from plumbline.model.plan import COUNTED, Scenario
from plumbline.model.record import Record
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.curves import curves, ladders
from plumbline.reporting.report.parts.naming import names, unit_of, where
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


def comparing(record: Record, evidence: Mapping[int, Evidence], *, recent: bool) -> CompareFile:
    """Return the document of a session; curves of the trials whose evidence is there."""
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
    named = names(plan)
    latency: dict[str, list[Latency]] = {}
    warm: dict[str, WarmUp] = {}
    if evidence:
        for ladder in ladders(record, scenario, evidence, named):
            for line in ladder.lines:
                latency.setdefault(line.name.id, []).append(
                    Latency(
                        phase=ladder.phase,
                        where=where(scenario, ladder.phase),
                        rate_per_s=ladder.rate_per_s,
                        samples=line.samples,
                        trials=line.trials,
                        points=tuple((share, to_digits(ms, _CURVE_DIGITS)) for share, ms in line.points),
                    )
                )
        for one in curves(record, scenario, evidence, named):
            warm[one.name.id] = WarmUp(
                bands=tuple(map(rounded, one.bands)),
                pieces=tuple(
                    tuple((round(t_s, 2), to_digits(rate, _CURVE_DIGITS)) for t_s, rate in piece)
                    for piece in one.median
                ),
            )
    values = _values(record, scenario, measures)
    return [
        Contender(
            subject=slug_of(subject),
            short=named[subject].short,
            mark=named[subject].mark,
            control=subject == plan.control,
            data_access=None if subject == plan.control else plan.class_of(subject, scenario),
            scenario=slug_of(scenario.id),
            values=tuple(values[subject]),
            latency=tuple(latency.get(subject, ())),
            warm_up=warm.get(subject),
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
    its_id = scenario.id
    for trial in record.trials:
        if trial.scenario != its_id or trial.role not in COUNTED or trial.verdict == "invalid":
            continue
        for phase, figures in trial.figures.items():
            for name, value in figures.items():
                if value > 0 and (metric := metric_of.get(name)) is not None:
                    by_subject = grouped.setdefault((phase, metric), {})
                    by_subject.setdefault(trial.subject, []).append((trial.block, value))
    found: dict[str, list[Values]] = {}
    order = {name: place for place, name in enumerate(METRICS)}
    for (phase, metric), subjects in sorted(grouped.items(), key=lambda one: (one[0][0], order[one[0][1]])):
        about = METRICS[metric]
        unit = unit_of(about.unit, ())
        standing = in_record(record, scenario, phase, about)
        measure = measures.setdefault(
            Measure(
                phase=phase,
                metric=metric,
                title=about.title,
                where=where(scenario, phase),
                symbol=unit.symbol,
                per=unit.per,
                better=about.better or "lower",
                primary=about.primary,
            ),
            len(measures),
        )
        for subject, its in subjects.items():
            its.sort(key=lambda one: one[0])
            found.setdefault(subject, []).append(
                Values(
                    measure=measure,
                    level=LEVEL if standing is None else standing.level_of(subject),
                    warming_up=clean_text("" if standing is None else standing.unsteady.get(subject, "")),
                    drift=_drift(standing, subject, about),
                    blocks=tuple([block for block, _ in its]),
                    values=tuple([to_digits(value, _VALUE_DIGITS) for _, value in its]),
                )
            )
    return found


def _drift(standing: MetricStandings | None, subject: str, metric: Metric) -> tuple[float, float]:
    """Return how far the logarithm of a figure may still fall, and rise."""
    its = None if standing is None else standing.drifts.get(subject)
    if its is None:
        return 0.0, 0.0
    falls, rises = its.moves("lower" if metric.better == "lower" else "higher")
    return to_digits(falls, _VALUE_DIGITS), to_digits(rises, _VALUE_DIGITS)
