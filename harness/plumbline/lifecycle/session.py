"""A session of life-cycle measurements, from the names of subjects to a document.

    lock -> artifacts -> testbed -> private tree -> block 0, thrown away -> blocks -> document

What it starts is a child of the supervisor, as in a session of trials. An interruption keeps the runs that ended.
"""

from __future__ import annotations

import platform
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from plumbline.catalog.settings import in_container
from plumbline.launch.lock import MachineLock
from plumbline.model.errors import AnswerIsNo, CannotGoOn, UsageError
from plumbline.model.lifecycle import Absent, Lifecycle, LifecycleProvenance, LifecycleRun
from plumbline.model.subject import Subject, is_native
from plumbline.plan.declared import engine_of
from plumbline.record.canonical import canonical_bytes
from plumbline.record.files import write_whole
from plumbline.record.manifest import NAME, digest_of, manifest_bytes
from plumbline.run.context import Context
from plumbline.run.interruption import interruptible
from plumbline.run.job import Job
from plumbline.run.opening import open_testbed, sweep
from plumbline.run.provenance import locks_of
from plumbline.run.testbed import Testbed
from plumbline.tools.git import commit_of
from .figures import figures_of
from .step_context import StepContext
from .steps import STEPS
from .tree import Tree, repository_of

DOCUMENT = "lifecycle.json"
LOGS = "logs"
# 15 runs of 10,000 requests, as study 003 loaded before it read memory.
REQUESTS = 150_000
# The block that is run before those that count.
DISCARDED = 0
_SCENARIO = "hello"
_INSTALL_S = 300.0


@dataclass(frozen=True)
class LifecycleRequest:
    """The subjects, steps and blocks to measure; an empty `steps` means all steps."""

    subjects: tuple[str, ...]
    steps: tuple[str, ...] = ()
    blocks: int = 5
    seed: int = 0
    requests: int = REQUESTS


@dataclass
class _Kept:
    runs: list[LifecycleRun] = field(default_factory=list)
    absent: list[Absent] = field(default_factory=list)


def check(context: Context, asked: LifecycleRequest) -> tuple[Subject, ...]:
    """Return the subjects by name. Raises UsageError for what has no life cycle to measure here."""
    subjects = tuple(dict.fromkeys(context.catalog.subject(text) for text in asked.subjects))
    for subject in subjects:
        spec = context.catalog.variant(subject.variant).spec
        if subject.packaging != "jvm" and not is_native(subject.packaging):
            raise UsageError(
                f"{subject.id}: the life cycle has no step for an AOT cache; every session times its training.",
                f"Measure its start by `./bench run --only {subject.id}`, or ask for {subject.variant}/jvm.",
            )
        if in_container(context.catalog.settings_of(subject)):
            raise UsageError(
                f"{subject.id}: the life cycle starts processes, and no containers.",
                f"Measure its start by `./bench run --only {subject.id}`, or ask for {subject.artifact_id}.",
            )
        if _SCENARIO not in spec.workloads or spec.serves_on == "cli":
            raise UsageError(
                f"{subject.variant} does not serve '{_SCENARIO}', which the life cycle asks for."
            )
    return subjects


def measure(
    context: Context, asked: LifecycleRequest, session: str, say: Callable[[str], None]
) -> tuple[Path, Lifecycle]:
    """Measure and write the document; its folder and itself.

    Raises UsageError before anything is started; CannotGoOn where a person or a signal ended it, once what was
    measured is written.
    """
    subjects = check(context, asked)
    folder = context.paths.results / "lifecycle" / session
    started_at = _now()
    kept = _Kept()
    # Maven, JDK and k6 are asked for first: what is missing is refused before minutes go into builds.
    say(f"JDK {context.jdk.build}, Maven {context.maven.version}, k6 {context.k6.version}")
    with interruptible(session, lambda: False, "lifecycle"), MachineLock() as lock:
        sweep(context)
        steps = _steps_of(context, subjects, asked, kept)
        jobs = {one.id: _job(context, one) for one in subjects if steps[one.id]}
        (folder / LOGS).mkdir(parents=True)
        whole = True
        try:
            # Where nothing of what was asked for can be done here, the document says why.
            if jobs:
                _on_testbed(context, asked, session, jobs, steps, folder, kept, lock.descriptor, say)
        except KeyboardInterrupt:
            whole = False
        if not whole and not any(run.block > DISCARDED for run in kept.runs):
            shutil.rmtree(folder)
            raise KeyboardInterrupt
        document = _document(context, asked, session, subjects, kept, started_at, whole)
        _write(folder, document)
    if not whole:
        raise CannotGoOn("Interrupted; the runs that ended are kept.", f"They stand in {folder / DOCUMENT}.")
    return folder, document


def _on_testbed(
    context: Context,
    asked: LifecycleRequest,
    session: str,
    jobs: Mapping[str, Job],
    steps: Mapping[str, tuple[str, ...]],
    folder: Path,
    kept: _Kept,
    lock: int,
    say: Callable[[str], None],
) -> None:
    with ExitStack() as stack:
        testbed = open_testbed(
            stack,
            context,
            session=session,
            sets=context.sets,
            folder=folder / LOGS,
            lock=lock,
            engine=engine_of(job.subject for job in jobs.values()),
        )
        testbed.database.restore()
        _run_all(context, asked, testbed, jobs, steps, folder, kept, say)


