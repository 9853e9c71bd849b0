"""TCP's troubles and the traffic on loopback, of this network namespace."""

from __future__ import annotations

from ..open_file import OpenFile
from ..roots import Roots
from .base import HoldsFiles, Row, Tick

_EXTENDED = {
    "tcp.listen_overflows": b"ListenOverflows",
    "tcp.listen_drops": b"ListenDrops",
    "tcp.timeouts": b"TCPTimeouts",
}


class NetworkSampler(HoldsFiles):
    """Samples `tcp.{listen_overflows,listen_drops,timeouts,retransmitted,passive_opens}` and `net.lo.*`."""

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._netstat, self._snmp, self._dev = (
            self.hold(OpenFile(roots.proc / "net" / name)) for name in ("netstat", "snmp", "dev")
        )

    def sample(self, tick: Tick) -> Row:
        """Return counts since the namespace was made. What goes over loopback counts once, where it is received."""
        extended = _table(self._netstat.read(), b"TcpExt:")
        row: dict[str, float | None] = {column: extended.get(name) for column, name in _EXTENDED.items()}
        tcp = _table(self._snmp.read(), b"Tcp:")
        row["tcp.retransmitted"] = tcp.get(b"RetransSegs")
        row["tcp.passive_opens"] = tcp.get(b"PassiveOpens")
        row["net.lo.bytes"], row["net.lo.packets"] = _received(self._dev.read(), b"lo")
        return row


def _table(content: bytes | None, protocol: bytes) -> dict[bytes, int]:
    """Return the counters of a protocol from its two lines: names, then values."""
    lines = [line.split() for line in (content or b"").splitlines() if line.startswith(protocol + b" ")]
    return dict(zip(lines[0][1:], map(int, lines[1][1:]), strict=False)) if len(lines) == 2 else {}


def _received(content: bytes | None, interface: bytes) -> tuple[int | None, int | None]:
    """Return bytes and packets."""
    for line in (content or b"").splitlines():
        name, colon, numbers = line.partition(b":")
        if colon and name.strip() == interface:
            count, packets, *_ = map(int, numbers.split())
            return count, packets
    return None, None
