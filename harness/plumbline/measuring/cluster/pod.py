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

# An image of a tag that was pulled or loaded stays what it was within a session.
PULL = "IfNotPresent"
STOP_S = 15


def node_value(*roles: ClusterRole) -> str:
    """Return the value of a node's label plumbline.dev/role, for one role or for several: `app`, `app-db-load`."""
    return "-".join(role for role in CLUSTER_ROLES if role in roles)


def affinity(role: ClusterRole) -> Object:
    """Return the rule that a pod runs on nodes of its role alone. A label has one value, so a node of several roles
    has their names in it.
    """
    others = [other for other in CLUSTER_ROLES if other != role]
    values = [node_value(role, *more) for count in range(3) for more in combinations(others, count)]
    term = {"matchExpressions": [{"key": ROLE_LABEL, "operator": "In", "values": values}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


def tolerations() -> list[Object]:
    """Return what lets a pod onto a node that is kept for us by a taint plumbline.dev/role."""
    return [{"key": ROLE_LABEL, "operator": "Exists"}]


def resources(cpus: int, memory_mib: int, *, whole: bool = True) -> Object:
    """Return whole CPUs and memory, requested and limited alike: then the pod is Guaranteed, and a static CPU manager
    gives it CPUs of its own. Without `whole` CPUs it runs on those that are shared.

    https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/#static-policy
    """
    if not whole:
        return {"requests": {"memory": f"{memory_mib}Mi"}, "limits": {"memory": f"{memory_mib}Mi"}}
    given = {"cpu": str(cpus), "memory": f"{memory_mib}Mi"}
    return {"requests": dict(given), "limits": dict(given)}


def pod_rights(user: int = USER) -> Object:
    """Return the rights of a pod that is no more than one user."""
    return {
        "runAsNonRoot": True,
        "runAsUser": user,
        "runAsGroup": user,
        "fsGroup": user,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def container_rights() -> Object:
    """Return the rights of a container: none that can be dropped."""
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }


def pod_spec(
    role: ClusterRole, container: Object, volumes: list[Object], user: int = USER, **more: object
) -> Object:
    """Return the specification of a pod of one container, which is never started again: a trial is one process."""
    return {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        # Else a service named `database` would be told of in variables such as DATABASE_PORT.
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": STOP_S,
        "affinity": affinity(role),
        "tolerations": tolerations(),
        "securityContext": pod_rights(user),
        "containers": [{"imagePullPolicy": PULL, "securityContext": container_rights(), **container}],
        "volumes": volumes,
        **more,
    }


def variables(values: Mapping[str, str]) -> list[Object]:
    """Return variables of the environment, sorted by name. A dollar sign stands for itself."""
    return [{"name": name, "value": value.replace("$", "$$")} for name, value in sorted(values.items())]


def service(name: str, labels: Mapping[str, str], ports: Mapping[str, int], **more: object) -> Object:
    """Return a service that finds pods by these labels, which it has itself."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "labels": dict(labels)},
        "spec": {
            "selector": dict(labels),
            "ports": [{"name": port, "port": number, "targetPort": number} for port, number in ports.items()],
            **more,
        },
    }
