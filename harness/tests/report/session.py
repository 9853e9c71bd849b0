"""A session as it could have been: three subjects and the control on two cores, five blocks, two invalid trials.

Numbers come from a seeded generator, and `verdicts.figures` computes the figures. With `hostile=True` the strings that
a record can carry try to break out of their place.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist, fmean

from plumbline.archive.record.standings import standings
from plumbline.model.evidence import (
    QUANTILES,
    Evidence,
    Failure,
    HostBefore,
    LoadResult,
    Series,
    Start,
    Window,
)
from plumbline.model.host import Cpu, CpuSets, HostClass, HostFacts, Topology
from plumbline.model.plan import Detectable, Phase, Plan, PlannedTrial, Scenario
from plumbline.model.record import (
    Build,
    Finding,
    Provenance,
    Record,
    Training,
    Trial,
    Usage,
    Verdict,
    Versions,
)
from plumbline.reporting.report import write
from plumbline.verdicts.figures.compute import FIGURES_VERSION, figures
from plumbline.verdicts.figures.proof import COST, LATENCY, RATE, Drifts, PhaseProof
from plumbline.verdicts.stats.drift import Drift
from tests.host.readings import of_session

HOSTILE = '</style><script>alert("1")</script>|[x](javascript:alert(1))`\x1b[31m\u202e\n# h & \'"<img src=x onerror=y>'
MIB = 1024 * 1024
SETS = CpuSets(app=(0,), db=(1,), load=(1,), housekeeping=(1,))


@dataclass(frozen=True)
class Nature:
    """The true values of a subject: us of CPU a request, mebibytes, milliseconds to the first response."""

    cpu_us: float
    db_us: float
    idle_mib: float
    load_mib: float
    start_ms: float
    warm: float


NATURES = {
    "quarkus-rest-orm/jvm/pg": Nature(265, 92, 212, 331, 1460, 0.42),
    "spring4-mvc-jpa/jvm/pg": Nature(438, 95, 301, 447, 3920, 0.25),
    "vertx-pg/jvm/pg": Nature(258, 88, 148, 243, 705, 0.55),
    "control/jvm/pg": Nature(121, 86, 96, 141, 402, 0.7),
}


def scenario(
    name: str = "fruits", warmup_s: float = 6, closed_s: float = 6, rates: Sequence[int] = (100, 800)
) -> Scenario:
    return Scenario(
        name=name,
        version=1,
        workload=name,
        script=f"{name}.ts",
        operation="GET /fruits",
        uses_database=True,
        phases=(
            Phase(kind="start", name="start"),
            Phase(kind="probe", name="probe"),
            Phase(kind="warm-up", name="warm-up", duration_s=warmup_s, connections=100),
            Phase(kind="closed", name="closed", duration_s=closed_s, connections=100, saturates=True),
            *(Phase(kind="open", name=f"open@{rate}", duration_s=15, rate_per_s=rate) for rate in rates),
            Phase(kind="after", name="after"),
        ),
    )


def session(
    *,
    subjects: Sequence[str] = tuple(NATURES)[:3],
    scenarios: Sequence[Scenario] = (),
    blocks: int = 5,
    host_class: HostClass = "small",
    hostile: bool = False,
    invalid: bool = True,
    seed: int = 7,
    steady: bool = True,
) -> tuple[Record, dict[int, Evidence]]:
    """A record and the evidence of its trials. A subject that NATURES lacks takes the nature of one in it.

    Unless the session is `steady`, its phases do not prove that a program was warm.
    """
    chance = random.Random(seed)
    scenarios = scenarios or (scenario(),)
    plan = _plan(tuple(subjects), tuple(scenarios), blocks, host_class, chance, hostile)
    evidence: dict[int, Evidence] = {}
    trials: list[Trial] = []
    for planned in plan.trials:
        broken = invalid and planned.role == "measured" and planned.number in (6, 13)
        trial_evidence = _evidence(planned, plan.scenario(planned.scenario), chance, broken and planned.number == 13)
        evidence[planned.number] = trial_evidence
        findings = _findings(trial_evidence, broken, host_class, hostile)
        verdict: Verdict = "invalid" if broken else "valid" if host_class == "lab" else "advisory"
        trials.append(
            Trial(
                number=planned.number,
                block=planned.block,
                role=planned.role,
                subject=planned.subject,
                scenario=planned.scenario,
                evidence=f"evidence/{planned.number:03}.json.gz",
                figures=figures(
                    trial_evidence,
                    plan.scenario(planned.scenario),
                    plan.sets,
                    _proofs(plan.scenario(planned.scenario), planned.number) if steady else {},
                ),
                findings=findings,
                verdict=verdict,
            )
        )
    record = Record(
        versions=Versions(figures=FIGURES_VERSION, rules=1, workload=1),
        plan=plan,
        host=_host(host_class, hostile),
        provenance=_provenance(hostile),
        builds=tuple(
            Build(
                artifact=subject,
                command_line=("mvn", "-B", "package"),
                wall_s=chance.uniform(14, 60),
                peak_memory_bytes=int(chance.uniform(500, 900) * MIB),
                size_bytes=int(chance.uniform(12, 70) * MIB),
                sha256=f"{chance.getrandbits(256):064x}",
                inputs_sha256=f"{chance.getrandbits(256):064x}",
                reused=False,
            )
            for subject in (*plan.subjects, plan.control)
        ),
        training=(Training(subject=plan.subjects[0], wall_s=8.2, size_bytes=61 * MIB, sha256="ab" * 32),),
        trials=tuple(trials),
        standings=standings(plan, trials),
        usage=Usage(session_cpu_s=712.0, sampler_cpu_s=2.1, harness_cpu_s=9.8),
        verdict="invalid" if invalid else "valid" if host_class == "lab" else "advisory",
    )
    return record, evidence


def _proofs(scenario: Scenario, trial: int) -> dict[str, PhaseProof]:
    """Proofs of each phase, as if it had been long enough to show that its values stay within 2 %."""
    still = Drift(estimate=0.0, error=0.005, degrees=14, seconds=60, processes=3)
    drifts = dict.fromkeys((RATE, COST, LATENCY), Drifts(still, {trial: still}))
    return {
        phase.name: PhaseProof(phase.name, phase.kind, drifts, phase.duration_s, phase.duration_s, 0.2)
        for phase in scenario.phases
    }


def _plan(
    subjects: tuple[str, ...],
    scenarios: tuple[Scenario, ...],
    blocks: int,
    host_class: HostClass,
    chance: random.Random,
    hostile: bool,
) -> Plan:
    control = "control/jvm/pg"
    trials: list[PlannedTrial] = []

    def add(block: int, subject: str, scenario: Scenario, role: str) -> None:
        trials.append(
            PlannedTrial(
                number=len(trials) + 1,
                block=block,
                subject=subject,
                scenario=scenario.id,
                role=role,  # type: ignore[arg-type]
            )
        )

    add(0, control, scenarios[0], "discarded")
    for block in range(1, blocks + 1):
        for scenario in scenarios:
            if block in (1, blocks // 2 + 1, blocks):
                add(block, control, scenario, "control")
            for subject in chance.sample(subjects, len(subjects)):
                add(block, subject, scenario, "measured")
    return Plan(
        session="20260731T101502Z-bench-2core-3fa9c1",
        suite=HOSTILE if hostile else "smoke",
        seed=424242,
        host=HOSTILE if hostile else "bench-2core",
        host_class=host_class,
        sets=SETS if host_class == "small" else CpuSets(app=(2, 3), db=(4, 5), load=(6, 7), housekeeping=(0, 1)),
        placement=HOSTILE if hostile else "taskset",
        defaults={"heap": "512m", "gc": "g1", "pool": "20", "db-tls": HOSTILE if hostile else "off"},
        subjects=subjects,
        control=control,
        scenarios=scenarios,
        blocks=blocks,
        trials=tuple(trials),
        expected_s=640,
        detectable=Detectable(trials=blocks, cv=0.05, change=0.213, basis="no history of this host yet"),
    )


def _nature(subject: str) -> Nature:
    return NATURES.get(subject) or list(NATURES.values())[len(subject) % 3]


def _evidence(planned: PlannedTrial, scenario: Scenario, chance: random.Random, died: bool) -> Evidence:
    nature = _nature(planned.subject)
    luck = chance.gauss(1, 0.025)
    start_s = nature.start_ms * chance.gauss(1, 0.03) / 1000
    at_s = start_s + 1.5
    windows: list[Window] = []
    loads: list[LoadResult] = []
    rates: list[tuple[Window, float, float]] = []
    full = 1e6 / (nature.cpu_us + 150) / luck
    for phase in scenario.phases:
        if not phase.duration_s or (died and phase.kind == "open"):
            continue
        window = Window(phase=phase.name, kind=phase.kind, start_s=at_s, end_s=at_s + phase.duration_s)
        windows.append(window)
        rate = float(phase.rate_per_s or full)
        rates.append((window, rate, nature.warm if phase.kind == "warm-up" else 1.0))
        loads.append(_load(phase, rate, nature, chance))
        at_s = window.end_s + 1.2
    return Evidence(
        trial=planned.number,
        subject=planned.subject,
        scenario=planned.scenario,
        started_at="2026-07-31T10:15:02Z",
        clock_step_ms=0.1,
        host_before=HostBefore(load_1m=0.4, runnable=1, foreign_cpu_share=0.002),
        artifact_sha256="ab" * 32,
        processes=(),
        start=Start(
            resolution_ms=0.5,
            healthy_ms=start_s * 1000 + 20,
            first_response_ms=start_s * 1000,
            self_reported_ms=None if "control" in planned.subject else start_s * 640,
            rss_idle_bytes=int(nature.idle_mib * luck * MIB),
            rss_first_response_bytes=int(nature.idle_mib * 1.06 * luck * MIB),
            pss_idle_bytes=int(nature.idle_mib * 0.96 * luck * MIB),
        ),
        environment=None,
        environment_after=None,
        probes=(),
        windows=tuple(windows),
        series=_series(rates, nature, luck, at_s + 1, chance),
        load=tuple(loads),
        database=(),
        database_settings={},
        tls=(),
        threads=(),
        affinity=(),
        logs={},
        rss_after_bytes=int(nature.load_mib * 0.98 * MIB),
        pss_after_bytes=int(nature.load_mib * 0.95 * MIB),
        failure=Failure(phase="open@100", problem="The application ended with exit code 137.", tail=("Killed",))
        if died
        else None,
    )


def _load(phase: Phase, rate: float, nature: Nature, chance: random.Random) -> LoadResult:
    count = int(rate * phase.duration_s)
    middle = (nature.cpu_us + nature.db_us) / 1000 * (1.4 if phase.kind == "open" else 40) * chance.gauss(1, 0.04)
    normal = NormalDist()
    values = tuple(
        middle * math.exp(0.32 * normal.inv_cdf(max(q, 0.0005)) + (8 * max(q - 0.97, 0)) ** 2 * 20) for q in QUANTILES
    )
    return LoadResult(
        phase=phase.name,
        executor="constant-arrival-rate" if phase.kind == "open" else "constant-vus",
        connections=phase.connections,
        rate_per_s=phase.rate_per_s,
        window_s=phase.duration_s,
        requests=count,
        completed=count,
        failed=0,
        dropped=0,
        checks_passed=20,
        checks_failed=0,
        latency_mean_ms=fmean(values),
        latency_min_ms=values[0],
        latency_max_ms=values[-1] * 1.6,
        latency_ms=values,
        lag_p99_ms=0.4,
        lag_max_ms=1.2,
    )


def _series(
    rates: Sequence[tuple[Window, float, float]],
    nature: Nature,
    luck: float,
    end_s: float,
    chance: random.Random,
) -> Series:
    times = [0.37 + second for second in range(int(end_s) + 1)]
    requests = app = db = load = busy = idle = 0.0
    rows: dict[str, list[float | None]] = {
        name: []
        for name in (
            "load.requests", "cpu.app.user_us", "cpu.app.system_us", "cpu.db.user_us", "cpu.db.system_us",
            "cpu.load.user_us", "cpu.load.system_us", "set.app.busy_us", "set.app.idle_us", "set.app.iowait_us",
            "set.app.steal_us", "app.rss_bytes", "jvm.gc_us", "jvm.jit_us", "jvm.heap_used_bytes",
        )
    }  # fmt: skip
    for t_s in times:
        rate = 0.0
        for window, full, warm in rates:
            inside = min(t_s, window.end_s) - max(t_s - 1, window.start_s)
            if inside > 0:
                grown = 1 - (1 - warm) * math.exp(-(t_s - window.start_s) / 2.2) if warm < 1 else 1.0
                rate += inside * full * grown * chance.gauss(1, 0.03)
        cost = nature.cpu_us * luck
        requests += rate
        app += min(rate * cost, 990_000) if rate else 4000
        db += rate * nature.db_us
        load += rate * 55
        busy += min(rate * cost * 1.06 + 5000, 1_000_000)
        idle = (t_s + 0.63) * 1e6 - busy
        rss = nature.idle_mib + (nature.load_mib - nature.idle_mib) * min(requests / 4000, 1)
        values = (
            requests, app * 0.7, app * 0.3, db * 0.6, db * 0.4, load * 0.6, load * 0.4, busy, idle, 0.0, 0.0,
            rss * luck * MIB, requests * 4, 300_000 * math.log1p(t_s), rss * 0.4 * MIB,
        )  # fmt: skip
        for name, value in zip(rows, values, strict=True):
            rows[name].append(value)
    return Series(t_s=tuple(times), columns={name: tuple(column) for name, column in rows.items()})


def _findings(evidence: Evidence, broken: bool, host_class: HostClass, hostile: bool) -> tuple[Finding, ...]:
    errors = "12 of 1,403 requests failed: 12 answered 500." + (f" {HOSTILE}" if hostile else "")
    if evidence.failure is not None:
        errors = "The trial ended in the phase open@100: The application ended with exit code 137."
    return (
        Finding(
            rule="R1",
            phase="closed",
            outcome="pass" if host_class == "lab" else "warn",
            reading="The application's CPU was 71 % busy, under 90 %; the CPUs of database and load generator were"
            " 99 % busy: they were the limit.",
            value=0.71,
            unit="share",
            threshold=0.9,
        ),
        Finding(rule="R5", phase="closed", outcome="pass", reading="Little's law gives 0.99.", value=0.99),
        Finding(
            rule="R7",
            outcome="invalid" if broken else "pass",
            reading=errors if broken else "No request failed.",
            value=12 if broken else 0,
        ),
        Finding(rule="R20", outcome="unknown", reading="Throttling was not read: there is no cgroup of cpu."),
        Finding(rule="R13", outcome="n/a", reading="TLS is off by declaration."),
    )


def _host(host_class: HostClass, hostile: bool) -> HostFacts:
    count = 2 if host_class == "small" else 8
    return HostFacts(
        name="bench-2core",
        host_class=host_class,
        why_class="2 cores, and four sets need 4" if host_class == "small" else "bare metal, all CPUs ours",
        cpu_model=HOSTILE if hostile else "AMD EPYC 7763 64-Core Processor",
        microcode="0xa0011d1",
        cpus=count,
        memory_bytes=24 * 1024 * MIB,
        kernel="6.12.0-18-amd64",
        kernel_command_line="quiet",
        operating_system="Debian GNU/Linux 13 (trixie)",
        hypervisor=host_class != "lab",
        topology=Topology(
            cpus=tuple(Cpu(number=n, core=n, package=0, node=0, cache=0) for n in range(count)),
            hypervisor=False,
        ),
        readings=of_session(host_class),
    )


def _provenance(hostile: bool) -> Provenance:
    return Provenance(
        commit="386e255f7c1d1f0b6f0d0c5b6a4d3e2f1a0b9c8d",
        dirty=False,
        locks={"harness/requirements.lock": "cd" * 32, "apps/versions.toml": "ef" * 32},
        python="3.11.2",
        jdk="Temurin 25.0.3+9-LTS",
        k6="k6 v2.2.0",
        database=HOSTILE if hostile else "PostgreSQL 18.6, embedded",
        database_settings={"fsync": "on", "synchronous_commit": "on"},
        command_line=("./bench", "run", "--suite", "smoke"),
        started_at="2026-07-31T10:15:02Z",
        ended_at="2026-07-31T10:26:44Z",
        resumed=0,
    )


if __name__ == "__main__":
    # For people, and for the tests in browser/: a report of this session in the folder that the first argument names.
    scenarios = [scenario("hello"), scenario()]
    write(*session(scenarios=scenarios, hostile="--hostile" in sys.argv), Path(sys.argv[1]))
