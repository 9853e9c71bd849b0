"""Opens testbeds: CPU sets, supervisor, database; and closes them in the reverse order, whatever happens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from plumbline.machine.host.foreign import remove_tree
from plumbline.machine.host.kernel import free_port
from plumbline.machine.tools.container import ContainerEngine
from plumbline.measuring.launch.client import Supervisor
from plumbline.measuring.launch.contained import Containers
from plumbline.measuring.launch.leftovers import end_session, sessions
from plumbline.measuring.launch.sandboxed import Sandboxed
from plumbline.measuring.load.k6 import K6
from plumbline.measuring.observe.targets import Roots
from plumbline.measuring.place.providers.sandbox import Sandbox
from plumbline.measuring.services.postgres.remains import release_shared_memory
from plumbline.measuring.services.sources import SourcesService
from plumbline.measuring.services.tls import make_http_tls
from plumbline.model.host import CpuSets
from plumbline.model.plan import LESS_CPU, Plan, PlannedTrial
from plumbline.model.subject import Engine, Subject
from plumbline.subjects.plan.declared import engine_of
from plumbline.verdicts.contract.probes import read_probes
from .context import Context
from .local import remove_half_written
from .testbed import RemoteTestbed, Testbed


def sweep(context: Context) -> None:
    """Remove what is left of sessions that died with their supervisor. Call this only under the machine's lock."""
    for session in sessions(context.proc):
        context.say(f"ending what the dead session {session} left behind")
        end_session(context.proc, session)
    if isinstance(engine := context.container_engine, ContainerEngine):
        for container in engine.of_sessions():
            context.say(f"removing the container {container} that a dead session left behind")
            engine.remove(container)
    context.placement.sweep(frozenset())
    for name in remove_half_written(context.paths.results):
        context.say(f"removing the half-written record {name} that a dead session left behind")
    _remove_scratch(context, context.paths.scratch / "sessions")


def _remove_scratch(context: Context, scratch: Path) -> None:
    """Remove the scratch folder of sessions whose processes have ended, and the shared memory of their servers."""
    for remainder in release_shared_memory(scratch, context.proc):
        context.say(f"removing the {remainder} that a killed database left behind")
    remove_tree(scratch)


def make_own_folders(scratch: Path) -> tuple[Path, Path]:
    """Make the folders that an application of another user can't write, and return them: the first, for the files of k6
    and of the harness, it can't even enter; in the second it reads its AOT cache.
    """
    private, aot = scratch / "private", scratch / "aot"
    for folder, mode in ((private, 0o700), (aot, 0o755)):
        folder.mkdir(exist_ok=True)
        folder.chmod(mode)
    return private, aot


def open_testbed(
    stack: ExitStack,
    context: Context,
    *,
    session: str,
    sets: CpuSets,
    folder: Path,
    lock: int,
    engine: Engine = "pg",
) -> Testbed:
    """Set up the machine for a session whose logs go to `folder`; `lock` is the descriptor of the machine's lock.

    Raises UsageError or CannotGoOn if a tool or the database is missing.
    """
    k6 = context.k6
    scratch = context.paths.session_scratch(session)
    stack.callback(_remove_scratch, context, scratch)
    stack.callback(os.sched_setaffinity, 0, os.sched_getaffinity(0))
    placement = context.placement
    context.say(f"processes are held on their CPUs by {placement.name}: {placement.reason}")
    placement.prepare(session, sets)
    stack.callback(placement.close)
    # This comes last: a control group that takes CPUs away lets every process run on all CPUs that are left.
    _stay_on(sets.housekeeping)
    containers = None
    if isinstance(engine_of_host := context.container_engine, ContainerEngine):
        containers = Containers(engine_of_host, session)
        stack.callback(containers.close)
    roots = Roots(context.proc, context.sys)
    spawner: Supervisor | Sandboxed
    work = placement.work_folder if isinstance(placement, Sandbox) else scratch / "trial"
    private, aot = make_own_folders(scratch)
    if isinstance(placement, Sandbox):
        spawner = Sandboxed(placement.launcher, session)
        roots = replace(roots, read_privileged=placement.launcher.read, run_beside=spawner.run_beside)
    else:
        work.mkdir(exist_ok=True)
        spawner = Supervisor(session, placement, log=folder / "supervisor.log", inherited=(lock,))
    stack.enter_context(spawner)
    database = stack.enter_context(context.database(engine, spawner, session, scratch, folder, sets))
    sources = stack.enter_context(
        SourcesService(
            spawner,
            java=context.jdk.java,
            program=context.root / "apps" / "stub" / "Stub.java",
            folder=scratch / "sources",
            log=folder / "sources.log",
        )
    )
    return Testbed(
        session=session,
        spawner=spawner,
        placement=placement,
        sets=sets,
        database=database,
        k6=K6(
            binary=k6.program,
            scenarios=context.root / "k6" / "scenarios",
            cpus=len(sets.load),
            spawner=spawner,
        ),
        java=context.jdk.java,
        roots=roots,
        probes=read_probes(context.root / "apps" / "contract"),
        work=work,
        private=private,
        aot=aot,
        own_pids=tuple(dict.fromkeys((os.getpid(), spawner.pid))),
        environ=context.environ,
        free_port=free_port,
        sources=sources,
        http_tls=make_http_tls(scratch / "http-tls", shared=isinstance(placement, Sandbox)),
        containers=containers,
        temporary=None if isinstance(placement, Sandbox) else scratch / "tmp",
    )


