"""The emulated host is what a lab host is: systemd, control groups of version 2, a disk and a kernel of its own."""

from __future__ import annotations

from .box import CACHE
from .machine import Machine


def test_it_is_a_host_with_systemd_and_control_groups(machine: Machine) -> None:
    assert machine.check("systemctl", "is-active", "multi-user.target").strip() == "active"
    controllers = machine.check("cat", "/sys/fs/cgroup/cgroup.controllers").split()
    assert {"cpuset", "cpu", "io", "memory", "pids"} <= set(controllers)


def test_a_command_answers_with_its_status_and_words(machine: Machine) -> None:
    ran = machine.shell("echo said; echo wrong >&2; exit 7")
    assert (ran.status, ran.output, bool(ran)) == (7, "said\nwrong\n", False)
    assert machine.run("sleep", "60", timeout_s=1).status == -1
    assert machine.run("/no/such/program").status == 127


def test_files_go_in_and_come_out(machine: Machine) -> None:
    machine.put("/srv/new/file", b"\0\xff" * 100_000, 0o600)
    assert machine.read("/srv/new/file") == b"\0\xff" * 100_000
    assert machine.check("stat", "-c", "%a %U", "/srv/new/file") == "600 root\n"
    assert machine.read("/srv/none") is None


def test_the_environment_is_there(machine: Machine) -> None:
    assert machine.shell(f"{CACHE}/plumbline/env/*/bin/python -c 'import numpy, psycopg'")


def test_what_was_written_outlives_a_restart(machine: Machine) -> None:
    machine.put("/srv/kept", "yes")
    machine.restart(["isolcpus=1"])
    assert machine.read("/srv/kept") == b"yes"
    assert "isolcpus=1" in machine.check("cat", "/proc/cmdline")
