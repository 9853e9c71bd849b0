"""The provider that this machine allows, on its real control groups."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.machine.host.kernel import allowed_cpus, read_topology
from plumbline.measuring.place.choose import choose_placement
from plumbline.measuring.place.groups import disk_of
from plumbline.measuring.place.interface import ChildSetup
from plumbline.measuring.place.sets import plan_sets
from plumbline.model.host import Topology

PROC = Path("/proc")

# Enters as a spawner does, then starts a thread that tries to leave.
_PROGRAM = """
import os, sys, threading
files, cpus = sys.argv[1].split(), [int(cpu) for cpu in sys.argv[2].split(",")]
for file in files:
    open(file, "w").write(str(os.getpid()))
os.sched_setaffinity(0, cpus)
def leave():
    try:
        os.sched_setaffinity(0, range(os.cpu_count()))
    except OSError:
        pass
    print(",".join(map(str, sorted(os.sched_getaffinity(0)))))
thread = threading.Thread(target=leave)
thread.start()
thread.join()
print(open("/proc/self/cgroup").read())
"""


@pytest.fixture
def topology() -> Topology:
    return read_topology(Path("/sys"), PROC, allowed_cpus(PROC))


def run_inside(entry: ChildSetup) -> tuple[tuple[int, ...], str]:
    arguments = [" ".join(str(file) for file in entry.files), ",".join(str(cpu) for cpu in entry.cpus)]
    process = subprocess.run([sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, text=True, check=True)
    first, _, groups = process.stdout.partition("\n")
    return tuple(int(cpu) for cpu in first.split(",")), groups


def test_processes_stay_inside_as_far_as_this_machine_can_hold_them(topology: Topology) -> None:
    placement = choose_placement(PROC, topology, is_root=os.geteuid() == 0)
    session, sets = f"test-{os.getpid()}", plan_sets(topology)
    placement.prepare(session, sets)
    try:
        for role in ("app", "db", "load"):
            allowed, groups = run_inside(placement.entry(role))
            if placement.name == "taskset":
                assert set(sets.of(role)) <= set(allowed)
            else:
                assert allowed == sets.of(role)
                assert f"plumbline.{session}.{role}" in groups
    finally:
        placement.close()
    assert not [folder for folder in placement.groups() if folder.exists()]


@pytest.mark.slow
def test_a_limit_holds_what_starts_after_it_and_can_be_taken_away(topology: Topology) -> None:
    """Where nothing can be limited here, the reason is a sentence and `limit` refuses."""
    placement = choose_placement(PROC, topology, is_root=os.geteuid() == 0)
    placement.prepare(f"test-limit-{os.getpid()}", plan_sets(topology))
    try:
        if (reason := placement.cannot_limit()) is not None:
            assert reason[0].isupper() and reason.endswith(".")
            return
        usual = placement.entry("app")
        assert "quota" not in placement.accounting("app")
        placement.limit("app", 0.25)
        assert used_share(placement.entry("app")) == pytest.approx(0.25, abs=0.1)
        placement.limit("app", None)
        assert placement.entry("app") == usual
    finally:
        placement.close()
    assert not [folder for folder in placement.groups() if folder.exists()]


@pytest.mark.slow
def test_a_disk_is_slow_for_one_role_until_it_is_not(topology: Topology, tmp_path: Path) -> None:
    """Where nothing can be slowed here, the reason is a sentence."""
    placement = choose_placement(PROC, topology, is_root=os.geteuid() == 0)
    placement.prepare(f"test-slow-{os.getpid()}", plan_sets(topology))
    try:
        if (reason := placement.cannot_slow(tmp_path)) is not None:
            assert reason[0].isupper() and reason.endswith(".")
            return
        placement.slow("db", tmp_path, 20)
        assert synced_s(placement.entry("db"), tmp_path) > 0.4
        placement.slow("db", tmp_path, None)
        quick_s = synced_s(placement.entry("db"), tmp_path)
        placement.slow("db", tmp_path, 20)
        assert synced_s(placement.entry("db"), tmp_path) > 2 * quick_s
    finally:
        placement.close()


def test_a_folder_in_memory_lies_on_no_disk(topology: Topology) -> None:
    memory = Path("/dev/shm")
    assert disk_of(memory) is None
    assert choose_placement(PROC, topology, is_root=os.geteuid() == 0).cannot_slow(memory) is not None


def synced_s(entry: ChildSetup, folder: Path) -> float:
    """Return the seconds of a dozen writes, each of which returns once it is on the disk."""
    program = (
        "import os, sys, time\n"
        "for file in sys.argv[1].split(): open(file, 'w').write(str(os.getpid()))\n"
        "fd = os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY)\n"
        "began = time.monotonic()\n"
        "for _ in range(12): os.pwrite(fd, b'x' * 8192, 0); os.fdatasync(fd)\n"
        "print(time.monotonic() - began)\n"
    )
    arguments = [" ".join(str(file) for file in entry.files), str(folder / "synced")]
    return float(subprocess.check_output([sys.executable, "-c", program, *arguments], text=True))


def used_share(entry: ChildSetup) -> float:
    """Return the share of a CPU that a busy process gets."""
    program = (
        "import os, sys, time\n"
        "for file in sys.argv[1].split(): open(file, 'w').write(str(os.getpid()))\n"
        "os.sched_setaffinity(0, {int(sys.argv[2])})\n"
        "wall, cpu = time.monotonic(), time.process_time()\n"
        "while time.monotonic() - wall < 1: pass\n"
        "print((time.process_time() - cpu) / (time.monotonic() - wall))\n"
    )
    arguments = [" ".join(str(file) for file in entry.files), str(entry.cpus[0])]
    process = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    return float(process.stdout)


def test_a_cpuset_we_may_write_is_used(topology: Topology) -> None:
    first = Path("/sys/fs/cgroup/cpuset")
    second = Path("/sys/fs/cgroup")
    usable = (os.access(first / "cgroup.procs", os.W_OK) and (first / "cpuset.cpus").exists()) or (
        os.access(second / "cgroup.procs", os.W_OK)
        and "cpuset" in (second / "cgroup.controllers").read_text().split()
        # The root of a container's own namespace holds its processes, and so can't have children with a set.
        and not (second / "cgroup.type").exists()
    )
    placement = choose_placement(PROC, topology, is_root=os.geteuid() == 0)
    if usable:
        assert placement.name != "taskset"
    else:
        assert placement.name == "cgroup2" or placement.reason.startswith("affinity alone")


class AllBut(frozenset[str]):
    """Sessions that are alive: all but these, whichever another test may make at this moment."""

    def __contains__(self, session: object) -> bool:
        return not super().__contains__(session)


def test_what_a_dead_session_left_is_swept(topology: Topology) -> None:
    dead, session = choose_placement(PROC, topology, is_root=os.geteuid() == 0), f"test-dead-{os.getpid()}"
    dead.prepare(session, plan_sets(topology))
    if dead.cannot_limit() is None:
        dead.limit("app", 0.5)
    existing = {folder for folder in dead.groups() if folder.exists()}
    swept = choose_placement(PROC, topology, is_root=os.geteuid() == 0).sweep(AllBut({session}))
    assert set(swept) == existing
    assert not [folder for folder in dead.groups() if folder.exists()]
