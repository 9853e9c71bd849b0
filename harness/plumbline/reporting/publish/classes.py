"""Makes the pages of classes: a page for each kind of work, with who does it, and the price of an ORM.

Nothing leads across classes. The price of an ORM is asked of pairs that differ in nothing else, in one session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plumbline.archive.record.standings import CONFIDENCE, in_record
from plumbline.model.data_access import TITLES, WITH_AND_WITHOUT_ORM, DataAccess
from plumbline.model.subject import Subject, slug_of
from plumbline.reporting.report.parts.naming import where, with_interval
from plumbline.verdicts.stats.ranking import RankedPair
from plumbline.verdicts.stats.wording import ratio
from .addresses import class_page
from .axes import Axes, axes_of
from .deciding import PRESENT_S
from .digest import Digest
from .measures import measures
from .model.base import Link
from .model.classes import (
    ClassesFile,
    ClassMeasure,
    ClassOfAccess,
    ClassStanding,
    Member,
    OrmPrice,
    OrmPrices,
)
from .model.standings import Standings, Table
from .overview import HOST_CLASSES, Reader, link
from .starts import WORDS

CLASSES: Mapping[DataAccess, str] = {
    "orm": "The program describes its entities, and an ORM (Hibernate ORM or Hibernate Reactive) maps them to rows: it"
    " writes the statements, keeps what it has read in a session, and finds out what changed.",
    "sql": "The program writes its statements by hand, and its framework or a driver's client carries them to the"
    " database and back: JDBC, R2DBC or Vert.x' client.",
    "none": "The program answers without a database, so that the class shows what serving HTTP costs.",
}
"""The classes that have a page, and the work that their subjects do."""

_COMMANDS = ("./bench run --suite orm-price", "./bench compare quarkus-rest-orm quarkus-rest-jdbc")


def classes_file(
    digests: Sequence[Digest],
    standings: Sequence[Standings],
    known: Mapping[str, Axes],
    read: Reader,
    simulated: bool,
) -> ClassesFile:
    """Return every class, whether it was measured or not. `digests` go by time, `standings` are the overview's."""
    members = _members(digests, known)
    return ClassesFile(
        simulated=simulated,
        classes=tuple(
            ClassOfAccess(
                data_access=access,
                title=TITLES[access],
                about=about,
                page=class_page(access),
                members=members[access],
                standings=tuple(its for one in standings if (its := _standing(one, access)) is not None),
            )
            for access, about in CLASSES.items()
        ),
        prices=tuple(_prices(digests, read)),
        commands=_COMMANDS,
    )


@dataclass
class _Seen:
    """The facts that the sessions so far tell of a variant; `framework` is what its last subject said it is."""

    framework: str | None
    release: str | None
    since: Link | None
    last: Digest


def _members(digests: Sequence[Digest], known: Mapping[str, Axes]) -> Mapping[DataAccess, tuple[Member, ...]]:
    """Return the variants that a session of the last month measured, by class."""
    found: dict[DataAccess, dict[str, _Seen]] = {access: {} for access in CLASSES}
    for one in digests:
        for scenario in one.counting:
            for subject, access in one.extract.data_access[scenario].items():
                if access != "unknown" and subject != one.extract.control:
                    _see(found[access], one, subject)
    return {
        access: tuple(
            sorted(
                (
                    _member(variant, its, axes_of(variant, known, its.framework))
                    for variant, its in seen.items()
                    if its.last.t >= digests[-1].t - PRESENT_S
                ),
                key=lambda member: (member.framework, member.variant),
            )
        )
        for access, seen in found.items()
    }


def _see(seen: dict[str, _Seen], one: Digest, subject: str) -> None:
    its = Subject.parse(subject)
    if "release" in its.settings:
        # Somebody asked for it by name, so it is not the release that the variant has by itself.
        return
    variant, release = its.variant, one.releases.get(subject)
    before = seen.get(variant)
    # A subject that was refused may tell no release: the one before is still the newest that is known.
    if release is None and before is not None:
        release, since = before.release, before.since
    elif before is not None and before.release == release:
        since = before.since
    else:
        since = None if release is None else link(one)
    seen[variant] = _Seen(one.frameworks.get(subject), release, since, one)


