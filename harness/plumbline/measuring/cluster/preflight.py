"""Checks of a cluster before anything is made in it: that it answers, rights, nodes by role, and CPUs of their own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from plumbline.model.errors import UsageError
from plumbline.model.host import Condition, NeededFor
from .api import ApiRefused, ApiSilent, ClusterApi
from .names import ROLE_LABEL
from .pod import CLUSTER_ROLES, ClusterRole, Object

AT_LEAST: Mapping[ClusterRole, int] = {"app": 1, "db": 1, "load": 1}
"""CPUs of each role, as the least that any trial needs."""


class Right(NamedTuple):
    """A verb on a resource, `pods` or a part of it such as `pods/log`, of an API group."""

    verb: str
    resource: str
    group: str = ""

    @property
    def words(self) -> str:
        """The right in words: `create jobs.batch`."""
        return f"{self.verb} {self.resource}{f'.{self.group}' if self.group else ''}"


# Objects are applied by PATCH, which makes those that are not there.
_MADE = (
    ("namespaces", ""),
    ("pods", ""),
    ("services", ""),
    ("configmaps", ""),
    ("secrets", ""),
    ("jobs", "batch"),
    ("networkpolicies", "networking.k8s.io"),
)
RIGHTS: Sequence[Right] = (
    *(Right(verb, resource, group) for resource, group in _MADE for verb in ("create", "patch")),
    *(Right("get", resource) for resource in ("namespaces", "pods", "pods/log", "pods/proxy", "nodes")),
    Right("get", "serviceaccounts"),
    *(Right("list", resource) for resource in ("namespaces", "pods", "nodes")),
    *(Right("delete", resource) for resource in ("namespaces", "pods")),
    *(Right(verb, "jobs", "batch") for verb in ("get", "list", "delete")),
    # Probes that write are sent by POST.
    *(Right(verb, "pods/proxy") for verb in ("create", "patch")),
)
"""All that the user of a session has to be allowed."""
OBSERVER_RIGHTS: Sequence[Right] = tuple(
    Right(verb, "daemonsets", "apps") for verb in ("create", "patch", "get")
)
"""All that this user has to be allowed besides, for observers; without it CPU time and memory stay unknown."""


def examine_cluster(api: ClusterApi, cpus: Mapping[ClusterRole, int] = AT_LEAST) -> tuple[Condition, ...]:
    """Return the conditions of a cluster for trials that take so many CPUs by role. Nothing is made. Raises
    UsageError where no cluster answers.
    """
    try:
        version = str(api.get("/version").get("gitVersion", "of an unknown version"))
        rights, of_observers = _rights(api, RIGHTS), _rights(api, OBSERVER_RIGHTS)
        nodes = None if "list nodes" in rights else api.get("/api/v1/nodes")["items"]
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
                f"this user may not {', '.join(rights)}" if rights else None,
                "all that a session needs",
            ),
            _condition(
                "observers",
                "Rights to observe from the nodes",
                "Without them CPU time, memory and where threads run stay unknown.",
                f"this user may not {', '.join(of_observers)}" if of_observers else None,
                "all that observers need",
                needed_for="extra",
            ),
            *(() if nodes is None else (_nodes(nodes, cpus), _own_cpus(api, nodes, cpus))),
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
    """Raise UsageError in one sentence for what no trial can do without."""
    for condition in conditions:
        if condition.verdict == "unfit" and condition.needed_for == "any":
            raise UsageError(
                f"The cluster can't run a session: {condition.reading}.", condition.command or ""
            )


def has_role(node: Object, role: ClusterRole) -> bool:
    """Return whether a node is labelled for a role: its label has the names of one or several."""
    return role in str(node["metadata"].get("labels", {}).get(ROLE_LABEL, "")).split("-")


def _rights(api: ClusterApi, rights: Sequence[Right]) -> list[str]:
    """Return which of these this user has not, in words: `create pods`."""

    def lacks(right: Right) -> bool:
        resource, _, part = right.resource.partition("/")
        asked = {"verb": right.verb, "group": right.group, "resource": resource, "subresource": part}
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": asked},
        }
        place = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        return '"allowed":true' not in api.text("POST", place, review).replace(" ", "")

    with ThreadPoolExecutor(8) as threads:
        return [right.words for right, no in zip(rights, threads.map(lacks, rights), strict=True) if no]


def _nodes(nodes: Sequence[Object], cpus: Mapping[ClusterRole, int]) -> Condition:
    lacking, found, command = [], [], "kubectl get nodes"
    label = f"kubectl label node NODE {ROLE_LABEL}=app-db-load"
    for role in CLUSTER_ROLES:
        labelled = [node for node in nodes if has_role(node, role)]
        of_role = [usable_cpus(node) for node in labelled if _is_usable(node)]
        if not labelled:
            lacking.append(f"no node has the role {role}")
            command = label
        elif not of_role:
            names = ", ".join(node["metadata"]["name"] for node in labelled)
            lacking.append(f"no node of the role {role} is ready and takes pods ({names})")
        elif role == "app" and max(of_role) < cpus[role]:
            lacking.append(f"the application takes {cpus[role]} CPUs, and its nodes have {max(of_role)}")
            command = label
        found.append(f"{role}: {len(of_role)} with {sum(of_role)} CPUs")
    return _condition(
        "nodes",
        "Nodes for each role",
        "Application, database and load have nodes by their label; a node may have several roles.",
        "; ".join(lacking) or None,
        "; ".join(found),
        command,
    )


def _is_usable(node: Object) -> bool:
    ready = {one["type"]: one["status"] for one in node["status"].get("conditions", ())}.get("Ready")
    return ready == "True" and not node.get("spec", {}).get("unschedulable", False)


def usable_cpus(node: Object) -> int:
    """Return the whole CPUs that pods may have on a node; none on one that is not ready or takes no pods."""
    if not _is_usable(node):
        return 0
    said = str(node["status"].get("allocatable", {}).get("cpu", "0"))
    return math.floor(int(said[:-1]) / 1000) if said.endswith("m") else int(said)


def _own_cpus(api: ClusterApi, nodes: Sequence[Object], cpus: Mapping[ClusterRole, int]) -> Condition:
    """Return whether there are CPUs for each role, and whether kubelets keep them apart: the static policy, by each
    kubelet's own configuration.
    """
    others, unread = [], []
    labelled = [node for node in nodes if any(has_role(node, role) for role in cpus)]
    if (total := sum(map(usable_cpus, labelled))) < (wanted := sum(cpus.values())):
        others.append(f"all roles take {wanted} CPUs, and the labelled nodes have {total}")
    for node in labelled:
        name = node["metadata"]["name"]
        try:
            policy = api.get(f"/api/v1/nodes/{name}/proxy/configz")["kubeletconfig"]["cpuManagerPolicy"]
        except (ApiRefused, ApiSilent, ValueError, KeyError, TypeError):
            unread.append(name)
        else:
            if policy != "static":
                others.append(f"the kubelet of {name} has the CPU manager policy {policy}")
    made = _condition(
        "own-cpus",
        "CPUs of their own for pods",
        "Else nobody knows what ran on the application's CPUs, or database and load share some: results are advisory.",
        "; ".join(others) or None,
        "enough for all roles, and the static policy on every labelled node",
        needed_for="lab",
    )
    if unread and not others:
        said = f"the kubelet of {', '.join(unread)} does not say (get nodes/proxy)"
        return made.model_copy(update={"verdict": "unknown", "reading": said})
    return made


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
