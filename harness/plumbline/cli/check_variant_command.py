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

# As checks say what was found: `pool.open: 19 instead of 20`.
_INSTEAD = re.compile(r"(?P<what>.+?): (?P<seen>.+) instead of (?P<expected>.+)", re.DOTALL)
# More sentences of one part say no more.
_MOST = 12


class CheckedPart(NamedTuple):
    """Name of a part, its subject (None: of the whole variant), what falls short, and counts by operation."""

    part: str
    subject: str | None
    said: tuple[str, ...]
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
    from plumbline.measuring.run.context import open_context
    from plumbline.subjects.catalog.reading import nearest
    from plumbline.verdicts.contract.probes import read_probes

    context = open_context(ROOT, apps, say)
    called, plus, settings = asked_for.partition("+")
    name, slash, packaging = called.partition("/")
    variant = context.catalog.variant(name)
    if slash:
        variant.packaging(packaging)
    if write and (contract_only or pinned or case is not None or variant.folder.parent != ROOT / "apps"):
        raise UsageError(
            "--write notes only a variant of this tree, after all checks.",
            "Leave --contract-only, --pinned, --case and --app out.",
        )
    subjects = [
        _subjects(variant, engine, packaging or None, plus + settings) for engine in variant.spec.engines
    ]
    for of_engine in subjects:
        for subject in of_engine:
            context.catalog.subject(subject.id)
    if case is not None:
        known = [one.name for one in golden_of(variant.spec, read_probes(ROOT / "apps" / "contract"))]
        if case not in known:
            raise UsageError(f"The contract of {name} has no case '{case}'.", nearest(case, known))
    asked = Extent(
        contract_only=contract_only, case=case, round_trips=round_trips, pinned=pinned, everything=everything
    )
    rows = [_marks(variant), _dependencies(variant), _build(context, subjects)]
    if not rows[-1].said:
        for of_engine in subjects:
            if everything or not _falls_short(rows[2:]):
                rows += _on(context, of_engine, asked)
    if write:
        _note(variant, rows, counted_alone=round_trips)
    holds = not _falls_short(rows)
    stopped = not everything and _falls_short(rows[2:])
    if as_json:
        parts = [
            {
                "part": row.part,
                "subject": row.subject,
                "falls_short": row.said,
                "round_trips": dict(row.trips),
                "pinned": dict(row.pins),
            }
            for row in rows
        ]
        print_json({"variant": asked_for, "holds": holds, "stopped": stopped, "parts": parts})
    else:
        click.echo("\n".join(_lines(rows)))
        if stopped:
            say("Nothing was asked after the first kind of failure; with --all everything is.")
        if variant.spec.only_in:
            shown = " and ".join(variant.spec.only_in)
            say(f"{name} is wrong on purpose: what it falls short of is what {shown} shows.")
    return 0 if holds else 1


def _note(variant: Variant, rows: Sequence[CheckedPart], *, counted_alone: bool = False) -> None:
    """Add the subjects that passed to the ledger, and remove those that fell short.

    Round trips that were `counted_alone` are added to subjects that the ledger has.
    """
    from plumbline.measuring.conformance.systems import FILE, LedgerEntry, read_ledger, write_ledger
    from .systems_command import write_table

    before = read_ledger(ROOT / FILE)
    short = {row.subject for row in rows if row.said}
    ran: dict[str, LedgerEntry | None] = {}
    for row in rows:
        if row.subject is None or (counted_alone and row.subject not in before):
            continue
        now = before[row.subject] if counted_alone else LedgerEntry(workloads=variant.spec.workloads)
        trips = dict(row.trips) or (ran.get(row.subject) or now).round_trips
        ran[row.subject] = None if row.subject in short else now.model_copy(update={"round_trips": trips})
    write_ledger(ROOT / FILE, before, ran)
    write_table()


def _falls_short(rows: Sequence[CheckedPart]) -> bool:
    return any(row.said for row in rows)


