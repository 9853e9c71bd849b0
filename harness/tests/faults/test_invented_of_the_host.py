"""Faults of the host that nobody had listed, in the middle of a trial, of which the application knows nothing."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from .bench import Fault, FaultBench, at, phases
from .machine import Role, from_phase, pauses, processes_of, said_of_pause

LOAD = phases(closed_s=6)
# Processes without a parent: six at once for a tenth of a second, so that no two samples find the same one.
_JOBS = """\
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
if os.fork():
    os._exit(0)
end = time.monotonic() + 8
while time.monotonic() < end:
    for _ in range(6):
        if os.fork() == 0:
            stop = time.monotonic() + 0.1
            while time.monotonic() < stop:
                pass
            os._exit(0)
    for _ in range(6):
        os.wait()
"""
# One connection among the load's forty takes too little to be seen, and too little to matter; eight do matter.
_CLIENT = """\
import http.client, os, sys, time
if os.fork():
    os._exit(0)
for _ in range(3):
    os.fork()
end, connection = time.monotonic() + 8, http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
while time.monotonic() < end:
    connection.request("GET", "/fruits")
    connection.getresponse().read()
"""
_WRITER = """\
import os, sys, time
if os.fork():
    os._exit(0)
end, block = time.monotonic() + 6, os.urandom(1 << 20)
with open(sys.argv[1], "wb", buffering=0) as file:
    os.unlink(sys.argv[1])
    while time.monotonic() < end:
        for _ in range(8):
            file.write(block)
        os.fdatasync(file.fileno())
        file.seek(0)
