"""The observers of a session: a pod on each node that has a role, with the samplers that a trial on one host has.

Observers lie in a namespace of their own, since that of the session lets no pod see the processes of its node. If a
cluster forbids observers, or one is lost, the session says why and goes on; what they would have seen stays unknown.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from plumbline.measuring.run.draft import Halted
from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.model.evidence import Affinity, Cpuset, Series, ThreadUse, Window
from plumbline.model.host import CpuSets
from plumbline.verdicts.figures.series import growth, known_rows
from .api import ApiRefused, ClusterApi
from .clocks import ClockOffset, clock_words
from .names import PART_OF, PLUMBLINE, REST_PORT, ROLE_LABEL, SESSION_LABEL, dns_label, label_value
from .namespace import Namespace
from .nodes import nodes_of_machines
from .observing import GROUPS, PORT, TOKEN, TOKEN_HEADER, Containers, NodeEvidence, Watch, WatchedContainer
from .pod import (
    ClusterRole,
    Object,
    api_object,
    container_rights,
    is_ready,
    pod_rights,
    pull_policy,
    resources,
    tolerations,
)

NAME = "observer"
# A controller makes pods within moments, unless a policy of the cluster refuses them, which only events tell.
_MADE_S = 30.0
_MEMORY_MIB = 256
_Answer = TypeVar("_Answer")
# Columns of a whole node, which belong to no single role.
_NODE_COLUMNS = ("psi.", "vm.", "disk.", "sampler.")


def observers_of(namespace: str) -> str:
    """Return the namespace of the observers, by that of their session."""
    return dns_label(f"{namespace}-observers")


def observer_objects(namespace: str, session: str, image: str, token: str) -> list[Object]:
    """Return the namespace of a session's observers, what they may reach, their token, and the observers themselves.

    Observers read the processes of their node (`hostPID`) and its control groups, as the user that an application has
    and without a capability. `namespace` is the namespace of the session.
    """
    labels = {PART_OF: PLUMBLINE, SESSION_LABEL: label_value(session)}
    own_namespace = observers_of(namespace)
    metadata = {"namespace": own_namespace}
    session_namespace = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}}
    return [
        api_object("Namespace", own_namespace, {**labels, "pod-security.kubernetes.io/enforce": "privileged"}),
        api_object(
            "NetworkPolicy",
            NAME,
            labels,
            metadata,
            spec={
                "podSelector": {},
                "policyTypes": ["Ingress", "Egress"],
                "ingress": [{"ports": [{"port": PORT, "protocol": "TCP"}]}],
                "egress": [{"to": [session_namespace], "ports": [{"port": REST_PORT, "protocol": "TCP"}]}],
            },
        ),
        api_object("Secret", NAME, labels, metadata, stringData={"token": token}),
        api_object(
            "DaemonSet",
            NAME,
            labels,
            metadata,
            spec={
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": _pod_of(image)},
            },
        ),
    ]


def _pod_of(image: str) -> Object:
    term = {"matchExpressions": [{"key": ROLE_LABEL, "operator": "Exists"}]}
    container = {
        "name": NAME,
        "image": image,
        "imagePullPolicy": pull_policy(image),
        "command": ["python3", "-m", "plumbline.measuring.cluster.observing"],
        "workingDir": "/harness",
        "env": [
            {"name": TOKEN, "valueFrom": {"secretKeyRef": {"name": NAME, "key": "token"}}},
            {"name": "PYTHONDONTWRITEBYTECODE", "value": "1"},
        ],
        "ports": [{"name": "observer", "containerPort": PORT}],
        # No CPU is requested: a node whose CPUs a trial takes whole has none to spare, not even a tenth of one.
        "resources": resources(0, _MEMORY_MIB, whole=False),
        "readinessProbe": {"httpGet": {"path": "/", "port": PORT}, "periodSeconds": 2},
        "securityContext": container_rights(),
        "volumeMounts": [{"name": "groups", "mountPath": str(GROUPS), "readOnly": True}],
    }
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 1,
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}},
        "tolerations": tolerations(),
        "hostPID": True,
        "securityContext": pod_rights(),
        "containers": [container],
        "volumes": [{"name": "groups", "hostPath": {"path": "/sys/fs/cgroup", "type": "Directory"}}],
    }


class Observed(Frozen):
    """The evidence that all observers of a trial have, by this host's clock."""

    series: Series = Series()
    threads: tuple[ThreadUse, ...] = ()
    cpusets: dict[str, tuple[Cpuset, ...]] = {}
    rss_after_bytes: int | None = None
    pss_after_bytes: int | None = None


