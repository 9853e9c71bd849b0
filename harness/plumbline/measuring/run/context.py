"""The context of commands that measure: the catalog, this machine, and the tools, each found when first asked for."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from plumbline.archive.history.collect import sessions
from plumbline.archive.history.extract import Extract
from plumbline.archive.history.noise import noise_book
from plumbline.archive.record.names import is_host
from plumbline.machine.host.facts import read_components, read_host_facts
from plumbline.machine.host.kernel import allowed_cpus, read_topology
from plumbline.machine.host.paths import Paths
from plumbline.machine.host.reading import read_host
from plumbline.machine.tools.container import ContainerEngine, find_container_engine
from plumbline.machine.tools.git import commit_of
from plumbline.machine.tools.jdk import Jdk, Maven, find_jdk, get_maven, named_jdk
from plumbline.machine.tools.k6 import K6Program, get_k6
from plumbline.machine.tools.native_image import NativeImage, NativeMemory, find_native_image, native_memory
from plumbline.machine.tools.toolbox import Toolbox
from plumbline.measuring.build.builder import Builder
from plumbline.measuring.build.images import BASE_VARIABLE, NATIVE_BASE_VARIABLE, UBUNTU, Images, base_of
from plumbline.measuring.build.packs import read_digests
from plumbline.measuring.build.store import Artifact, Store
from plumbline.measuring.launch.interface import Spawner
from plumbline.measuring.place.choose import choose_placement
from plumbline.measuring.place.interface import Placement
from plumbline.measuring.place.launcher import INSIDE, Launcher
from plumbline.measuring.place.providers.sandbox import Sandbox
from plumbline.measuring.place.sets import duet_sets, plan_sets
from plumbline.measuring.services.hosted import HostedDatabase
from plumbline.measuring.services.postgres.given import AUTHORITY_VARIABLE
from plumbline.measuring.services.registry import DatabaseSetup, database_service, mysql_service
from plumbline.model.errors import UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets, HostFacts, HostReading, Topology
from plumbline.model.plan import Network, Plan, PlannedTrial
from plumbline.model.record import Image
from plumbline.model.subject import Engine, Subject, is_native
from plumbline.subjects.catalog.bench import HostSpec
from plumbline.subjects.catalog.catalog import Catalog, read_catalog
from plumbline.subjects.catalog.settings import in_container
from plumbline.subjects.plan.detectable import NoiseBook
from plumbline.subjects.plan.phases import scenario_of
from plumbline.subjects.plan.proofs import Means
from .job import Agent, Job
from .room import FreeBytes, free_bytes
from .testbed import RemoteTestbed


class Tools(NamedTuple):
    """The tools of a session, each with its version."""

    jdk: str
    k6: str
    database: str


@dataclass(frozen=True)
class Context:
    """What all commands that measure on this machine share. `say` gets a text of every step that takes time; `given`
    artifacts are used as they are, and nothing is built. `histories` are folders of records, besides the local results,
    that say how trials scatter on this kind of host.
    """

    root: Path
    catalog: Catalog
    paths: Paths
    environ: Mapping[str, str]
    say: Callable[[str], None]
    given: Mapping[str, str] | None = None
    histories: tuple[Path, ...] = ()
    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    etc: Path = Path("/etc")
    run: Path = Path("/run")
    var: Path = Path("/var")
    free_bytes: FreeBytes = free_bytes

    @cached_property
    def box(self) -> Toolbox:
        """The toolbox that finds tools or downloads them."""
        return Toolbox.of(self.paths, self.environ, self.say)

    @cached_property
    def jdk(self) -> Jdk:
        """JDK 25; raises UsageError that says which package to install."""
        return find_jdk(self.environ)

    def java(self, settings: Mapping[str, str]) -> Path:
        """Return the Java launcher that a setting `jdk` names. Raises UsageError with the JDKs of this host."""
        jdk_name = settings["jdk"]
        return self.jdk.java if jdk_name == "auto" else named_jdk(jdk_name, self.environ).java

    def agent(self, settings: Mapping[str, str]) -> Agent | None:
        """Return the agent that a subject's setting `otel` asks for; it is downloaded once. Raises UsageError."""
        if settings["otel"] == "off":
            return None
        jar = self.box.fetch("the OpenTelemetry agent", self.box.pins.pin("otel"))
        return Agent(jar, self.host_spec.collector)

    @cached_property
    def _native_images(self) -> dict[str, NativeImage | None]:
        return {}

    @cached_property
    def container_engine(self) -> ContainerEngine | str:
        """Podman or docker, or why nothing can run in a container here."""
        if INSIDE in self.environ:
            return "the sandbox starts processes alone. `--sandbox off` measures what you trust without it."
        return find_container_engine(self.environ, self.box.run)

    def cannot_contain(self) -> str | None:
        """Return why nothing can run in a container here, as a builder asks; None if there is an engine."""
        return self.container_engine if isinstance(self.container_engine, str) else None

    @cached_property
    def maven(self) -> Maven:
        """The pinned Maven."""
        return get_maven(self.box)

    @cached_property
    def k6(self) -> K6Program:
        """k6, found, downloaded or built."""
        return get_k6(self.box)

    @cached_property
    def topology(self) -> Topology:
        """The CPUs that this process may use."""
        return read_topology(self.sys, self.proc, allowed_cpus(self.proc))

    @cached_property
    def host_name(self) -> str:
        """`$PLUMBLINE_HOST`, else the machine's own name. Raises UsageError for a name that no record can carry."""
        name = self.environ.get("PLUMBLINE_HOST") or platform.node() or "host"
        if not is_host(name):
            raise UsageError(
                f"No record can carry '{name}' as the name of a host.",
                "Set PLUMBLINE_HOST to letters, digits, dots and dashes, 63 characters at most.",
            )
        return name

    @cached_property
    def host_spec(self) -> HostSpec:
        """The entry of bench.toml for this host."""
        return self.catalog.host(self.host_name)

    @cached_property
    def host(self) -> HostFacts:
        """The components of this host and its class, as read when they are first asked for."""
        return self.host_of((self.read_host(),))

    def read_host(self) -> HostReading:
        """Return every condition of this host at this moment."""
        try:
            sets = self.sets
        except UsageError:
            # A host with one CPU can't measure, but commands that only look work there.
            sets = None
        return read_host(
            self._measures,
            proc=self.proc,
            sys_root=self.sys,
            etc=self.etc,
            run=self.run,
            var=self.var,
            scratch=self.paths.scratch,
            sets=sets,
        )

    def host_of(self, readings: Sequence[HostReading]) -> HostFacts:
        """Return the components of this host, and its class by all these readings."""
        return read_host_facts(
            name=self.host_name,
            topology=self.topology,
            proc=self.proc,
            etc=self.etc,
            environ=self.environ,
            stated=self.host_spec.host_class,
            components=read_components(self._measures, proc=self.proc, sys_root=self.sys, etc=self.etc),
            readings=readings,
        )

    @property
    def _measures(self) -> Path:
        return self.root / "runner-setup" / "measures"

    @cached_property
    def sets(self) -> CpuSets:
        """The CPUs of each role."""
        return plan_sets(self.topology)

    def gives(self, sets: CpuSets) -> bool:
        """Return whether a session that was begun with these CPUs of each role can have them here."""
        return sets == self.sets

    @cached_property
    def placement(self) -> Placement:
        """The placement that holds processes on their CPUs here. Raises UsageError for an impossible one."""
        if namespace := self.environ.get(INSIDE):
            return Sandbox(Launcher(), namespace)
        return choose_placement(self.proc, self.topology, is_root=os.geteuid() == 0, wanted=self.host_spec.placement)

    def database_place(self, engine: Engine) -> str:
        """Return where the database of a session is: bench.toml says so of PostgreSQL; MySQL is this host's own."""
        return "embedded" if engine == "mysql" else self.host_spec.database

    def network(self, engine: Engine) -> Network:
        """Return the way from load to application and on to the database of a session."""
        host = urlsplit(self.database_place(engine)).hostname
        return "loopback" if host in (None, "localhost", "127.0.0.1", "::1") else "remote database"

    def require_authority(self, engine: str, settings: Mapping[str, str]) -> None:
        """Check that an application can verify the server of its database. Raises UsageError: a server that is given by
        its address has a certificate of somebody else.
        """
        is_given = engine == "pg" and "://" in self.host_spec.database
        if is_given and settings["db-tls"] == "require" and not self.environ.get(AUTHORITY_VARIABLE):
            raise UsageError(
                "The setting db-tls=require asks applications to verify the database's server, and nothing names the"
                " authority of the server that bench.toml gives this host by its address.",
                f"Name a PEM file with the authority's certificate in {AUTHORITY_VARIABLE}.",
            )

    @property
    def held_by(self) -> str:
        """The name of the means by which roles are held on their CPUs."""
        return self.placement.name

    def means(self, engine: Engine) -> Means:
        """Return the proofs that are possible here in a session on this engine (rules R2 and R6)."""
        why_fixed = None
        if isinstance(self.placement, Sandbox):
            why_fixed = "The launcher gives each role its CPUs once for a session."
        is_elsewhere = self.network(engine) == "remote database"
        why_elsewhere = "This host can give its CPUs to no database on another host." if is_elsewhere else None
        return Means(self.placement.cannot_limit(), why_fixed, why_elsewhere)

    def elsewhere(self, plan: Plan) -> AbstractContextManager[RemoteTestbed] | None:
        """Return the place where the trials of a plan run; None if that is this host."""
        del plan
        return None

    def tools_elsewhere(self, evidence: Collection[Evidence]) -> Tools | None:
        """Return the tools that ran in trials elsewhere, by their evidence; None if those of this host ran."""
        del evidence
        return None

    def with_own_placement(self) -> Context:
        """Return this context with a placement of its own, for a second testbed beside the first."""
        other = replace(self)
        # By then this process is on the CPUs of housekeeping, and would read no others.
        other.__dict__["topology"] = self.topology
        return other

    @cached_property
    def places(self) -> tuple[CpuSets, CpuSets]:
        """The CPUs of the two sides of a duet."""
        return duet_sets(self.topology)

    def noise(self, *, duet: bool = False) -> NoiseBook:
        """Return the noise here, from earlier sessions of a design. Raises UsageError where one of `histories` can't be
        read.
        """
        return noise_book(self._earlier, self.host_name, self.host.host_class, duet=duet)

    @cached_property
    def _earlier(self) -> tuple[Extract, ...]:
        cache = self.paths.cache / "history"
        extracts = [extract for data in self.histories for extract in sessions(data, cache)]
        if self.paths.results.is_dir():
            extracts += sessions(self.paths.results, cache, unreadable=[])
        return tuple({extract.session: extract for extract in extracts}.values())

    def database(
        self, engine: Engine, spawner: Spawner, session: str, scratch: Path, logs: Path, sets: CpuSets
    ) -> AbstractContextManager[HostedDatabase]:
        """Return a context with a running database of the engine."""
        setup = DatabaseSetup(
            box=self.box,
            spawner=spawner,
            session=session,
            folder=scratch / "db",
            log=logs / "database.log",
            cpus=sets.db,
            nodes=self.placement.memory_nodes(sets.db),
            own=self.placement.database_folder if isinstance(self.placement, Sandbox) else None,
        )
        return mysql_service(setup) if engine == "mysql" else database_service(self.host_spec.database, setup)

    def job(self, text: str, scenario_name: str | None = None) -> Job:
        """Build a subject, and return its job for a run by hand. Without a name the scenario is the first one that the
        subject serves; those of the default suite come first.
        """
        subject = self.catalog.subject(text)
        _, suite = self.catalog.suite(None)
        variant = self.catalog.variant(subject.variant)
        scenario_names = (*suite.scenarios, *self.catalog.bench.scenarios)
        name = scenario_name or next(name for name in scenario_names if self.catalog.serves(variant, name))
        scenario = scenario_of(name, self.catalog.scenario(name), suite, sets=self.sets)
        settings, artifact = self.catalog.settings_of(subject), self.builder().build(subject)
        return Job(
            trial=PlannedTrial(number=0, block=0, subject=subject.id, scenario=scenario.id, role="discarded"),
            scenario=scenario,
            subject=subject,
            variant=variant,
            artifact=artifact,
            settings=settings,
            java=self.java(settings),
            agent=self.agent(settings),
            image=self.image_of(subject, settings, artifact),
        )

    def builder(self) -> Builder:
        """Return a builder that uses this machine's JDK and the pinned Maven."""
        return Builder(
            catalog=self.catalog,
            store=Store(self.paths.cache / "artifacts"),
            logs=self.paths.cache / "logs",
            java_home=self.jdk.home,
            maven=self.maven.program,
            toolchain=(f"JDK {self.jdk.vendor} {self.jdk.build}", f"Maven {self.maven.version}"),
            environ=self.environ,
            say=self.say,
            built_elsewhere=self.given,
            native_image=self.native_image,
            cannot_contain=self.cannot_contain,
            native_memory=self.native_memory,
        )

    def image_of(
        self, subject: Subject, settings: Mapping[str, str], artifact: Artifact, commit: str | None = None
    ) -> Image | None:
        """Return the image of a subject's artifact, by the Containerfile of this checkout; None for a process.

        `commit` is the commit that the artifact was made of, None for the files of this checkout. Raises Unavailable
        without an engine or a base, BuildFailed, and UsageError if the setting `jdk` names no JDK of this host.
        """
        if not in_container(settings):
            return None
        images = Images(
            engine=self.container_engine,
            recipes=self.root / "apps" / "containers",
            scratch=self.paths.scratch,
            logs=self.paths.cache / "logs",
            say=self.say,
            revision=commit or _revision(self.root),
        )
        return images.build(subject, artifact, self._base_image(subject, settings["jdk"]))

    def _base_image(self, subject: Subject, jdk: str) -> str:
        """Return the image that a subject's image stands on: one with its Java, or one for an executable."""
        if is_native(subject.packaging):
            return self.environ.get(NATIVE_BASE_VARIABLE) or UBUNTU
        if jdk == "auto":
            return self.environ.get(BASE_VARIABLE) or base_of(self.jdk)
        return base_of(named_jdk(jdk, self.environ))

    def native_image(self, builder: str) -> NativeImage | None:
        """Return the native-image program of that builder on this host, searched only once; None without one."""
        if builder not in self._native_images:
            self._native_images[builder] = find_native_image(builder, self.environ, self.box.run)
        return self._native_images[builder]

    def native_memory(self) -> NativeMemory:
        """Return the most memory that a native image's build may take, and the memory that this host has free now."""
        return native_memory(self.environ, self.proc)


def open_context(
    root: Path, apps: Sequence[Path], say: Callable[[str], None], artifacts: Path | None = None
) -> Context:
    """Read the catalog of the checkout at `root` with the variants in `apps`. Raises UsageError.

    `artifacts` is a file of `./bench ci unpack`: the artifacts that it names are used, and nothing is built.
    """
    if platform.system() != "Linux":
        raise UsageError(
            f"Plumbline measures on Linux, and this is {platform.system()}.",
            "Run it in a Linux virtual machine, a container or WSL.",
        )
    environ = dict(os.environ)
    catalog = read_catalog(root, [app.resolve() for app in apps])
    given = None if artifacts is None else read_digests(artifacts)
    return Context(root, catalog, Paths.of(environ, root, os.geteuid()), environ, say, given)


def _revision(root: Path) -> str | None:
    """Return the commit of a checkout, marked where files differ from it; None without git."""
    commit, dirty = commit_of(root)
    return f"{commit}-dirty" if commit is not None and dirty else commit
