"""Makes the site's index (hosts, subjects with their axes, scenarios, metrics) and the list of all sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from plumbline.model.record import Record
from plumbline.model.subject import Subject, slug_of
from plumbline.reporting.report.charts.marks import mark_of
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.naming import short_name, unit_of
from plumbline.verdicts.figures.metrics import METRICS
from .addresses import API, run_page
from .axes import Axes, axes_of
from .deciding import PRESENT_S, superseded
from .digest import Digest
from .model.site import (
    HostEntry,
    MetricEntry,
    PhaseEntry,
    RunEntry,
    RunIndex,
    ScenarioEntry,
    SiteIndex,
    SubjectEntry,
)
from .overview import BUILD, link

TITLE = "Plumbline"
RUNS_IN_INDEX = 1_000


def site_index(
    digests: Sequence[Digest],
    records: Mapping[str, Record],
    axes_by_variant: Mapping[str, Axes],
    left_out: int,
) -> SiteIndex:
    """Return the index. `records` holds the newest record of each host and the newest of each scenario, by session."""
    return SiteIndex(
        simulated=any(digest.simulated for digest in digests),
        title=TITLE,
        newest_t=digests[-1].t if digests else None,
        sessions=len(digests),
        trials=sum(digest.trials for digest in digests),
        refused_trials=sum(digest.refused for digest in digests),
        left_out_records=left_out,
        hosts=tuple(_hosts(digests, records)),
        subjects=tuple(_subjects(digests, axes_by_variant)),
        scenarios=tuple(_scenarios(digests, records)),
        metrics=(
            *(
                MetricEntry(
                    name=metric.name,
                    title=metric.title,
                    unit=metric.unit,
                    symbol=unit_of(metric.unit, ()).symbol,
                    per=unit_of(metric.unit, ()).per,
                    better=metric.better,
                    primary=metric.primary,
                    sound_on_small=metric.sound_on_small,
                )
                for metric in METRICS.values()
            ),
            MetricEntry(
                name=BUILD,
                title="Build time",
                unit="s",
                symbol="s",
                per=1.0,
                better="lower",
                primary=False,
                sound_on_small=True,
            ),
        ),
    )


def newest_of_hosts(digests: Iterable[Digest]) -> dict[str, Digest]:
    """Return the newest session of each host, by the name of the host."""
    return {digest.host: digest for digest in digests}


def newest_of_scenarios(digests: Iterable[Digest]) -> dict[str, Digest]:
    """Return the newest session with each scenario, by the id of the scenario."""
    return {scenario: digest for digest in digests for scenario in digest.scenarios}


def run_indexes(digests: Sequence[Digest], recent: frozenset[str], simulated: bool) -> Iterator[tuple[str, RunIndex]]:
    """Yield `runs.json`, and the files of older sessions, each with the same fixed number of sessions."""
    count = len(digests)
    start = max(0, (count // RUNS_IN_INDEX - 1) * RUNS_IN_INDEX)
    older = []
    for first in range(0, start, RUNS_IN_INDEX):
        path = f"{API}/runs-{first // RUNS_IN_INDEX}.json"
        older.append(path)
        yield path, _runs(digests[first : first + RUNS_IN_INDEX], recent, simulated, ())
    yield f"{API}/runs.json", _runs(digests[start:], recent, simulated, tuple(reversed(older)))


def _runs(digests: Sequence[Digest], recent: frozenset[str], simulated: bool, older: tuple[str, ...]) -> RunIndex:
    return RunIndex(
        simulated=simulated,
        runs=tuple(
            RunEntry(
                session=digest.session,
                t=digest.t,
                page=run_page(digest.session),
                host=slug_of(digest.host),
                suite=digest.suite,
                verdict=digest.verdict,
                word=digest.word,
                trials=digest.measured,
                refused=digest.refused,
                commit=digest.commit,
                recent=digest.session in recent,
                comparable=bool(digest.counting),
            )
            for digest in reversed(digests)
        ),
        older=older,
    )


def _hosts(digests: Sequence[Digest], records: Mapping[str, Record]) -> Iterator[HostEntry]:
    counts: dict[str, int] = {}
    for digest in digests:
        counts[digest.host] = counts.get(digest.host, 0) + 1
    for name, newest in sorted(newest_of_hosts(digests).items()):
        host = records[newest.session].host
        yield HostEntry(
            name=name,
            slug=slug_of(name),
            host_class=host.host_class,
            cpu_model=clean_text(host.cpu_model),
            cpus=host.cpus,
            sessions=counts[name],
            newest=link(newest),
        )


def _subjects(digests: Sequence[Digest], axes_by_variant: Mapping[str, Axes]) -> Iterator[SubjectEntry]:
    first: dict[str, Digest] = {}
    last: dict[str, Digest] = {}
    frameworks: dict[str, str] = {}
    controls: set[str] = set()
    for digest in digests:
        controls.add(digest.extract.control)
        frameworks.update(digest.frameworks)
        for subject in digest.subjects:
            first.setdefault(subject, digest)
            last[subject] = digest
    newest = newest_of_hosts(digests)
    present = {
        subject for digest in digests if digest.t >= newest[digest.host].t - PRESENT_S for subject in digest.subjects
    }
    for id_ in sorted(last):
        parsed = Subject.parse(id_)
        axes = axes_of(parsed.variant, axes_by_variant, frameworks.get(id_))
        yield SubjectEntry(
            id=id_,
            slug=slug_of(id_),
            short="control" if id_ in controls else short_name(parsed),
            mark=None if id_ in controls else mark_of(parsed),
            variant=parsed.variant,
            framework=axes.framework,
            packaging=parsed.packaging,
            concurrency=axes.concurrency,
            engine=parsed.engine,
            tls=parsed.settings.get("db-tls", "off") != "off",
            settings=parsed.settings,
            control=id_ in controls,
            retired=id_ not in present,
            first=link(first[id_]),
            last=link(last[id_]),
        )


def _scenarios(digests: Sequence[Digest], records: Mapping[str, Record]) -> Iterator[ScenarioEntry]:
    """Yield the scenarios by id, those with a newer version last: a page opens with the first scenario."""
    newest_of = newest_of_scenarios(digests)
    old = superseded(newest_of)
    for id_, newest in sorted(newest_of.items(), key=lambda item: (item[0] in old, item[0])):
        scenario = records[newest.session].plan.scenario(id_)
        yield ScenarioEntry(
            id=id_,
            slug=slug_of(id_),
            name=scenario.name,
            version=scenario.version,
            workload=clean_text(scenario.workload),
            operation=clean_text(scenario.operation),
            control_operation=None if scenario.control_operation is None else clean_text(scenario.control_operation),
            uses_database=scenario.uses_database,
            phases=tuple(_phases(digests, id_)),
        )


def _phases(digests: Sequence[Digest], scenario: str) -> Iterable[PhaseEntry]:
    """Return the phases of the newest session, then the phases that only older sessions have."""
    entries: dict[str, PhaseEntry] = {}
    for digest in reversed(digests):
        for name, kind, where in digest.phases.get(scenario, ()):
            # The connections of a full load are those of one host.
            words = where.partition(" (")[0] if kind == "closed" else where
            entries.setdefault(name, PhaseEntry(name=name, kind=kind, where=words))
    return entries.values()
