"""The nodes of a cluster: what CPUs they have left for a session, and which of them get its application and database.

A session takes the same two nodes for all of its trials: else a subject would stay where its image lies, and the
difference between two nodes would be taken for one between frameworks. Generators are the same image for all subjects,
and run on any node of the load.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from plumbline.model.host import CpuSets
from .api import ClusterApi
from .names import PART_OF, PLUMBLINE, ROLE_LABEL
from .pod import CLUSTER_ROLES, ClusterRole, Object, is_ready

_THOUSANDTHS = 1000


class RoleNode(NamedTuple):
    """A node that has roles and takes pods, and the whole CPUs there that no pod of others requests."""

    name: str
    roles: tuple[ClusterRole, ...]
    cpus: int


class SessionNodes(NamedTuple):
    """The nodes of a session's application and database, and the CPUs of each role; their numbers only count them."""

    app: str
    db: str
    sets: CpuSets

    @property
    def nodes(self) -> dict[ClusterRole, str]:
        """The nodes by the role that each was chosen for."""
        return {"app": self.app, "db": self.db}

    @property
    def is_shared(self) -> bool:
        """Whether database and generators share CPUs."""
        return len(self.sets.sharing("db")) > 1


def has_role(node: Object, role: ClusterRole) -> bool:
    """Return whether a node is labelled for a role: its label has the names of one or several."""
    return role in str(node["metadata"].get("labels", {}).get(ROLE_LABEL, "")).split("-")


def takes_pods(node: Object) -> bool:
    """Return whether a node is ready and takes pods."""
    return is_ready(node) and not node.get("spec", {}).get("unschedulable", False)


def nodes_of_machines(nodes: Sequence[Object]) -> dict[str, list[str]]:
    """Return the names of nodes by the machine that they run on, which the boot of its kernel tells: nodes may be
    containers of one machine. A node that does not tell is a machine of its own.
    """
    by_machine: dict[str, list[str]] = {}
    for node in nodes:
        name = str(node["metadata"]["name"])
        by_machine.setdefault(node["status"].get("nodeInfo", {}).get("bootID") or name, []).append(name)
    return by_machine


def read_role_nodes(api: ClusterApi, nodes: Sequence[Object]) -> list[RoleNode]:
    """Return those of these nodes that have roles and take pods, by name, beside what pods of others request now."""
    others = api.get(
        "/api/v1/pods",
        labelSelector=f"{PART_OF}!={PLUMBLINE}",
        fieldSelector="status.phase!=Succeeded,status.phase!=Failed",
    )["items"]
    requested = Counter[str]()
    for pod in others:
        requested[pod["spec"].get("nodeName", "")] += _requested_by(pod["spec"])
    with_cpus = (_role_node(node, requested[node["metadata"]["name"]]) for node in nodes if takes_pods(node))
    return sorted(node for node in with_cpus if node.roles)


def _role_node(node: Object, requested: int) -> RoleNode:
    roles = tuple(role for role in CLUSTER_ROLES if has_role(node, role))
    allocatable = _thousandths(node["status"].get("allocatable", {}).get("cpu", "0"))
    return RoleNode(str(node["metadata"]["name"]), roles, max(0, allocatable - requested) // _THOUSANDTHS)


def _requested_by(spec: Object) -> int:
    """Return the thousandths of a CPU that the scheduler counts for a pod.

    https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
    """
    first = spec.get("initContainers", ())
    beside = [container for container in first if container.get("restartPolicy") == "Always"]
    running = sum(map(_requested, (*spec["containers"], *beside)))
    # A pod may have a request of its own, which is never less than that of its containers.
    requested = max(running, *map(_requested, first), _requested(spec))
    return requested + _thousandths(spec.get("overhead", {}).get("cpu", "0"))


def _requested(item: Object) -> int:
    return _thousandths(item.get("resources", {}).get("requests", {}).get("cpu", "0"))


def _thousandths(amount: object) -> int:
    """Return an amount of CPUs (`250m`, `2`) in thousandths."""
    text = str(amount)
    return int(text[:-1]) if text.endswith("m") else math.ceil(float(text) * _THOUSANDTHS)


def choose(role_nodes: Sequence[RoleNode], generators: int, begun: Mapping[ClusterRole, str]) -> SessionNodes | None:
    """Return the nodes that a session takes, those where its application has the most CPUs; None if a role has no node.

    A session that has `begun` stays on its nodes. A node gives each of its roles an equal part of its CPUs, or less to
    application and database where generators would not fit beside them. Where not every role can have CPUs of its own,
    database and generators share the CPU after the application's.
    """
    pairs = [(app, db) for app in _of("app", role_nodes, begun) for db in _of("db", role_nodes, begun)]
    load_cpus = sum(node.cpus for node in role_nodes if "load" in node.roles)
    fitting = [
        (counts, app is not db, app, db)
        for app, db in pairs
        if (counts := _counts(app, db, load_cpus, generators)) is not None
    ]
    if fitting:
        (app_count, db_count), _, app, db = max(fitting, key=lambda fit: fit[:2])
        db_end, load_end = app_count + db_count, app_count + db_count + generators
        sets = CpuSets(
            app=tuple(range(app_count)),
            db=tuple(range(app_count, db_end)),
            load=tuple(range(db_end, load_end)),
            housekeeping=(load_end,),
        )
        return SessionNodes(app.name, db.name, sets)
    if not pairs:
        return None
    app, db = max(pairs, key=lambda pair: (pair[0].cpus, pair[0] is not pair[1], pair[1].cpus))
    return SessionNodes(app.name, db.name, CpuSets(app=(0,), db=(1,), load=(1,), housekeeping=(1,)))


def _of(role: ClusterRole, role_nodes: Sequence[RoleNode], begun: Mapping[ClusterRole, str]) -> list[RoleNode]:
    return [node for node in role_nodes if role in node.roles and begun.get(role, node.name) == node.name]


def _counts(app: RoleNode, db: RoleNode, load_cpus: int, generators: int) -> tuple[int, int] | None:
    """Return how many CPUs application and database get on these nodes; None if generators don't fit beside them."""
    app_count, db_count = app.cpus // len(app.roles), db.cpus // len(db.roles)
    is_beside_app, is_beside_db = "load" in app.roles, "load" in db.roles
    while app_count > 0 and db_count > 0:
        if load_cpus - app_count * is_beside_app - db_count * is_beside_db >= generators:
            return app_count, db_count
        if is_beside_db and db_count > 1 and (db_count >= app_count or not is_beside_app):
            db_count -= 1
        elif is_beside_app:
            app_count -= 1
        else:
            return None
    return None
