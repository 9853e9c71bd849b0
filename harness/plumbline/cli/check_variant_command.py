"""`./bench check-variant NAME[/PACKAGING][+SETTING=VALUE]`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import click

from plumbline.model.errors import UsageError
from . import completing
from .console import ROOT, app_option, json_option, print_json, say

if TYPE_CHECKING:
    from plumbline.measuring.conformance.suite import Extent
    from plumbline.measuring.run.context import Context
    from plumbline.model.subject import Subject
    from plumbline.subjects.catalog.variant import Variant

# The form in which a check reports a wrong value: `pool.open: 19 instead of 20`.
_INSTEAD = re.compile(r"(?P<what>.+?): (?P<seen>.+) instead of (?P<expected>.+)", re.DOTALL)
# A part shows at most so many sentences: more would tell nothing new.
_MOST_SENTENCES = 12


class CheckedPart(NamedTuple):
    """A part with its name, its subject (None: the whole variant), what falls short, and counts by operation."""

    part: str
    subject: str | None
    shortfalls: tuple[str, ...]
    trips: Mapping[str, float] = MappingProxyType({})
    pins: Mapping[str, float] = MappingProxyType({})


@click.command(epilog="Example: ./bench check-variant shop --app ~/services/shop")
@click.argument("asked_for", metavar="NAME[/PACKAGING][+SETTING=VALUE]", shell_complete=completing.variants)
@click.option(
    "--contract-only",
    is_flag=True,
    help="The contract of the plain subject on each engine alone: no database that goes away, no load, no TLS.",
)
@click.option("--case", metavar="NAME", help="One request of the contract alone, such as fruit-Apple.")
@click.option(
    "--round-trips",
    is_flag=True,
    help="Count the round trips to the database of each operation, and ask no more.",
)
@click.option(
    "--pinned",
    is_flag=True,
    help="Count how often a request of each operation pins its virtual thread, and ask no more.",
)
@click.option("--all", "everything", is_flag=True, help="Go on after the first kind of failure.")
@click.option(
    "--write",
    is_flag=True,
    help="Note what passed in results/conformance.json, and in README's table of systems.",
)
@app_option
@json_option
def command(
    asked_for: str,
    contract_only: bool,
    case: str | None,
    round_trips: bool,
    pinned: bool,
    everything: bool,
    write: bool,
    apps: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Build a variant, check it against the contract, load it for five seconds, and say what falls short.

    The checks run on each engine that the variant declares, without TLS and with TLS. They use the variant's first
    packaging unless NAME has another one, as vertx-pg/aot has, and the settings that follow the name, as in
    vertx-pg+run-in=container. They stop at the first kind of failure, since later failures often follow from the
    first. Exit status 1: something falls short.
    """
    from plumbline.measuring.conformance.checks import golden_of
    from plumbline.measuring.conformance.suite import Extent
    from plumbline.measuring.launch.lock import MachineLock
    from plumbline.measuring.run.context import open_context
    from plumbline.subjects.catalog.reading import nearest
    from plumbline.verdicts.contract.probes import read_probes

    if (round_trips or pinned) and (contract_only or case is not None):
        raise UsageError(
            "--round-trips and --pinned only count, and would not ask for the contract.",
            "Leave them out, or leave --contract-only and --case out.",
        )
    context = open_context(ROOT, apps, say)
    name_and_packaging, plus, settings = asked_for.partition("+")
    name, slash, packaging = name_and_packaging.partition("/")
    variant = context.catalog.variant(name)
    if slash:
        variant.packaging(packaging)
    if write and (contract_only or pinned or case is not None or variant.folder.parent != ROOT / "apps"):
        raise UsageError(
            "--write notes only a variant of this tree, after all checks.",
            "Leave --contract-only, --pinned, --case and --app out.",
        )
    if contract_only and variant.spec.serves_on == "cli":
        raise UsageError(
            f"{name} is a program without a server, which nobody can ask for what the contract says.",
            "Leave --contract-only out: the load gives the program batches, and compares their results.",
        )
    subjects_by_engine = [
        _subjects(variant, engine, packaging or None, plus + settings) for engine in variant.spec.engines
    ]
    for subjects_of_engine in subjects_by_engine:
        for subject in subjects_of_engine:
            context.catalog.subject(subject.id)
    if case is not None:
        cases = [known_case.name for known_case in golden_of(variant.spec, read_probes(ROOT / "apps" / "contract"))]
        if case not in cases:
            raise UsageError(f"The contract of {name} has no case '{case}'.", nearest(case, cases))
    extent = Extent(
        contract_only=contract_only, case=case, round_trips=round_trips, pinned=pinned, everything=everything
    )
    # A build would disturb another run.
    with MachineLock() as lock:
        rows = [_marks(variant), _dependencies(variant), _build(context, subjects_by_engine)]
        if not rows[-1].shortfalls:
            for subjects_of_engine in subjects_by_engine:
                if everything or not _falls_short(rows[2:]):
                    rows += _check_engine(context, subjects_of_engine, extent, lock.descriptor)
    if write:
        _note(variant, rows, counted_alone=round_trips)
    holds = not _falls_short(rows)
    stopped = not everything and _falls_short(rows[2:])
    if as_json:
        parts = [
            {
                "part": row.part,
                "subject": row.subject,
                "falls_short": row.shortfalls,
                "round_trips": dict(row.trips),
                "pinned": dict(row.pins),
            }
            for row in rows
        ]
        print_json({"variant": asked_for, "holds": holds, "stopped": stopped, "parts": parts})
    else:
        for line in _lines(rows):
            say(line, err=False)
        if stopped:
            say("Nothing was asked after the first kind of failure; with --all everything is.")
        if variant.spec.only_in:
            suites = " and ".join(variant.spec.only_in)
            say(f"{name} is wrong on purpose: what it falls short of is what {suites} shows.")
    return 0 if holds else 1


