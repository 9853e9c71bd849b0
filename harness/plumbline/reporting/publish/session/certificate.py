"""Makes the certificate of a session, from its record and as much of its evidence as is there."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from plumbline.archive.record.claim import heading
from plumbline.archive.record.names import seconds
from plumbline.archive.record.standings import in_record
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Plan
from plumbline.model.record import Finding, Record, Verdict, gravity_of
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.clean import clean, clean_text
from plumbline.reporting.report.parts.comparison import comparison_view, reproduction_view
from plumbline.reporting.report.parts.naming import names
from plumbline.reporting.report.parts.origin import builds, provenance, reproduce
from plumbline.reporting.report.parts.standings import standings_view
from plumbline.reporting.report.parts.trials import columns, trial_views
from plumbline.reporting.report.parts.trust import rules, steady_words, trust
from plumbline.verdicts.figures.compute import FIGURES_VERSION
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from plumbline.verdicts.judge.referee import RULES_VERSION, judge, trial_verdict
from plumbline.verdicts.judge.rules import RULES
from plumbline.verdicts.judge.wording import listed
from ..addresses import compare_file, timeline_file
from ..model.runs import Fact, RuleReading, RunAnswer, RunComparison, RunFile, TrialRow
from ..model.standings import RunBar, RunTable
from ..overview import bar_words, table_words

_RULES = {rule.id: rule for rule in RULES}
_REASON_LENGTH = 400
# The folder of the reader's copy of the data branch in the commands of a page.
_COPY = "data"

Today = Mapping[int, tuple[Finding, ...]]
"""Trial number -> the trial's findings by today's rules."""


def certificate(
    record: Record,
    evidence: Mapping[int, Evidence],
    *,
    recent: bool,
    folder: str,
    files: Mapping[str, str],
) -> RunFile:
    """Return the document of the page of a session. `folder` is the path of the session below the data."""
    plan = record.plan
    subject_names = names(plan)
    trust_view = clean(trust(record))
    tables = _tables(record)
    today = judged_today(record, evidence)
    measured = [trial for trial in record.trials if trial.role == "measured"]
    session = plan.session
    copy = f"{_COPY}/{clean_text(folder)}"
    lead_table = next((table for table in tables if table.sound), None) or (tables[0] if tables else None)
    reproduction = clean(reproduction_view(record))
    return RunFile(
        simulated=plan.simulated,
        session=session,
        t=seconds(record.provenance.started_at),
        host=slug_of(record.host.name),
        host_class=record.host.host_class,
        suite=plan.suite,
        verdict=record.verdict,
        word=trust_view.verdict,
        trust_word=trust_view.word,
        trust=trust_view.sentences,
        not_guaranteed=(*_steady(record), *trust_view.cautions),
        heading=heading(record.host.host_class),
        headline=()
        if lead_table is None or reproduction is not None
        else (_measure(record, lead_table), *lead_table.headline),
        lead=_lead(record, lead_table) if reproduction is None else reproduction.sentence,
        recent=recent,
        measured=len(measured),
        refused=sum(trial.verdict == "invalid" for trial in measured),
        rules_version=record.versions.rules,
        rules_today=RULES_VERSION,
        rules=_rules(record, today),
        tables=tables,
        compared=_compared(record),
        reproduction=reproduction,
        trial_columns=columns(record),
        trials=tuple(
            TrialRow(
                number=trial.number,
                block=trial.block,
                role=trial.role,
                subject=slug_of(trial.subject),
                scenario=slug_of(trial.scenario),
                verdict=trial.verdict,
                today=_verdict_today(today.get(trial.number), plan),
                figures=view.figures,
                reasons=tuple(clean_text(reason)[:_REASON_LENGTH] for reason in view.reasons),
                timeline=timeline_file(session, trial.number)
                if trial.number in evidence and evidence[trial.number].series.t_s
                else None,
                evidence=f"evidence/{trial.number:04d}.json.gz",
            )
            for trial, view in zip(record.trials, trial_views(record, evidence, subject_names), strict=True)
        ),
        builds=clean(builds(record)),
        commit=record.provenance.commit,
        provenance=tuple(
            Fact(name=name, value=clean_text(value))
            for name, value in (*provenance(record), *(("Reads today", note) for note in _versions(record)))
        ),
        folder=clean_text(folder),
        files=dict(files),
        verify=(
            f"./bench ci data {_COPY} --remote origin --evidence {shlex.quote(session)}",
            f"./bench verify {shlex.quote(copy)}",
        ),
        reproduce=tuple(clean_text(line) for line in reproduce(record, copy)),
        compare=compare_file(session),
    )


def _lead(record: Record, table: RunTable | None) -> str:
    """Return the sentence that the page begins with."""
    if record.comparison is not None:
        return clean_text(record.comparison.sentence)
    if table is None:
        return "Nothing was measured that counts."
    return f"{_measure(record, table)}: {table.said}"


def _measure(record: Record, table: RunTable) -> str:
    """Return the measure and the scenario of a table in words."""
    scenario = next(scenario.id for scenario in record.plan.scenarios if slug_of(scenario.id) == table.scenario)
    return f"{table.title} {table.where}, {clean_text(scenario)}"


def _compared(record: Record) -> RunComparison | None:
    """Return the questions of a comparison with their answers; None for other sessions."""
    view = clean(comparison_view(record))
    if view is None:
        return None
    return RunComparison(
        facts=tuple(Fact(name=name, value=value) for name, value in view.facts),
        answers=tuple(
            RunAnswer(
                subject=contest.title,
                scenario=slug_of(contest.scenario),
                title=answer.title,
                where=answer.where,
                leads=answer.primary,
                verdict=answer.verdict,
                tone=answer.tone,
                text=answer.interval,
                pairs=answer.pairs,
            )
            for contest in view.contests
            for answer in (*contest.primary, *contest.secondary)
        ),
    )


def _steady(record: Record) -> tuple[str, ...]:
    """Return whether phases were proven steady: one sentence for all scenarios, or several that name theirs."""
    if record.plan.comparison is not None:
        return ()
    scenarios_by_words: dict[str, list[str]] = {}
    for scenario in record.plan.scenarios:
        scenarios_by_words.setdefault(clean_text(steady_words(record, scenario)), []).append(clean_text(scenario.id))
    return (
        tuple(scenarios_by_words)
        if len(scenarios_by_words) < 2
        else tuple(f"{listed(ids)}: {words}" for words, ids in scenarios_by_words.items())
    )


def judged_today(record: Record, evidence: Mapping[int, Evidence]) -> dict[int, tuple[Finding, ...]]:
    """Return the findings by today's rules; none if the record has the same rules, or if a trial has no evidence."""
    if record.versions.rules == RULES_VERSION or {trial.number for trial in record.trials} - set(evidence):
        return {}
    plan = record.plan
    planned = {trial.number: trial for trial in plan.trials}
    facts = {
        trial.number: TrialFacts(planned[trial.number], plan.scenario_of(planned[trial.number]), evidence[trial.number])
        for trial in record.trials
        if trial.number in planned
    }
    try:
        session_facts = SessionFacts.of(plan, record.host, facts, record.provenance, record.builds)
        return judge(session_facts, record.parts)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # No session can have left such a record: `verify` says so, and there is nothing to show here.
        return {}


