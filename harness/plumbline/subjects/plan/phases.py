"""Makes the phases of a scenario out of those of a suite, which may be shrunk to a share of its size.

Times of load and of rest, batches and blocks shrink alike; rates, connections and pools stay, since they are what
the scenario asks for. Nothing shrinks below what figures and rules need, so that a very small scale takes longer than
it says.
"""

from __future__ import annotations

import math
import re

from plumbline.model.errors import UsageError
from plumbline.model.host import CpuSets
from plumbline.model.plan import Phase, Scenario
from plumbline.subjects.catalog.bench import PhaseSpec, ScenarioSpec, SuiteSpec

# A rate needs three rows of the one-second series (figures/throughput.py), and R9 looks at windows of three seconds.
LEAST_LOAD_S = 3.0
# Rest between the cycles of a warm-up is for the compiler's threads; below this there is none.
LEAST_PAUSE_S = 1.0
# A mean with an interval takes two trials.
LEAST_BLOCKS = 2
# Fewer queries than a pool of the default size has connections would leave some of them idle.
LEAST_BATCH = 20

_COUNT = re.compile(r"(?<=&count=)[1-9][0-9]*")


def suite_at(suite: SuiteSpec, scale: float) -> SuiteSpec:
    """Return the suite with its times and blocks at `scale` (0 to 1); what is below a least value already stays."""
    if scale == 1.0:
        return suite
    return suite.model_copy(
        update={
            "blocks": _shrunk_count(suite.blocks, scale, LEAST_BLOCKS),
            "phases": phases_at(suite.phases, scale),
        }
    )


def blocks_on_each(blocks: int, hosts: int) -> int:
    """Return how many blocks each of so many equal hosts measures, so that together they have at least `blocks`.

    All measure equally many, since they measure at the same time.
    """
    # A host is a stratum, and scatter within it takes two.
    return blocks if hosts == 1 else max(LEAST_BLOCKS, math.ceil(blocks / hosts))


def phases_at(phases: tuple[PhaseSpec, ...], scale: float) -> tuple[PhaseSpec, ...]:
    """Return phases with their times at `scale`."""
    return phases if scale == 1.0 else tuple(_phase_at(phase, scale) for phase in phases)


def operation_at(operation: str, scale: float) -> str:
    """Return an operation that does a whole batch in one request, with its count at `scale`; any other as it is."""
    return _COUNT.sub(lambda count: str(_shrunk_count(int(count[0]), scale, LEAST_BATCH)), operation)


def _phase_at(phase: PhaseSpec, scale: float) -> PhaseSpec:
    """Return a phase at a scale; a warm-up whose cycles would be too short has fewer, so that its whole time fits.

    The cycles of a warm-up until steady stay as long as they are; only the number that there may be shrinks.
    """
    if phase.least is not None and phase.most is not None:
        return phase.model_copy(
            update={
                "least": _shrunk_s(phase.least, scale, phase.time),
                "most": _shrunk_s(phase.most, scale, phase.time),
            }
        )
    cycles = phase.cycles
    if phase.time * scale < LEAST_LOAD_S:
        cycles = max(1, min(cycles, int(cycles * phase.time * scale / LEAST_LOAD_S)))
    return phase.model_copy(
        update={
            "cycles": cycles,
            "time": _shrunk_s(phase.time * phase.cycles / cycles, scale, min(LEAST_LOAD_S, phase.time)),
            "pause": _shrunk_s(phase.pause, scale, LEAST_PAUSE_S),
        }
    )


def _shrunk_s(whole_s: float, scale: float, least_s: float) -> float:
    return round(max(min(whole_s, least_s), whole_s * scale), 3)


def _shrunk_count(whole: int, scale: float, least: int) -> int:
    return max(min(whole, least), math.ceil(round(whole * scale, 6)))


_WITHOUT_LOAD_BEFORE = (Phase(kind="start", name="start"), Phase(kind="probe", name="probe"))
_WITHOUT_LOAD_AFTER = (Phase(kind="after", name="after"),)


def scenario_of(
    name: str, spec: ScenarioSpec, suite: SuiteSpec, scale: float = 1.0, *, sets: CpuSets | None = None
) -> Scenario:
    """Return a scenario with its own phases, or else those of a suite, at a scale: start, probe, these, after.

    Where the `sets` of CPUs are known, the load fits them: connections fit the CPUs of the application, the end of a
    ramp fits those of the load generator.
    """
    chosen = spec.phases or suite.phases
    if spec.ramp and sets is not None:
        chosen = up_to(chosen, provable_per_s(sets))
    parts = phases_at(chosen, scale)
    phases = [phase for part in parts for phase in _phases(part, spec, None if sets is None else len(sets.app))]
    names = [phase.name for phase in phases]
    repeated = next((phase for phase in names if names.count(phase) > 1), None)
    if repeated is not None:
        raise UsageError(f"bench.toml: a suite names the phase '{repeated}' twice.", "Give each phase once.")
    return Scenario(
        name=name,
        version=spec.version,
        workload=spec.workload,
        script=spec.script,
        operation=operation_at(spec.operation, scale),
        uses_database=spec.workload != "hello",
        phases=(*_WITHOUT_LOAD_BEFORE, *phases, *_WITHOUT_LOAD_AFTER),
        prepare=spec.prepare,
        grows=spec.grows,
        source_latency_ms=None if spec.source_latency is None else round(spec.source_latency * 1000, 3),
        control_operation=spec.control_operation,
        scale=scale,
        use_cases=spec.use_cases,
    )


