"""Standings of the newest session of each host and scenario, and what changed since the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from plumbline.figures.metrics import METRICS, Metric
from plumbline.model.host import HostClass
from plumbline.model.plan import PhaseKind, Scenario
from plumbline.model.record import Record
from plumbline.model.slugs import slug_of
from plumbline.record.claim import heading
from plumbline.record.standings import MetricStandings, in_record
from plumbline.report.parts.clean import clean_text
from plumbline.report.parts.numbers import plain, seconds
from plumbline.report.parts.standings import shown
from plumbline.report.parts.steady import steady_words
from plumbline.report.parts.subjects import names
from plumbline.report.parts.trials import reasons_of, title_of
from plumbline.report.parts.trust import trust
from plumbline.report.view import Name, Row, StandingsView
from .addresses import run_page
from .changes import Changes
from .digest import Digest
from .model.base import Link
from .model.standings import Bar, ClassSaid, Refusal, Standings, Table

BUILD = "build_wall_s"
"""Build time has no trials and no interval; it stands beside the metrics all the same."""

# What the first page shows of each kind of phase, in this order.
_SHOWN: dict[PhaseKind, tuple[str, ...]] = {
    "closed": (
        "throughput_per_s",
        "app_cpu_us_per_request",
        "rss_under_load_bytes",
        "throughput_per_mib",
        "energy_uj_per_request",
        "steady_from_s",
    ),
    "open": ("latency_p99_ms", "latency_p50_ms"),
    "start": ("first_response_ms", "rss_idle_bytes"),
    "warm-up": ("first_10_s_requests",),
}
_ORDER: tuple[PhaseKind, ...] = ("closed", "open", "start", "warm-up")
HOST_CLASSES: tuple[HostClass, ...] = ("lab", "shared", "small")
# A session with only a few of the usual subjects (one that was narrowed) does not take the place of a whole one:
# it needs this share of the subjects of the fullest among so many.
_WHOLE_SHARE, _WHOLE_AMONG = 2 / 3, 10
_REFUSALS = 6

Reader = Callable[[str], Record]
"""The record of a session, read anew."""


def standings(digests: Sequence[Digest], read: Reader) -> tuple[Standings, ...]:
    """Hosts of class lab first, then by name; scenarios by id. `digests` are in the order of time."""
    grouped: dict[tuple[str, str], list[Digest]] = {}
    for one in digests:
        for scenario in one.scenarios:
            grouped.setdefault((one.host, scenario), []).append(one)
    found = []
    for (_, scenario), its in grouped.items():
        counting = [one for one in its if scenario in one.counting]
        chosen = newest_whole(counting, scenario)
        if chosen is not None:
            earlier = newest_whole(counting[: counting.index(chosen)], scenario)
            newer = [one for one in its[its.index(chosen) + 1 :] if scenario not in one.counting]
            found.append(_standings(chosen, earlier, newer, scenario, read))
    return tuple(sorted(found, key=lambda one: (HOST_CLASSES.index(one.host_class), one.host, one.scenario)))


def newest_whole(counting: Sequence[Digest], scenario: str) -> Digest | None:
    """The newest of these sessions that measured most of the subjects that the fullest of the last ones measured."""
    among = [
        (one, sum(scenario in scenarios for scenarios in one.worst.values()))
        for one in counting[-_WHOLE_AMONG:]
    ]
    most = max((count for _, count in among), default=0)
    return next((one for one, count in reversed(among) if count >= _WHOLE_SHARE * most), None)


def link(one: Digest) -> Link:
    """A session with its page."""
    return Link(session=one.session, t=one.t, page=run_page(one.session))


def _standings(
    chosen: Digest, earlier: Digest | None, newer: Sequence[Digest], scenario: str, read: Reader
) -> Standings:
    record = read(chosen.session)
    before = None if earlier is None else read(earlier.session)
    its = next(one for one in record.plan.scenarios if one.id == scenario)
    measured = [one for one in record.trials if one.scenario == scenario and one.role == "measured"]
    return Standings(
        host=slug_of(chosen.host),
        host_class=chosen.host_class,
        scenario=slug_of(scenario),
        session=link(chosen),
        before=None if earlier is None else link(earlier),
        suite=chosen.suite,
        heading=heading(record.host.host_class),
        steady=clean_text(steady_words(record, its)),
        verdict="advisory" if any(one.verdict == "advisory" for one in measured) else "valid",
        measured=len(measured),
        refused=sum(one.verdict == "invalid" for one in measured),
        refusals=_refusals(record, scenario),
        passed_over=tuple(link(one) for one in newer),
        cautions=tuple(clean_text(one) for one in trust(record).cautions),
        # What is of a warm program and means the application on this host leads, so that nobody's first number is of
        # something else.
        tables=tuple(sorted(_tables(record, before, its), key=lambda one: (one.warming_up, not one.sound))),
    )


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


def _tables(record: Record, before: Record | None, scenario: Scenario) -> Iterator[Table]:
    named = names(record.plan)
    for phase, metric in measures(scenario):
        found = in_record(record, scenario, phase, metric)
        its = shown(found, scenario, phase, metric, named)
        if found is not None and its is not None:
            yield _table(record, before, scenario, metric, found, its)
    build = _build_table(record, scenario, named)
    if build is not None:
        yield build


def measures(scenario: Scenario) -> Iterator[tuple[str, Metric]]:
    """Phase and metric of every table of a scenario, in the order in which pages show them."""
    for kind in _ORDER:
        for metric in (METRICS[name] for name in _SHOWN[kind] if name in METRICS):
            if metric.better is not None:
                yield from ((phase.name, metric) for phase in scenario.phases if phase.kind == kind)


def _table(
    record: Record,
    before: Record | None,
    scenario: Scenario,
    metric: Metric,
    found: MetricStandings,
    its: StandingsView,
) -> Table:
    stored = {row.subject: row for row in found.everybody}
    since = Changes(before, scenario, its.phase, metric, found.control)
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
    """The fields of a MetricTable."""
    return {
        "phase": its.phase,
        "metric": its.metric,
        "title": its.title,
        "where": its.where,
        "symbol": its.unit,
        "better": its.better or "lower",
        "sound": its.sound or host_class != "small",
        "said": clean_text(its.said),
        "warming_up": its.warming_up,
    }


def bar_words(row: Row) -> dict[str, Any]:
    """The fields of a RunBar."""
    return {
        "subject": slug_of(row.name.id),
        "rank": row.rank,
        "text": row.text,
        "ratio": None if row.ratio is None else round(row.ratio, 4),
        "trials": row.trials,
        "refused": row.left_out,
    }


def _build_table(record: Record, scenario: Scenario, named: Mapping[str, Name]) -> Table | None:
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
        phase="build",
        metric=BUILD,
        title="Build time",
        where="from clean sources, once",
        symbol="s",
        per=1.0,
        better="lower",
        sound=True,
        confidence=0.95,
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
