"""Makes the page of starts (JVM, AOT cache, native image) from the session of each host that orders the most subjects.

A session takes part with every variant of which it started two packagings or more. Subjects with other settings than
the page cache and the container belong to other questions, and are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from plumbline.archive.record.claim import heading, name_list
from plumbline.archive.record.standings import CONFIDENCE, MetricStandings, in_record
from plumbline.model.data_access import TITLES, AccessClass
from plumbline.model.plan import PhaseKind, Scenario
from plumbline.model.record import Record, Standing
from plumbline.model.subject import Subject, slug_of
from plumbline.reporting.report.parts.naming import DisplayUnit, names, unit_of, with_interval
from plumbline.reporting.report.view import Name
from plumbline.subjects.catalog.settings import in_container, is_cold
from plumbline.verdicts.figures.metrics import METRICS
from .deciding import PRESENT_S
from .digest import Digest
from .model.standings import NotMeasured, StartClass, StartRow, StartsFile, StartStanding, StartWord
from .overview import HOST_CLASSES, Reader, link

LEAST_STARTS = 10
"""The number of starts of each subject below which no order is claimed."""

_CONDITIONS = {"page-cache", "run-in"}
_START: PhaseKind = "start"
_FIRST, _IDLE = METRICS["first_response_ms"], METRICS["rss_idle_bytes"]
WORDS: Mapping[str, StartWord] = {
    "faster": "ahead",
    "slower": "behind",
    "equivalent": "equivalent",
    "inconclusive": "undecided",
}
"""The words on pages for the verdict of a comparison; they are about the first side."""

_NOT_MEASURED = (
    NotMeasured(
        name="CRaC",
        why="To restore a process from a checkpoint takes three things: a JDK with CRaC, which OpenJDK does not have;"
        " the right to restore processes; and an application that closes its connections before the checkpoint, and"
        " opens them after it. The JDK here has no CRaC, and no variant closes its connections.",
    ),
)
_COMMANDS = ("./bench run --suite native", "./bench run --suite native-hello")


def starts_file(digests: Sequence[Digest], read: Reader, simulated: bool) -> StartsFile:
    """Return the starts of each host and scenario, hosts of class lab first. `digests` are in the order of time."""
    grouped: dict[tuple[str, str], list[Digest]] = {}
    for digest in digests:
        for scenario in digest.counting:
            if _starts(digest, scenario):
                grouped.setdefault((digest.host, scenario), []).append(digest)
    standings = [
        standing
        for (_, scenario), sessions in grouped.items()
        if (standing := _standing(_fullest(sessions, scenario), scenario, read)) is not None
    ]
    return StartsFile(
        simulated=simulated,
        least_starts=LEAST_STARTS,
        standings=tuple(
            sorted(
                standings,
                key=lambda standing: (
                    HOST_CLASSES.index(standing.host_class),
                    standing.host,
                    standing.scenario,
                ),
            )
        ),
        not_measured=_NOT_MEASURED,
        commands=_COMMANDS,
    )


def _taking_part(digest: Digest, scenario: str) -> set[str]:
    """Return the subjects of variants that a session started in two packagings or more."""
    packagings: dict[str, set[str]] = {}
    subjects = {
        id_: Subject.parse(id_)
        for scenarios_by_subject in (digest.worst, digest.gaps)
        for id_, scenarios in scenarios_by_subject.items()
        if scenario in scenarios and id_ != digest.extract.control
    }
    comparable = {id_: subject for id_, subject in subjects.items() if subject.settings.keys() <= _CONDITIONS}
    for subject in comparable.values():
        packagings.setdefault(subject.variant, set()).add(subject.packaging)
    return {id_ for id_, subject in comparable.items() if len(packagings[subject.variant]) > 1}


def _starts(digest: Digest, scenario: str) -> list[int]:
    """Return the number of starts that count, of each subject that takes part and has such a start."""
    counts = (digest.counts.get(subject, {}).get(scenario, 0) for subject in _taking_part(digest, scenario))
    return [count for count in counts if count]


def _fullest(sessions: Sequence[Digest], scenario: str) -> Digest:
    """Return the session of the last month with the most subjects of enough starts for an order; of several such
    sessions that with the most subjects, then the newest.
    """

    def fullness(digest: Digest) -> tuple[int, int, int]:
        starts = _starts(digest, scenario)
        return sum(count >= LEAST_STARTS for count in starts), len(starts), digest.t

    return max((digest for digest in sessions if digest.t >= sessions[-1].t - PRESENT_S), key=fullness)


def _standing(chosen: Digest, scenario: str, read: Reader) -> StartStanding | None:
    record = read(chosen.session)
    planned = record.plan.scenario(scenario)
    phase = next((candidate.name for candidate in planned.phases if candidate.kind == _START), None)
    first_response = None if phase is None else in_record(record, planned, phase, _FIRST)
    if phase is None or first_response is None:
        return None
    subjects = _taking_part(chosen, scenario)
    rows = [row for row in first_response.rows if row.subject in subjects]
    unit = unit_of(_FIRST.unit, [row.mean for row in rows if row.mean is not None])
    refusals = {id_: reasons[scenario] for id_, reasons in chosen.gaps.items() if scenario in reasons}
    maker = _StartRows(record, planned, phase, first_response, unit, refusals)
    classes = tuple(
        maker.of_class(access, class_rows)
        for access in first_response.classes
        if (class_rows := [row for row in rows if row.data_access == access])
    )
    return StartStanding(
        host=slug_of(chosen.host),
        host_class=chosen.host_class,
        heading=heading(chosen.host_class),
        scenario=slug_of(scenario),
        session=link(chosen),
        symbol=unit.symbol,
        confidence=CONFIDENCE,
        classes=classes,
    )


class _StartRows:
    """Makes the classes of one standing."""

    def __init__(
        self,
        record: Record,
        scenario: Scenario,
        phase: str,
        first: MetricStandings,
        unit: DisplayUnit,
        refusals: Mapping[str, str],
    ) -> None:
        self._record, self._first, self._unit, self._refusals = record, first, unit, refusals
        self._names: Mapping[str, Name] = names(record.plan)
        idle = in_record(record, scenario, phase, _IDLE)
        self._idle = {} if idle is None else {row.subject: row for row in idle.rows}
        self._builds = {build.artifact: build for build in record.builds}
        self._images = {image.artifact: image for image in record.images}
        self._training = {training.subject: training for training in record.training}
        self._artifacts = {program.subject: program.artifact for program in record.ran}

    def of_class(self, access: AccessClass, rows: Sequence[Standing]) -> StartClass:
        """Return the class, its rows in the order of their ranks.

        A subject with too few starts comes last, without a rank. A subject whose every start was refused has no row:
        the sentences of the class name this subject.
        """
        refused = [row for row in rows if row.subject in self._refusals]
        rows = [row for row in rows if row.mean is not None]
        enough = [row for row in rows if row.trials >= LEAST_STARTS]
        ranks = {row.subject: self._rank(row, enough) for row in enough} if len(enough) > 1 else {}
        last = len(rows) + 1
        ordered = sorted(rows, key=lambda row: (ranks.get(row.subject, last), row.mean or math.inf, row.subject))
        return StartClass(
            data_access=access,
            title=TITLES[access],
            said=self._sentences(
                [row for row in ordered if ranks.get(row.subject) == 1], len(rows) - len(enough), refused
            ),
            rows=tuple(self._row(row, rows, ranks) for row in ordered),
        )

    def _rank(self, row: Standing, enough: Sequence[Standing]) -> int:
        pairs = [self._first.between(row, other) for other in enough if other is not row]
        return 1 + sum(pair is not None and pair.verdict == "slower" for pair in pairs)

    def _sentences(self, leading: Sequence[Standing], few: int, refused: Sequence[Standing]) -> str:
        sentences = [self._order_sentence(leading)]
        if leading and few:
            sentences.append(f"Who has fewer than {LEAST_STARTS} starts has no rank.")
        sentences += [
            f"Every start of {self._names[row.subject].short} was refused. {self._refusals[row.subject]}"
            for row in refused
        ]
        return " ".join(sentences)

    def _order_sentence(self, leading: Sequence[Standing]) -> str:
        if not leading:
            return f"No order is claimed: an order takes two subjects with {LEAST_STARTS} starts each."
        leaders = name_list(leading, lambda subject: self._names[subject].short)
        if len(leading) > 1:
            return f"Who answers first is not decided between {leaders}."
        return f"{leaders} answers first, after {self._text(leading[0])} {self._unit.symbol}."

    def _row(self, row: Standing, rows: Sequence[Standing], ranks: Mapping[str, int]) -> StartRow:
        subject = self._record.plan.subject(row.subject)
        name = self._names[row.subject]
        artifact = self._artifacts.get(row.subject, subject.artifact_id)
        build, image = self._builds.get(artifact), self._images.get(artifact)
        training, idle = self._training.get(row.subject), self._idle.get(row.subject)
        against, word = self._against_jvm(row, subject, rows, ranks)
        rank = ranks.get(row.subject)
        assert row.mean is not None
        return StartRow(
            subject=slug_of(row.subject),
            short=name.short,
            mark=name.mark,
            packaging=subject.packaging,
            page_cache="cold" if is_cold(subject.settings) else "warm",
            run_in="container" if in_container(subject.settings) else "process",
            starts=row.trials,
            refused=row.invalid_trials,
            rank=rank,
            tied=rank is not None and list(ranks.values()).count(rank) > 1,
            mean_ms=row.mean,
            low_ms=row.low,
            high_ms=row.high,
            text=self._text(row),
            against_jvm=against,
            word=word,
            idle=_idle_text(idle, row),
            idle_bytes=None if idle is None else idle.mean,
            artifact_bytes=None if build is None else build.size_bytes,
            cache_bytes=None if training is None else training.size_bytes,
            image_bytes=image.size_bytes if image is not None and in_container(subject.settings) else None,
            build_s=None if build is None or build.reused else build.wall_s,
            training_s=None if training is None else training.wall_s,
        )

    def _text(self, row: Standing) -> str:
        return _in_unit(row, self._unit)

    def _against_jvm(
        self, row: Standing, subject: Subject, rows: Sequence[Standing], ranks: Mapping[str, int]
    ) -> tuple[str | None, StartWord | None]:
        """Return the time as a multiple of the same variant's on a JVM, and what was decided; both rows need a rank."""
        jvm_id = subject.model_copy(update={"packaging": "jvm"}).id
        ranked = [candidate for candidate in rows if candidate.subject in ranks]
        jvm_row = next(
            (candidate for candidate in ranked if candidate.subject == jvm_id and candidate is not row), None
        )
        if row.subject not in ranks:
            return None, None
        pair = None if jvm_row is None else self._first.between(row, jvm_row)
        if pair is None:
            return None, None
        times = map(math.exp, pair.comparison.log_ratios(self._first.better))
        return with_interval(*times), WORDS[pair.verdict]


def _idle_text(idle: Standing | None, row: Standing) -> str:
    """Return the idle memory for people, with the number of its starts where that is not the row's."""
    if idle is None or idle.mean is None:
        return ""
    text = _in_unit(idle, unit_of(_IDLE.unit, ()))
    return text if idle.trials == row.trials else f"{text} (read in {idle.trials} of {row.trials})"


def _in_unit(row: Standing, unit: DisplayUnit) -> str:
    assert row.mean is not None
    low, high = (None if end is None else end / unit.per for end in (row.low, row.high))
    return with_interval(row.mean / unit.per, low, high)
