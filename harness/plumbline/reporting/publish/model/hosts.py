"""The hosts: their parts, the conditions that they met, and how often they raise a false alarm."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.host import HostClass
from plumbline.model.record import Outcome
from .base import Document, Link
from .runs import Fact


class DoctorLine(Frozen):
    """A condition of the host and how it was met; `mend` is the command that repairs it."""

    name: str
    outcome: str
    reading: str
    mend: str | None


class IsolationLine(Frozen):
    """A rule about the host (isolation, capacity) in the newest session: its worst outcome and reading."""

    rule: str
    title: str
    worst: Outcome
    reading: str


class AaRate(Frozen):
    """The rate at which equal sides were found different: in `flags` of the `sessions` that compared a subject with
    itself, a question told the sides apart. `low` and `high` are the 95 % interval of the rate. `looks` is an older
    name of `sessions`, and `about` says what they are.
    """

    sessions: int
    looks: int
    flags: int
    rate: float
    low: float
    high: float
    about: str


class EnvironmentChange(Frozen):
    """A change of a component of the host, from this session on."""

    t: int
    session: str
    component: str
    before: str | None
    after: str | None


class QuietCpu(Frozen):
    """The time that a loop on one CPU did not get: its share of all time, and the longest single interruption."""

    cpu: int
    housekeeping: bool
    lost_share: float
    longest_us: float


class QuietScatter(Frozen):
    """The standard deviation of the control's CPU time per request over its mean, across `trials` trials."""

    trials: int
    cv: float


class Quiet(Frozen):
    """How quiet a host was at `t`. `scatter` is missing where the control was not measured."""

    t: int
    cpus: tuple[QuietCpu, ...]
    write_p99_ms: float
    scatter: QuietScatter | None


class HostQuiet(Frozen):
    """How quiet a host was before and after `bench-host apply`, as far as both were kept."""

    before: Quiet | None
    after: Quiet | None


class HostFile(Frozen):
    """A host. `doctor` has its conditions in the newest session, read at `doctor_t`; empty where no reading is kept.
    `quiet` is missing where nobody kept a measurement.
    """

    name: str
    slug: str
    host_class: HostClass
    why_class: str
    facts: tuple[Fact, ...]
    sessions: int
    first: Link
    newest: Link
    not_guaranteed: tuple[str, ...]
    isolation: tuple[IsolationLine, ...]
    doctor_t: int | None
    doctor: tuple[DoctorLine, ...]
    aa: AaRate | None
    quiet: HostQuiet | None
    changes: tuple[EnvironmentChange, ...]


class HostsFile(Document):
    """`api/v1/hosts.json`."""

    kind: Literal["hosts"] = "hosts"
    hosts: tuple[HostFile, ...]
