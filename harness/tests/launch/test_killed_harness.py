"""After `kill -9` of the harness nothing of its session runs, and no control group stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.measuring.launch.lock import MachineLock
from tests.launch.spawning import LISTENS, PROC, RESISTS, groups_of, is_there, line_of, living, session, until
from tests.processes import listening_ports

pytestmark = pytest.mark.slow

# A harness with the provider of this machine, a lock, and one child of each sort.
_HARNESS = """
import os, sys, time
from pathlib import Path
from plumbline.machine.host.kernel import allowed_cpus, read_topology
from plumbline.measuring.launch.client import Supervisor
from plumbline.measuring.launch.lock import MachineLock
from plumbline.measuring.place.choose import choose_placement
from plumbline.measuring.place.sets import plan_sets

session, folder, resists, listens = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]
proc = Path("/proc")
topology = read_topology(Path("/sys"), proc, allowed_cpus(proc))
placement = choose_placement(proc, topology, is_root=os.geteuid() == 0)
with MachineLock(folder / "lock") as lock:
    placement.prepare(session, plan_sets(topology))
    with Supervisor(session, placement, log=folder / "supervisor.log", inherited=[lock.descriptor]) as supervisor:
        python = "/usr/bin/python3"
        nobody = "nobody" if os.geteuid() == 0 else None
        for role, user, program in (("app", None, resists), ("db", nobody, resists), ("load", None, listens)):
            supervisor.spawn(role=role, argv=[python, "-c", program], cwd=Path("/"), env={}, user=user,
                         stdout=folder / f"{role}.log")
        print("started", flush=True)
        time.sleep(1000)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left(tmp_path: Path, number: signal.Signals) -> None:
    name = session(f"harness-{number.name}")
    harness = subprocess.Popen(
        [sys.executable, "-c", _HARNESS, name, str(tmp_path), RESISTS, LISTENS],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert harness.stdout is not None
    with harness, harness.stdout:
        assert harness.stdout.readline() == "started\n"
        for role in ("app", "db", "load"):
            line_of(tmp_path / f"{role}.log")
        # The supervisor, twice a child with two descendants, and one that listens.
        until(lambda: len(living(name)) == 8)
        pids = living(name)
        assert listening_ports(PROC, pids)
        harness.send_signal(number)
    # The supervisor holds the lock until it has ended everything: so this waits just as long as that takes.
    with MachineLock(tmp_path / "lock"):
        assert not [pid for pid in pids if is_there(pid)]
        assert living(name) == ()
        assert listening_ports(PROC, pids) == ()
        assert groups_of(name) == []
    assert (tmp_path / "supervisor.log").read_text() == ""