@dataclass
class Observers:
    """The observers of one session, whose namespace is `namespace`; `say` tells why there are none, or what is left."""

    api: ClusterApi
    namespace: str
    session: str
    image: str
    say: Callable[[str], None]
    _token: str = field(default_factory=lambda: secrets.token_urlsafe(24), init=False, repr=False)
    _has_failed: bool = field(default=False, init=False)
    _pods: dict[str, str] = field(default_factory=dict, init=False)
    _observed: set[str] = field(default_factory=set, init=False)
    _nodes: dict[ClusterRole, set[str]] = field(default_factory=dict, init=False)
    _machines: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._own = Namespace(self.api, observers_of(self.namespace), "observe")

    @property
    def own_namespace(self) -> str:
        """The name of the namespace of the observers."""
        return self._own.name

    def start(self) -> None:
        """Make the observers, unless they are there, and wait until they answer; if they can't be made, say why."""
        # A trial that the API ended left its own evidence unread.
        self._observed = set()
        if self._has_failed:
            return
        if self._pods:
            self._find_pods()
            return
        try:
            self._make_pods()
        except (UsageError, Halted, ApiRefused) as error:
            self._has_failed = True
            problem = error.problem if isinstance(error, UsageError) else str(error)
            problem = error.sentence if isinstance(error, ApiRefused) else problem
            self.say(f"no observers, so that CPU time and memory stay unknown: {problem.rstrip('.')}")
            # Else a node would try again and again to pull an image, in the middle of trials.
            with suppress(ApiRefused, Halted):
                self.remove()

    def _find_pods(self) -> None:
        """Find the observers again: one that was evicted has another name by now."""
        pods = [
            pod for pod in self.api.pods(self._own.name) if is_ready(pod) and "deletionTimestamp" not in pod["metadata"]
        ]
        present = {str(pod["spec"]["nodeName"]): str(pod["metadata"]["name"]) for pod in pods}
        for node in sorted(self._pods.keys() - present.keys()):
            self._lose_node(node, "its pod is gone or not ready")
        self._pods = present

    def _make_pods(self) -> None:
        # Observers that a killed session left have another token.
        self._own.remove()
        frame, *other_objects = observer_objects(self.namespace, self.session, self.image, self._token)
        self._own.apply(frame)
        self._own.until_takes_pods("the namespace of the observers takes pods")
        for item in other_objects:
            self._own.apply(item)
        self._own.until("there is a pod of the observers", lambda: self.api.pods(self._own.name), _MADE_S)
        self._pods = self._own.until("all observers are ready", self._ready_pods)
        nodes = [node for node in self.api.get("/api/v1/nodes")["items"] if node["metadata"]["name"] in self._pods]
        self._machines = {node: ", ".join(names) for names in nodes_of_machines(nodes).values() for node in names}
        self.say(f"observed by their control groups and /proc: pods on {', '.join(sorted(self._pods))}")

    def _ready_pods(self) -> dict[str, str] | None:
        status = self.api.get(f"/apis/apps/v1/namespaces/{self._own.name}/daemonsets/{NAME}")["status"]
        # A node that was just lost is counted no more, and its pod stays in the list.
        pods = [pod for pod in self.api.pods(self._own.name) if self._own.ready(pod) is not None]
        if len(pods) != status.get("desiredNumberScheduled"):
            return None
        return {str(pod["spec"]["nodeName"]): str(pod["metadata"]["name"]) for pod in pods}

    def begin(self, zero_s: float, pods: Iterable[Object]) -> None:
        """Observe the containers of these pods from now on; `zero_s` is by this host's clock, with which the clocks of
        all nodes are compared first, for some seconds.
        """
        self._observed, self._nodes = set(self._pods), {}
        containers = self._containers_by_node(pods)
        nodes = sorted(self._observed)
        with ThreadPoolExecutor(max(1, len(nodes))) as threads:
            compared = zip(nodes, threads.map(self._clock_of, nodes), strict=True)
            clocks = {node: clock for node, clock in compared if clock is not None}
        for node, clock in clocks.items():
            watch = Watch(zero_s=zero_s + clock.middle_s, containers=containers.get(node, {}))
            self._post(node, "begin", watch.model_dump_json())
        if clocks:
            self.say(f"observers begin; their clocks are ahead of this host's by {clock_words(clocks)}")

    def aim(self, pods: Iterable[Object]) -> None:
        """Observe the containers of these pods as well, in the place of those that had their roles."""
        for node, containers in self._containers_by_node(pods).items():
            self._post(node, "aim", TypeAdapter(Containers).dump_json(containers).decode())

    def affinity(self) -> tuple[Affinity, ...]:
        """Return where the threads of all roles may run now."""
        adapter = TypeAdapter(tuple[Affinity, ...])
        answers = [self._ask(node, "affinity", "", adapter) for node in sorted(self._observed)]
        return tuple(row for rows in answers if rows is not None for row in rows)

    def end(self, windows: Sequence[Window], sets: CpuSets) -> Observed:
        """Return the evidence of the trial that began. `sets` are the plan's, which say how many CPUs each role has."""
        content = TypeAdapter(tuple[Window, ...]).dump_json(tuple(windows)).decode()
        answers = {node: self._ask(node, "end", content, TypeAdapter(NodeEvidence)) for node in sorted(self._observed)}
        evidence = {node: answer for node, answer in answers.items() if answer is not None}
        self._observed = set()
        app_evidence = [evidence[node] for node in self._nodes.get("app", ()) if node in evidence]
        if not app_evidence:
            return Observed()
        return Observed(
            series=merged(evidence, self._nodes, sets),
            threads=app_evidence[0].threads,
            cpusets=cpusets_of(evidence, self._nodes, self._machines),
            rss_after_bytes=app_evidence[0].rss_after_bytes,
            pss_after_bytes=app_evidence[0].pss_after_bytes,
        )

    def remove(self) -> None:
        """Remove the observers with their namespace, and wait until it is gone."""
        self._own.remove()

    def _containers_by_node(self, pods: Iterable[Object]) -> dict[str, Containers]:
        """Return the containers of pods by node and role, and note which nodes have pods of a role."""
        by_node: dict[str, Containers] = {}
        for pod in pods:
            role: ClusterRole = pod["metadata"]["labels"][ROLE_LABEL]
            node = str(pod["spec"]["nodeName"])
            self._nodes.setdefault(role, set()).add(node)
            if node not in self._observed:
                continue
            try:
                container = _watched(pod)
            except (KeyError, ValueError, ValidationError):
                self._lose_node(node, f"nobody knows the container of {pod['metadata']['name']}")
            else:
                by_role = by_node.setdefault(node, {})
                by_role[role] = (*by_role.get(role, ()), container)
        return {node: by_role for node, by_role in by_node.items() if node in self._observed}

    def _clock_of(self, node: str) -> ClockOffset | None:
        try:
            return self._own.compare_clock(self._pods[node], PORT, "/")
        except ValueError as error:
            self._lose_node(node, f"its clock can't be compared with this host's: {error}")
            return None

    def _post(self, node: str, question: str, content: str) -> bytes | None:
        """Return what the observer of a node answers; None without an answer, and then it is asked no more."""
        if node not in self._observed:
            return None
        token = {TOKEN_HEADER: self._token}
        response = self._own.ask(self._pods[node], PORT, "POST", f"/{question}", content.encode(), token)
        if response.status == 200:
            return response.data
        self._lose_node(node, f"it answered {question} with {response.status}")
        return None

    def _ask(self, node: str, question: str, content: str, answer: TypeAdapter[_Answer]) -> _Answer | None:
        """Return what the observer of a node answers, as `answer` reads it; None without an answer, or if it can't be
        read.
        """
        content_of_answer = self._post(node, question, content)
        try:
            return None if content_of_answer is None else answer.validate_json(content_of_answer)
        except ValidationError:
            self._lose_node(node, "it answers as another version of the harness, so its image is of another one")
            return None

    def _lose_node(self, node: str, reason: str) -> None:
        self._observed.discard(node)
        self.say(f"the observer of {node} does not see this trial: {reason}")


