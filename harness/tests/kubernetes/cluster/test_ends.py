"""However a cluster's tests end, nothing of it is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .holds import name_spaces
from .kept import BRIDGE, GROUP, Kept, hierarchies, settings
from .parts import ROOT, require_programs
from .waiting import until


def told(word: str) -> Callable[[subprocess.Popen[str]], None]:
    def tell(holder: subprocess.Popen[str]) -> None:
        holder.communicate(f"{word}\n", timeout=60)

    return tell


def signalled(number: int) -> Callable[[subprocess.Popen[str]], None]:
    def send(holder: subprocess.Popen[str]) -> None:
        holder.send_signal(number)
        holder.communicate(timeout=60)

    return send


def mounts() -> list[str]:
    return [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if GROUP in line]


def made() -> tuple[set[str], ...]:
    """Links of the network, and folders where programs of a cluster make their own."""
    return tuple(set(os.listdir(place)) for place in ("/sys/class/net", "/opt", "/usr/libexec"))


@pytest.mark.parametrize(
    ("end", "is_killed"),
    [
        (told("go on"), False),
        (told("fail"), False),
        (signalled(signal.SIGINT), False),
        (signalled(signal.SIGKILL), True),
    ],
    ids=["well", "by a failure", "interrupted", "killed"],
)
def test_nothing_is_left(end: Callable[[subprocess.Popen[str]], None], is_killed: bool) -> None:
    require_programs()
    before = settings(), made()
    holder = subprocess.Popen(
        [sys.executable, "-m", "tests.kubernetes.cluster.holds"],
        cwd=ROOT / "harness",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert holder.stdout is not None
    its = set(json.loads(holder.stdout.readline()))
    # The node's, the pod's network, and those of its containers.
    assert len(its) >= 5 and its <= set(name_spaces())
    end(holder)
    until("every process has ended", lambda: not its & set(name_spaces()))
    assert mounts() == []
    if is_killed:
        # What nobody could take back then is taken back before the next one.
        with Kept():
            pass
    assert [place for place in hierarchies() if (place / GROUP).exists()] == []
    assert not Path("/sys/class/net", BRIDGE).exists()
    until("the pods' links have gone with their name spaces", lambda: made() == before[1])
    assert settings() == before[0]
