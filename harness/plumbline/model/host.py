"""What a machine is made of, and how its CPUs are shared out."""

from __future__ import annotations

from typing import Literal

from .base import Frozen

HostClass = Literal["lab", "shared", "small"]
Role = Literal["app", "db", "load", "housekeeping"]
ROLES: tuple[Role, ...] = ("app", "db", "load", "housekeeping")


class Cpu(Frozen):
    """One logical CPU: its number, core (SMT siblings share it), package, NUMA node and last-level cache."""

    number: int
    core: int
    package: int
    node: int
    cache: int


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
        """The CPUs of a role."""
        cpus: tuple[int, ...] = getattr(self, role)
        return cpus

    def sharing(self, role: Role) -> tuple[Role, ...]:
        """The roles (itself included) that have a CPU in common with this one."""
        mine = set(self.of(role))
        return tuple(other for other in ROLES if mine & set(self.of(other)))


class HostFacts(Frozen):
    """The components of a host: a change of one of them starts a new segment of every series."""

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
