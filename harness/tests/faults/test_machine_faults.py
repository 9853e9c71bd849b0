"""Each fault of the machine that is put into a real trial is named by its rule.

On a host that is no lab, rules of capacity and isolation warn where they would refuse: a warning counts as named. Where
the host itself may trip such a rule, the fault has to show far beyond what the clean trial beside it shows.
"""

from __future__ import annotations

import sys
import threading
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from plumbline.measuring.observe.readers.probe import ClockWatch
from plumbline.measuring.run.draft import Draft
from plumbline.verdicts.judge.rules.r19_disjoint_sets import OUTSIDE_MAX
from .bench import Fault, FaultBench, at, phases
from .machine import Clock, cannot_squeeze, from_phase, hogs, pauses, said_of_pause, squeezed


def test_a_neighbour_in_mid_run_is_named(bench: FaultBench) -> None:
    cpu = bench.testbed.sets.app[0]
    with hogs(cpu, 1) as start:
        found = bench.judged(Fault(began=at("closed", start)))
    assert found.value("R18", "closed") > 0.2
    assert any("Others used" in finding.reading for finding in found.named("R18"))


def test_a_neighbour_of_the_warm_up_alone_is_said(bench: FaultBench) -> None:
    with ExitStack() as until_warm:
        start = until_warm.enter_context(hogs(bench.testbed.sets.app[0], 1))

        def began(name: str) -> None:
            if name == "warm-up":
                start()
            elif name == "closed":
                until_warm.close()

        found = bench.judged(Fault(load=phases(warm_up_s=6), began=began))
    readings = [finding.reading for finding in found.named("R18") if finding.phase == "warm-up"]
    assert any("took from the warm-up" in reading for reading in readings), found.readings("R18")
    assert found.value("R18", "warm-up") > 0.2
    assert "first_10_s_requests" not in found.trial.figures.get("warm-up", {})
    clean = bench.clean(Fault(load=phases(warm_up_s=6)))
    assert clean.value("R18", "warm-up") < found.value("R18", "warm-up") / 2
    assert "first_10_s_requests" in clean.trial.figures["warm-up"]


def test_a_moment_on_other_cpus_is_named(bench: FaultBench) -> None:
    """For a second and a half, long after the one check of the CPUs on which threads may run."""
    testbed = bench.testbed
    if not testbed.placement.entry("app").files:
        pytest.skip("The application has no control group here, so that nobody else moves it to other CPUs.")
    elsewhere = testbed.sets.model_copy(update={"app": testbed.sets.load})
    timers = [
        threading.Timer(2.5, testbed.placement.prepare, (testbed.session, elsewhere)),
        threading.Timer(4.0, testbed.placement.prepare, (testbed.session, testbed.sets)),
    ]
    with from_phase("closed", timers) as began:
        found = bench.judged(Fault(load=phases(closed_s=7), began=began))
    findings = [finding for finding in found.named("R19") if finding.phase == "closed"]
    assert any("of its CPU time outside its set" in finding.reading for finding in findings), found.readings("R19")
    clean = bench.clean(Fault(load=phases(closed_s=7)))
    assert clean.value("R19", "closed") <= OUTSIDE_MAX < found.value("R19", "closed") / 10


@pytest.mark.parametrize(("role", "words"), [("app", "The application"), ("db", "The database")])
def test_who_is_stopped_in_an_open_phase_is_named_and_not_the_load_generator(
    bench: FaultBench, role: Literal["app", "db"], words: str
) -> None:
    """For three seconds, in which more arrive than there is room for."""
    load = phases(closed_s=0, open_s=9, rate_per_s=60)
    with from_phase("open@60", pauses(bench.testbed, role, 2.0, 3.0)) as began:
        found = bench.judged(Fault(load=load, began=began, timeout_s=8.0))
    readings = [finding.reading for finding in found.named("R4")]
    said = said_of_pause(bench.testbed, role, words)
    assert any(said in reading for reading in readings), found.readings("R4")
    assert not any("k6 dropped" in reading or "starved" in reading for reading in readings), readings
    clean = bench.clean(Fault(load=load))
    assert not any("did not run for" in reading for reading in clean.readings("R4"))