def _verdict_today(findings: tuple[Finding, ...] | None, plan: Plan) -> Verdict | None:
    return None if findings is None else trial_verdict(findings, plan.host_class)


def _rules(record: Record, today: Today) -> tuple[RuleReading, ...]:
    gravest: dict[str, Finding] = {}
    for findings in today.values():
        for finding in findings:
            gravest_so_far = gravest.get(finding.rule)
            if gravest_so_far is None or gravity_of(finding) < gravity_of(gravest_so_far):
                gravest[finding.rule] = finding
    readings = []
    for view in clean(rules(record)):
        rule = _RULES.get(view.id)
        finding_today = gravest.get(view.id)
        readings.append(
            RuleReading(
                rule=view.id,
                title=view.title,
                source=None if rule is None else rule.source,
                mistake=None if rule is None else rule.mistake,
                worst=view.worst,
                counts=dict(view.counts),
                reading=view.reading,
                today=None if finding_today is None else (finding_today.outcome, clean_text(finding_today.reading)),
            )
        )
    return tuple(readings)


def _tables(record: Record) -> tuple[RunTable, ...]:
    if record.plan.comparison is not None:
        return ()
    subject_names = names(record.plan)
    tables = [
        RunTable(
            **table_words(view, record.host.host_class),
            scenario=slug_of(scenario.id),
            bars=tuple(
                RunBar(**bar_words(row)) for row in (*view.rows, *(() if view.control is None else (view.control,)))
            ),
        )
        for scenario in record.plan.scenarios
        for phase in scenario.phases
        for metric in METRICS.values()
        if metric.primary
        and metric.better is not None
        and (standings := in_record(record, scenario, phase.name, metric)) is not None
        and (view := standings_view(standings, scenario, phase.name, metric, subject_names)) is not None
        and any(row.mean is not None for row in view.rows)
    ]
    order = {name: place for place, name in enumerate(METRICS)}
    workloads = {slug_of(scenario.id): place for place, scenario in enumerate(record.plan.scenarios)}
    return tuple(
        sorted(
            tables,
            key=lambda table: (
                workloads[table.scenario],
                table.warming_up,
                not table.sound,
                order[table.metric],
            ),
        )
    )


def _versions(record: Record) -> tuple[str, ...]:
    """Return a sentence if this program computes figures by another version than the program that made the record."""
    if record.versions.figures == FIGURES_VERSION:
        return ()
    return (f"figures were computed by version {record.versions.figures}, and today's is {FIGURES_VERSION}",)
