"""The parts of a machine, and the sets into which its CPUs are divided."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Frozen, sparse

HostClass = Literal["lab", "shared", "small"]
Role = Literal["app", "db", "load", "housekeeping"]
ROLES: tuple[Role, ...] = ("app", "db", "load", "housekeeping")


class Cpu(Frozen):
    """A logical CPU: its number, core (SMT siblings share it), package, NUMA node and last-level cache.

    `weak` says that its core is of a weaker kind than others of the host are.
    """

    number: int
    core: int
    package: int
    node: int
    cache: int
    weak: bool = sparse(False)


class Topology(Frozen):
    """The online CPUs that this process may use, by number."""

    cpus: tuple[Cpu, ...]
    hypervisor: bool


class CpuSets(Frozen):
    """CPU numbers of each role, sorted. Roles may share CPUs only on a host of class `small`, and never with app."""

    app: tuple[int, ...]
    db: tuple[int, ...]
    load: tuple[int, ...]
    housekeeping: tuple[int, ...]

    def of(self, role: Role) -> tuple[int, ...]:
        """Return the CPUs of a role."""
        cpus: tuple[int, ...] = getattr(self, role)
        return cpus

    def confined(self, cpus: int | None) -> CpuSets:
        """Return the sets with so many of the application's CPUs, the first of them; with all of them for None."""
        return self if cpus is None else self.model_copy(update={"app": self.app[:cpus]})

    def sharing(self, role: Role) -> tuple[Role, ...]:
        """Return the roles (itself included) that have a CPU in common with this one."""
        own_cpus = set(self.of(role))
        return tuple(other_role for other_role in ROLES if own_cpus & set(self.of(other_role)))


Met = Literal["fit", "unfit", "unknown", "n/a"]
NeededFor = Literal["any", "lab", "extra"]


class Condition(Frozen):
    """A condition of a host, its reading, and whether the reading meets the condition.

    `needed_for` is `any` where nothing can be measured without it, `lab` where results would stay advisory, `extra`
    where it is only reported. `command` makes the host meet the condition, where a command can.
    """

    id: str
    title: str
    why: str
    needed_for: NeededFor
    verdict: Met
    reading: str
    command: str | None = None

    @property
    def said(self) -> str:
        """The reading, with the title: before it where the condition is met, else after it as what is wanted."""
        if self.verdict in ("unfit", "unknown"):
            return f"{self.reading} (wanted: {self.title})"
        return f"{self.title}: {self.reading}"


class NetworkPath(Frozen):
    """The network between a node of `role` and a node of the application, as a program on each of them measured it.

    `round_trip_ms` is the median and `round_trip_p99_ms` the 99th percentile of one byte over TCP there and back.
    `mbit_per_s` is what one connection carried to the application's node. Of the `sent` datagrams `lost` did not come
    back.
    """

    role: Role
    node: str
    app_node: str
    round_trip_ms: float = Field(ge=0)
    round_trip_p99_ms: float = Field(ge=0)
    mbit_per_s: float = Field(ge=0)
    sent: int = Field(gt=0)
    lost: int = Field(ge=0)


class HostReading(Frozen):
    """All that was read of a host at one moment; what could not be read is absent or `unknown`.

    `read_at` is in UTC, such as `2026-11-21T20:46:48Z`; `uptime_s` are the seconds since the host booted.
    `frequency_khz` are the lowest and the highest frequency that each CPU may run at. `throttled` counts how often
    heat slowed each CPU down, `interrupts` how often a device interrupted it, both since the host booted. `network`
    has the paths between the roles where they run on several machines.
    """

    read_at: str
    uptime_s: float | None
    conditions: tuple[Condition, ...]
    frequency_khz: dict[int, tuple[int, int]]
    throttled: dict[int, int]
    interrupts: dict[int, int]
    network: tuple[NetworkPath, ...] = sparse(())


ComponentName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_. -]{1,60}$")]


class HostFacts(Frozen):
    """The components of a host: a change of one of them starts a new segment of every series.

    `components` are those of `bench-host fingerprint` that no other field has, by name; empty in a record made before
    they were recorded. `readings` are taken before the session, whenever an interrupted session is resumed, and after
    it. The class follows from all of them.
    """

    name: str
    host_class: HostClass
    why_class: str
    cpu_model: str
    microcode: str | None
    cpus: int
    memory_bytes: int
    kernel: str
    kernel_command_line: str
    operating_system: str
    hypervisor: bool
    topology: Topology
    components: dict[ComponentName, str] = sparse({})
    readings: tuple[HostReading, ...] = ()
