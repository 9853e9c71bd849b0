"""Finds out what is compared: two refs, or two subjects. A name that is both is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.model.comparison import ComparisonPlan, Contest, Design, SideSource
from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.reading import nearest
from plumbline.subjects.plan.compare import design_for, planned_looks
from plumbline.subjects.plan.make import Selection
from plumbline.verdicts.judge.wording import counted, listed
from .context import Context
from .sources import catalog_of, changed_files, resolve_commit

WORKTREE = "worktree"
"""The files as they lie in this checkout, committed or not."""

_GLOB = frozenset("*?[")


@dataclass(frozen=True)
class Wish(Selection):
    """The wishes of the user besides the two sides; None leaves the choice to us. `not_slower_than` is a share.

    With `all_pairs` all of `most_pairs` are measured, whatever the first of them say.

    `suite` None is the catalog's suite for comparisons. A comparison has no `night`, no `blocks` and no proofs.
    """

    design: Design | None = None
    most_pairs: int | None = None
    all_pairs: bool = False
    not_slower_than: float | None = None


def asked_of(context: Context, base: str, head: str, wish: Wish) -> ComparisonPlan:
    """Make the whole question. Raises UsageError, in one sentence with the next step, for what can't be asked."""
    sources = tuple(_source(context, text) for text in (base, head))
    one, other = sources
    if (one.kind == "subject") != (other.kind == "subject"):
        words = {True: "a subject", False: "a ref"}
        raise UsageError(
            f"'{base}' is {words[one.kind == 'subject']}, and '{head}' {words[other.kind == 'subject']}.",
            "Compare two refs (with --only SUBJECT), or two subjects.",
        )
    design = wish.design or design_for(context.host)
    if design == "duet" and "://" in context.host_spec.database:
        raise UsageError(
            "A duet needs a database server for each side, and bench.toml gives this host the address of one.",
            "Compare by --design interleaved, or let this host have an embedded database.",
        )
    _, suite = context.catalog.suite(wish.suite or context.catalog.bench.compare_suite)
    notes: list[str] = []
    if one.kind == "subject":
        contests = _of_subjects(context.catalog, base, head, wish)
    else:
        contests = _of_refs(context, sources, wish, notes)
    scenarios = wish.scenarios or suite.scenarios
    for contest in contests:
        for side, text in ((one, contest.base), (other, contest.head)):
            _require_workloads(catalog_of(context, side, [text]), text, scenarios)
    looks, level = planned_looks(wish.most_pairs, once=wish.all_pairs)
    return ComparisonPlan(
        design=design,
        base=one,
        head=other,
        contests=contests,
        looks=looks,
        level=level,
        budget_s=suite.budget if wish.budget_s is None else wish.budget_s,
        not_slower_than=wish.not_slower_than,
        notes=(*_notes(context, sources), *notes),
    )


def _source(context: Context, text: str) -> SideSource:
    commit = None if text == WORKTREE else resolve_commit(context.root, text)
    subject = _subject(context.catalog, text)
    if subject is not None and (commit is not None or text == WORKTREE):
        raise UsageError(
            f"'{text}' is the name of a ref and of a subject.",
            f"Write the ref in full (git rev-parse {text}), or the subject as {subject.artifact_id}.",
        )
    if text == WORKTREE:
        changed = changed_files(context.root)
        return SideSource(
            given=text, kind="worktree", commit=resolve_commit(context.root, "HEAD"), dirty=bool(changed)
        )
    if commit is not None:
        return SideSource(given=text, kind="ref", commit=commit)
    if subject is not None:
        return SideSource(given=context.catalog.subject(text).id, kind="subject")
    raise _unknown(context.catalog, text)


def _subject(catalog: Catalog, text: str) -> Subject | None:
    """Return the subject that a text names, if its variant is a known one."""
    subject = Subject.try_parse(text)
    return subject if subject is not None and subject.variant in catalog.variants else None