def _member(variant: str, its: _Seen, axes: Axes) -> Member:
    return Member(
        variant=variant,
        framework=axes.framework,
        concurrency=axes.concurrency,
        release=its.release,
        since=its.since,
        last=link(its.last),
    )


def _standing(its: Standings, access: DataAccess) -> ClassStanding | None:
    tables = [of_class for table in its.tables if (of_class := _of_class(table, access)) is not None]
    if not tables:
        return None
    first, *rest = tables
    return ClassStanding(
        host=its.host,
        host_class=its.host_class,
        heading=its.heading,
        scenario=its.scenario,
        table=first,
        others=tuple(
            ClassMeasure(title=one.title, where=one.where, said=one.said, session=one.session) for one in rest
        ),
    )


def _of_class(table: Table, access: DataAccess) -> Table | None:
    """Return a table with the bars of one class and the control; None where the class has none."""
    said = next((one.said for one in table.classes if one.data_access == access), None)
    if said is None:
        return None
    bars = tuple(bar for bar in table.bars if bar.data_access == access)
    return table.model_copy(update={"bars": bars, "classes": (), "headline": (), "said": said})


def _prices(digests: Sequence[Digest], read: Reader) -> Iterator[OrmPrices]:
    """Yield the prices by host and scenario, labs first, each of the session of the last month with most pairs."""
    grouped: dict[tuple[str, str], list[Digest]] = {}
    for one in digests:
        for scenario in one.counting:
            if _pairs(one, scenario):
                grouped.setdefault((one.host, scenario), []).append(one)
    by_host = sorted(grouped.items(), key=lambda item: (HOST_CLASSES.index(item[1][-1].host_class), *item[0]))
    for (_, scenario), its in by_host:
        present = [one for one in its if one.t >= its[-1].t - PRESENT_S]
        chosen = max(present, key=lambda one: (len(_pairs(one, scenario)), one.t))
        if rows := tuple(_rows(chosen, scenario, read)):
            yield OrmPrices(
                host=slug_of(chosen.host),
                host_class=chosen.host_class,
                scenario=slug_of(scenario),
                session=link(chosen),
                confidence=CONFIDENCE,
                rows=rows,
            )


def _pairs(one: Digest, scenario: str) -> list[tuple[str, str]]:
    """Return the pairs of subjects that count: with an ORM, and the same without; none where nobody asks a database."""
    classes = one.extract.data_access[scenario]
    counting = {id_ for id_, scenarios in one.worst.items() if scenario in scenarios}
    found = []
    for with_orm, without in WITH_AND_WITHOUT_ORM:
        for subject in map(Subject.parse, sorted(counting)):
            if subject.variant == with_orm and classes[subject.id] == "orm":
                other = subject.model_copy(update={"variant": without}).id
                if other in counting:
                    found.append((subject.id, other))
    return found


def _rows(chosen: Digest, scenario: str, read: Reader) -> Iterator[OrmPrice]:
    record = read(chosen.session)
    its = record.plan.scenario(scenario)
    for with_orm, without in _pairs(chosen, scenario):
        for phase, metric in measures(its):
            if chosen.host_class == "small" and not metric.sound_on_small:
                continue
            found = in_record(record, its, phase, metric)
            pair = None if found is None else found.across(with_orm, without)
            if pair is not None:
                yield OrmPrice(
                    with_orm=slug_of(with_orm),
                    without=slug_of(without),
                    title=metric.title,
                    where=where(its, phase),
                    times=_times(pair, metric.better == "higher"),
                    word=WORDS[pair.verdict],
                )


def _times(pair: RankedPair, higher: bool) -> str:
    """Return how many times the other's figure, with its interval. Effects are above zero where the first is better."""
    its = pair.comparison
    effects = (its.effect, its.low, its.high) if higher else (-its.effect, -its.high, -its.low)
    return with_interval(*map(ratio, effects))