def test_a_job_of_somebody_before_the_trial_is_named(bench: FaultBench) -> None:
    with hogs(bench.testbed.sets.app[0], 1) as start:
        start()
        found = bench.alone(Fault(load=phases(warm_up_s=0, closed_s=3)))
    program = Path(sys.executable).name[:15]
    assert found.value("R25", None) > 0.2
    assert any(program in finding.reading for finding in found.named("R25")), found.readings("R25")


def test_a_starved_load_generator_is_named(bench: FaultBench) -> None:
    """The load generator needs a fifth of its CPU, and gets less than a tenth."""
    load = phases(closed_s=0, open_s=5, rate_per_s=600)
    with hogs(bench.testbed.sets.load[0], 12) as start:
        found = bench.judged(Fault(load=load, began=at("open@600", start)))
    readings = [finding.reading for finding in found.named("R4")]
    assert any("late" in reading or "dropped" in reading for reading in readings), found.readings("R4")


def test_a_quota_in_mid_run_is_named(bench: FaultBench) -> None:
    placement = bench.testbed.placement
    if (why := placement.cannot_limit()) is not None:
        pytest.skip(f"{why} It takes a cpu controller of control groups that we may write.")

    # The application is in its group from the start, with a quota that it never reaches.
    placement.limit("app", 64)
    try:
        found = bench.alone(Fault(began=at("closed", lambda: placement.limit("app", 0.5))))
    finally:
        placement.limit("app", None)
    assert any("by a CPU quota" in finding.reading and finding.phase == "closed" for finding in found.named("R20"))


def test_a_load_generator_on_the_applications_cpus_is_named(bench: FaultBench) -> None:
    """The plan says that the load generator has CPUs of its own."""
    testbed = bench.testbed
    testbed.placement.prepare(testbed.session, testbed.sets.model_copy(update={"load": testbed.sets.app}))
    try:
        found = bench.alone(Fault(load=phases(warm_up_s=0, closed_s=3)))
    finally:
        testbed.placement.prepare(testbed.session, testbed.sets)
    readings = [finding.reading for finding in found.named("R19")]
    assert any("k6 (load generator) may run outside its set" in reading for reading in readings), readings


def test_a_slow_disk_is_named(bench: FaultBench) -> None:
    """Twenty writes a second where each insert waits for one."""
    placement, data = bench.testbed.placement, bench.testbed.database.data_folder
    if data is None or (why := placement.cannot_slow(data)) is not None:
        pytest.skip(f"{why if data else 'The database is not embedded.'} It takes an embedded database on a disk.")

    plain = Fault(scenario="zipcode-fresh", load=phases(connections=10, closed_s=6))
    try:
        found = bench.judged(replace(plain, began=at("closed", lambda: placement.slow("db", data, 20))))
    finally:
        placement.slow("db", data, None)
    assert found.named("R11") and found.named("R1"), found.against
    readings = [finding.reading for finding in found.named("R11") if finding.phase == "closed"]
    assert any("the disk" in reading or "write-ahead log" in reading for reading in readings), readings


def test_a_squeeze_of_memory_is_named(bench: FaultBench) -> None:
    """The heap of the application may grow, and the machine has no memory for that."""
    placement = bench.testbed.placement
    if (why := cannot_squeeze(placement)) is not None:
        pytest.skip(f"{why} It takes a memory controller of control groups that we may write.")
    with squeezed(placement, 24 << 20) as squeeze:
        found = bench.alone(Fault(load=phases(warm_up_s=0), began=at("closed", squeeze)))
    assert any("memory ran out" in finding.reading or "swap" in finding.reading for finding in found.named("R24")), (
        found.readings("R24"),
        found.readings("R7"),
    )


def test_a_clock_that_is_set_in_mid_trial_is_named(bench: FaultBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of this process is set by two seconds; k6 goes on by the machine's own clock."""
    clock = Clock()
    monkeypatch.setattr("time.time", clock)
    monkeypatch.setattr("plumbline.measuring.run.trial.Draft", lambda job: Draft(job, clock=ClockWatch(clock)))
    found = bench.alone(Fault(began=at("closed", lambda: clock.set_forward(2))))
    readings = [finding.reading for finding in found.named("R26")]
    assert readings == ["The clock was set forward by 2000 ms in mid-trial: load and samples tell other seconds."], (
        found.readings("R26")
    )
