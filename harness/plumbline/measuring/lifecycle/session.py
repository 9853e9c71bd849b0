"""A session of life-cycle measurements, from the names of subjects to a document.

    lock -> artifacts -> testbed -> private tree -> block 0, thrown away -> blocks -> document

All processes are children of the supervisor, as in a session of trials. An interruption keeps the runs that ended.
"""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from plumbline.archive.record.files import canonical_bytes, write_whole
from plumbline.archive.record.layout import LIFECYCLE
from plumbline.archive.record.write import NAME, digest_of, manifest_bytes
from plumbline.machine.host.kernel import utc_now
from plumbline.measuring.launch.lock import MachineLock
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.interruption import interruptible
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.journal import Origin
from plumbline.measuring.run.local import LIFECYCLE_FOLDER
from plumbline.measuring.run.opening import open_testbed, sweep
from plumbline.measuring.run.origin import origin_of
from plumbline.model.errors import AnswerIsNo, CannotGoOn, PlumblineError, UsageError
from plumbline.model.lifecycle import Absent, Lifecycle, LifecycleProvenance, LifecycleRun
from plumbline.model.subject import Subject, is_native
from plumbline.subjects.catalog.settings import asks_for_conditions, in_container
from plumbline.subjects.plan.declared import engine_of
from .figures import figures_of
from .step_context import StepContext
from .steps import STEPS
from .tree import Tree, repository_of

LOGS = "logs"
# 15 runs of 10,000 requests, as study 003 loaded before it read memory.
REQUESTS = 150_000
# The block that runs before the blocks that count.
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


def check(context: Context, request: LifecycleRequest) -> tuple[Subject, ...]:
    """Return the subjects by name. Raises UsageError for one whose life cycle can't be measured."""
    subjects = tuple(dict.fromkeys(context.catalog.subject(text) for text in request.subjects))
    for subject in subjects:
        spec = context.catalog.variant(subject.variant).spec
        if subject.packaging != "jvm" and not is_native(subject.packaging):
            raise UsageError(
                f"{subject.id}: the life cycle has no step for an AOT cache; every session times its training.",
                f"Measure its start by `./bench run --only {subject.id}`, or ask for {subject.variant}/jvm.",
            )
        settings = context.catalog.settings_of(subject)
        if in_container(settings):
            raise UsageError(
                f"{subject.id}: the life cycle starts processes, and no containers.",
                f"Measure its start by `./bench run --only {subject.id}`, or ask for {subject.artifact_id}.",
            )
        if "heap" in subject.settings or asks_for_conditions(settings):
            raise UsageError(
                f"{subject.id}: the life cycle chooses the heap, and has the machine as it is.",
                "Leave out heap, cpus, cpu-share, page-cache and db-disk; `./bench run` measures starts with them.",
            )
        if _SCENARIO not in spec.workloads or spec.serves_on == "cli":
            raise UsageError(f"{subject.variant} does not serve '{_SCENARIO}', which the life cycle asks for.")
    return subjects


def measure(
    context: Context, request: LifecycleRequest, session: str, say: Callable[[str], None]
) -> tuple[Path, Lifecycle]:
    """Measure and write the document; return its folder and the document.

    Raises UsageError before anything is started, and CannotGoOn where a signal or a failure ended the session, once
    the measured runs are written.
    """
    return _LifecycleSession(context, request, session, say).run()


