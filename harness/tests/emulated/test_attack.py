"""An application that attacks, in a real session of the sandbox on an emulated host.

Each attempt is made twice: as role `app` of a session that the launcher started, where it has to be stopped, and in the
same unit without the locks that stand before it, where it has to get through.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .attack.application import ATTEMPTS as PROGRAMS
from .attack.attempts import ATTEMPTS
from .machine import Machine, Ran

PYTHONPATH = "PYTHONPATH=/srv/brought/harness:/usr/local/lib/plumbline"
FACTS = "/srv/facts.json"
TASKS, MEMORY_MB = 200, 192
MARK = "a-child-that-stays"
SETUID = "/usr/local/bin/setuid-id"
SHARED_MEMORY = 4711
_STAYS_S = 5000

# What an application would find on a host that serves more than it should: everything that the attempts look for.
_SERVED = f"""
import os, socket, ctypes, time
def listen(family, address):
    line = socket.socket(family)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    line.bind(address)
    line.listen()
    return line
held = [listen(socket.AF_INET, ("0.0.0.0", 8099)), listen(socket.AF_UNIX, "\\0plumbline-abstract")]
held.append(listen(socket.AF_UNIX, "/run/resolver.sock"))
os.chmod("/run/resolver.sock", 0o666)
ctypes.CDLL(None).shmget({SHARED_MEMORY}, 4096, 0o1666)
time.sleep(1e6)
"""


@dataclass(frozen=True)
class Outcome:
    """What the application said of its attempts, in the session and without locks; and the machine it was on."""

    machine: Machine
    locked: dict[str, dict[str, Any]]
    unlocked: dict[str, dict[str, Any]]
    facts: dict[str, Any]


def by_attempt(outcomes: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {str(outcome["attempt"]): outcome for outcome in outcomes}


def whether_it_stayed(pgrep: Ran) -> dict[str, Any]:
    message = f"process {pgrep.output.strip()}" if pgrep else "gone with its unit"
    return {"attempt": "child-that-stays", "done": bool(pgrep), "said": message}


@pytest.fixture(scope="module")
def outcome(installed: Machine) -> Outcome:
    """Make both runs, once for all tests."""
    config = json.loads(installed.read("/etc/plumbline/launcher.json") or b"")
    config["tasks"], config["memory_bytes"]["app"] = TASKS, MEMORY_MB << 20
    installed.put("/etc/plumbline/launcher.json", json.dumps(config), 0o600)
    installed.put("/etc/plumbline/token", "a token", 0o600)
    installed.put("/run/plumbline-runner/jitconfig", "a configuration", 0o600)
    installed.put("/srv/served.py", _SERVED)
    installed.check("ip", "address", "replace", "169.254.169.254/32", "dev", "lo")
    installed.check("systemd-run", "--unit=served", "/usr/bin/python3", "/srv/served.py")
    as_runner = ("systemd-run", "--uid=plumbline-runner", "--gid=plumbline")
    installed.check(
        *as_runner, "--unit=worker", "--setenv=SECRET=of-the-job", "/bin/sh", "-c",
        "umask 077; echo key > /var/lib/plumbline/runner/.credentials; exec sleep 100000",
    )  # fmt: skip
    installed.check("install", "-m", "4755", "/usr/bin/id", SETUID)
    facts = {
        "credentials": "/var/lib/plumbline/runner/.credentials",
        "runner": int(installed.check("systemctl", "show", "--property=MainPID", "--value", "worker")),
        "port": 8099, "abstract": "\0plumbline-abstract", "resolver": "/run/resolver.sock",
        "disk": int(installed.check("stat", "-c", "%d", "/var/lib")),
        "tasks": TASKS, "memory_mb": MEMORY_MB, "mark": MARK, "setuid": SETUID,
        "shared_memory": SHARED_MEMORY, "stay_s": _STAYS_S,
    }  # fmt: skip
    installed.put(FACTS, json.dumps(facts))
    python = installed.python
    installed.check(
        *as_runner, "--unit=session", "--property=StandardOutput=file:/srv/said.json", f"--setenv={PYTHONPATH}",
        python, "-m", "tests.emulated.attack.session", FACTS,
    )  # fmt: skip
    waiting = installed.shell(
        "while [ ! -s /srv/said.json ] && systemctl is-active -q session; do sleep 1; done; cat /srv/said.json;"
        " systemctl status session | tail -20 >&2",
        timeout_s=1800,
    )
    assert waiting.output.startswith("{"), waiting.output
    session = json.loads(waiting.output.splitlines()[0])
    place = Path(session["facts"]["database"]).parent.name
    pgrep = installed.run("pgrep", "-f", MARK)
    locked = by_attempt(session["said"])
    locked["child-that-stays"] = whether_it_stayed(pgrep)
    installed.put(FACTS, json.dumps(session["facts"]))
    bare = installed.check("env", PYTHONPATH, python, "-m", "tests.emulated.attack.bare", FACTS, place, timeout_s=1800)
    unlocked = by_attempt(json.loads(bare.splitlines()[-1])["said"])
    pgrep = installed.run("pgrep", "-f", MARK)
    unlocked["child-that-stays"] = whether_it_stayed(pgrep)
    return Outcome(installed, locked, unlocked, session["facts"])


NAMES = [attempt.name for attempt in ATTEMPTS]


def test_every_attempt_of_the_application_is_made() -> None:
    assert set(NAMES) == set(PROGRAMS) and len(NAMES) >= 20


RecordProperty = Callable[[str, object], None]


def record_for_table(record_property: RecordProperty, where: str, attempt: dict[str, Any]) -> None:
    """Record the attempt for the table at the end."""
    for key, value in (
        ("attempt", attempt["attempt"]),
        ("where", where),
        ("said", " ".join(attempt["said"].split())),
    ):
        record_property(key, value)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_stopped(outcome: Outcome, name: str, record_property: RecordProperty) -> None:
    record_for_table(record_property, "session", outcome.locked[name])
    assert not outcome.locked[name]["done"], outcome.locked[name]["said"]


@pytest.mark.parametrize("name", NAMES)
def test_without_its_barrier_it_gets_through(outcome: Outcome, name: str, record_property: RecordProperty) -> None:
    record_for_table(record_property, "bare", outcome.unlocked[name])
    assert outcome.unlocked[name]["done"], outcome.unlocked[name]["said"]
