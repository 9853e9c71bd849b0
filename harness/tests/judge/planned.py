"""The parts of a made-up session: its plan, its host, its provenance and its builds."""

from __future__ import annotations

from plumbline.model.host import Cpu, CpuSets, HostClass, HostFacts, Topology
from plumbline.model.plan import Detectable, Phase, Plan, Scenario
from plumbline.model.record import Build, Provenance
from plumbline.subjects.plan.make import order_trials
from tests.host.readings import of_session

SUBJECTS = ("quarkus-rest-orm/jvm/pg", "spring4-mvc-jpa/jvm/pg", "vertx-pg/jvm/pg+db-tls=require")
CONTROL = "control/jvm/pg"
LAB = CpuSets(app=(0, 1, 2, 3), db=(4, 5), load=(6,), housekeeping=(7,))
SMALL = CpuSets(app=(0,), db=(1,), load=(1,), housekeeping=(1,))
# Requests a second of each subject, closed; the open rate is common to all.
CAPACITY = {SUBJECTS[0]: 4000, SUBJECTS[1]: 2500, SUBJECTS[2]: 4600, CONTROL: 5200}
OPEN_RATE = 500
CONNECTIONS = 100


def scenario(uses_database: bool = True) -> Scenario:
    return Scenario(
        name="fruits",
        version=1,
        workload="fruits",
        script="fruits.ts",
        operation="GET /fruits",
        uses_database=uses_database,
        phases=(
            Phase(kind="start", name="start"),
            Phase(kind="probe", name="probe"),
            Phase(kind="warm-up", name="warm-up", duration_s=8, connections=CONNECTIONS),
            Phase(kind="closed", name="closed", duration_s=65, connections=CONNECTIONS, saturates=True),
            Phase(kind="open", name=f"open@{OPEN_RATE}", duration_s=15, rate_per_s=OPEN_RATE),
            Phase(kind="after", name="after"),
        ),
    )


def plan(host_class: HostClass = "lab", blocks: int = 5, subjects: tuple[str, ...] = SUBJECTS) -> Plan:
    chosen = scenario()
    return Plan(
        session="20260901T101500Z-lab-0a1b2c",
        suite="smoke",
        seed=4711,
        host="lab",
        host_class=host_class,
        sets=SMALL if host_class == "small" else LAB,
        placement="cgroup2",
        defaults={"heap": "512m", "gc": "g1", "pool": "20", "db-tls": "off", "spin": "0"},
        subjects=subjects,
        control=CONTROL,
        scenarios=(chosen,),
        blocks=blocks,
        trials=order_trials(subjects, [chosen.id], CONTROL, blocks, 4711),
        expected_s=1200.0,
        detectable=Detectable(trials=blocks, cv=0.01, change=0.05, basis="assumed"),
        event_loops=(SUBJECTS[2],),
    )


def host(host_class: HostClass = "lab") -> HostFacts:
    count = 2 if host_class == "small" else 8
    cpus = tuple(Cpu(number=number, core=number, package=0, node=0, cache=0) for number in range(count))
    return HostFacts(
        name="lab",
        host_class=host_class,
        why_class="stated",
        cpu_model="Test CPU",
        microcode="0x1",
        cpus=count,
        memory_bytes=16 * 2**30,
        kernel="6.12.0",
        kernel_command_line="quiet",
        operating_system="Debian GNU/Linux 13 (trixie)",
        hypervisor=host_class == "shared",
        topology=Topology(cpus=cpus, hypervisor=host_class == "shared"),
        readings=of_session(host_class),
    )


def provenance() -> Provenance:
    return Provenance(
        commit="0" * 40,
        dirty=False,
        locks={"harness/requirements.lock": "1" * 64},
        python="3.11.7",
        jdk="25.0.3+9-LTS",
        k6="2.2.0",
        database="18.6",
        database_settings={"fsync": "on"},
        command_line=("./bench", "run"),
        started_at="2026-09-01T10:15:00Z",
        ended_at="2026-09-01T10:35:00Z",
        resumed=0,
    )


def build_of(subject: str) -> Build:
    return Build(
        artifact="/".join(subject.split("+")[0].split("/")),
        command_line=("mvn", "package"),
        wall_s=12.5,
        peak_memory_bytes=900 * 2**20,
        size_bytes=20 * 2**20,
        sha256=digest_of(subject),
        inputs_sha256="2" * 64,
        reused=False,
    )


def digest_of(subject: str) -> str:
    return f"{(CAPACITY[subject]):064x}"
