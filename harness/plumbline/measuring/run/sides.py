"""Find out what is compared: two refs, or two subjects. A name that means both is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.machine.tools.git import Git, GitFailed
from plumbline.model.comparison import ComparisonPlan, Contest, Design, SideSource
from plumbline.model.errors import UsageError
from plumbline.model.subject import Engine, Subject
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.reading import nearest
from plumbline.subjects.plan.compare import design_for, planned_looks
from plumbline.subjects.plan.declared import engine_of
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

    With `all_pairs` all of `most_pairs` are measured, whatever the first pairs show.

    `suite` is None for the catalog's suite for comparisons. A comparison has no `night`, no `blocks` and no proofs.
    """

    design: Design | None = None
    most_pairs: int | None = None
    all_pairs: bool = False
    not_slower_than: float | None = None


def comparison_plan_of(context: Context, base: str, head: str, wish: Wish) -> ComparisonPlan:
    """Return the plan of a comparison. Raises UsageError, with the next step, for sides that can't be compared."""
    sources = tuple(_source(context, text) for text in (base, head))
    base_source, head_source = sources
    if (base_source.kind == "subject") != (head_source.kind == "subject"):
        kinds = {True: "a subject", False: "a ref"}
        raise UsageError(
            f"'{base}' is {kinds[base_source.kind == 'subject']}, and '{head}' {kinds[head_source.kind == 'subject']}.",
            "Compare two refs (with --only SUBJECT), or two subjects.",
        )
    design = wish.design or design_for(context.host)
    _, suite = context.catalog.suite(wish.suite or context.catalog.bench.compare_suite)
    notes: list[str] = []
    if base_source.kind == "subject":
        contests = _contests_of_subjects(context.catalog, base, head, wish)
    else:
        contests = _contests_of_refs(context, sources, wish, notes)
    if design == "duet":
        engine = engine_of(Subject.parse(id_) for contest in contests for id_ in (contest.base, contest.head))
        require_server_for_each_side(context, engine, "Compare by --design interleaved")
    scenarios_of(context, sources, contests, wish)
    looks, level = planned_looks(wish.most_pairs, once=wish.all_pairs)
    return ComparisonPlan(
        design=design,
        base=base_source,
        head=head_source,
        contests=contests,
        looks=looks,
        level=level,
        budget_s=suite.budget if wish.budget_s is None else wish.budget_s,
        not_slower_than=wish.not_slower_than,
        notes=(*_notes(context, sources), *notes),
    )


