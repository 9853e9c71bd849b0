"""bench-host on a real system: installed, applied, booted, checked, rolled back, booted again; nothing is left.

These tests cover values of the kernel, files, units of systemd, swap, held packages, the unit that runs at boot. They
do not cover what an emulated machine lacks: frequency, turbo, idle states, heat, GRUB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from .box import ROOT, Box
from .left import WANTED, apply, files, unsettle, values, verdicts
from .machine import Machine


@pytest.fixture(scope="module")
def host(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("bench-host")
    with Machine(box, folder, brought=ROOT / "runner-setup", cpus=4) as machine:
        # On a busy machine it may not have been mounted in time.
        machine.shell("mountpoint -q /srv/brought || mount -o ro LABEL=brought /srv/brought")
        machine.check("cp", "-r", "/srv/brought", "/srv/setup")
        yield machine


def test_from_a_fresh_debian_and_back(host: Machine) -> None:
    refused = host.run("/srv/setup/bench-host", "apply")
    assert refused.status == 2 and "This is a virtual machine" in refused.output
    host.check("/srv/setup/install.sh")
    unsettle(host)
    lasting, gone_by_a_boot = files(host), values(host)
    assert "rw" not in lasting.split() and "swapfile" in gone_by_a_boot

    plan = host.check("bench-host", "apply", "--dry-run", "--anyway")
    assert "swapoff /swapfile" in plan and "apt-mark hold linux-image" in plan
    assert (files(host), values(host)) == (lasting, gone_by_a_boot)

    before = verdicts(host)
    assert {before[id_] for id_ in WANTED if id_ != "system-slice"} == {"unfit"}
    apply(host)
    assert {verdict for id_, verdict in verdicts(host).items() if id_ in WANTED} == {"fit"}
    assert host.check("cat", "/sys/fs/cgroup/system.slice/cpuset.cpus.effective") == "0\n"

    host.restart()
    ended = host.check("systemctl", "show", "--property=ExecMainStatus,Result", "plumbline-host.service").split()
    assert sorted(ended) == ["ExecMainStatus=0", "Result=success"]
    status = host.run("bench-host", "status")
    assert status.output.startswith("Applied: ") and "no longer" not in status.output, status.output
    assert {verdict for id_, verdict in verdicts(host).items() if id_ in WANTED} == {"fit"}

    back = host.check("bench-host", "rollback")
    assert "are as they were" in back
    assert (files(host), values(host)) == (lasting, gone_by_a_boot)
    assert host.check("bench-host", "status") == "Nothing is applied.\n"

    host.restart()
    assert files(host) == lasting
    assert host.run("systemctl", "status", "plumbline-host.service").status == 4, "no such unit"


def test_killed_in_the_middle_and_rolled_back(host: Machine) -> None:
    if host.run("bench-host", "status").status == 127:
        host.check("/srv/setup/install.sh")
    unsettle(host)
    before = files(host), values(host)
    killed = host.shell(
        "bench-host apply --anyway --yes >/dev/null & "
        "until grep -c kind /var/lib/plumbline-host/state.json 2>/dev/null | grep -q ..; do sleep 0.01; done; "
        "kill -9 $!; wait $!; echo $?"
    )
    assert killed.output.split()[-1] == "137", "it was not ended in the middle"
    assert host.run("bench-host", "status").output.startswith("Half applied")
    assert host.run("bench-host", "apply", "--anyway").status == 2
    host.check("bench-host", "rollback")
    assert (files(host), values(host)) == before


def test_the_unit_is_exposed_to_little(host: Machine) -> None:
    host.check("/srv/setup/install.sh")
    host.run("bench-host", "apply", "--anyway", "--only", "aslr")
    report = host.run("systemd-analyze", "security", "--no-pager", "plumbline-host.service").output
    exposure = re.search(r"Overall exposure level for .*: ([0-9.]+)", report)
    host.check("bench-host", "rollback")
    assert exposure and float(exposure[1]) <= 2.0, report


def test_it_is_taken_away_only_when_nothing_is_applied(host: Machine) -> None:
    host.check("/srv/setup/install.sh")
    host.check("bench-host", "apply", "--anyway", "--only", "aslr")
    refused = host.run("/srv/setup/install.sh", "--uninstall")
    assert refused.status == 2 and "bench-host rollback" in refused.output
    host.check("bench-host", "rollback")
    host.check("/srv/setup/install.sh", "--uninstall")
    assert host.run("bench-host", "status").status == 127