def _marks(variant: Variant) -> CheckedPart:
    from plumbline.subjects.catalog.new_variant import MARK, marks_left

    left = marks_left(variant.folder)
    places = ", ".join(f"{path.relative_to(variant.folder)}:{number}" for path, number, _ in left)
    said = f"The word {MARK} still stands in {variant.id}/ at {places}."
    return CheckedPart("places to write", None, (said,) if left else ())


def _dependencies(variant: Variant) -> CheckedPart:
    """Tell whether the build names the framework that variant.toml names; the contract asks /environment."""
    from xml.etree import ElementTree

    framework, pom = variant.spec.framework, variant.folder / "pom.xml"
    if framework == "none" or not pom.is_file():
        return CheckedPart("dependencies", None, ())
    named = [
        one.text or ""
        for one in ElementTree.parse(pom).iter()
        if one.tag.endswith(("}groupId", "}artifactId"))
    ]
    if any(framework in text for text in named):
        return CheckedPart("dependencies", None, ())
    said = f"variant.toml says framework = '{framework}', and {variant.id}/pom.xml has no dependency of it."
    return CheckedPart("dependencies", None, (said,))


def _subjects(
    variant: Variant, engine: str, packaging: str | None, with_settings: str
) -> tuple[Subject, ...]:
    from plumbline.measuring.conformance.suite import subjects_on
    from plumbline.model.subject import Subject

    plain, *others = (Subject.parse(text) for text in subjects_on(variant, engine, packaging))
    named = Subject.parse(f"{plain.id}{with_settings}").settings
    # What is asked for by name takes the place of what is held beside the plain subject.
    beside = (one for one in (plain, *others) if not named.keys() & one.settings.keys())
    return tuple(one.model_copy(update={"settings": {**one.settings, **named}}) for one in beside)


def _build(context: Context, subjects: Sequence[tuple[Subject, ...]]) -> CheckedPart:
    from plumbline.measuring.build.builder import BuildFailed

    for plain, *_ in subjects:
        try:
            context.job(plain.id)
        except BuildFailed as error:
            return CheckedPart("build", None, (f"{error.problem} {error.next_step}".strip(),))
    return CheckedPart("build", None, ())


def _on(context: Context, subjects: tuple[Subject, ...], asked: Extent) -> list[CheckedPart]:
    from plumbline.measuring.conformance.suite import check_conformance
    from plumbline.measuring.run.opening import testbed_for_now

    if asked.contract_only or asked.case is not None or asked.round_trips or asked.pinned:
        subjects = subjects[:1]
    rows: list[CheckedPart] = []
    with testbed_for_now(context, "check", subjects) as testbed:
        for subject in subjects:
            for part in check_conformance(testbed, context, subject.id, asked):
                say(f"{subject.id}: {part.name} {_verdict(part.said)}")
                rows.append(CheckedPart(part.name, subject.id, part.said, part.trips, part.pins))
                if part.said and not asked.everything:
                    return rows
    return rows


def _lines(rows: Sequence[CheckedPart]) -> list[str]:
    lines: list[str] = []
    shown: str | None = None
    for part, subject, said, trips, pins in rows:
        if subject is not None and subject != shown:
            lines.append(subject)
            shown = subject
        indent = "" if subject is None else "  "
        lines.append(f"{indent}{part:{20 - len(indent)}}{_verdict(said)}")
        for sentence in said[:_MOST]:
            lines += [f"{indent}  {line}" for line in _side_by_side(sentence)]
        if len(said) > _MOST:
            lines.append(f"{indent}  … and {len(said) - _MOST} more")
        counts = {**trips, **pins}
        width = max(map(len, counts), default=0)
        lines += [
            f"{indent}  {operation:{width}}  {count:g} a request" for operation, count in counts.items()
        ]
    return lines


def _side_by_side(sentence: str) -> list[str]:
    """Put the expected value above the seen value where a sentence has both."""
    found = _INSTEAD.fullmatch(sentence)
    if found is None:
        return [sentence]
    return [found["what"], f"  expected  {found['expected']}", f"  seen      {found['seen']}"]


def _verdict(said: tuple[str, ...]) -> str:
    return "falls short" if said else "holds"
