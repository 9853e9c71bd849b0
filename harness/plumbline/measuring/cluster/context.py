"""The context of a session whose trials run in a cluster: its host is the cluster, as far as the API shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from functools import cached_property

from plumbline.machine.host.kernel import utc_now
from plumbline.measuring.build.images import REPOSITORY
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.journal import ClusterOptions
from plumbline.measuring.run.testbed import RemoteTestbed
from plumbline.model.host import CpuSets, HostFacts, HostReading, Topology
from plumbline.model.plan import Network, Plan
from plumbline.subjects.plan.proofs import Means
from .api import ClusterApi, open_api
from .files import read_files
from .images import images_of
from .load_request import require_placeable
from .network import components
from .passwords import drawn_passwords
from .pod import CLUSTER_ROLES, ClusterRole, Object
from .preflight import examine_cluster, has_role, require_cluster, usable_cpus
from .trial import ClusterTrials

_WHY = "no node of a cluster shows the conditions of a lab"
_NO_PROOF = "In a cluster no trial can be given other CPUs or less of their time."


@dataclass(frozen=True)
class ClusterContext(Context):
    """A context whose trials run in the cluster that `options` name."""

    options: ClusterOptions = field(default_factory=ClusterOptions)

    @classmethod
    def of(cls, context: Context, options: ClusterOptions) -> ClusterContext:
        """Return the context of a cluster, made of the context of this host. Raises UsageError in one sentence if no
        session can run there.
        """
        cluster_context = cls(**{part.name: getattr(context, part.name) for part in fields(context)}, options=options)
        require_cluster(cluster_context.read_host().conditions)
        return cluster_context

    @cached_property
    def api(self) -> ClusterApi:
        """The API of the cluster."""
        return open_api(self.environ, self.options.context)

    @cached_property
    def _nodes(self) -> tuple[Object, ...]:
        return tuple(self.api.get("/api/v1/nodes")["items"])

    @cached_property
    def host_name(self) -> str:
        """The name of the cluster among hosts."""
        return f"kubernetes-{self.options.context or 'current'}"

    @cached_property
    def host(self) -> HostFacts:
        """The cluster as a host, by what the API says of its nodes."""
        return self.host_of((self.read_host(),))

    def read_host(self) -> HostReading:
        """Return the conditions of the cluster at this moment; the API does not show those of the nodes."""
        return HostReading(
            read_at=utc_now(),
            uptime_s=None,
            conditions=examine_cluster(self.api),
            frequency_khz={},
            throttled={},
            interrupts={},
        )

    def host_of(self, readings: Sequence[HostReading]) -> HostFacts:
        """Return the cluster as a host. Its CPUs have no numbers, and so no topology."""
        app_nodes = [node for node in self._nodes if has_role(node, "app")]
        system_versions = {name: _distinct_values(app_nodes, name) for name in ("kernelVersion", "osImage")}
        is_shared = len(self.sets.sharing("db")) > 1
        return HostFacts(
            name=self.host_name,
            host_class="small" if is_shared else "shared",
            why_class="database and generators share CPUs" if is_shared else _WHY,
            cpu_model="",
            microcode=None,
            cpus=sum(usable_cpus(node) for node in self._nodes),
            memory_bytes=0,
            kernel=system_versions["kernelVersion"],
            kernel_command_line="",
            operating_system=system_versions["osImage"],
            hypervisor=False,
            topology=Topology(cpus=(), hypervisor=False),
            components=components(path for reading in readings for path in reading.network),
            readings=tuple(readings),
        )

    @cached_property
    def sets(self) -> CpuSets:
        """The CPUs of each role. Their numbers only count them: no API says which they are."""
        return sets_of_nodes(self._nodes, self.options.generators or 1)

    @property
    def network(self) -> Network:
        """The cluster's own network, between pods."""
        return "cluster"

    @property
    def held_by(self) -> str:
        """Kubernetes: the CPU managers of the kubelets hold roles on their CPUs."""
        return "kubernetes"

    @cached_property
    def means(self) -> Means:
        """The proofs that are possible in a cluster: none."""
        return Means(_NO_PROOF, _NO_PROOF)

    def elsewhere(self, plan: Plan) -> AbstractContextManager[RemoteTestbed]:
        """Return the trials of a plan in the cluster. Raises UsageError for a subject that needs its host."""
        images = self.options.images or REPOSITORY
        for text in (plan.control, *plan.subjects):
            require_placeable(self.catalog, self.catalog.subject(text))
            images_of(self.catalog.subject(text), self.box.pins, images)
        return ClusterTrials(
            api=self.api,
            catalog=self.catalog,
            files=read_files(self.root),
            pins=self.box.pins,
            passwords=drawn_passwords(),
            plan=plan,
            work=self.paths.session_scratch(plan.session) / "trial",
            images=images,
            say=self.say,
            read=self.read_host,
            generators=self.options.generators,
        )


def sets_of_nodes(nodes: Sequence[Object], generators: int) -> CpuSets:
    """Return the CPUs of each role, numbered one after another. A node gives each of its roles an equal part; where
    not every role can have CPUs of its own, database and generators share the CPU after the application's.
    """
    cpus = {role: _most_cpus(nodes, role) for role in CLUSTER_ROLES}
    if sum(usable_cpus(node) for node in nodes) < 2 + generators or 0 in cpus.values():
        return CpuSets(app=(0,), db=(1,), load=(1,), housekeeping=(1,))
    counts: Mapping[ClusterRole, int] = {**cpus, "load": max(generators, 1)}
    app, db = range(counts["app"]), range(counts["app"], counts["app"] + counts["db"])
    load = range(db.stop, db.stop + counts["load"])
    return CpuSets(app=tuple(app), db=tuple(db), load=tuple(load), housekeeping=(load.stop,))


def _most_cpus(nodes: Sequence[Object], role: ClusterRole) -> int:
    """Return the most CPUs that a node can give a pod of that role beside its other roles."""
    parts = [
        usable_cpus(node) // sum(has_role(node, other) for other in CLUSTER_ROLES)
        for node in nodes
        if has_role(node, role)
    ]
    return max(parts, default=0)


def _distinct_values(nodes: Sequence[Object], name: str) -> str:
    values = sorted({str(node["status"].get("nodeInfo", {}).get(name, "unknown")) for node in nodes})
    return ", ".join(values) or "unknown"
