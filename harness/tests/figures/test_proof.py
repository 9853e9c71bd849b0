"""What a phase of made-up processes proves: which processes are judged together, and what follows for each figure."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from plumbline.model.evidence import Series, Window
from plumbline.model.host import CpuSets, HostClass
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.figures.proof import COST, LATENCY, RATE, PhaseProof, SubjectProcess, limit_of, proofs
from tests.figures.test_compute import SCENARIO, evidence

SETS = CpuSets(app=(0, 1), db=(2,), load=(3,), housekeeping=(3,))
START_S, CLOSED_S, OPEN_S = 5.0, 30.0, 20.0
OPEN_RATE = 1000
COST_US = 1000.0
NAMES = ("closed", "open@1000")
PHASES = (
    Phase(kind="warm-up", name="warm-up", duration_s=START_S, connections=10),
    Phase(kind="closed", name="closed", duration_s=CLOSED_S, connections=10),
    Phase(kind="open", name="open@1000", duration_s=OPEN_S, rate_per_s=OPEN_RATE),
)
SCENARIO_OF_TWO = Scenario(**{**dict(SCENARIO), "phases": PHASES})


def process(trial: int, fall: float = 0.0, cv: float = 0.0, closed_s: float = CLOSED_S) -> SubjectProcess:
    """Two CPUs kept busy by requests whose cost falls by a share over the closed phase, then a fixed rate."""
    draw = random.Random(trial)
    counts, cpu_us = [0.0], [0.0]
    times = [float(second) for second in range(61)]
    for second in times[1:]:
        progress = min(1.0, max(0.0, (second - START_S) / CLOSED_S))
        cost_us = COST_US * math.exp(math.log1p(-fall) * progress + draw.gauss(0, cv))
        rate = 2e6 / cost_us if second <= START_S + CLOSED_S else OPEN_RATE
        counts.append(counts[-1] + rate)
        cpu_us.append(cpu_us[-1] + rate * cost_us)
    columns = {"load.requests": counts, "cpu.app.user_us": cpu_us, "cpu.app.system_us": [0.0] * len(times)}
    opened_s = START_S + CLOSED_S
    windows = (
        Window(phase="warm-up", kind="warm-up", start_s=0.0, end_s=START_S),
        Window(phase="closed", kind="closed", start_s=START_S, end_s=START_S + closed_s),
        Window(phase="open@1000", kind="open", start_s=opened_s, end_s=opened_s + OPEN_S),
    )
    series = Series(t_s=tuple(times), columns={name: tuple(values) for name, values in columns.items()})
    return SubjectProcess(trial, evidence(trial=trial, windows=windows, series=series), SETS)


def proven(*processes: SubjectProcess, host_class: HostClass = "small") -> dict[str, PhaseProof]:
    return proofs(SCENARIO_OF_TWO, processes, host_class)


def test_still_processes_prove_every_figure_of_their_phases() -> None:
    found = proven(*(process(number, cv=0.001) for number in (1, 2, 3)), host_class="lab")
    assert tuple(found) == NAMES
    closed, opened = (found[name] for name in NAMES)
    assert (closed.metrics, opened.metrics) == ((RATE, COST, LATENCY), (COST, LATENCY))
    for metric in ("throughput_per_mib", "db_cpu_us_per_request", "latency_p99_ms", COST):
        assert closed.proves(metric, 1)
    assert not opened.proves(RATE, 1)
    assert (closed.measured_s, closed.load_s) == (CLOSED_S, START_S + CLOSED_S)
    assert opened.load_s == START_S + CLOSED_S + OPEN_S
    assert closed.drifts[RATE].drift.processes == 3


def test_a_fall_takes_the_proof_from_all_figures_of_the_phase() -> None:
    closed = proven(*(process(number, fall=0.3, cv=0.001) for number in (1, 2, 3)))["closed"]
    assert closed.drifts[COST].drift.estimate == pytest.approx(-math.log(0.7), rel=0.1)
    assert closed.drifts[RATE].drift.estimate == pytest.approx(-math.log(0.7), rel=0.1)
    assert not any(closed.holds(metric) for metric in closed.metrics)


def test_one_that_is_on_its_way_is_not_carried_by_the_others() -> None:
    settled = [process(number, cv=0.001) for number in range(1, 12)]
    closed = proven(*settled, process(12, fall=0.08, cv=0.001))["closed"]
    assert closed.proves(COST, 1)
    assert closed.drifts[COST].alone[12].still_on_its_way
    assert not closed.proves(COST, 12)


def test_one_whose_seconds_were_not_read_proves_nothing() -> None:
    closed = proven(process(1), process(2), process(3, closed_s=9.0))["closed"]
    assert closed.measured_s == 9.0
    assert closed.proves(COST, 1)
    assert not closed.proves(COST, 3)


def test_a_short_phase_tells_nothing() -> None:
    closed = proven(process(1, closed_s=9.0))["closed"]
    assert not closed.drifts
    assert not closed.holds(COST)


def test_at_a_fixed_rate_requests_wait_for_each_other() -> None:
    opened = proven(*(process(number, cv=0.02) for number in (1, 2, 3)))["open@1000"]
    work, wait = opened.drifts[COST].drift, opened.drifts[LATENCY].drift
    # A thousand requests of a millisecond on two CPUs: half of them are in use.
    assert wait.error == pytest.approx(2 * work.error, rel=0.05)


def test_the_same_noise_is_proven_elsewhere_and_not_in_a_lab() -> None:
    processes = [process(number, cv=0.05) for number in (1, 2, 3)]
    assert proven(*processes, host_class="small")["closed"].holds(COST)
    assert not proven(*processes, host_class="lab")["closed"].holds(COST)
    assert limit_of("lab") < limit_of("shared") == limit_of("small")


def on_shared_cpus(process: SubjectProcess, busy: float) -> SubjectProcess:
    """The process on CPUs that anybody keeps busy for this share of the time."""
    series = process.evidence.series
    shares = {"busy": busy, "idle": 1 - busy, "iowait": 0.0, "steal": 0.0}
    columns = {f"set.app.{state}_us": tuple(2e6 * share * t_s for t_s in series.t_s) for state, share in shares.items()}
    shared = series.model_copy(update={"columns": {**series.columns, **columns}})
    return replace(process, evidence=process.evidence.model_copy(update={"series": shared}))


@pytest.mark.parametrize(("busy", "cpu_share", "factor"), [(0.9, 1.0, 10), (0.6, 0.625, 5), (0.6, 1.0, 2.5)])
def test_requests_wait_for_whoever_uses_the_cpus_and_for_the_quota(
    busy: float, cpu_share: float, factor: float
) -> None:
    processes = [process(number, cv=0.02) for number in (1, 2, 3)]
    shared = [replace(on_shared_cpus(alone, busy), cpu_share=cpu_share) for alone in processes]
    opened = proven(*shared)["open@1000"]
    assert opened.drifts[LATENCY].drift.error == pytest.approx(factor * opened.drifts[COST].drift.error, rel=0.05)


@pytest.mark.parametrize(("busy", "cpu_share"), [(0.97, 1.0), (0.6, 0.51)])
def test_a_queue_without_a_bound_proves_no_latency(busy: float, cpu_share: float) -> None:
    processes = [replace(on_shared_cpus(process(number), busy), cpu_share=cpu_share) for number in (1, 2, 3)]
    assert LATENCY not in proven(*processes)["open@1000"].drifts
