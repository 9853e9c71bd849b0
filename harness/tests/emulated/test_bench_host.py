"""bench-host on a real system: installed, applied, booted, checked, rolled back, booted again; nothing is left.

What this shows: values of the kernel, files, units of systemd, swap, held packages, the unit that runs at boot. What an
emulated machine has none of, and this therefore does not show: frequency, turbo, idle states, heat, energy, GRUB.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from .box import ROOT, Box
from .machine import Machine

# Every file, link and folder of the system's settings, with its bytes and its mode, and what runs.
_FILES = """
cd / && find etc usr/local var/lib/plumbline-host -printf '%y %m %u %g %p %l\\n' 2>/dev/null | sort
find etc usr/local -type f -print0 | sort -z | xargs -0 sha256sum
sed -n '/^Package: linux-image/,/^Status/p' var/lib/dpkg/status
systemctl list-units --all --plain --no-legend --type=timer,swap | awk '{print $1, $3}' | sort
"""
_VALUES = """
cd / && for path in proc/sys/kernel/randomize_va_space proc/sys/net/core/somaxconn proc/irq/default_smp_affinity \
    sys/kernel/mm/transparent_hugepage/enabled sys/kernel/mm/ksm/run sys/devices/virtual/workqueue/cpumask \
    sys/devices/system/clocksource/clocksource0/current_clocksource proc/irq/[0-9]*/smp_affinity_list
do [ ! -e "$path" ] || echo "$path $(cat "$path")"; done
cut -f1 proc/swaps | awk '{print $1}'
"""
_AS_SOMEBODY_LEFT_IT = """
set -e
sysctl -qw kernel.randomize_va_space=1 net.core.somaxconn=128
echo always >/sys/kernel/mm/transparent_hugepage/enabled
if [ ! -e /swapfile ]; then
    dd if=/dev/zero of=/swapfile bs=1M count=32 status=none
    chmod 600 /swapfile
    mkswap -q /swapfile
    echo '/swapfile none swap sw 0 0' >>/etc/fstab
    systemctl daemon-reload
fi
swapon --show=NAME --noheadings | grep -q swapfile || swapon /swapfile
"""


@pytest.fixture(scope="module")
def host(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("bench-host")
    with Machine(box, folder, brought=ROOT / "runner-setup", cpus=4) as machine:
        # On a busy machine it may not have been mounted in time.
        machine.shell("mountpoint -q /srv/brought || mount -o ro LABEL=brought /srv/brought")
        machine.check("cp", "-r", "/srv/brought", "/srv/setup")
        yield machine


def verdicts(host: Machine) -> dict[str, str]:
    document = json.loads(host.run("bench-host", "check", "--json").output)
    return {one["id"]: one["verdict"] for one in document["conditions"]}


def test_from_a_fresh_debian_and_back(host: Machine) -> None:
    refused = host.run("/srv/setup/bench-host", "apply")
    assert refused.status == 2 and "This is a virtual machine" in refused.output
    host.check("/srv/setup/install.sh")
    assert host.shell(_AS_SOMEBODY_LEFT_IT)
    files, values = host.shell(_FILES).output, host.shell(_VALUES).output
    assert "rw" not in files.split() and "swapfile" in values

    plan = host.check("bench-host", "apply", "--dry-run", "--anyway")
    assert "swapoff /swapfile" in plan and "apt-mark hold linux-image" in plan
    assert (host.shell(_FILES).output, host.shell(_VALUES).output) == (files, values)

    before = verdicts(host)
    assert {before[id_] for id_ in ("swap", "thp", "aslr", "network", "timers", "kernel-held")} == {"unfit"}
    applied = host.run("bench-host", "apply", "--anyway", "--yes")
    # The kernel may refuse to move an interrupt of its own, and says so; nothing else may fail.
    refusals = [line for line in applied.output.splitlines() if line.startswith("refused: ")]
    assert all("smp_affinity_list" in line for line in refusals), applied.output
    assert applied.status == (3 if refusals else 0)
    wanted = {"swap", "thp", "aslr", "network", "timers", "kernel-held", "system-slice"}
    assert {id_: verdict for id_, verdict in verdicts(host).items() if id_ in wanted} == dict.fromkeys(
        wanted, "fit"
    )
    assert host.check("cat", "/sys/fs/cgroup/system.slice/cpuset.cpus.effective") == "0\n"

    host.restart()
    ended = host.check(
        "systemctl", "show", "--property=ExecMainStatus,Result", "plumbline-host.service"
    ).split()
    assert sorted(ended) == ["ExecMainStatus=0", "Result=success"]
    status = host.run("bench-host", "status")
    assert status.output.startswith("Applied: ") and "no longer" not in status.output, status.output
    assert {id_: verdict for id_, verdict in verdicts(host).items() if id_ in wanted} == dict.fromkeys(
        wanted, "fit"
    )

    back = host.check("bench-host", "rollback")
    assert "are as they were" in back
    assert host.shell(_FILES).output == files
    assert host.shell(_VALUES).output == values
    assert host.check("bench-host", "status") == "Nothing is applied.\n"

    host.restart()
    assert host.shell(_FILES).output == files
    assert host.run("systemctl", "status", "plumbline-host.service").status == 4, "no such unit"


def test_killed_in_the_middle_and_rolled_back(host: Machine) -> None:
    if host.run("bench-host", "status").status == 127:
        host.check("/srv/setup/install.sh")
    assert host.shell(_AS_SOMEBODY_LEFT_IT)
    files, values = host.shell(_FILES).output, host.shell(_VALUES).output
    killed = host.shell(
        "bench-host apply --anyway --yes >/dev/null & "
        "until grep -c kind /var/lib/plumbline-host/state.json 2>/dev/null | grep -q ..; do sleep 0.01; done; "
        "kill -9 $!; wait $!; echo $?"
    )
    assert killed.output.split()[-1] == "137", "it was not ended in the middle"
    assert host.run("bench-host", "status").output.startswith("Half applied")
    assert host.run("bench-host", "apply", "--anyway").status == 2
    host.check("bench-host", "rollback")
    assert (host.shell(_FILES).output, host.shell(_VALUES).output) == (files, values)


def test_the_unit_is_exposed_to_little(host: Machine) -> None:
    host.check("/srv/setup/install.sh")
    host.run("bench-host", "apply", "--anyway", "--only", "aslr")
    said = host.run("systemd-analyze", "security", "--no-pager", "plumbline-host.service").output
    exposure = re.search(r"Overall exposure level for .*: ([0-9.]+)", said)
    host.check("bench-host", "rollback")
    assert exposure and float(exposure[1]) <= 2.0, said


def test_it_is_taken_away_only_when_nothing_is_applied(host: Machine) -> None:
    host.check("/srv/setup/install.sh")
    host.check("bench-host", "apply", "--anyway", "--only", "aslr")
    refused = host.run("/srv/setup/install.sh", "--uninstall")
    assert refused.status == 2 and "bench-host rollback" in refused.output
    host.check("bench-host", "rollback")
    host.check("/srv/setup/install.sh", "--uninstall")
    assert host.run("bench-host", "status").status == 127