def _note(variant: Variant, rows: Sequence[CheckedPart], *, counted_alone: bool = False) -> None:
    """Add the subjects that passed to the ledger, and remove those that fell short.

    Round trips that were `counted_alone` are added to subjects that the ledger has.
    """
    from plumbline.measuring.conformance.systems import FILE, LedgerEntry, read_ledger, write_ledger
    from .systems_command import write_table

    ledger = read_ledger(ROOT / FILE)
    failed_subjects = {row.subject for row in rows if row.shortfalls}
    entries: dict[str, LedgerEntry | None] = {}
    for row in rows:
        if row.subject is None or (counted_alone and row.subject not in ledger):
            continue
        entry = ledger[row.subject] if counted_alone else LedgerEntry(workloads=variant.spec.workloads)
        trips = dict(row.trips) or (entries.get(row.subject) or entry).round_trips
        entries[row.subject] = (
            None if row.subject in failed_subjects else entry.model_copy(update={"round_trips": trips})
        )
    write_ledger(ROOT / FILE, ledger, entries)
    write_table()


def _falls_short(rows: Sequence[CheckedPart]) -> bool:
    return any(row.shortfalls for row in rows)


def _marks(variant: Variant) -> CheckedPart:
    from plumbline.subjects.catalog.new_variant import MARK, marks_left

    marks = marks_left(variant.folder)
    places = ", ".join(f"{path.relative_to(variant.folder)}:{number}" for path, number, _ in marks)
    sentence = f"The word {MARK} still stands in {variant.id}/ at {places}."
    return CheckedPart("places to write", None, (sentence,) if marks else ())