def _unknown(catalog: Catalog, text: str) -> UsageError:
    if "+" in text or text.count("/") == 2:
        return UsageError(
            f"'{text}' is no subject: its variant is not known.",
            nearest(text.split("/")[0], catalog.variants),
        )
    return UsageError(
        f"'{text}' names neither a commit of this clone nor a subject.",
        "Fetch it by `git fetch` (a shallow clone lacks old commits); `./bench plan` shows subjects.",
    )


def _of_subjects(catalog: Catalog, base: str, head: str, wish: Wish) -> tuple[Contest, ...]:
    if wish.only:
        raise UsageError(
            "--only narrows what two refs are compared by.", "Leave it out: both subjects are named."
        )
    return (Contest(base=catalog.subject(base).id, head=catalog.subject(head).id),)


def _of_refs(
    context: Context, sources: Sequence[SideSource], wish: Wish, notes: list[str]
) -> tuple[Contest, ...]:
    """Return the subjects that both refs have. One that was named must exist on both; others are left out."""
    chosen, named = _chosen(context.catalog, wish)
    catalogs = [catalog_of(context, source, chosen) for source in sources]
    kept = []
    for text in chosen:
        missing = [
            (source, why)
            for source, catalog in zip(sources, catalogs, strict=True)
            if (why := _why_not(catalog, text)) is not None
        ]
        if not missing:
            kept.append(text)
            continue
        where = listed(_named(source) for source, _ in missing)
        only_one = "it exists on one side only" if len(missing) == 1 else "neither side has it"
        if text in named:
            raise UsageError(
                f"{text} can't be compared: {only_one} ({where}: {missing[0][1].rstrip('.')}).",
                "Name a subject that both have.",
            )
        notes.append(f"{text} is left out: {only_one} ({where} lacks it).")
    if not kept:
        raise UsageError(
            f"No subject exists on both sides: {' '.join(notes)}", "Compare refs that have one in common."
        )
    return tuple(Contest(base=text, head=text) for text in kept)


def _chosen(catalog: Catalog, wish: Wish) -> tuple[list[str], set[str]]:
    """Return ids of the subjects asked for, and those of them that were named in full (of any suite, or of none)."""
    _, suite = catalog.suite(wish.suite or catalog.bench.compare_suite)
    named: dict[str, None] = {}
    globs = []
    for text in wish.only:
        if not _GLOB & set(text) and ("/" in text or "+" in text):
            try:
                named[catalog.subject(text).id] = None
            except UsageError:
                # This checkout may lack what both refs have; they are asked for it themselves.
                named[Subject.parse(text).id] = None
        else:
            globs.append(text)
    found = dict(named)
    if globs or not wish.only:
        found |= dict.fromkeys(subject.id for subject in catalog.subjects_of(suite, globs))
    return list(found), set(named)


def _why_not(catalog: Catalog, text: str) -> str | None:
    try:
        catalog.subject(text)
    except UsageError as error:
        return error.problem
    return None


def _require_workloads(catalog: Catalog, text: str, scenarios: Sequence[str]) -> None:
    variant = catalog.variant(catalog.subject(text).variant)
    for name in scenarios:
        workload = catalog.scenario(name).workload
        if workload not in variant.spec.workloads:
            raise UsageError(
                f"{text} lacks the workload '{workload}' of the scenario {name}.",
                f"Choose another by --scenario: {variant.id} has {listed(variant.spec.workloads)}.",
            )


def _named(source: SideSource) -> str:
    return source.given if source.commit is None else f"{source.given} ({source.commit[:12]})"


def _notes(context: Context, sources: Sequence[SideSource]) -> list[str]:
    if sources[0].kind == "subject":
        return []
    notes = [
        "Of each side only the applications (apps/) count: harness, scenarios, database schema, golden answers, "
        "budgets and settings are those of this checkout."
    ]
    changed = changed_files(context.root)
    here = resolve_commit(context.root, "HEAD")
    if changed and any(source.kind == "ref" and source.commit == here for source in sources):
        given = next(source.given for source in sources if source.kind == "ref" and source.commit == here)
        notes.append(
            f"{given} is compared as it was committed: {counted(len(changed), 'changed file')} in this checkout "
            f"{'is' if len(changed) == 1 else 'are'} not part of it. `{WORKTREE}` compares the files as they lie here."
        )
    return notes
