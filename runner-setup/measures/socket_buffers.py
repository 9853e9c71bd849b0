"""The condition that connections may buffer one request and its answer."""

from __future__ import annotations

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import read

ID = "socket-buffers"
TITLE = "Socket buffers enough for the load"
WHY = "An answer that does not fit into the buffers of its connection waits until the other side has read a part of it."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/networking/ip-sysctl.html"

# Least, at first, at most: the kernel's own values with a gigabyte of memory or more. A buffer begins with the second
# value, and grows up to the last.
KERNELS_OWN = {"tcp_rmem": (4096, 131_072, 6_291_456), "tcp_wmem": (4096, 16_384, 4_194_304)}
ENOUGH = {"tcp_rmem": (65_536, 1_048_576), "tcp_wmem": (16_384, 1_048_576)}


def check(roots: Roots) -> Reading:
    """Read net.ipv4.tcp_rmem and tcp_wmem of the network that this process sees: at first, and at most."""
    sizes_of_buffer = {name: _sizes(roots, name) for name in ENOUGH}
    readings: list[str] = []
    short = False
    for name, sizes in sizes_of_buffer.items():
        if sizes is None:
            return unknown(f"not shown (net.ipv4.{name})")
        readings.append(f"{name} {sizes[1]} at first, {sizes[2]} at most")
        short |= _is_short(name, sizes)
    reading = "; ".join(readings)
    return unfit(reading, "sudo bench-host apply --only socket-buffers") if short else fit(reading)


def changes(roots: Roots) -> list[Change]:
    """Return the changes back to the kernel's own values, where somebody has lowered them."""
    values: list[Change] = []
    for name, kernel_sizes in KERNELS_OWN.items():
        sizes = _sizes(roots, name)
        if sizes is not None and _is_short(name, sizes):
            target_sizes = (max(pair) for pair in zip(sizes, kernel_sizes, strict=True))
            values.append(Value(roots.proc / "sys/net/ipv4" / name, "\t".join(map(str, target_sizes))))
    return values


def _sizes(roots: Roots, name: str) -> tuple[int, ...] | None:
    words = (read(roots.proc / "sys/net/ipv4" / name) or "").split()
    return tuple(map(int, words)) if len(words) == 3 and all(word.isdigit() for word in words) else None


def _is_short(name: str, sizes: tuple[int, ...]) -> bool:
    first, most = ENOUGH[name]
    return sizes[1] < first or sizes[2] < most
