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


def by_word(word: str) -> Callable[[subprocess.Popen[str]], None]:
    def tell(holder: subprocess.Popen[str]) -> None:
        holder.communicate(f"{word}\n", timeout=60)

    return tell


def by_signal(number: int) -> Callable[[subprocess.Popen[str]], None]:
    def send(holder: subprocess.Popen[str]) -> None:
        holder.send_signal(number)
        holder.communicate(timeout=60)

    return send


def mounts() -> list[str]:
    return [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if GROUP in line]


def links_and_folders() -> tuple[set[str], ...]:
    """The links of the network, and the folders in which programs of a cluster make folders of their own."""
    return tuple(set(os.listdir(place)) for place in ("/sys/class/net", "/opt", "/usr/libexec"))


@pytest.mark.parametrize(
    ("end", "is_killed"),
    [
        (by_word("go on"), False),
        (by_word("fail"), False),
        (by_signal(signal.SIGINT), False),
        (by_signal(signal.SIGKILL), True),
    ],
    ids=["well", "by a failure", "interrupted", "killed"],
)
def test_nothing_is_left(end: Callable[[subprocess.Popen[str]], None], is_killed: bool) -> None:
    require_programs()
    before = settings(), links_and_folders()
    holder = subprocess.Popen(
        [sys.executable, "-m", "tests.kubernetes.cluster.holds"],
        cwd=ROOT / "harness",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert holder.stdout is not None
    of_cluster = set(json.loads(holder.stdout.readline()))
    # The name spaces of the node, of the pod's network, and of the pod's containers.
    assert len(of_cluster) >= 5 and of_cluster <= set(name_spaces())
    end(holder)
    until("every process has ended", lambda: not of_cluster & set(name_spaces()))
    assert mounts() == []
    if is_killed:
        # The next cluster first removes what a killed one left.
        with Kept():
            pass
    assert [place for place in hierarchies() if (place / GROUP).exists()] == []
    assert not Path("/sys/class/net", BRIDGE).exists()
    until("the pods' links have gone with their name spaces", lambda: links_and_folders() == before[1])
    assert settings() == before[0]
