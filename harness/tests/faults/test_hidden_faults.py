"""Faults that the application itself would not report: they are observed from outside, and named."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import cast

import psycopg
import pytest

from plumbline.measuring.services.postgres.service import PostgresService
from .bench import Fault, FaultBench, phases
from .machine import from_phase
from .patched import Patch

_SERVICE = "org/plumbline/app/fruits/FruitService.java"
_ZIPCODES = "org/plumbline/app/zipcode/ZipCodeService.java"
_APPLICATION = "org/plumbline/app/Application.java"

# The process leaves its parent, its process group and its session, and drops the session's mark. It ends by itself, so
# that a machine gets rid of it even where nobody ends it.
LEAVING = Patch(
    _APPLICATION,
    (
        (
            "        server.start();",
            "        server.start();\n"
            '        ProcessBuilder burning = new ProcessBuilder("setsid", "-f", "timeout", "60", "sh", "-c",'
            ' "while :; do :; done # left by a fault");\n'
            "        burning.environment().clear();\n"
            '        burning.environment().put("PATH", "/usr/bin:/bin");\n'
            "        burning.start();",
        ),
    ),
)

SAID_IN_EACH_WRITE = Patch(
    _ZIPCODES,
    (
        (
            "        codes.insert(connection, code);",
            "        try (java.sql.Statement set = connection.createStatement()) {"
            ' set.execute("SET LOCAL synchronous_commit TO off"); }\n'
            "        codes.insert(connection, code);",
        ),
    ),
)
SERIALIZABLE = Patch(
    _SERVICE,
    (
        (
            "return pool.reading(fruits::findAll);",
            "return pool.reading(connection -> {"
            " try (java.sql.Statement set = connection.createStatement()) {"
            ' set.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"); }'
            " return fruits.findAll(connection); });",
        ),
    ),
)
WRITES = Fault(scenario="zipcode-fresh", load=phases(warm_up_s=0, connections=10))

# The application would still report heap and processors as they are declared.
FLAGS = {
    "a JVM that interprets": (("-Xint",), "ran in interpreted mode"),
    "the first compiler alone": (("-XX:TieredStopAtLevel=1",), "it did not compile as JVMs do"),
    "a heap that is touched beforehand": (("-XX:+AlwaysPreTouch",), "AlwaysPreTouch true"),
    "another young generation": (("-Xmn64m",), "MaxNewSize 67108864"),
    "compact headers": (("-XX:+UseCompactObjectHeaders",), "UseCompactObjectHeaders true"),
}

HIDDEN: dict[str, tuple[Fault, str, str]] = {
    "a process left behind": (
        Fault((LEAVING,)),
        "R33",
        "left 2 processes behind, whose CPU time is its own: sh (",
    ),
    "commits that nobody waits for, by each write": (
        replace(WRITES, patches=(SAID_IN_EACH_WRITE,)),
        "R15",
        "synchronous_commit",
    ),
    "a table that no log keeps": (
        replace(WRITES, altered=("ALTER TABLE zipcode SET UNLOGGED",)),
        "R15",
        "No log keeps the rows of zipcode",
    ),
    "another isolation, by each transaction": (
        Fault((SERIALIZABLE,)),
        "R15",
        "'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE' was sent",
    ),
    **{name: (Fault(flags=flags), "R34", words) for name, (flags, words) in FLAGS.items()},
}


@pytest.mark.parametrize("name", HIDDEN)
def test_the_fault_is_named_by_its_rule(bench: FaultBench, name: str) -> None:
    fault, rule, words = HIDDEN[name]
    found = bench.judged(fault)
    assert any(words in finding.reading and finding.outcome == "invalid" for finding in found.named(rule)), (
        found.readings(rule),
        found.against,
    )


def test_a_server_that_stops_waiting_for_its_disk_in_mid_run_is_named(bench: FaultBench) -> None:
    """The fault lasts for two seconds of the closed phase: a check before or after the phase sees nothing."""

    def fsync(word: str) -> None:
        service = cast(PostgresService, bench.testbed.database)
        with psycopg.connect(service.login.conninfo(), autocommit=True) as session:
            session.execute(f"ALTER SYSTEM {word}".encode())
            session.execute("SELECT pg_reload_conf()")

    timers = [
        threading.Timer(1.5, fsync, ("SET fsync = off",)),
        threading.Timer(3.5, fsync, ("RESET fsync",)),
    ]
    with from_phase("closed", timers) as began:
        load = phases(warm_up_s=0, connections=10, closed_s=6)
        found = bench.judged(replace(WRITES, load=load, began=began))
    readings = [finding.reading for finding in found.named("R15") if finding.phase == "closed"]
    assert any("seconds the server did not have each commit on disk" in reading for reading in readings), (
        found.readings("R15")
    )


def test_a_clean_trial_of_writes_is_not_named(bench: FaultBench) -> None:
    found = bench.clean(WRITES)
    assert not found.named("R15"), found.named("R15")


def test_what_was_left_behind_is_gone_before_the_next_trial(bench: FaultBench) -> None:
    bench.judged(Fault((LEAVING,)))
    for file in bench.testbed.placement.entry("app").files:
        assert not file.read_text().split()
    commands = {_command(int(name)) for name in os.listdir("/proc") if name.isdigit()}
    assert not any(b"left by a fault" in command for command in commands)


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