def _watched(pod: Object) -> WatchedContainer:
    (status,) = pod["status"]["containerStatuses"]
    return WatchedContainer.model_validate(
        {
            "pod": pod["metadata"]["uid"],
            "container": str(status["containerID"]).rpartition("//")[2],
            "address": pod["status"]["podIP"],
        }
    )


def merged(evidence: Mapping[str, NodeEvidence], nodes: Mapping[ClusterRole, Collection[str]], sets: CpuSets) -> Series:
    """Return one series of what all nodes saw, at the times of the application's node. A column of a role is the sum
    over the nodes that had its pods; columns of a whole node are there if all roles were on that node.

    Left out are the columns of a role of which a node or a container is missing. If a role had not as many CPUs as the
    plan counts, the columns of its set are left out; and of its CPU time all columns if it shares its set, else only
    the time outside of the set.
    """
    (home,) = nodes["app"]
    t_s = evidence[home].series.t_s
    columns: dict[str, tuple[float | None, ...]] = {}
    for role in _complete_roles(evidence, nodes):
        role_nodes = nodes[role]
        counted = sum(len(evidence[node].cpus.get(role, ())) for node in role_nodes)
        left_out = () if counted == len(sets.of(role)) else _columns_of_cpus(role, sets)
        for name in _common_columns(role, [evidence[node].series for node in role_nodes], left_out):
            parts = [_values_at(evidence[node].series, name, None if node == home else t_s) for node in role_nodes]
            columns[name] = tuple(None if None in row else sum(row) for row in zip(*parts, strict=True))
    if set().union(*nodes.values()) == {home}:
        columns_of_home = evidence[home].series.columns
        columns |= {name: values for name, values in columns_of_home.items() if name.startswith(_NODE_COLUMNS)}
    return Series(t_s=t_s, columns=dict(sorted(columns.items())))