def _dependencies(variant: Variant) -> CheckedPart:
    """Check that the pom names the framework of variant.toml (the contract asks /environment), and that variant.toml
    names everything that the pom builds from.
    """
    from plumbline.subjects.catalog.poms import inputs_left_out, read_pom

    framework, pom = variant.spec.framework, variant.folder / "pom.xml"
    if not pom.is_file():
        return CheckedPart("dependencies", None, ())
    try:
        elements, left_out = list(read_pom(pom).iter()), inputs_left_out(variant)
    except UsageError as error:
        return CheckedPart("dependencies", None, (error.problem,))
    sentences = [
        f"{variant.id} is built from {path}: add it to 'inputs' of variant.toml, or a change of it rebuilds nothing."
        for path in left_out
    ]
    names = [element.text or "" for element in elements if element.tag.endswith(("}groupId", "}artifactId"))]
    if framework != "none" and not any(framework in text for text in names):
        sentences.append(
            f"variant.toml says framework = '{framework}', and {variant.id}/pom.xml has no dependency of it."
        )
    return CheckedPart("dependencies", None, tuple(sentences))


def _subjects(variant: Variant, engine: str, packaging: str | None, with_settings: str) -> tuple[Subject, ...]:
    from plumbline.measuring.conformance.suite import subjects_on
    from plumbline.model.subject import Subject

    plain, *others = (Subject.parse(text) for text in subjects_on(variant, engine, packaging))
    settings = Subject.parse(f"{plain.id}{with_settings}").settings
    # A setting that is asked for by name replaces the subjects that vary the same setting beside the plain one.
    chosen = (subject for subject in (plain, *others) if not settings.keys() & subject.settings.keys())
    return tuple(subject.model_copy(update={"settings": {**subject.settings, **settings}}) for subject in chosen)


def _build(context: Context, subjects: Sequence[tuple[Subject, ...]]) -> CheckedPart:
    from plumbline.measuring.build.builder import BuildFailed, Unavailable

    for plain, *_ in subjects:
        try:
            context.job(plain.id)
        except Unavailable as error:
            # The host lacks something, which says nothing of the variant.
            raise UsageError(error.problem, error.next_step) from error
        except BuildFailed as error:
            return CheckedPart("build", None, (f"{error.problem} {error.next_step}".strip(),))
    return CheckedPart("build", None, ())


def _check_engine(context: Context, subjects: tuple[Subject, ...], extent: Extent, lock: int) -> list[CheckedPart]:
    from plumbline.measuring.conformance.suite import check_conformance
    from plumbline.measuring.run.opening import testbed_for_now

    if extent.contract_only or extent.case is not None or extent.round_trips or extent.pinned:
        subjects = subjects[:1]
    rows: list[CheckedPart] = []
    with testbed_for_now(context, "check", subjects, lock) as testbed:
        for subject in subjects:
            for part in check_conformance(testbed, context, subject.id, extent):
                say(f"{subject.id}: {part.name} {_verdict(part.problems)}")
                rows.append(CheckedPart(part.name, subject.id, part.problems, part.trips, part.pins))
                if part.problems and not extent.everything:
                    return rows
    return rows


def _lines(rows: Sequence[CheckedPart]) -> list[str]:
    lines: list[str] = []
    last_subject: str | None = None
    for part, subject, sentences, trips, pins in rows:
        if subject is not None and subject != last_subject:
            lines.append(subject)
            last_subject = subject
        indent = "" if subject is None else "  "
        lines.append(f"{indent}{part:{20 - len(indent)}}{_verdict(sentences)}")
        for sentence in sentences[:_MOST_SENTENCES]:
            lines += [f"{indent}  {line}" for line in _side_by_side(sentence)]
        if len(sentences) > _MOST_SENTENCES:
            lines.append(f"{indent}  … and {len(sentences) - _MOST_SENTENCES} more")
        counts = {**trips, **pins}
        width = max(map(len, counts), default=0)
        lines += [f"{indent}  {operation:{width}}  {count:g} a request" for operation, count in counts.items()]
    return lines


def _side_by_side(sentence: str) -> list[str]:
    """Put the expected value above the seen value where a sentence has both."""
    match = _INSTEAD.fullmatch(sentence)
    if match is None:
        return [sentence]
    return [match["what"], f"  expected  {match['expected']}", f"  seen      {match['seen']}"]


def _verdict(sentences: tuple[str, ...]) -> str:
    return "falls short" if sentences else "holds"
