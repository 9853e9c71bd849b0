"""The context of a session whose trials run in a cluster: its host is the cluster, as far as the API shows it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from functools import cached_property

from plumbline.machine.host.kernel import utc_now
from plumbline.measuring.build.images import REPOSITORY
from plumbline.measuring.run.context import Context, Tools
from plumbline.measuring.run.journal import ClusterOptions
from plumbline.measuring.run.testbed import RemoteTestbed
from plumbline.model.errors import UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets, HostFacts, HostReading, Topology
from plumbline.model.plan import Network, Plan
from plumbline.model.subject import Engine
from plumbline.subjects.plan.proofs import Means
from plumbline.verdicts.judge.wording import listed
from .api import ClusterApi, open_api
from .files import read_files
from .images import images_of
from .load_request import require_placeable
from .network import components
from .nodes import SessionNodes, choose, read_role_nodes
from .passwords import drawn_passwords
from .pod import CLUSTER_ROLES, Object
from .preflight import examine_cluster, require_cluster
from .trial import ClusterTrials

_WHY = "no node of a cluster shows the conditions of a lab"
_NO_PROOF = "In a cluster no trial can be given other CPUs or less of their time."


@dataclass(frozen=True, kw_only=True)
class ClusterContext(Context):
    """A context whose trials run in the cluster of `api`, on the nodes that are `chosen`. `options` name all of this,
    so that a session which goes on finds it again.
    """

    options: ClusterOptions
    api: ClusterApi
    chosen: SessionNodes

    @classmethod
    def of(cls, context: Context, options: ClusterOptions) -> ClusterContext:
        """Return the context of a cluster, made of the context of this host. Raises UsageError in one sentence if no
        session can run there, or if one that began elsewhere would go on there.
        """
        api = open_api(context.environ, options.context)
        context.say(f"cluster: the context {api.context}, at {api.address}")
        generators, begun = options.generators or 1, options.nodes
        require_cluster(examine_cluster(api, generators, begun))
        # A cluster has no id of its own, and this namespace lives as long as the cluster does.
        uid = str(api.get("/api/v1/namespaces/kube-system")["metadata"]["uid"])
        chosen = choose(read_role_nodes(api, api.get("/api/v1/nodes")["items"]), generators, begun)
        next_step = "Bring that back, or start a new session by `./bench run`."
        if options.uid not in (None, uid):
            raise UsageError(f"The session began in another cluster than that of the context {api.context}.", next_step)
        if chosen is None:
            raise UsageError(
                f"A node on which the session began takes no pods now: {listed(begun.values())}.", next_step
            )
        known = {"context": api.context, "uid": uid, "nodes": chosen.nodes}
        return cls(
            **{part.name: getattr(context, part.name) for part in fields(context)},
            options=options.model_copy(update=known),
            api=api,
            chosen=chosen,
        )

    @cached_property
    def _nodes(self) -> tuple[Object, ...]:
        return tuple(self.api.get("/api/v1/nodes")["items"])

    @cached_property
    def host_name(self) -> str:
        """The name of the cluster among hosts, without the characters of a context that no record can carry in it."""
        return re.sub(r"[^0-9A-Za-z._-]+", "-", f"kubernetes-{self.api.context}")[:63]

    @cached_property
    def host(self) -> HostFacts:
        """The cluster as a host, by what the API says of its nodes."""
        return self.host_of((self.read_host(),))

    def read_host(self) -> HostReading:
        """Return the conditions of the cluster at this moment; the API does not show those of the nodes."""
        return HostReading(
            read_at=utc_now(),
            uptime_s=None,
            conditions=examine_cluster(self.api, self.options.generators or 1, self.chosen.nodes),
            frequency_khz={},
            throttled={},
            interrupts={},
        )

    def host_of(self, readings: Sequence[HostReading]) -> HostFacts:
        """Return the cluster as a host. Its CPUs have no numbers, and so no topology."""
        (app_node,) = (node for node in self._nodes if node["metadata"]["name"] == self.chosen.app)
        node_info = app_node["status"].get("nodeInfo", {})
        is_shared = self.chosen.is_shared
        return HostFacts(
            name=self.host_name,
            host_class="small" if is_shared else "shared",
            why_class="database and generators share CPUs" if is_shared else _WHY,
            cpu_model="",
            microcode=None,
            cpus=self._cpus,
            memory_bytes=0,
            kernel=node_info.get("kernelVersion", "unknown"),
            kernel_command_line="",
            operating_system=node_info.get("osImage", "unknown"),
            hypervisor=False,
            topology=Topology(cpus=(), hypervisor=False),
            components={
                "cluster": str(self.options.uid),
                **{f"node of {role}": node for role, node in self.chosen.nodes.items()},
                **components(path for reading in readings for path in reading.network),
            },
            readings=tuple(readings),
        )

    @cached_property
    def _cpus(self) -> int:
        return sum(node.cpus for node in read_role_nodes(self.api, self._nodes))

    @cached_property
    def sets(self) -> CpuSets:
        """The CPUs of each role. Their numbers only count them: no API says which they are."""
        return self.chosen.sets

    def gives(self, sets: CpuSets) -> bool:
        """Return whether each role can have as many CPUs as before: pods of others may leave more of them by now."""
        is_shared_alike = sets.sharing("db") == self.sets.sharing("db")
        return is_shared_alike and all(len(sets.of(role)) <= len(self.sets.of(role)) for role in CLUSTER_ROLES)

    def network(self, engine: Engine) -> Network:
        """Return the cluster's own network, between pods."""
        del engine
        return "cluster"

    @property
    def held_by(self) -> str:
        """Kubernetes: the CPU managers of the kubelets hold roles on their CPUs."""
        return "kubernetes"

    def means(self, engine: Engine) -> Means:
        """Return the proofs that are possible in a cluster: none."""
        del engine
        return Means(_NO_PROOF, _NO_PROOF)

    def tools_elsewhere(self, evidence: Collection[Evidence]) -> Tools:
        """Return the tools that ran in the pods: those that applications tell, and the k6 of the generators' image."""
        environments = [trial_evidence.environment for trial_evidence in evidence]
        jdks = [_jdk(environment) for environment in environments if _told(environment, "runtime") == "jvm"]
        databases = [_told(environment, "database", "version") for environment in environments]
        return Tools(
            jdk=_distinct(jdks),
            k6=f"k6 {self.box.pins.version('k6')} (image)",
            database=f"PostgreSQL {_distinct(databases)}",
        )

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
            nodes=self.chosen.nodes,
        )


def _told(environment: object, *path: str) -> str | None:
    """Return a text of an application's environment by its path; None where it does not tell it."""
    for name in path:
        environment = environment.get(name) if isinstance(environment, dict) else None
    return environment if isinstance(environment, str) else None


def _jdk(environment: object) -> str | None:
    vendor, version = (_told(environment, "java", name) for name in ("vendor", "version"))
    return None if vendor is None or version is None else f"{vendor} {version}"


def _distinct(texts: Iterable[str | None]) -> str:
    return ", ".join(sorted({text for text in texts if text is not None})) or "unknown"
