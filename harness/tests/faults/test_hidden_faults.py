"""Faults that hide from whoever asks the application: what happened is observed from outside, and named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .bench import Fault, FaultBench
from .patched import Patch

_APPLICATION = "org/plumbline/app/Application.java"

# It leaves parent, process group and session, and forgets the session's mark. So that a machine gets rid of it even
# where nobody ends it, it ends by itself.
LEAVING = Patch(
    _APPLICATION,
    (
        (
            "        server.start();",
            "        server.start();\n"
            '        ProcessBuilder burning = new ProcessBuilder("setsid", "-f", "timeout", "60", "sh", "-c",'
            " \"exec -a plumbline-burner sh -c 'while :; do :; done'\");\n"
            "        burning.environment().clear();\n"
            '        burning.environment().put("PATH", "/usr/bin:/bin");\n'
            "        burning.start();",
        ),
    ),
)

HIDDEN: dict[str, tuple[Fault, str, str]] = {
    "a process left behind": (Fault((LEAVING,)), "R33", "behind, whose CPU time is its own: sh ("),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_the_fault_is_named_by_its_rule(bench: FaultBench, name: str) -> None:
    fault, rule, words = HIDDEN[name]
    found = bench.judged(fault)
    assert any(words in one.reading and one.outcome == "invalid" for one in found.named(rule)), (
        found.readings(rule),
        found.against,
    )


def test_what_was_left_behind_is_gone_before_the_next_trial(bench: FaultBench) -> None:
    bench.judged(Fault((LEAVING,)))
    for file in bench.stage.placement.entry("app").files:
        assert not file.read_text().split()
    commands = {_command(int(name)) for name in os.listdir("/proc") if name.isdigit()}
    assert not any(b"plumbline-burner" in command for command in commands)


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