@contextmanager
def testbed_for_now(context: Context, session: str, subjects: Sequence[Subject], lock: int) -> Iterator[Testbed]:
    """Open a testbed for these subjects, of which no log or record is kept; `lock` is as in `open_testbed`.

    Raises as `open_testbed`.
    """
    for subject in subjects:
        context.require_authority(subject.engine, context.catalog.settings_of(subject))
    with ExitStack() as stack:
        sweep(context)
        logs = context.paths.session_scratch(session) / "logs"
        logs.mkdir()
        yield open_testbed(
            stack,
            context,
            session=session,
            sets=context.sets,
            folder=logs,
            lock=lock,
            engine=engine_of(subjects),
        )


def open_testbeds(stack: ExitStack, context: Context, plan: Plan, *, folder: Path, lock: int) -> tuple[Testbed, ...]:
    """Return the testbed of a session, or the two of a duet: each is complete, and knows the processes of the other."""
    engine = engine_of(plan.subject(id_) for id_ in plan.subjects)
    places = [plan.sets]
    if plan.comparison is not None and plan.comparison.design == "duet":
        places = list(dict.fromkeys(trial.sets for trial in plan.trials if trial.sets is not None))
    testbeds = []
    for number, sets in enumerate(places, start=1):
        # Each place has its own session name, since what ends one place must not end the other.
        session = plan.session if number == 1 else f"{plan.session}-{number}"
        logs = folder if number == 1 else folder / f"place-{number}"
        logs.mkdir(exist_ok=True)
        context_of_place = context if number == 1 else context.with_own_placement()
        testbeds.append(
            open_testbed(stack, context_of_place, session=session, sets=sets, folder=logs, lock=lock, engine=engine)
        )
    supervisors = tuple(pid for testbed in testbeds for pid in testbed.own_pids if pid != os.getpid())
    return tuple(
        replace(
            testbed,
            other_supervisors=tuple(pid for pid in supervisors if pid not in testbed.own_pids),
            other_databases=tuple(other.database for other in testbeds if other is not testbed),
        )
        for testbed in testbeds
    )


def _stay_on(cpus: tuple[int, ...]) -> None:
    """Keep this process to the housekeeping CPUs: every thread that it has, and so every thread that it will make."""
    for thread in os.listdir("/proc/self/task"):
        os.sched_setaffinity(int(thread), cpus)


OpenOther = Callable[[ExitStack, CpuSets], Testbed]


def second_testbed_opener(context: Context, session: str, folder: Path, lock: int, engine: Engine) -> OpenOther:
    """Return a function that opens a second testbed on other CPUs, with a database of the same engine."""

    def open_second(stack: ExitStack, sets: CpuSets) -> Testbed:
        logs = folder / "proof"
        logs.mkdir(exist_ok=True)
        return open_testbed(
            stack,
            context.with_own_placement(),
            # Its own session name, since what ends one testbed must not end the other.
            session=f"{session}-proof",
            sets=sets,
            folder=logs,
            lock=lock,
            engine=engine,
        )

    return open_second


@contextmanager
def testbed_for(
    trial: PlannedTrial, usual: Testbed | RemoteTestbed, open_other: OpenOther
) -> Iterator[Testbed | RemoteTestbed]:
    """Yield the testbed that a trial runs on: the usual one, unless the trial is a proof that needs another."""
    if trial.proof is None or isinstance(usual, RemoteTestbed):
        yield usual
    elif trial.sets is not None:
        with ExitStack() as stack:
            other = open_other(stack, trial.sets)
            usual_supervisors = tuple(pid for pid in usual.own_pids if pid not in other.own_pids)
            yield replace(other, other_supervisors=usual_supervisors, other_databases=(usual.database,))
    elif trial.proof == "less application CPU":
        limit = LESS_CPU * len(usual.sets.app)
        usual.placement.limit("app", limit)
        try:
            yield replace(usual, cpu_limit=limit)
        finally:
            usual.placement.limit("app", None)
    else:
        yield usual