"""


def started(program: str, *words: str) -> None:
    """A process of somebody else, which ends by itself."""
    subprocess.run([sys.executable, "-c", program, *words], env={}, start_new_session=True, check=True)


@pytest.mark.parametrize(
    ("role", "words"), [("app", "The application"), ("load", "The load generator"), ("db", "The database")]
)
def test_who_is_stopped_in_a_closed_phase_is_named(bench: FaultBench, role: Role, words: str) -> None:
    """For two and a half seconds, in which requests wait that were sent before."""
    with from_phase("closed", pauses(bench.testbed, role, 2.5, 2.5)) as began:
        found = bench.judged(Fault(load=phases(closed_s=8), began=began, timeout_s=8.0))
    readings = [finding.reading for finding in found.named("R4") if finding.phase == "closed"]
    said = said_of_pause(bench.testbed, role, words)
    assert any(said in reading for reading in readings), found.readings("R4")
    assert not any("came from memory" in reading for reading in found.readings("R16"))
    clean = bench.clean(Fault(load=phases(closed_s=8)))
    assert not any("did not run for" in reading for reading in clean.readings("R4"))


def test_short_jobs_on_the_load_generators_cpu_are_named(bench: FaultBench) -> None:
    cpu = str(bench.testbed.sets.load[0])
    found = bench.judged(Fault(load=LOAD, began=at("closed", lambda: started(_JOBS, cpu))))
    assert found.value("R18", "closed") > 0.2
    assert any("Others used" in finding.reading and finding.phase == "closed" for finding in found.named("R18"))


def test_another_priority_after_the_look_at_all_threads_is_named(bench: FaultBench) -> None:
    """As an administrator gives it, three seconds into the phase."""
    testbed = bench.testbed

    def renice() -> None:
        for pid in processes_of(testbed, "app"):
            for thread in os.listdir(f"/proc/{pid}/task"):
                os.setpriority(os.PRIO_PROCESS, int(thread), 5)

    with from_phase("closed", [threading.Timer(3.0, renice)]) as began:
        found = bench.judged(Fault(load=LOAD, began=began))
    readings = [finding.reading for finding in found.named("R19") if finding.phase == "closed"]
    assert any("at another priority than the harness" in reading for reading in readings), found.readings("R19")


def test_an_application_that_is_taken_out_of_its_control_group_is_named(bench: FaultBench) -> None:
    """As a service manager does that takes the tree of groups for its own; its CPUs stay as they are."""
    testbed = bench.testbed
    groups = [file for file in testbed.placement.entry("app").files if "cpuset" not in file.parts]
    if not groups:
        pytest.skip("The application has no control group here that counts its CPU time.")

    def move() -> None:
        for pid in processes_of(testbed, "app"):
            for file in groups:
                (file.parent.parent / file.name).write_text(str(pid))

    found = bench.judged(Fault(load=LOAD, began=at("closed", move)))
    readings = [finding.reading for finding in found.named("R19") if finding.phase == "closed"]
    assert any("left its control group" in reading for reading in readings), found.readings("R19")
    readings = [finding.reading for finding in found.named("R18") if finding.phase == "closed"]
    assert not any("of the CPUs of the application" in reading for reading in readings), readings


@pytest.mark.parametrize("words", [("Thread.print",), ("JFR.start", "duration=2s")], ids=["dump", "recording"])
def test_somebody_who_looks_into_the_jvm_is_named(bench: FaultBench, words: tuple[str, ...], tmp_path: Path) -> None:
    testbed = bench.testbed
    words = (*words, *((f"filename={tmp_path / 'flight.jfr'}",) if len(words) > 1 else ()))

    def attach() -> None:
        for pid in processes_of(testbed, "app"):
            jcmd = [str(testbed.java.with_name("jcmd")), str(pid), *words]
            subprocess.run(jcmd, stdout=subprocess.DEVNULL, check=True)

    with from_phase("closed", [threading.Timer(2.0, attach)]) as began:
        found = bench.judged(Fault(load=LOAD, began=began))
    assert any(
        "Somebody attached to the JVM by the end of closed" in finding.reading for finding in found.named("R33")
    ), found.readings("R33")


def test_too_few_open_files_are_named(bench: FaultBench) -> None:
    """Room for half of the connections of the closed phase."""
    testbed = bench.testbed

    def limit_files() -> None:
        for pid in processes_of(testbed, "app"):
            files = len(os.listdir(f"/proc/{pid}/fd")) + 20
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (files, files))

    found = bench.alone(Fault(load=phases(warm_up_s=0, closed_s=4), began=at("closed", limit_files)))
    readings = [finding.reading for finding in found.named("R7")]
    assert any("failed" in reading or "timed out" in reading or "error" in reading for reading in readings), (
        found.readings("R7")
    )


def test_somebody_elses_requests_are_named(bench: FaultBench) -> None:
    testbed = bench.testbed

    def send_requests() -> None:
        (process,) = processes_of(testbed, "app")
        variables = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        (port,) = (variable.partition(b"=")[2].decode() for variable in variables if variable.startswith(b"HTTP_PORT="))
        started(_CLIENT, port)

    found = bench.judged(Fault(load=LOAD, began=at("closed", send_requests)))
    assert any("Others used" in finding.reading and finding.phase == "closed" for finding in found.named("R18")), (
        found.readings("R18")
    )


def test_somebody_elses_writes_to_the_same_disk_are_named(bench: FaultBench, tmp_path: Path) -> None:
    data = bench.testbed.database.data_folder
    assert data is not None and data.stat().st_dev == tmp_path.stat().st_dev, "two disks: it would not be the same"
    writes = Fault(scenario="zipcode-fresh", load=phases(connections=10, closed_s=6))
    found = bench.judged(
        Fault(
            scenario=writes.scenario,
            load=writes.load,
            began=at("closed", lambda: started(_WRITER, str(tmp_path / "file"))),
        )
    )
    readings = [finding.reading for finding in found.named("R11") if finding.phase == "closed"]
    assert any("Somebody wrote" in reading for reading in readings), found.readings("R11")
    clean = bench.clean(writes)
    assert not any("Somebody wrote" in reading for reading in clean.readings("R11")), clean.readings("R11")
