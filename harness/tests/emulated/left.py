"""The state of a host, read without bench-host and compared before and after it: bytes of files, values, units."""

from __future__ import annotations

import json

from .machine import Machine

# Every file, link and folder of the system's settings, with its bytes and its mode, and what runs.
_FILES = """
cd / && find etc usr/local var/lib/plumbline-host -printf '%y %m %u %g %p %l\\n' 2>/dev/null | sort
find etc usr/local -type f -print0 | sort -z | xargs -0 sha256sum
sed -n '/^Package: linux-image/,/^Status/p' var/lib/dpkg/status
systemctl list-units --all --plain --no-legend --type=timer,swap | awk '{print $1, $3}' | sort
"""
_VALUES = """
cd / && for path in proc/sys/kernel/randomize_va_space proc/sys/kernel/watchdog_cpumask proc/irq/default_smp_affinity \
    proc/sys/net/core/somaxconn proc/sys/net/ipv4/tcp_rmem proc/sys/net/ipv4/tcp_wmem \
    sys/kernel/mm/transparent_hugepage/enabled sys/kernel/mm/ksm/run sys/devices/virtual/workqueue/cpumask \
    sys/devices/system/clocksource/clocksource0/current_clocksource proc/irq/[0-9]*/smp_affinity_list
do [ ! -e "$path" ] || echo "$path $(cat "$path")"; done
cut -f1 proc/swaps | awk '{print $1}'
"""
_AS_SOMEBODY_LEFT_IT = """
set -e
sysctl -qw kernel.randomize_va_space=1 net.core.somaxconn=128 'net.ipv4.tcp_rmem=4096 87380 212992'
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
# The conditions that apply has to change, on a host that somebody left so.
WANTED = ("swap", "thp", "aslr", "network", "socket-buffers", "timers", "kernel-held", "system-slice")


def unsettle(host: Machine) -> None:
    """Leave the host as somebody who measures nothing would: swap, large pages, small queues."""
    assert host.shell(_AS_SOMEBODY_LEFT_IT)


def files(host: Machine) -> str:
    """Return the state that outlives a boot."""
    return host.shell(_FILES).output


def values(host: Machine) -> str:
    """Return the state that a boot takes away."""
    return host.shell(_VALUES).output


def verdicts(host: Machine) -> dict[str, str]:
    """Return the verdict of each condition, by the id of the condition."""
    document = json.loads(host.run("bench-host", "check", "--json").output)
    return {condition["id"]: condition["verdict"] for condition in document["conditions"]}


def apply(host: Machine) -> None:
    """Apply all that the kernel allows. The kernel may keep an interrupt of its own, and nothing else."""
    applied = host.run("bench-host", "apply", "--anyway", "--yes")
    refused = [line for line in applied.output.splitlines() if line.startswith("refused: ")]
    assert all("smp_affinity_list" in line for line in refused), applied.output
    assert applied.status == (3 if refused else 0), applied.output