class _LifecycleSession:
    def __init__(self, context: Context, request: LifecycleRequest, session: str, say: Callable[[str], None]) -> None:
        self._context, self._request, self._session, self._say = context, request, session, say
        self._subjects = check(context, request)
        self._folder = context.paths.results / LIFECYCLE_FOLDER / session
        self._started_at = utc_now()
        self._runs: list[LifecycleRun] = []
        self._absent: list[Absent] = []

    def run(self) -> tuple[Path, Lifecycle]:
        context, folder = self._context, self._folder
        # Maven, JDK and k6 come first: a missing one is refused before minutes go into builds.
        self._say(f"JDK {context.jdk.build}, Maven {context.maven.version}, k6 {context.k6.version}")
        with interruptible(self._session, lambda: False), MachineLock() as lock:
            sweep(context)
            origin = origin_of(context)
            steps = {subject.id: self._steps_of(subject) for subject in self._subjects}
            # Under `hello`, the workload that every variant has.
            jobs = {id_: context.job(id_, _SCENARIO) for id_, step_names in steps.items() if step_names}
            (folder / LOGS).mkdir(parents=True)
            # Where this host can do none of the requested steps, the document says why.
            why_ended = self._run_to_the_end(jobs, steps, lock.descriptor) if jobs else None
            document = self._document(origin, why_ended is None)
            _write(folder, document)
        if why_ended is not None:
            raise CannotGoOn(f"{why_ended}; the runs that ended are kept.", f"They stand in {folder / LIFECYCLE}.")
        return folder, document

    def _run_to_the_end(self, jobs: Mapping[str, Job], steps: Mapping[str, tuple[str, ...]], lock: int) -> str | None:
        """Return why the session ended before its last run, None if it did not. Raises what ended it if no run counts
        yet.
        """
        try:
            self._run_on_testbed(jobs, steps, lock)
        except (KeyboardInterrupt, PlumblineError, OSError) as error:
            interrupted = isinstance(error, KeyboardInterrupt)
            if any(run.block > DISCARDED for run in self._runs):
                return "Interrupted" if interrupted else str(error).rstrip(".")
            if interrupted:
                shutil.rmtree(self._folder)
            raise
        return None

    def _steps_of(self, subject: Subject) -> tuple[str, ...]:
        """Return the requested steps that a subject has, and note why it lacks the others."""
        variant, builder = self._context.catalog.variant(subject.variant), self._context.builder()
        names = []
        for step in STEPS.values():
            if self._request.steps and step.name not in self._request.steps:
                continue
            lacking = step.lacking(subject, variant, builder)
            if lacking is None:
                names.append(step.name)
            else:
                absent = Absent(subject=subject.id, step=step.name, kind=lacking.kind, why=lacking.why)
                self._absent.append(absent)
        return tuple(names)

    def _run_on_testbed(self, jobs: Mapping[str, Job], steps: Mapping[str, tuple[str, ...]], lock: int) -> None:
        context = self._context
        with ExitStack() as stack:
            testbed = open_testbed(
                stack,
                context,
                session=self._session,
                sets=context.sets,
                folder=self._folder / LOGS,
                lock=lock,
                engine=engine_of(job.subject for job in jobs.values()),
            )
            testbed.database.restore()
            tree = Tree(
                root=context.paths.session_scratch(testbed.session) / "tree",
                repository=context.paths.cache / "lifecycle" / "repository",
                user_repository=repository_of(context.environ),
            )
            shared_context = StepContext(
                testbed=testbed,
                tree=tree,
                builder=context.builder(),
                job=next(iter(jobs.values())),
                requests=self._request.requests,
                discarded=True,
                log=self._folder / LOGS / "shared.log",
            )
            for job in jobs.values():
                tree.take(job.variant, context.root / "apps")
                _install_shared(replace(shared_context, job=job), self._say)
            self._run_all(shared_context, jobs, steps)

    def _run_all(
        self, shared_context: StepContext, jobs: Mapping[str, Job], steps: Mapping[str, tuple[str, ...]]
    ) -> None:
        ordered = list(order_runs(list(jobs), steps, self._request.blocks, self._request.seed))
        for number, (block, subject, step) in enumerate(ordered, start=1):
            thrown_away = "  (thrown away)" if block == DISCARDED else ""
            self._say(f"{number} of {len(ordered)}  {subject}  {step}{thrown_away}")
            log = self._folder / LOGS / f"{number:04}-{step}.log"
            step_context = replace(shared_context, job=jobs[subject], discarded=block == DISCARDED, log=log)
            self._runs.append(_measured_run(step_context, number, block, step))
            if problem := self._runs[-1].problem:
                self._say(f"  {problem}")

    def _document(self, origin: Origin, whole: bool) -> Lifecycle:
        context, request = self._context, self._request
        ids = tuple(subject.id for subject in self._subjects)
        return Lifecycle(
            session=self._session,
            host=context.host,
            sets=context.sets,
            placement=context.placement.name,
            provenance=LifecycleProvenance(
                **origin.provenance,
                maven=context.maven.version,
                command_line=tuple(sys.argv),
                started_at=self._started_at,
                ended_at=utc_now(),
            ),
            seed=request.seed,
            blocks=request.blocks,
            requests=request.requests,
            subjects=ids,
            steps=request.steps or tuple(STEPS),
            runs=tuple(self._runs),
            absent=tuple(self._absent),
            figures=figures_of(ids, self._runs),
            whole=whole,
        )


def _install_shared(step_context: StepContext, say: Callable[[str], None]) -> None:
    """Install the modules that a variant shares with all others, so that its own build finds them."""
    modules = step_context.tree.shared_modules(step_context.job.variant)
    if not modules:
        return
    say(f"installing {', '.join(modules)} for {step_context.job.variant.id}")
    goals = ("-q", "-DskipTests", "-pl", ",".join(modules), "-am", "install")
    command = step_context.tree.maven(step_context.builder.maven, goals, offline=False)
    try:
        step_context.timed(command, step_context.maven_env(), step_context.tree.root / "apps", _INSTALL_S)
    except AnswerIsNo as error:
        raise CannotGoOn(f"The shared modules were not built: {error.problem}", f"See {step_context.log}.") from None


def _measured_run(step_context: StepContext, number: int, block: int, step: str) -> LifecycleRun:
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
        result = STEPS[step].run(step_context)
    except AnswerIsNo as error:
        return run.model_copy(update={"problem": error.problem})
    values = {name: round(value, 6) for name, value in result.values.items()}
    return run.model_copy(update={"command_line": result.command_line, "values": values})


def _write(folder: Path, document: Lifecycle) -> None:
    write_whole(folder / LIFECYCLE, canonical_bytes(document))
    logs = sorted(path for path in (folder / LOGS).iterdir() if path.is_file())
    digests = {path.relative_to(folder).as_posix(): digest_of(path) for path in (folder / LIFECYCLE, *logs)}
    write_whole(folder / NAME, manifest_bytes(digests))


def order_runs(
    subjects: Sequence[str], steps: Mapping[str, Sequence[str]], blocks: int, seed: int
) -> Iterator[tuple[int, str, str]]:
    """Yield (block, subject, step): in each block every subject once in random order, with its steps in fixed order.

    Block 0, which is thrown away, comes before the `blocks` that count.
    """
    generator = random.Random(seed)
    for block in range(DISCARDED, blocks + 1):
        for subject in generator.sample(list(subjects), len(subjects)):
            for step in steps[subject]:
                yield block, subject, step
