"""The machine set up for a session: what every trial of it uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from plumbline.measuring.launch.contained import Containers
from plumbline.measuring.launch.interface import Spawner
from plumbline.measuring.load.k6 import K6
from plumbline.measuring.observe.targets import Roots
from plumbline.measuring.place.interface import Placement
from plumbline.measuring.services.hosted import HostedDatabase
from plumbline.measuring.services.sources import SourcesService
from plumbline.measuring.services.tls import HttpTls
from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets, HostReading
from plumbline.subjects.catalog.settings import cpus_asked_for
from plumbline.verdicts.contract.probes import ProbeSpec
from .job import Job
from .progress import Progress


@runtime_checkable
class RemoteTestbed(Protocol):
    """A place to run trials that is not this host; `work` takes the logs of the trial in flight."""

    @property
    def work(self) -> Path:
        """The folder of the logs."""

    @property
    def sets(self) -> CpuSets:
        """The CPUs of each role."""

    def read_before(self) -> HostReading:
        """Return the reading of the place before its first trial."""

    def run_trial(self, job: Job, progress: Progress) -> Evidence:
        """Run one trial, and return its evidence, also if the trial failed."""


@dataclass(frozen=True)
class Testbed:
    """All that a trial needs from its session.

    `work` is the application's folder of the trial in flight, at the same path for every trial, so that no command line
    differs by the path. `private` is the trial's folder that only the harness and the load generator enter, and `aot`
    has the AOT caches, which applications only read. `own_pids` are the harness and its supervisor; `other_supervisors`
    and `other_databases` belong to another testbed of this session, and have no role here. `deadline_s` is how long an
    application may take to start; `stop_s` is how long it may take to answer once more and to end by itself, before it
    is killed. `containers` is None without an engine. `cpu_limit` is the CPU time, in CPUs, of an application that gets
    less than all of its CPUs. `temporary` is the folder of a JVM's temporary files, which the session removes even
    after a kill; None if the JVM has a /tmp of its own.
    """

    session: str
    spawner: Spawner
    placement: Placement
    sets: CpuSets
    database: HostedDatabase
    k6: K6
    java: Path
    roots: Roots
    probes: tuple[ProbeSpec, ...]
    work: Path
    private: Path
    aot: Path
    own_pids: tuple[int, ...]
    environ: Mapping[str, str]
    free_port: Callable[[], int]
    other_supervisors: tuple[int, ...] = ()
    other_databases: tuple[HostedDatabase, ...] = ()
    sources: SourcesService | None = None
    http_tls: HttpTls | None = None
    containers: Containers | None = None
    cpu_limit: float | None = None
    temporary: Path | None = None
    deadline_s: float = 120.0
    stop_s: float = 10.0

    @property
    def backing_pids(self) -> tuple[int, ...]:
        """The processes that applications use: the database, and the six sources where a scenario has them."""
        return (*self.database.pids, *(self.sources.pids if self.sources is not None else ()))


def sets_of(testbed: Testbed, settings: Mapping[str, str]) -> CpuSets:
    """Return the CPUs of each role on a testbed where the application has these settings."""
    return testbed.sets.confined(cpus_asked_for(settings))


def revive_database(testbed: Testbed | RemoteTestbed, progress: Progress) -> None:
    """Start the database again if it died; elsewhere each trial has a new one."""
    if not isinstance(testbed, RemoteTestbed) and not testbed.database.answers():
        progress.say("starting the database again")
        testbed.database.start_again()