def _steps_of(
    context: Context, subjects: Sequence[Subject], asked: LifecycleRequest, kept: _Kept
) -> dict[str, tuple[str, ...]]:
    builder = context.builder()
    found: dict[str, tuple[str, ...]] = {}
    for subject in subjects:
        own = []
        for step in STEPS.values():
            if asked.steps and step.name not in asked.steps:
                continue
            lacking = step.lacking(subject, context.catalog.variant(subject.variant), builder)
            if lacking is None:
                own.append(step.name)
            else:
                kept.absent.append(
                    Absent(subject=subject.id, step=step.name, kind=lacking.kind, why=lacking.why)
                )
        found[subject.id] = tuple(own)
    return found


def _job(context: Context, subject: Subject) -> Job:
    """Return the subject under `hello`, the workload that every variant has."""
    return context.job(subject.id, _SCENARIO)


def _run_all(
    context: Context,
    asked: LifecycleRequest,
    testbed: Testbed,
    jobs: Mapping[str, Job],
    steps: Mapping[str, tuple[str, ...]],
    folder: Path,
    kept: _Kept,
    say: Callable[[str], None],
) -> None:
    tree = Tree(
        root=context.paths.session_scratch(testbed.session) / "tree",
        repository=context.paths.cache / "lifecycle" / "repository",
        behind=repository_of(context.environ),
    )
    first = StepContext(
        testbed=testbed,
        tree=tree,
        builder=context.builder(),
        job=next(iter(jobs.values())),
        requests=asked.requests,
        discarded=True,
        log=folder / LOGS / "shared.log",
    )
    for job in jobs.values():
        tree.take(job.variant, context.root / "apps")
        _install_shared(replace(first, job=job), say)
    ordered = list(order_runs(list(jobs), steps, asked.blocks, asked.seed))
    for number, (block, subject, step) in enumerate(ordered, start=1):
        say(
            f"{number} of {len(ordered)}  {subject}  {step}"
            + ("  (thrown away)" if block == DISCARDED else "")
        )
        log = folder / LOGS / f"{number:04}-{step}.log"
        step_context = replace(first, job=jobs[subject], discarded=block == DISCARDED, log=log)
        kept.runs.append(_one(step_context, number, block, step))
        if problem := kept.runs[-1].problem:
            say(f"  {problem}")


def _install_shared(step_context: StepContext, say: Callable[[str], None]) -> None:
    """Put the modules that a variant shares with all others where its own build finds them."""
    modules = step_context.tree.shared_modules(step_context.job.variant)
    if not modules:
        return
    say(f"installing {', '.join(modules)} for {step_context.job.variant.id}")
    goals = ("-q", "-DskipTests", "-pl", ",".join(modules), "-am", "install")
    words = step_context.tree.maven(step_context.builder.maven, goals, offline=False)
    try:
        step_context.timed(words, step_context.maven_env(), step_context.tree.root / "apps", _INSTALL_S)
    except AnswerIsNo as error:
        raise CannotGoOn(
            f"The shared modules were not built: {error.problem}", f"See {step_context.log}."
        ) from None


def _one(step_context: StepContext, number: int, block: int, step: str) -> LifecycleRun:
    run = LifecycleRun(
        number=number,
        block=block,
        subject=step_context.job.subject.id,
        step=step,
        command_line=(),
        values={},
        log=f"{LOGS}/{step_context.log.name}",
    )
    step_context.log.touch()
    try:
        done = STEPS[step].run(step_context)
    except AnswerIsNo as error:
        return run.model_copy(update={"problem": error.problem})
    values = {name: round(value, 6) for name, value in done.values.items()}
    return run.model_copy(update={"command_line": done.command_line, "values": values})


def _document(
    context: Context,
    asked: LifecycleRequest,
    session: str,
    subjects: Sequence[Subject],
    kept: _Kept,
    started_at: str,
    whole: bool,
) -> Lifecycle:
    ids = tuple(subject.id for subject in subjects)
    commit, dirty = commit_of(context.root)
    jdk, k6 = context.jdk, context.k6
    return Lifecycle(
        session=session,
        host=context.host,
        sets=context.sets,
        placement=context.placement.name,
        provenance=LifecycleProvenance(
            commit=commit,
            dirty=dirty,
            locks=locks_of(context.root),
            python=f"{platform.python_implementation()} {platform.python_version()}",
            jdk=f"{jdk.vendor} {jdk.build}",
            maven=context.maven.version,
            k6=f"k6 {k6.version} ({k6.origin})",
            command_line=tuple(sys.argv),
            started_at=started_at,
            ended_at=_now(),
        ),
        seed=asked.seed,
        blocks=asked.blocks,
        requests=asked.requests,
        subjects=ids,
        steps=asked.steps or tuple(STEPS),
        runs=tuple(kept.runs),
        absent=tuple(kept.absent),
        figures=figures_of(ids, kept.runs),
        whole=whole,
    )


def _write(folder: Path, document: Lifecycle) -> None:
    write_whole(folder / DOCUMENT, canonical_bytes(document))
    logs = sorted(path for path in (folder / LOGS).iterdir() if path.is_file())
    digests = {path.relative_to(folder).as_posix(): digest_of(path) for path in (folder / DOCUMENT, *logs)}
    write_whole(folder / NAME, manifest_bytes(digests))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def order_runs(
    subjects: Sequence[str], steps: Mapping[str, Sequence[str]], blocks: int, seed: int
) -> Iterator[tuple[int, str, str]]:
    """Yield (block, subject, step): in each block every subject once, in random order, with its steps in theirs.

    Block 0, which is thrown away, comes before the `blocks` that count.
    """
    draw = random.Random(seed)
    for block in range(DISCARDED, blocks + 1):
        for subject in draw.sample(list(subjects), len(subjects)):
            for step in steps[subject]:
                yield block, subject, step
