"""The certificate of a session, from its record and as much of its evidence as lies there."""

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
from plumbline.reporting.report.parts.comparison import comparison_view
from plumbline.reporting.report.parts.naming import names
from plumbline.reporting.report.parts.origin import builds, provenance, reproduce
from plumbline.reporting.report.parts.standings import shown
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
# What the commands of a page call the reader's copy of the data branch.
_COPY = "data"

Today = Mapping[int, tuple[Finding, ...]]
"""Trial -> its findings by today's rules."""


def certificate(
    record: Record,
    evidence: Mapping[int, Evidence],
    *,
    recent: bool,
    folder: str,
    files: Mapping[str, str],
) -> RunFile:
    """Return the document of the page of a session. `folder` is where it lies below the data."""
    plan = record.plan
    named = names(plan)
    said = clean(trust(record))
    tables = _tables(record)
    today = judged_today(record, evidence)
    measured = [trial for trial in record.trials if trial.role == "measured"]
    session = plan.session
    copy = f"{_COPY}/{clean_text(folder)}"
    lead = next((table for table in tables if table.sound), None) or (tables[0] if tables else None)
    return RunFile(
        simulated=plan.simulated,
        session=session,
        t=seconds(record.provenance.started_at),
        host=slug_of(record.host.name),
        host_class=record.host.host_class,
        suite=plan.suite,
        verdict=record.verdict,
        word=said.verdict,
        trust_word=said.word,
        trust=said.sentences,
        not_guaranteed=(*_steady(record), *said.cautions),
        heading=heading(record.host.host_class),
        headline=() if lead is None else (f"{lead.title} {lead.where}", *lead.headline),
        lead=_lead(record, lead),
        recent=recent,
        measured=len(measured),
        refused=sum(trial.verdict == "invalid" for trial in measured),
        rules_version=record.versions.rules,
        rules_today=RULES_VERSION,
        rules=_rules(record, today),
        tables=tables,
        compared=_compared(record),
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
            for trial, view in zip(record.trials, trial_views(record, evidence, named), strict=True)
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
    return f"{table.title} {table.where}: {table.said}"


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
                title=one.title,
                where=one.where,
                leads=one.primary,
                verdict=one.verdict,
                tone=one.tone,
                text=one.interval,
                pairs=one.pairs,
            )
            for contest in view.contests
            for one in (*contest.primary, *contest.rest)
        ),
    )


def _steady(record: Record) -> tuple[str, ...]:
    """Return whether the phases of each workload were proven steady. A sentence that is not of all names its own."""
    if record.plan.comparison is not None:
        return ()
    said: dict[str, list[str]] = {}
    for one in record.plan.scenarios:
        said.setdefault(clean_text(steady_words(record, one)), []).append(clean_text(one.id))
    return tuple(said) if len(said) < 2 else tuple(f"{listed(ids)}: {words}" for words, ids in said.items())


def judged_today(record: Record, evidence: Mapping[int, Evidence]) -> dict[int, tuple[Finding, ...]]:
    """Return the findings by today's rules, if the record is of other rules and has the evidence of every trial."""
    if record.versions.rules == RULES_VERSION or {one.number for one in record.trials} - set(evidence):
        return {}
    plan = record.plan
    planned = {one.number: one for one in plan.trials}
    facts = {
        trial.number: TrialFacts(
            planned[trial.number], plan.scenario_of(planned[trial.number]), evidence[trial.number]
        )
        for trial in record.trials
        if trial.number in planned
    }
    try:
        whole = SessionFacts.of(plan, record.host, facts, record.provenance, record.builds)
        return {
            number: findings
            for session in whole.by_host(record.parts)
            for number, findings in judge(session).items()
        }
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # A record that no session can have left: `verify` says so, and there is nothing to show here.
        return {}


def _verdict_today(findings: tuple[Finding, ...] | None, plan: Plan) -> Verdict | None:
    return None if findings is None else trial_verdict(findings, plan.host_class)


def _rules(record: Record, today: Today) -> tuple[RuleReading, ...]:
    now: dict[str, Finding] = {}
    for findings in today.values():
        for finding in findings:
            known = now.get(finding.rule)
            if known is None or gravity_of(finding) < gravity_of(known):
                now[finding.rule] = finding
    found = []
    for view in clean(rules(record)):
        rule = _RULES.get(view.id)
        again = now.get(view.id)
        found.append(
            RuleReading(
                rule=view.id,
                title=view.title,
                source=None if rule is None else rule.source,
                mistake=None if rule is None else rule.mistake,
                worst=view.worst,
                counts=dict(view.counts),
                reading=view.reading,
                today=None if again is None else (again.outcome, clean_text(again.reading)),
            )
        )
    return tuple(found)


def _tables(record: Record) -> tuple[RunTable, ...]:
    if record.plan.comparison is not None:
        return ()
    named = names(record.plan)
    tables = [
        RunTable(
            **table_words(its, record.host.host_class),
            scenario=slug_of(scenario.id),
            bars=tuple(
                RunBar(**bar_words(row))
                for row in (*its.rows, *(() if its.control is None else (its.control,)))
            ),
        )
        for scenario in record.plan.scenarios
        for phase in scenario.phases
        for metric in METRICS.values()
        if metric.primary
        and metric.better is not None
        and (found := in_record(record, scenario, phase.name, metric)) is not None
        and (its := shown(found, scenario, phase.name, metric, named)) is not None
        and any(row.mean is not None for row in its.rows)
    ]
    order = {name: place for place, name in enumerate(METRICS)}
    workloads = {slug_of(one.id): place for place, one in enumerate(record.plan.scenarios)}
    return tuple(
        sorted(
            tables,
            key=lambda one: (workloads[one.scenario], one.warming_up, not one.sound, order[one.metric]),
        )
    )


def _versions(record: Record) -> tuple[str, ...]:
    """Return a sentence where this program computes figures otherwise than the one that made the record."""
    if record.versions.figures == FIGURES_VERSION:
        return ()
    return (f"figures were computed by version {record.versions.figures}, and today's is {FIGURES_VERSION}",)