def _phases(part: PhaseSpec, spec: ScenarioSpec, app_cpus: int | None) -> list[Phase]:
    if part.kind == "open":
        return [_open_phase(part, spec, rate) for rate in part.rates]
    return [
        Phase(
            kind=part.kind,
            name=part.kind,
            duration_s=part.time,
            connections=spec.connections_on(app_cpus),
            cycles=part.cycles if part.most is None else math.ceil(part.most / part.time),
            least_cycles=None if part.least is None else math.ceil(part.least / part.time),
            pause_s=part.pause,
            saturates=part.kind == "closed" and spec.saturates,
        )
    ]


def _open_phase(part: PhaseSpec, spec: ScenarioSpec, rate: int | float | str) -> Phase:
    if isinstance(rate, str):
        multiplier = int(rate.removeprefix("x"))
        requests_per_minute = sum(use_case.arrivals_per_minute * len(use_case.requests) for use_case in spec.use_cases)
        return Phase(
            kind="open",
            name=f"open@{rate}",
            duration_s=part.time,
            rate_per_s=round(multiplier * requests_per_minute / 60, 4),
            multiplier=multiplier,
        )
    if isinstance(rate, int):
        return Phase(kind="open", name=f"open@{rate}", duration_s=part.time, rate_per_s=rate)
    return Phase(kind="open", name=f"open@{rate:.0%}", duration_s=part.time, rate_share=rate)


# So many rates in each decade, 5 % apart: far enough that the capacities of two nights mostly yield the same rate.
RATES_PER_DECADE = 48


def with_rates(scenario: Scenario, capacity_per_s: float) -> Scenario:
    """Return the scenario with its shares of capacity as rates, rounded to the nearest of the usual rates."""
    phases = tuple(
        phase
        if phase.rate_share is None
        else phase.model_copy(update={"rate_per_s": _usual_rate(capacity_per_s * phase.rate_share)})
        for phase in scenario.phases
    )
    return scenario.model_copy(update={"phases": phases})


def _usual_rate(rate_per_s: float) -> int:
    """Return the nearest rate of RATES_PER_DECADE, with three digits (as of preferred numbers, E48); at least 1/s."""
    step = round(math.log10(max(1.0, rate_per_s)) * RATES_PER_DECADE)
    return int(float(f"{10 ** (step / RATES_PER_DECADE):.3g}"))


def needs_capacity(scenario: Scenario) -> bool:
    """Return whether a rate of this scenario waits for the capacity of the slowest subject."""
    return any(phase.rate_share is not None for phase in scenario.phases)


# A short time, since the capacity only decides a rate that is rounded to steps of 5 %.
CAPACITY_S = 10.0
# A suite of open load alone names no connections.
_CONNECTIONS = 50


def without_load(scenario: Scenario) -> Scenario:
    """Return the scenario as a start alone."""
    return scenario.model_copy(update={"phases": tuple(phase for phase in scenario.phases if not phase.duration_s)})


def finding_capacity(scenario: Scenario) -> Scenario:
    """Return the scenario as its own warm-up and a short closed load, whose rate is the capacity of a warm program.

    A compiler catches up in the first second between two cycles, so longer rests are cut.
    """
    connections = next((phase.connections for phase in scenario.phases if phase.connections), _CONNECTIONS)
    warm_up = (
        phase.model_copy(update={"pause_s": min(phase.pause_s, LEAST_PAUSE_S)})
        for phase in scenario.phases
        if phase.kind == "warm-up"
    )
    closed = Phase(kind="closed", name="closed", duration_s=CAPACITY_S, connections=connections)
    return scenario.model_copy(update={"phases": (*_WITHOUT_LOAD_BEFORE, *warm_up, closed, *_WITHOUT_LOAD_AFTER)})


# A ramp goes up to what the load generator can prove: k6 starts about 5,000 arrivals a second for each of its CPUs
# before it drops some, and a rate that it can't start says nothing of the application.
ARRIVALS_A_CPU = 5_000


def provable_per_s(sets: CpuSets) -> int:
    """Return the arrivals a second that the load generator's CPUs can prove."""
    return ARRIVALS_A_CPU * len(sets.load)


def up_to(phases: tuple[PhaseSpec, ...], most_per_s: int) -> tuple[PhaseSpec, ...]:
    """Return the phases with the rates that can be proven, the lowest one in any case."""
    rates = [rate for phase in phases for rate in phase.rates if isinstance(rate, int)]
    most = max(most_per_s, min(rates, default=0))
    kept = (
        phase
        if phase.kind != "open"
        else phase.model_copy(
            update={"rates": tuple(rate for rate in phase.rates if isinstance(rate, int) and rate <= most)}
        )
        for phase in phases
    )
    return tuple(phase for phase in kept if phase.kind != "open" or phase.rates)
