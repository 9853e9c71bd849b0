"""Standings of each host and scenario, each measure of the session that decides it, and what changed since before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from plumbline.archive.record.claim import heading
from plumbline.archive.record.standings import in_record
from plumbline.model.host import HostClass
from plumbline.model.plan import Scenario
from plumbline.model.record import Record
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.naming import names, plain, seconds
from plumbline.reporting.report.parts.standings import shown
from plumbline.reporting.report.parts.trials import reasons_of, title_of
from plumbline.reporting.report.parts.trust import steady_words, trust, word_of_counting
from plumbline.reporting.report.view import Row, StandingsView
from plumbline.verdicts.figures.metrics import METRICS
from .addresses import run_page
from .changes import Changes
from .deciding import deciding, measures_of, present, superseded
from .digest import Digest
from .measures import PhaseMetric
from .model.base import Link
from .model.standings import Bar, ClassSaid, Refusal, SessionSaid, Standings, Table

BUILD = "build_wall_s"
"""Build time has no trials and no interval; it stands beside the metrics all the same."""

HOST_CLASSES: tuple[HostClass, ...] = ("lab", "shared", "small")
_REFUSALS = 6

Reader = Callable[[str], Record]
"""The record of a session, read anew."""


def standings(digests: Sequence[Digest], read: Reader) -> tuple[Standings, ...]:
    """Return the standings, hosts of class lab first, then by name; scenarios by id, those with a newer version last.

    `digests` go by time.
    """
    grouped: dict[tuple[str, str], list[Digest]] = {}
    for one in digests:
        for scenario in one.scenarios:
            grouped.setdefault((one.host, scenario), []).append(one)
    old = superseded(scenario for _, scenario in grouped)
    found = [
        (scenario in old, _standings(its, counting, scenario, read))
        for (_, scenario), its in grouped.items()
        if (counting := [one for one in its if scenario in one.counting])
    ]
    found.sort(key=lambda one: (HOST_CLASSES.index(one[1].host_class), one[1].host, one[0], one[1].scenario))
    return tuple(one for _, one in found)


def link(one: Digest) -> Link:
    """Return a session with its page."""
    return Link(session=one.session, t=one.t, page=run_page(one.session))


def _standings(its: Sequence[Digest], counting: Sequence[Digest], scenario: str, read: Reader) -> Standings:
    """The standings of one scenario on one host; `counting` are those of its sessions with a trial that counts."""
    # What is of a warm program, means the application on this host, and has an order leads, so that nobody's first
    # number is of something else.
    tables = sorted(
        _tables(counting, scenario, read),
        key=lambda one: (one.warming_up, not one.sound, all(bar.rank is None for bar in one.bars)),
    )
    by_session = {one.session: one for one in counting}
    shown = list(dict.fromkeys(one.session.session for one in tables)) or [counting[-1].session]
    first, *rest = (by_session[session] for session in shown)
    record = read(first.session)
    build = _build_table(first, record, record.plan.scenario(scenario))
    return Standings(
        **_of_session(first, scenario, read),
        host=slug_of(first.host),
        host_class=first.host_class,
        scenario=slug_of(scenario),
        before=tables[0].before if tables else None,
        heading=heading(record.host.host_class),
        passed_over=tuple(link(one) for one in its[its.index(first) + 1 :] if scenario not in one.counting),
        others=tuple(SessionSaid(**_of_session(one, scenario, read)) for one in rest),
        tables=(*tables, *(() if build is None else (build,))),
    )


def _of_session(one: Digest, scenario: str, read: Reader) -> dict[str, Any]:
    """The fields of a SessionSaid."""
    record = read(one.session)
    measured = [its for its in record.trials if its.scenario == scenario and its.role == "measured"]
    return {
        "session": link(one),
        "suite": one.suite,
        "steady": clean_text(steady_words(record, record.plan.scenario(scenario))),
        "verdict": word_of_counting(measured),
        "measured": len(measured),
        "refused": sum(its.verdict == "invalid" for its in measured),
        "refusals": _refusals(record, scenario),
        "cautions": tuple(clean_text(its) for its in trust(record).cautions),
    }


def _refusals(record: Record, scenario: str) -> tuple[Refusal, ...]:
    counts: Counter[str | None] = Counter()
    readings: dict[str | None, str] = {}
    for trial in record.trials:
        if trial.scenario == scenario and trial.role == "measured" and trial.verdict == "invalid":
            rules = {one.rule: one.reading for one in trial.findings if one.outcome == "invalid"}
            for rule, reading in rules.items() or [(None, reasons_of(trial, None)[0])]:
                counts[rule] += 1
                readings.setdefault(rule, reading)
    return tuple(
        Refusal(
            rule=rule,
            title="The trial did not reach its end" if rule is None else clean_text(title_of(rule)),
            trials=count,
            reading=clean_text(readings[rule]),
        )
        for rule, count in sorted(counts.items(), key=lambda one: (-one[1], one[0] or ""))[:_REFUSALS]
    )


def _tables(counting: Sequence[Digest], scenario: str, read: Reader) -> Iterator[Table]:
    able = present(counting)
    for measure in measures_of(able, scenario):
        chosen = deciding(able, scenario, measure)
        assert chosen is not None
        earlier = deciding(counting[: counting.index(chosen)], scenario, measure)
        table = _table(chosen, earlier, scenario, measure, read)
        if table is not None:
            yield table


def _table(
    chosen: Digest, earlier: Digest | None, scenario: str, measure: PhaseMetric, read: Reader
) -> Table | None:
    record, (phase, name) = read(chosen.session), measure
    planned, metric = record.plan.scenario(scenario), METRICS[name]
    found = in_record(record, planned, phase, metric)
    its = shown(found, planned, phase, metric, names(record.plan))
    if found is None or its is None:
        return None
    before = None if earlier is None else read(earlier.session)
    stored = {row.subject: row for row in found.everybody}
    since = Changes(before, planned, phase, metric, found)
    bars = {
        row.name.id: Bar(
            **bar_words(row),
            short=row.name.short,
            mark=row.name.mark,
            tied=row.tied,
            mean=stored[row.name.id].mean,
            low=stored[row.name.id].low,
            high=stored[row.name.id].high,
            since=None if row is its.control else since.of(stored[row.name.id]),
            data_access=stored[row.name.id].data_access,
            gap=row.gap,
            warming_up=row.warming_up,
        )
        for row in (*its.rows, *(() if its.control is None else (its.control,)))
    }
    return Table(
        **table_words(its, record.host.host_class),
        session=link(chosen),
        before=None if earlier is None else link(earlier),
        per=its.per,
        confidence=its.confidence,
        classes=tuple(
            ClassSaid(data_access=access, title=group.title, said=clean_text(group.said))
            for access, group in zip(found.classes, its.groups, strict=True)
        ),
        bars=tuple(bars[row.name.id] for row in its.rows),
        control=None if its.control is None else bars[its.control.name.id],
    )


def table_words(its: StandingsView, host_class: HostClass) -> dict[str, Any]:
    """Return the fields of a MetricTable."""
    return {
        "phase": its.phase,
        "metric": its.metric,
        "title": its.title,
        "where": its.where,
        "symbol": its.unit,
        "better": its.better or "lower",
        "sound": its.sound or host_class != "small",
        "headline": tuple(clean_text(line) for line in its.headline),
        "said": clean_text(its.said),
        "warming_up": its.warming_up,
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
    }


def _build_table(one: Digest, record: Record, scenario: Scenario) -> Table | None:
    named = names(record.plan)
    by_artifact = {one.artifact: one.wall_s for one in record.builds if one.wall_s > 0}
    ran = {one.subject: one.artifact for one in record.ran}
    took = {
        subject: by_artifact[artifact]
        for subject in record.plan.subjects
        if (artifact := ran.get(subject, record.plan.subject(subject).artifact_id)) in by_artifact
        and any(one.subject == subject and one.scenario == scenario.id for one in record.trials)
    }
    if not took:
        return None
    ordered = sorted(took, key=lambda subject: (took[subject], subject))
    return Table(
        session=link(one),
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
        headline=(f"{named[ordered[0]].short} was built in {seconds(took[ordered[0]])}",),
        said=f"{named[ordered[0]].short} was built in {seconds(took[ordered[0]])}. Measured once: how sure that is,"
        " nothing says.",
        classes=(),
        warming_up=False,
        bars=tuple(
            Bar(
                subject=slug_of(subject),
                short=named[subject].short,
                mark=named[subject].mark,
                rank=None,
                tied=False,
                mean=took[subject],
                low=None,
                high=None,
                text=plain(took[subject]),
                ratio=None,
                trials=1,
                refused=0,
                since=None,
                data_access=record.plan.class_of(subject, scenario),
                gap="",
                warming_up=False,
            )
            for subject in ordered
        ),
        control=None,
    )
