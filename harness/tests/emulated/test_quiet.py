"""What takes CPUs away on a real kernel: what `bench-host quiet` says of these losses before and after apply, as the
hosts page reads them, and which of the kernel's own threads leave the CPUs of a partition.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.machine.host.kernel import parse_cpulist
from plumbline.reporting.publish.quiet import read_quiet
from .box import ROOT, TRACED, get_box
from .machine import Machine

CPUS = 4
_QUIET = ("bench-host", "quiet", "--json", "--seconds", "5")
# A test's commands run as a service of the system, which apply keeps off the measuring CPUs; a person logs in.
_AS_FROM_A_LOGIN = ("systemd-run", "--slice=user.slice", "--pipe", "--wait", "--quiet")

# The CPUs of roles as four cores are divided, as the launcher takes them for a session.
_TAKE = """\
import sys
sys.path.insert(0, "/srv/setup")
from launcher import partitions
partitions.take("plumbline-0a1b2c-4711", {"app": (1,), "db": (2,), "load": (3,), "harness": (0,)})
"""
_GIVE_BACK = """\
import sys
sys.path.insert(0, "/srv/setup")
from launcher import partitions
sys.exit(partitions.give_back("plumbline-0a1b2c-4711") != [])
"""
# Name and number -> CPUs, of every thread that is the kernel's own (PF_KTHREAD).
_THREADS = """\
import json, os
found = {}
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        name, _, rest = open(f"/proc/{pid}/stat").read().partition("(")[2].rpartition(")")
        status = open(f"/proc/{pid}/status").read()
    except OSError:
        continue
    if int(rest.split()[6]) & 0x00200000:
        found[f"{name} {pid}"] = status.partition("Cpus_allowed_list:")[2].split()[0]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A host with bench-host, whose kernel has osnoise and hwlat, and the boot line that `kernel-line` wants."""
    folder = tmp_path_factory.mktemp("traced")
    box, words = get_box(os.environ, TRACED), ["rcu_nocbs=1-3"]
    with Machine(box, folder, brought=ROOT / "runner-setup", cpus=CPUS, kernel_words=words) as machine:
        machine.check("cp", "-r", "/srv/brought", "/srv/setup")
        machine.check("/srv/setup/install.sh")
        yield machine


def test_what_the_tracers_say_reaches_the_hosts_page(host: Machine, tmp_path: Path) -> None:
    host_folder = tmp_path / "data/hosts/lab"
    host_folder.mkdir(parents=True)
    for name in ("before", "after"):
        (host_folder / f"{name}.json").write_text(host.check(*_AS_FROM_A_LOGIN, *_QUIET, timeout_s=600))
        tracers = host.check("cat", "/sys/kernel/tracing/current_tracer", "/sys/kernel/tracing/tracing_on")
        assert tracers == "nop\n1\n", "they were not put back"
        host.check("bench-host", "apply", "--anyway", "--only", "system-slice", "--only", "aslr")
    refused = host.run(*_QUIET, "--cpus", "1")
    assert refused.status == 2 and "Run it from a login" in refused.output
    for path in host_folder.iterdir():
        document = json.loads(path.read_bytes())
        assert [row["cpu"] for row in document["osnoise"]] == list(range(CPUS))
        for row in document["osnoise"]:
            # An interrupt of the clock is the least that takes a CPU away.
            assert row["seconds"] >= 1 and row["per_s"]["interrupts"] > 0 and 0 < row["lost_share"] < 1
        assert document["hwlat"]["stalls"] > 0 and document["hwlat"]["longest_us"] > 0, "an emulator stands still often"
    quiet_of_host, unreadable = read_quiet(tmp_path / "data", ["lab"])
    assert unreadable == [] and quiet_of_host["lab"].before is not None and quiet_of_host["lab"].after is not None
    assert [len(quiet.cpus) for quiet in (quiet_of_host["lab"].before, quiet_of_host["lab"].after)] == [CPUS, CPUS]


def test_threads_of_the_kernel_that_may_move_leave_the_cpus_of_a_partition(host: Machine) -> None:
    # New threads of the kernel's work queues begin where this says.
    assert host.run("bench-host", "apply", "--anyway", "--only", "interrupts").status in (0, 3)
    assert host.check("bench-host", "check", "--only", "kernel-line").startswith("fit ")
    before = on_measured(host)
    moving = {thread.split()[0] for thread, cpus in before.items() if len(cpus) > 1}
    assert {"kthreadd", "rcuop/1", "rcuop/2", "rcuop/3"} <= moving
    host.check("python3", "-I", "-c", _TAKE)
    for role in ("app", "db", "load"):
        group = f"/sys/fs/cgroup/plumbline_0a1b2c_4711_{role}.slice"
        assert host.check("cat", f"{group}/cpuset.cpus.partition") == "root\n"
    during = on_measured(host)
    assert {thread: cpus for thread, cpus in during.items() if len(cpus) > 1} == {}
    assert during, "threads that belong to one CPU stay there"
    host.check("python3", "-I", "-c", _GIVE_BACK)
    assert len(on_measured(host)["kthreadd 2"]) == CPUS


def on_measured(host: Machine) -> dict[str, tuple[int, ...]]:
    """Return the threads of the kernel that may run on another CPU than 0, and the CPUs on which they may run."""
    lists_of_cpus: dict[str, str] = json.loads(host.check("python3", "-I", "-c", _THREADS))
    cpus = {name: parse_cpulist(text) for name, text in lists_of_cpus.items()}
    return {name: allowed for name, allowed in cpus.items() if allowed != (0,)}
