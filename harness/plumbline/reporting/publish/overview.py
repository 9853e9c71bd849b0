"""Makes the standings of each host and scenario: each measure from the session that decides it, with its changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from plumbline.archive.history.points import differing
from plumbline.archive.record.claim import heading
from plumbline.archive.record.standings import in_record
from plumbline.model.host import HostClass
from plumbline.model.plan import Scenario
from plumbline.model.record import Record, Standing
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.naming import names, plain_number, seconds
from plumbline.reporting.report.parts.standings import standings_view
from plumbline.reporting.report.parts.trials import reasons_of, title_of
from plumbline.reporting.report.parts.trust import steady_words, trust, verdict_of_counting
from plumbline.reporting.report.view import Row, StandingsView
from plumbline.verdicts.figures.metrics import METRICS
from .addresses import run_page
from .changes import FIRST, Changes, usable
from .deciding import deciding_session, measures_of, sessions_before, sessions_of_last_month, superseded
from .digest import Digest
from .measures import PhaseMetric
from .model.base import Link
from .model.standings import Bar, ClassSaid, Refusal, SessionSaid, Since, Standings, Table
from .pages import date
from .table import Nightly

BUILD = "build_wall_s"
"""The build time has no trials and no interval; pages show it beside the metrics all the same."""

HOST_CLASSES: tuple[HostClass, ...] = ("lab", "shared", "small")
_REFUSALS = 6

Reader = Callable[[str], Record]
"""Reads the record of a session again."""


def standings(digests: Sequence[Digest], nightly: Nightly, read: Reader) -> tuple[Standings, ...]:
    """Return the standings, hosts of class lab first, then by name; scenarios by id, those with a newer version last.

    A host whose class changed is shown by the sessions of its newest class: classes hold figures to different limits.
    `digests` are in the order of time.
    """
    grouped: dict[tuple[str, str], list[Digest]] = {}
    for digest in digests:
        for scenario in () if digest.comparison else digest.scenarios:
            grouped.setdefault((digest.host, scenario), []).append(digest)
    old = superseded(scenario for _, scenario in grouped)
    entries = [
        (scenario in old, _standings(sessions, counting, scenario, nightly, read))
        for (_, scenario), sessions in grouped.items()
        if (counting := _of_newest_class([digest for digest in sessions if scenario in digest.counting]))
    ]
    entries.sort(
        key=lambda entry: (
            HOST_CLASSES.index(entry[1].host_class),
            entry[1].host,
            entry[0],
            entry[1].scenario,
        )
    )
    return tuple(standing for _, standing in entries)


def _of_newest_class(counting: Sequence[Digest]) -> list[Digest]:
    return [digest for digest in counting if digest.host_class == counting[-1].host_class]


def link(digest: Digest) -> Link:
    """Return the link to the page of a session."""
    return Link(session=digest.session, t=digest.t, page=run_page(digest.session))


def _standings(
    sessions: Sequence[Digest], counting: Sequence[Digest], scenario: str, nightly: Nightly, read: Reader
) -> Standings:
    """Return the standings of one scenario on one host; `counting` are the sessions with a trial that counts."""
    # A table leads if its figures are of a warm program and mean the application on this host, and if it has an order,
    # so that a reader's first number is always such a figure.
    tables = sorted(
        _tables(counting, scenario, nightly, read),
        key=lambda table: (table.warming_up, not table.sound, all(bar.rank is None for bar in table.bars)),
    )
    by_session = {digest.session: digest for digest in counting}
    shown_sessions = list(dict.fromkeys(table.session.session for table in tables)) or [counting[-1].session]
    first, *other_sessions = (by_session[session] for session in shown_sessions)
    record = read(first.session)
    build = _build_table(first, record, record.plan.scenario(scenario))
    return Standings(
        **_of_session(first, scenario, read),
        host=slug_of(first.host),
        host_class=first.host_class,
        scenario=slug_of(scenario),
        before=tables[0].before if tables else None,
        heading=heading(record.host.host_class),
        passed_over=tuple(
            link(digest) for digest in sessions[sessions.index(first) + 1 :] if scenario not in digest.counting
        ),
        others=tuple(SessionSaid(**_of_session(digest, scenario, read)) for digest in other_sessions),
        tables=(*tables, *(() if build is None else (build,))),
    )


def _of_session(digest: Digest, scenario: str, read: Reader) -> dict[str, Any]:
    """Return the fields of a SessionSaid."""
    record = read(digest.session)
    trials = [trial for trial in record.trials if trial.scenario == scenario]
    measured = [trial for trial in trials if trial.role == "measured"]
    return {
        "session": link(digest),
        "suite": digest.suite,
        "steady": clean_text(steady_words(record, record.plan.scenario(scenario))),
        "verdict": verdict_of_counting(measured),
        "measured": len(measured),
        "refused": sum(trial.verdict == "invalid" for trial in measured),
        "control_refused": sum(trial.verdict == "invalid" for trial in trials if trial.role == "control"),
        "refusals": _refusals(record, scenario),
        "cautions": tuple(clean_text(caution) for caution in trust(record).cautions),
    }


def _refusals(record: Record, scenario: str) -> tuple[Refusal, ...]:
    counts: Counter[str | None] = Counter()
    readings: dict[str | None, str] = {}
    for trial in record.trials:
        if trial.scenario == scenario and trial.role == "measured" and trial.verdict == "invalid":
            rules = {finding.rule: finding.reading for finding in trial.findings if finding.outcome == "invalid"}
            for rule, reading in rules.items() or [(None, reasons_of(trial, None)[0])]:
                counts[rule] += 1
                readings.setdefault(rule, reading)
    return tuple(
        Refusal(
            rule=rule,
            title=clean_text(title_of(rule)),
            trials=count,
            reading=clean_text(readings[rule]),
        )
        for rule, count in sorted(counts.items(), key=lambda item: (-item[1], item[0] or ""))[:_REFUSALS]
    )


def _tables(counting: Sequence[Digest], scenario: str, nightly: Nightly, read: Reader) -> Iterator[Table]:
    recent = sessions_of_last_month(counting)
    for measure in measures_of(recent, scenario):
        chosen = deciding_session(recent, scenario, measure)
        assert chosen is not None
        table = _table(chosen, counting[: counting.index(chosen)], scenario, measure, nightly, read)
        if table is not None:
            yield table


def _table(
    chosen: Digest,
    earlier: Sequence[Digest],
    scenario: str,
    measure: PhaseMetric,
    nightly: Nightly,
    read: Reader,
) -> Table | None:
    record, (phase, name) = read(chosen.session), measure
    planned, metric = record.plan.scenario(scenario), METRICS[name]
    result = in_record(record, planned, phase, metric)
    view = standings_view(result, planned, phase, metric, names(record.plan, planned))
    if result is None or view is None:
        return None
    before = deciding_session(earlier, scenario, measure)
    sessions = {} if before is None else sessions_before(earlier, before, scenario, measure)
    stored = {row.subject: row for row in result.everybody}

    def changes_since(compared: Digest) -> Changes:
        environments = [session.extract.environment_of(scenario, phase) for session in (compared, chosen)]
        return Changes(read(compared.session), differing(*environments), planned, phase, metric, result)

    bars = {
        row.name.id: Bar(
            **bar_words(row),
            short=row.name.short,
            mark=row.name.mark,
            tied=row.tied,
            mean=stored[row.name.id].mean,
            low=stored[row.name.id].low,
            high=stored[row.name.id].high,
            since=None
            if row is view.control or before is None
            else _since(stored[row.name.id], sessions.get(row.name.id), before, changes_since),
            data_access=stored[row.name.id].data_access,
            gap=row.gap,
            trend=nightly.trend((chosen.host, row.name.id, scenario, phase, name)),
        )
        for row in (*view.rows, *(() if view.control is None else (view.control,)))
    }
    return Table(
        **table_words(view, record.host.host_class),
        session=link(chosen),
        before=None if before is None else link(before),
        per=view.per,
        confidence=view.confidence,
        classes=tuple(
            ClassSaid(data_access=access, title=group.title, said=clean_text(group.sentence))
            for access, group in zip(result.classes, view.groups, strict=True)
        ),
        bars=tuple(bars[row.name.id] for row in view.rows),
        control=None if view.control is None else bars[view.control.name.id],
    )


def _since(
    row: Standing, compared: Digest | None, before: Digest, changes_since: Callable[[Digest], Changes]
) -> Since | None:
    """Return the change of a subject since the session `compared`, which is named where it isn't the table's."""
    if not usable(row):
        return None
    if compared is None:
        return FIRST
    since = changes_since(compared).of(row)
    return since if compared is before else since.model_copy(update={"text": f"{since.text}, since {date(compared.t)}"})


def table_words(view: StandingsView, host_class: HostClass) -> dict[str, Any]:
    """Return the fields of a MetricTable."""
    return {
        "phase": view.phase,
        "metric": view.metric,
        "title": view.title,
        "where": view.where,
        "symbol": view.unit,
        "better": view.better or "lower",
        "sound": view.sound or host_class != "small",
        "headline": tuple(clean_text(line) for line in view.headline),
        "said": clean_text(view.sentence),
        "warming_up": view.warming_up,
    }


def bar_words(row: Row) -> dict[str, Any]:
    """Return the fields of a RunBar."""
    return {
        "subject": slug_of(row.name.id),
        "rank": row.rank,
        "text": row.text,
        "ratio": None if row.ratio is None else round(row.ratio, 4),
        "trials": row.trials,
        "refused": row.left_out,
        "warming_up": row.warming_up,
    }


def _build_table(digest: Digest, record: Record, scenario: Scenario) -> Table | None:
    labels = names(record.plan)
    # Whoever built an artifact before the session may have had another machine.
    by_artifact = {build.artifact: build.wall_s for build in record.builds if build.wall_s > 0 and not build.reused}
    ran = {program.subject: program.artifact for program in record.ran}
    times_s = {
        subject: by_artifact[artifact]
        for subject in record.plan.subjects
        if (artifact := ran.get(subject, record.plan.subject(subject).artifact_id)) in by_artifact
        and any(trial.subject == subject and trial.scenario == scenario.id for trial in record.trials)
    }
    if not times_s:
        return None
    ordered = sorted(times_s, key=lambda subject: (times_s[subject], subject))
    return Table(
        session=link(digest),
        before=None,
        phase="build",
        metric=BUILD,
        title="Build time",
        where="from clean sources, once",
        symbol="s",
        per=1.0,
        better="lower",
        sound=True,
        confidence=0.95,
        headline=(f"{labels[ordered[0]].short} was built in {seconds(times_s[ordered[0]])}",),
        said=f"{labels[ordered[0]].short} was built in {seconds(times_s[ordered[0]])}. Measured once: how sure that is,"
        " nothing says.",
        classes=(),
        warming_up=False,
        bars=tuple(
            Bar(
                subject=slug_of(subject),
                short=labels[subject].short,
                mark=labels[subject].mark,
                rank=None,
                tied=False,
                mean=times_s[subject],
                low=None,
                high=None,
                text=plain_number(times_s[subject]),
                ratio=None,
                trials=1,
                refused=0,
                since=None,
                data_access=record.plan.class_of(subject, scenario),
                gap="",
                warming_up=False,
                trend=None,
            )
            for subject in ordered
        ),
        control=None,
    )
