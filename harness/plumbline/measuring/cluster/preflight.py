"""Checks of a cluster before anything is made in it: that it answers, rights, nodes by role, and CPUs of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import NamedTuple

from plumbline.model.errors import UsageError
from plumbline.model.host import Condition, NeededFor
from plumbline.verdicts.judge.wording import counted, listed
from .api import ApiRefused, ApiSilent, ClusterApi
from .names import ROLE_LABEL
from .nodes import RoleNode, SessionNodes, choose, has_role, nodes_of_machines, read_role_nodes
from .pod import CLUSTER_ROLES, ClusterRole, Object


class Right(NamedTuple):
    """A verb on a resource, `pods` or a part of it such as `pods/log`, of an API group."""

    verb: str
    resource: str
    group: str = ""

    @property
    def words(self) -> str:
        """The right in words: `create jobs.batch`."""
        return f"{self.verb} {self.resource}{f'.{self.group}' if self.group else ''}"


# Objects are applied by PATCH, which makes an object that is not there.
_MADE_RESOURCES = (
    ("namespaces", ""),
    ("pods", ""),
    ("services", ""),
    ("configmaps", ""),
    ("secrets", ""),
    ("jobs", "batch"),
    ("networkpolicies", "networking.k8s.io"),
)
RIGHTS: Sequence[Right] = (
    *(Right(verb, resource, group) for resource, group in _MADE_RESOURCES for verb in ("create", "patch")),
    *(Right("get", resource) for resource in ("namespaces", "pods", "pods/log", "pods/proxy", "nodes")),
    Right("get", "serviceaccounts"),
    *(Right("list", resource) for resource in ("namespaces", "pods", "nodes")),
    *(Right("delete", resource) for resource in ("namespaces", "pods")),
    *(Right(verb, "jobs", "batch") for verb in ("get", "list", "delete")),
    # Probes that write are sent by POST.
    *(Right(verb, "pods/proxy") for verb in ("create", "patch")),
)
"""All rights that the user of a session needs."""
OBSERVER_RIGHTS: Sequence[Right] = tuple(Right(verb, "daemonsets", "apps") for verb in ("create", "patch", "get"))
"""The rights that this user needs besides for observers; without them CPU time and memory stay unknown."""


def examine_cluster(
    api: ClusterApi, generators: int = 1, begun: Mapping[ClusterRole, str] = MappingProxyType({})
) -> tuple[Condition, ...]:
    """Return the conditions of a cluster for a session with so many generators, which may have begun on these nodes.
    Makes nothing in the cluster. Raises UsageError if no cluster answers.
    """
    try:
        version = str(api.get("/version").get("gitVersion", "of an unknown version"))
        missing_rights, missing_of_observers = (
            _missing_rights(api, RIGHTS),
            _missing_rights(api, OBSERVER_RIGHTS),
        )
        nodes = None if {"list nodes", "list pods"} & {*missing_rights} else api.get("/api/v1/nodes")["items"]
        return (
            _condition(
                "cluster",
                "A cluster that answers",
                "Pods are made, watched and removed through its API.",
                None,
                f"Kubernetes {version} at {api.address}",
            ),
            _condition(
                "rights",
                "Rights to make what a session has",
                "Without one of them a session would stop halfway.",
                f"this user may not {', '.join(missing_rights)}" if missing_rights else None,
                "all that a session needs",
            ),
            _condition(
                "observers",
                "Rights to observe from the nodes",
                "Without them CPU time, memory and where threads run stay unknown.",
                f"this user may not {', '.join(missing_of_observers)}" if missing_of_observers else None,
                "all that observers need",
                needed_for="extra",
            ),
            *(() if nodes is None else _of_nodes(api, nodes, generators, begun)),
        )
    except ApiSilent as silent:
        raise UsageError(
            f"No cluster answers at {api.address}: {silent.sentence}.", "Start it, or name another context."
        ) from None
    except ApiRefused as refused:
        raise UsageError(
            f"The cluster at {api.address} refuses to be looked at: {refused.sentence}.",
            "Log in to it as a user who may.",
        ) from None


def require_cluster(conditions: Iterable[Condition]) -> None:
    """Raise UsageError in one sentence if a condition that every trial needs is not met."""
    for condition in conditions:
        if condition.verdict == "unfit" and condition.needed_for == "any":
            raise UsageError(f"The cluster can't run a session: {condition.reading}.", condition.command or "")


def _missing_rights(api: ClusterApi, rights: Sequence[Right]) -> list[str]:
    """Return which of these rights this user lacks, in words: `create pods`."""

    def lacks(right: Right) -> bool:
        resource, _, subresource = right.resource.partition("/")
        attributes = {
            "verb": right.verb,
            "group": right.group,
            "resource": resource,
            "subresource": subresource,
        }
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": attributes},
        }
        place = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        return '"allowed":true' not in api.text("POST", place, review).replace(" ", "")

    with ThreadPoolExecutor(8) as threads:
        return [right.words for right, is_missing in zip(rights, threads.map(lacks, rights), strict=True) if is_missing]


def _of_nodes(
    api: ClusterApi, nodes: Sequence[Object], generators: int, begun: Mapping[ClusterRole, str]
) -> tuple[Condition, Condition]:
    role_nodes = read_role_nodes(api, nodes)
    chosen = choose(role_nodes, generators, begun)
    return _nodes_condition(nodes, role_nodes, chosen), _own_cpus_condition(api, nodes, role_nodes, chosen, generators)


def _nodes_condition(nodes: Sequence[Object], role_nodes: Sequence[RoleNode], chosen: SessionNodes | None) -> Condition:
    problems, counts, command = [], [], "kubectl get nodes"
    label = f"kubectl label node NODE {ROLE_LABEL}=app-db-load"
    for role in CLUSTER_ROLES:
        labelled = [node for node in nodes if has_role(node, role)]
        cpus_of_nodes = [node.cpus for node in role_nodes if role in node.roles]
        if not labelled:
            problems.append(f"no node has the role {role}")
            command = label
        elif not cpus_of_nodes:
            names = ", ".join(node["metadata"]["name"] for node in labelled)
            problems.append(f"no node of the role {role} is ready and takes pods ({names})")
        elif role == "app" and not any(cpus_of_nodes):
            problems.append("no node of the role app has a CPU left")
            command = label
        counts.append(f"{role}: {len(cpus_of_nodes)} with {sum(cpus_of_nodes)} CPUs left")
    if chosen is not None:
        counts.append(f"taken are {chosen.app} for the application and {chosen.db} for the database")
    return _condition(
        "nodes",
        "Nodes for each role",
        "Application, database and load have nodes by their label; a node may have several roles.",
        "; ".join(problems) or None,
        "; ".join(counts),
        command,
    )


def _own_cpus_condition(
    api: ClusterApi,
    nodes: Sequence[Object],
    role_nodes: Sequence[RoleNode],
    chosen: SessionNodes | None,
    generators: int,
) -> Condition:
    """Return the condition that there are CPUs for each role, on machines of their own, and that kubelets keep them
    apart by the static policy, which each kubelet's own configuration tells.
    """
    problems, silent = [], []
    if chosen is None or chosen.is_shared:
        left = ", ".join(f"{node.cpus} on {node.name}" for node in role_nodes) or "none"
        problems.append(
            f"application, database and {counted(generators, 'generator')} don't all get CPUs: left are {left}"
        )
    labelled = [node for node in nodes if any(has_role(node, role) for role in CLUSTER_ROLES)]
    problems += [
        f"{listed(names)} are one machine, and may get the same CPUs"
        for names in nodes_of_machines(labelled).values()
        if len(names) > 1
    ]
    for node in labelled:
        name = node["metadata"]["name"]
        try:
            kubelet = api.get(f"/api/v1/nodes/{name}/proxy/configz")["kubeletconfig"]
            policy, options = kubelet["cpuManagerPolicy"], kubelet.get("cpuManagerPolicyOptions") or {}
        except (ApiRefused, ApiSilent, ValueError, KeyError, TypeError):
            silent.append(name)
            continue
        if policy != "static":
            problems.append(f"the kubelet of {name} has the CPU manager policy {policy}")
        elif options.get("full-pcpus-only") == "true":
            problems.append(f"the kubelet of {name} has full-pcpus-only, and takes no pod with part of a core")
    condition = _condition(
        "own-cpus",
        "CPUs of their own for pods",
        "Else nobody knows what ran on the application's CPUs, or database and load share some: results are advisory.",
        "; ".join(problems) or None,
        "enough for all roles, and the static policy on every labelled node",
        needed_for="lab",
    )
    if silent and not problems:
        reading = f"the kubelet of {', '.join(silent)} does not say (get nodes/proxy)"
        return condition.model_copy(update={"verdict": "unknown", "reading": reading})
    return condition


def _condition(
    id_: str,
    title: str,
    why: str,
    problem: str | None,
    reading: str,
    command: str | None = None,
    needed_for: NeededFor = "any",
) -> Condition:
    return Condition(
        id=id_,
        title=title,
        why=why,
        needed_for=needed_for,
        verdict="fit" if problem is None else "unfit",
        reading=reading if problem is None else problem,
        command=None if problem is None else command,
    )
