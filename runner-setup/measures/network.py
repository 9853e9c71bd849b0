"""The condition that there are enough ports and queues for connections."""

from __future__ import annotations

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "network"
TITLE = "Ports and queues enough for the load"
WHY = "A load generator without a free port, or a queue that is full, fails requests that the framework would serve."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/networking/ip-sysctl.html"

# Connections that were closed keep their port for a minute: 28,000 are what the kernel gives, and what 100 connections
# that last never use up. The queue is that of kernels since 5.4.
PORTS = 28_000
QUEUE = 4096
RANGE = "32768\t60999"


def check(roots: Roots) -> Reading:
    """Read net.ipv4.ip_local_port_range and net.core.somaxconn of the network that this process sees."""
    net = roots.proc / "sys/net"
    ends, queue = (read(net / "ipv4/ip_local_port_range") or "").split(), read(net / "core/somaxconn") or ""
    if len(ends) != 2 or not all(end.isdigit() for end in (*ends, queue)):
        return unknown("not shown (net.ipv4.ip_local_port_range, net.core.somaxconn)")
    ports = int(ends[1]) - int(ends[0]) + 1
    reading = f"{ports} ports, queues of {queue}"
    if ports >= PORTS and int(queue) >= QUEUE:
        return fit(reading)
    return unfit(f"{reading}; {PORTS} and {QUEUE} are needed", "sudo bench-host apply --only network")


def changes(roots: Roots) -> list[Change]:
    """Return the changes back to the kernel's own values, where somebody has lowered them."""
    net = roots.proc / "sys/net"
    ends, queue = (read(net / "ipv4/ip_local_port_range") or "").split(), read(net / "core/somaxconn") or ""
    values: list[Change] = []
    if len(ends) == 2 and all(end.isdigit() for end in ends) and int(ends[1]) - int(ends[0]) + 1 < PORTS:
        values.append(Value(net / "ipv4/ip_local_port_range", RANGE))
    if queue.isdigit() and int(queue) < QUEUE:
        values.append(Value(net / "core/somaxconn", str(QUEUE)))
    return values
