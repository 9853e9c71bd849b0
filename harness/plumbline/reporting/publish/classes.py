"""Makes the pages of classes of data access: a page for each kind of work with its subjects, and the price of an ORM.

No subject leads across classes. The price of an ORM comes from pairs of subjects of one session that differ in nothing
else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plumbline.archive.record.standings import CONFIDENCE, in_record
from plumbline.model.data_access import TITLES, WITH_AND_WITHOUT_ORM, DataAccess
from plumbline.model.subject import Subject, slug_of
from plumbline.reporting.report.parts.naming import phase_in_words, with_interval
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
    axes_by_variant: Mapping[str, Axes],
    read: Reader,
    simulated: bool,
) -> ClassesFile:
    """Return every class, measured or not. `digests` are in the order of time, `standings` come from the overview."""
    members = _members(digests, axes_by_variant)
    return ClassesFile(
        simulated=simulated,
        classes=tuple(
            ClassOfAccess(
                data_access=access,
                title=TITLES[access],
                about=about,
                page=class_page(access),
                members=members[access],
                standings=tuple(
                    class_standing
                    for standing in standings
                    if (class_standing := _standing(standing, access)) is not None
                ),
            )
            for access, about in CLASSES.items()
        ),
        prices=tuple(_prices(digests, read)),
        commands=_COMMANDS,
    )


@dataclass
class _Seen:
    """The facts that the sessions so far tell of a variant; `framework` is the one that its last subject stated."""

    framework: str | None
    release: str | None
    since: Link | None
    last: Digest


def _members(digests: Sequence[Digest], axes_by_variant: Mapping[str, Axes]) -> Mapping[DataAccess, tuple[Member, ...]]:
    """Return the variants that a session of the last month measured, by class."""
    variants_by_class: dict[DataAccess, dict[str, _Seen]] = {access: {} for access in CLASSES}
    for digest in digests:
        for scenario in digest.counting:
            for subject, access in digest.extract.data_access[scenario].items():
                if access != "unknown" and subject != digest.extract.control:
                    _add_variant(variants_by_class[access], digest, subject)
    return {
        access: tuple(
            sorted(
                (
                    _member(variant, facts, axes_of(variant, axes_by_variant, facts.framework))
                    for variant, facts in variants.items()
                    if facts.last.t >= digests[-1].t - PRESENT_S
                ),
                key=lambda member: (member.framework, member.variant),
            )
        )
        for access, variants in variants_by_class.items()
    }


def _add_variant(variants: dict[str, _Seen], digest: Digest, subject: str) -> None:
    parsed = Subject.parse(subject)
    if "release" in parsed.settings:
        # Somebody asked for this release by name, so it is not the release that the variant has by default.
        return
    variant, release = parsed.variant, digest.releases.get(subject)
    before = variants.get(variant)
    # A refused subject may tell no release: the release before is then still the newest known one.
    if release is None and before is not None:
        release, since = before.release, before.since
    elif before is not None and before.release == release:
        since = before.since
    else:
        since = None if release is None else link(digest)
    variants[variant] = _Seen(digest.frameworks.get(subject), release, since, digest)


def _member(variant: str, facts: _Seen, axes: Axes) -> Member:
    return Member(
        variant=variant,
        framework=axes.framework,
        concurrency=axes.concurrency,
        release=facts.release,
        since=facts.since,
        last=link(facts.last),
    )


def _standing(standings: Standings, access: DataAccess) -> ClassStanding | None:
    tables = [class_table for table in standings.tables if (class_table := _table_of_class(table, access)) is not None]
    if not tables:
        return None
    first, *other_tables = tables
    return ClassStanding(
        host=standings.host,
        host_class=standings.host_class,
        heading=standings.heading,
        scenario=standings.scenario,
        table=first,
        others=tuple(
            ClassMeasure(title=table.title, where=table.where, said=table.said, session=table.session)
            for table in other_tables
        ),
    )


def _table_of_class(table: Table, access: DataAccess) -> Table | None:
    """Return the table with only the bars of one class, and the control; None where the class has no bars in it."""
    sentence = next((result.said for result in table.classes if result.data_access == access), None)
    if sentence is None:
        return None
    bars = tuple(bar for bar in table.bars if bar.data_access == access)
    return table.model_copy(update={"bars": bars, "classes": (), "headline": (), "said": sentence})


def _prices(digests: Sequence[Digest], read: Reader) -> Iterator[OrmPrices]:
    """Yield the prices by host and scenario, labs first, each from the last month's session with the most pairs."""
    grouped: dict[tuple[str, str], list[Digest]] = {}
    for digest in digests:
        for scenario in digest.counting:
            if _pairs(digest, scenario):
                grouped.setdefault((digest.host, scenario), []).append(digest)
    by_host = sorted(grouped.items(), key=lambda item: (HOST_CLASSES.index(item[1][-1].host_class), *item[0]))
    for (_, scenario), measured in by_host:
        present = [digest for digest in measured if digest.t >= measured[-1].t - PRESENT_S]
        chosen = max(present, key=lambda digest: (len(_pairs(digest, scenario)), digest.t))
        if rows := tuple(_rows(chosen, scenario, read)):
            yield OrmPrices(
                host=slug_of(chosen.host),
                host_class=chosen.host_class,
                scenario=slug_of(scenario),
                session=link(chosen),
                confidence=CONFIDENCE,
                rows=rows,
            )


def _pairs(digest: Digest, scenario: str) -> list[tuple[str, str]]:
    """Return the pairs of subjects that count: (with an ORM, the same without); no pair where no database is used."""
    classes = digest.extract.data_access[scenario]
    counting = {id_ for id_, scenarios in digest.worst.items() if scenario in scenarios}
    pairs = []
    for with_orm, without in WITH_AND_WITHOUT_ORM:
        for subject in map(Subject.parse, sorted(counting)):
            if subject.variant == with_orm and classes[subject.id] == "orm":
                other = subject.model_copy(update={"variant": without}).id
                if other in counting:
                    pairs.append((subject.id, other))
    return pairs


def _rows(chosen: Digest, scenario: str, read: Reader) -> Iterator[OrmPrice]:
    record = read(chosen.session)
    planned = record.plan.scenario(scenario)
    for with_orm, without in _pairs(chosen, scenario):
        for phase, metric in measures(planned):
            if chosen.host_class == "small" and not metric.sound_on_small:
                continue
            standings = in_record(record, planned, phase, metric)
            if standings is not None and (pair := standings.across(with_orm, without)) is not None:
                times = map(ratio, pair.comparison.log_ratios(standings.better))
                yield OrmPrice(
                    with_orm=slug_of(with_orm),
                    without=slug_of(without),
                    title=metric.title,
                    where=phase_in_words(planned, phase),
                    times=with_interval(*times),
                    word=WORDS[pair.verdict],
                )
