"""The parts that all pods of a trial share: who they are, where they run, what they get and may do."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Literal

from plumbline.model.java import USER
from .names import ROLE_LABEL

ClusterRole = Literal["app", "db", "load"]
CLUSTER_ROLES: tuple[ClusterRole, ...] = ("app", "db", "load")
Object = dict[str, Any]

STOP_S = 15

# The version of each kind that does not belong to the API's core.
_VERSIONS = {
    "DaemonSet": "apps/v1",
    "Job": "batch/v1",
    "NetworkPolicy": "networking.k8s.io/v1",
    "TestRun": "k6.io/v1alpha1",
}


def api_object(
    kind: str, name: str, labels: Mapping[str, str], /, metadata: Mapping[str, object] | None = None, **content: object
) -> Object:
    """Return an object of a kind by that name; `metadata` are its other metadata, `content` is the rest of it."""
    return {
        "apiVersion": _VERSIONS.get(kind, "v1"),
        "kind": kind,
        "metadata": {"name": name, "labels": dict(labels), **(metadata or {})},
        **content,
    }


def is_ready(item: Object) -> bool:
    """Return whether a pod or a node says that it is ready."""
    conditions = {condition["type"]: condition["status"] for condition in item["status"].get("conditions", ())}
    return conditions.get("Ready") == "True"


def pull_policy(image: str) -> str:
    """Return when a node pulls an image: one that is called `latest` each time, so that no node runs an older one."""
    is_anew = image.endswith(":latest") and not image.startswith("localhost/")
    return "Always" if is_anew else "IfNotPresent"


def node_value(*roles: ClusterRole) -> str:
    """Return the value of a node's label plumbline.dev/role, for one role or for several: `app`, `app-db-load`."""
    return "-".join(role for role in CLUSTER_ROLES if role in roles)


def affinity(role: ClusterRole, node: str | None = None) -> Object:
    """Return the rule that a pod runs on nodes of its role alone, or on the one of them that is named. A label has one
    value, so the label of a node with several roles has all their names.
    """
    other_roles = [other for other in CLUSTER_ROLES if other != role]
    values = [
        node_value(role, *further_roles) for count in range(3) for further_roles in combinations(other_roles, count)
    ]
    term: Object = {"matchExpressions": [{"key": ROLE_LABEL, "operator": "In", "values": values}]}
    if node is not None:
        term["matchFields"] = [{"key": "metadata.name", "operator": "In", "values": [node]}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


def tolerations() -> list[Object]:
    """Return the tolerations that let a pod onto a node which a taint plumbline.dev/role keeps for us."""
    return [{"key": ROLE_LABEL, "operator": "Exists"}]


def resources(cpus: int, memory_mib: int, *, whole: bool = True) -> Object:
    """Return whole CPUs and memory, requested and limited alike: then the pod is Guaranteed, and a static CPU manager
    gives it CPUs of its own. Without `whole` CPUs it runs on those that are shared.

    https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/#static-policy
    """
    if not whole:
        return {"requests": {"memory": f"{memory_mib}Mi"}, "limits": {"memory": f"{memory_mib}Mi"}}
    amounts = {"cpu": str(cpus), "memory": f"{memory_mib}Mi"}
    return {"requests": dict(amounts), "limits": dict(amounts)}


def pod_rights(user: int = USER) -> Object:
    """Return the rights of a pod that runs as one ordinary user."""
    return {
        "runAsNonRoot": True,
        "runAsUser": user,
        "runAsGroup": user,
        "fsGroup": user,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def container_rights() -> Object:
    """Return the rights of a container: all rights that can be dropped are dropped."""
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }


def pod_spec(
    role: ClusterRole,
    container: Object,
    volumes: list[Object],
    user: int = USER,
    node: str | None = None,
    **fields: object,
) -> Object:
    """Return the specification of a pod of one container, on any node of a role or on the one that is named. The
    container is never started again: a trial is one process.
    """
    own_fields = {"imagePullPolicy": pull_policy(container["image"]), "securityContext": container_rights()}
    return {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        # Else the pod would get variables of each service, such as DATABASE_PORT for `database`.
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": STOP_S,
        "affinity": affinity(role, node),
        "tolerations": tolerations(),
        "securityContext": pod_rights(user),
        "containers": [{**own_fields, **container}],
        "volumes": volumes,
        **fields,
    }


def variables(values: Mapping[str, str]) -> list[Object]:
    """Return variables of the environment, sorted by name. A dollar sign stands for itself."""
    return [{"name": name, "value": value.replace("$", "$$")} for name, value in sorted(values.items())]


def service(name: str, labels: Mapping[str, str], ports: Mapping[str, int], **fields: object) -> Object:
    """Return a service that finds pods by these labels, and has the same labels itself."""
    service_ports = [{"name": port, "port": number, "targetPort": number} for port, number in ports.items()]
    return api_object("Service", name, labels, spec={"selector": dict(labels), "ports": service_ports, **fields})