def require_server_for_each_side(context: Context, engine: Engine, other_way: str) -> None:
    """Check that a duet can have two database servers here. Raises UsageError that names the other way."""
    if "://" in context.database_place(engine):
        raise UsageError(
            "A duet needs a database server for each side, and bench.toml gives this host the address of one.",
            f"{other_way}, or let this host have an embedded database.",
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
        return SideSource(given=text, kind="worktree", commit=resolve_commit(context.root, "HEAD"), dirty=bool(changed))
    if commit is not None:
        return SideSource(given=text, kind="ref", commit=commit)
    if subject is not None:
        return SideSource(given=context.catalog.subject(text).id, kind="subject")
    raise _unknown_name(context, text)


def _subject(catalog: Catalog, text: str) -> Subject | None:
    """Return the subject that a text names, if the catalog has its variant."""
    subject = Subject.try_parse(text)
    return subject if subject is not None and subject.variant in catalog.variants else None


def _unknown_name(context: Context, text: str) -> UsageError:
    if "+" in text or text.count("/") == 2:
        return UsageError(
            f"'{text}' is no subject: its variant is not known.",
            nearest(text.split("/")[0], context.catalog.variants),
        )
    try:
        Git(context.root).text("rev-parse", "--git-dir")
    except GitFailed as failed:
        said = " ".join(failed.said.split())
        return UsageError(f"'{text}' names no subject, and git reads no commit here: {said}", "Mend that first.")
    return UsageError(
        f"'{text}' names neither a commit of this clone nor a subject.",
        "Fetch it by `git fetch` (a shallow clone lacks old commits); `./bench plan` shows subjects.",
    )


def _contests_of_subjects(catalog: Catalog, base: str, head: str, wish: Wish) -> tuple[Contest, ...]:
    if wish.only:
        raise UsageError("--only narrows what two refs are compared by.", "Leave it out: both subjects are named.")
    return (Contest(base=catalog.subject(base).id, head=catalog.subject(head).id),)


def _contests_of_refs(
    context: Context, sources: Sequence[SideSource], wish: Wish, notes: list[str]
) -> tuple[Contest, ...]:
    """Return a contest for each subject that both refs have; a subject that was named in full must exist on both."""
    chosen, named_in_full = _chosen_subjects(context.catalog, wish)
    catalogs = [catalog_of(context, source, chosen) for source in sources]
    common = []
    for text in chosen:
        missing = [
            (source, why)
            for source, catalog in zip(sources, catalogs, strict=True)
            if (why := _why_unknown(catalog, text)) is not None
        ]
        if not missing:
            common.append(text)
            continue
        where = listed(_source_words(source) for source, _ in missing)
        problem = "it exists on one side only" if len(missing) == 1 else "neither side has it"
        if text in named_in_full:
            raise UsageError(
                f"{text} can't be compared: {problem} ({where}: {missing[0][1].rstrip('.')}).",
                "Name a subject that both have.",
            )
        notes.append(f"{text} is left out: {problem} ({where} lacks it).")
    if not common:
        raise UsageError(f"No subject exists on both sides: {' '.join(notes)}", "Compare refs that have one in common.")
    return tuple(Contest(base=text, head=text) for text in common)


def _chosen_subjects(catalog: Catalog, wish: Wish) -> tuple[list[str], set[str]]:
    """Return the ids of the chosen subjects, and those of them that were named in full (of any suite, or of none)."""
    _, suite = catalog.suite(wish.suite or catalog.bench.compare_suite)
    named_in_full: dict[str, None] = {}
    globs = []
    for text in wish.only:
        if not _GLOB & set(text) and ("/" in text or "+" in text):
            try:
                named_in_full[catalog.subject(text).id] = None
            except UsageError:
                # This checkout may lack a subject that both refs have: the refs themselves are asked for it.
                named_in_full[Subject.parse(text).id] = None
        else:
            globs.append(text)
    chosen = dict(named_in_full)
    if globs or not wish.only:
        chosen |= dict.fromkeys(subject.id for subject in catalog.subjects_of(suite, globs))
    return list(chosen), set(named_in_full)


def _why_unknown(catalog: Catalog, text: str) -> str | None:
    try:
        catalog.subject(text)
    except UsageError as error:
        return error.problem
    return None


def scenarios_of(
    context: Context, sources: Sequence[SideSource], contests: Sequence[Contest], selection: Selection
) -> tuple[str, ...]:
    """Return the scenarios of a comparison, each once: of a partial suite those that both sides serve.

    Raises UsageError for a side that does not serve what is asked of it.
    """
    _, suite = context.catalog.suite(selection.suite or context.catalog.bench.compare_suite)
    chosen = tuple(dict.fromkeys(selection.scenarios or suite.scenarios))
    for contest in contests:
        for source, text in zip(sources, (contest.base, contest.head), strict=True):
            catalog = catalog_of(context, source, [text])
            chosen = catalog.served(suite, chosen, catalog.variant(catalog.subject(text).variant))
    return chosen


def _source_words(source: SideSource) -> str:
    return source.given if source.commit is None else f"{source.given} ({source.commit[:12]})"


def _notes(context: Context, sources: Sequence[SideSource]) -> list[str]:
    if sources[0].kind == "subject":
        return []
    notes = [
        "Of each side only the applications (apps/) count: harness, scenarios, database schema, golden answers, "
        "budgets and settings are those of this checkout."
    ]
    changed = changed_files(context.root)
    head_commit = resolve_commit(context.root, "HEAD")
    if changed and any(source.kind == "ref" and source.commit == head_commit for source in sources):
        name = next(source.given for source in sources if source.kind == "ref" and source.commit == head_commit)
        notes.append(
            f"{name} is compared as it was committed: {counted(len(changed), 'changed file')} in this checkout "
            f"{'is' if len(changed) == 1 else 'are'} not part of it. `{WORKTREE}` compares the files as they lie here."
        )
    return notes
