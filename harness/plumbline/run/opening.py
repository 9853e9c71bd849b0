"""Opens the stage: CPU sets, warden, database. Closed again in the reverse order, whatever happens."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from pathlib import Path

from plumbline.contract.probes import read_probes
from plumbline.host.ports import free_port
from plumbline.launch.client import Warden
from plumbline.launch.leftovers import end_session, sessions
from plumbline.load.k6 import K6
from plumbline.model.host import CpuSets
from plumbline.observe.roots import Roots
from .stage import Stage
from .workshop import Workshop


def sweep(workshop: Workshop) -> None:
    """End what sessions left behind that died together with their warden. Only while the machine's lock is held."""
    for session in sessions(workshop.proc):
        workshop.say(f"ending what the dead session {session} left behind")
        end_session(workshop.proc, session)
    workshop.placement.sweep(frozenset())
    shutil.rmtree(workshop.paths.scratch / "sessions", ignore_errors=True)


def open_stage(
    stack: ExitStack, workshop: Workshop, *, session: str, sets: CpuSets, folder: Path, lock: int
) -> Stage:
    """The machine set up for a session whose logs go to `folder`; `lock` is the descriptor of the machine's lock.

    Raises UsageError or CannotGoOn when a tool or the database is not to be had.
    """
    k6 = workshop.k6
    scratch = workshop.paths.session_scratch(session)
    stack.callback(shutil.rmtree, scratch, ignore_errors=True)
    work = scratch / "trial"
    work.mkdir(exist_ok=True)
    stack.callback(os.sched_setaffinity, 0, os.sched_getaffinity(0))
    _stay_on(sets.housekeeping)
    placement = workshop.placement
    workshop.say(f"processes are held on their CPUs by {placement.name}: {placement.reason}")
    placement.prepare(session, sets)
    stack.callback(placement.close)
    warden = stack.enter_context(Warden(session, placement, log=folder / "warden.log", inherited=(lock,)))
    database = stack.enter_context(workshop.database(warden, session, scratch, folder))
    return Stage(
        session=session,
        spawner=warden,
        placement=placement,
        sets=sets,
        database=database,
        k6=K6(
            binary=k6.program,
            scenarios=workshop.root / "k6" / "scenarios",
            cpus=len(sets.load),
            spawner=warden,
        ),
        java=workshop.jdk.java,
        roots=Roots(workshop.proc, workshop.sys),
        probes=read_probes(workshop.root / "apps" / "contract"),
        work=work,
        own_pids=(os.getpid(), warden.pid),
        environ=workshop.environ,
        free_port=free_port,
    )


def _stay_on(cpus: tuple[int, ...]) -> None:
    """Keep this process to the housekeeping CPUs: every thread it has, and so those it will make."""
    for thread in os.listdir("/proc/self/task"):
        os.sched_setaffinity(int(thread), cpus)