def cpusets_of(
    evidence: Mapping[str, NodeEvidence],
    nodes: Mapping[ClusterRole, Collection[str]],
    machines: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, tuple[Cpuset, ...]]:
    """Return by node which CPUs each role had there, or by the name of the machine that several nodes run on. A role of
    which a node or a container is missing is left out.
    """
    complete_roles = _complete_roles(evidence, nodes)
    by_machine: dict[str, tuple[Cpuset, ...]] = {}
    for node, node_evidence in sorted(evidence.items()):
        cpusets = tuple(cpuset for cpuset in node_evidence.cpusets if cpuset.role in complete_roles)
        if cpusets:
            machine = machines.get(node, node)
            by_machine[machine] = (*by_machine.get(machine, ()), *cpusets)
    return by_machine


def _complete_roles(
    evidence: Mapping[str, NodeEvidence], nodes: Mapping[ClusterRole, Collection[str]]
) -> list[ClusterRole]:
    """Return the roles of which every container was found on every node."""
    return [
        role
        for role, role_nodes in nodes.items()
        if all(node in evidence and role not in evidence[node].missed for node in role_nodes)
    ]


def _columns_of_cpus(role: ClusterRole, sets: CpuSets) -> tuple[str, ...]:
    is_shared = len(sets.sharing(role)) > 1
    return (f"set.{role}.", f"cpu.{role}." if is_shared else f"cpu.{role}.outside_us")


def _common_columns(role: ClusterRole, series_of_nodes: Sequence[Series], left_out: tuple[str, ...]) -> list[str]:
    """Return the columns of a role that all of its nodes have."""
    prefixes = (f"cpu.{role}.", f"set.{role}.", f"{role}.", *(("jvm.",) if role == "app" else ()))
    names = set.intersection(*(set(series.columns) for series in series_of_nodes))
    return sorted(name for name in names if name.startswith(prefixes) and not name.startswith(left_out))


def _values_at(series: Series, name: str, t_s: Sequence[float] | None) -> tuple[float | None, ...]:
    """Return a column's values at other times, interpolated between two rows; the column's own values for None."""
    if t_s is None:
        return series.columns[name]
    (first_s, first_value), *_ = known_rows(series, name)
    growth_between = growth(series, name)
    steps = (growth_between(first_s, at_s) for at_s in t_s)
    return tuple(None if step is None else first_value + step for step in steps)
