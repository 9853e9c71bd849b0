"""Checks the scratch folder, other runs, processes that dead sessions left, CPU sets and the placement."""

from __future__ import annotations

import fcntl
import json
import os
from functools import partial
from pathlib import Path

from plumbline.machine.host.kernel import format_cpulist
from plumbline.machine.host.paths import Paths
from plumbline.measuring.launch.leftovers import closed, sessions
from plumbline.measuring.place.interface import Placement
from plumbline.measuring.place.sets import plan_sets
from plumbline.model.errors import UsageError
from plumbline.model.host import ROLES, Condition, Topology
from plumbline.verdicts.judge.wording import counted


def scratch(paths: Paths) -> Condition:
    """Return whether the scratch folder is ours and can be reached, or can be made."""
    say = partial(
        Condition,
        id="scratch",
        title="Scratch folder",
        why="Databases and logs lie there while a session runs, and a server that drops root must reach it.",
        needed_for="any",
    )
    command = "export PLUMBLINE_SCRATCH=/var/tmp/my-plumbline"
    there = next(folder for folder in (paths.scratch, *paths.scratch.parents) if os.path.exists(folder))
    if os.statvfs(there).f_flag & os.ST_NOEXEC:
        reading = f"{there} is mounted noexec, and the programs of databases run there"
        return say(verdict="unfit", reading=reading, command="export PLUMBLINE_SCRATCH=/another/folder")
    if os.path.lexists(paths.scratch):
        try:
            return say(verdict="fit", reading=f"{paths.make_scratch()}")
        except UsageError as error:
            return say(verdict="unfit", reading=error.problem.rstrip("."), command=command)
    try:
        paths.refuse_closed_parents()
    except UsageError as error:
        return say(verdict="unfit", reading=error.problem.rstrip("."), command=command)
    if os.access(there, os.W_OK | os.X_OK):
        return say(verdict="fit", reading=f"{paths.scratch} will be made")
    reading = f"{paths.scratch} can't be made: {there} may not be written"
    return say(verdict="unfit", reading=reading, command=command)


def lock(path: Path) -> Condition:
    """Return whether another run measures on this machine now. The lock is shared for an instant, never written."""
    say = partial(
        Condition,
        id="lock",
        title="No other run on this machine",
        why="Two runs at once would measure each other.",
        needed_for="any",
    )
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return say(verdict="fit", reading="none")
    except OSError as error:
        return say(
            verdict="unfit",
            reading=f"the lock {path} can't be opened: {error.strerror}",
            command=f"sudo rm {path}",
        )
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return say(verdict="fit", reading="none")
    except BlockingIOError:
        return say(verdict="unfit", reading=f"{_holder(descriptor)} holds {path}: wait until it has ended")
    finally:
        os.close(descriptor)


def leftovers(proc: Path, busy: Condition) -> Condition:
    """Return the processes that a dead session left. While a run is under way (`busy` is unfit) they belong to it."""
    say = partial(
        Condition,
        id="leftovers",
        title="Nothing left of dead sessions",
        why="A forgotten application holds its port and its memory, and takes CPU from the next one.",
        needed_for="lab",
    )
    if busy.verdict == "unfit":
        return say(verdict="n/a", reading="a run is under way")
    pids_by_session = sessions(proc)
    if not pids_by_session and (pids := closed(proc)):
        reading = f"none is seen, and {counted(len(pids), 'process', 'processes')} may not be read"
        return say(verdict="unknown", reading=reading, command="sudo ./bench doctor")
    if not pids_by_session:
        return say(verdict="fit", reading="nothing")
    pids = tuple(sorted({pid for session_pids in pids_by_session.values() for pid in session_pids}))
    reading = f"{counted(len(pids), 'process', 'processes')} of {', '.join(pids_by_session)}; the next run ends them"
    return say(verdict="unfit", reading=reading, command=f"kill -9 {' '.join(map(str, pids))}")


def _holder(descriptor: int) -> str:
    try:
        facts = json.loads(os.pread(descriptor, 1000, 0))
        return f"process {facts['pid']}, since {facts['since']},"
    except (ValueError, KeyError, TypeError):
        return "a process"


def sets(topology: Topology) -> Condition:
    """Return the condition of the CPU sets, with the sets that a session would use."""
    say = partial(
        Condition,
        id="sets",
        title="CPUs of each role",
        why="The application never shares a CPU with what measures it.",
        needed_for="any",
    )
    try:
        cpu_sets = plan_sets(topology)
    except UsageError as error:
        return say(verdict="unfit", reading=f"{error.problem.rstrip('.')}: {error.next_step.rstrip('.').lower()}")
    roles: dict[str, list[str]] = {}
    for role in ROLES:
        roles.setdefault(format_cpulist(cpu_sets.of(role)), []).append(role)
    return say(verdict="fit", reading="; ".join(f"{', '.join(names)}: {cpus}" for cpus, names in roles.items()))


def placement(chosen: Placement, *, is_root: bool) -> Condition:
    """Return the condition of placement: the means that hold processes on their CPUs, and what root would add."""
    is_enforced = chosen.name != "taskset"
    return Condition(
        id="placement",
        title="Processes held on their CPUs",
        why="Affinity alone can be undone by the process itself, and counts nothing by role.",
        needed_for="lab",
        verdict="fit" if is_enforced else "unfit",
        reading=f"{chosen.name}: {chosen.reason}",
        command=None if is_enforced or is_root else "sudo ./bench run",
    )
