"""Kills a session, and says which of its traces are left on the machine."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass

from plumbline.measuring.launch.supervisor.loop import BROUGHT_DOWN_WITHIN_S
from tests.launch.spawning import groups_of
from tests.processes import listening_ports
from .checkout import PROC, Checkout, Run, processes

# Where processes keep files that outlive them.
_SHARED = ("/dev/shm/", "/tmp/")


@dataclass(frozen=True)
class Traces:
    """What processes had open or mapped outside of their checkout, and the System V segments that they made."""

    files: frozenset[str]
    segments: frozenset[int]

    def left(self) -> set[str]:
        """The traces that are still there."""
        segments = {row[1] for row in _segments()} & self.segments
        return {name for name in self.files if os.path.lexists(name)} | {f"segment {number}" for number in segments}


def traces_of(pids: set[int], checkout: Checkout) -> Traces:
    """The traces of these processes, as far as the kernel tells of processes that live."""
    files: set[str] = set()
    for pid in pids:
        with suppress(OSError):
            mapped = (PROC / str(pid) / "maps").read_text(errors="replace").splitlines()
            files |= {line.split(None, 5)[5] for line in mapped if len(line.split(None, 5)) == 6}
            for descriptor in (PROC / str(pid) / "fd").iterdir():
                with suppress(OSError):
                    files.add(os.readlink(descriptor))
    ours = str(checkout.root.parent)
    return Traces(
        frozenset(name for name in files if name.startswith(_SHARED) and not name.startswith(ours)),
        frozenset(segment for maker, segment in _segments() if maker in pids),
    )


def _segments() -> set[tuple[int, int]]:
    """(pid of the maker, number) of each segment of System V shared memory."""
    rows = (line.split() for line in (PROC / "sysvipc" / "shm").read_text().splitlines()[1:])
    return {(int(row[4]), int(row[1])) for row in rows}


def killed(run: Run, session: str, least: int = 10, ports: int = 2) -> Traces:
    """Kill a run; require that soon nothing of it runs, listens or is in a group; return what it had open elsewhere.

    `least` is how many processes there are at that moment, and `ports` on how many they listen, at the least.
    """
    everyone = processes(session)
    assert len(everyone) > least, everyone
    assert len(listening_ports(PROC, tuple(everyone))) >= ports
    traces = traces_of(everyone, run.checkout)
    run.process.kill()
    run.process.communicate()
    end_s = time.monotonic() + BROUGHT_DOWN_WITHIN_S
    while processes(session) or groups_of(session):
        assert time.monotonic() < end_s, processes(session)
        time.sleep(0.02)
    assert listening_ports(PROC, tuple(everyone)) == ()
    return traces
