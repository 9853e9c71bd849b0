"""The network between the roles: the pods that measure it, the paths that they measured, and its class in words.

One program of the JDK alone (Network.java) serves on a node of the application. It measures from every node of the
other roles, one after another, so that no measurement disturbs another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from plumbline.model.host import Condition, NetworkPath
from .files import ClusterFiles
from .images import ClusterImages
from .names import PART_OF, PLUMBLINE
from .nodes import has_role, takes_pods
from .pod import ClusterRole, Object, api_object, pod_spec, resources

SERVER = "network"
OTHER_ROLES: tuple[ClusterRole, ...] = ("load", "db")
_PORT = 7007
# Without the label of a role, by which the pods of a trial are found.
_LABELS = {PART_OF: PLUMBLINE, "app": SERVER}
_MEMORY_MIB = 512
_PROGRAM = "/network/Network.java"
FLAGS = ("-Xmx256m", "-XX:+UseSerialGC")
# The JDK compiles the source file first.
_START_S = 60
# Wide classes, so that the scatter of one measurement is no change of the environment.
_ROUND_TRIPS_MS = (0.1, 1.0, 10.0, 100.0)
_GBITS_PER_S = (100.0, 10.0, 1.0, 0.1)
_MUCH_LOST = 0.001


def server_objects(namespace: str, files: ClusterFiles, images: ClusterImages, node: str | None = None) -> list[Object]:
    """Return the program, and the pod that runs it as the server, on the node of the application or on any of these."""
    program = api_object("ConfigMap", SERVER, _LABELS, {"namespace": namespace}, data={"Network.java": files.network})
    probe = {"tcpSocket": {"port": _PORT}, "periodSeconds": 1, "failureThreshold": _START_S}
    return [program, _pod(SERVER, namespace, "app", node, images, (), startupProbe=probe)]


def client_object(namespace: str, role: ClusterRole, node: str, server: Object, images: ClusterImages) -> Object:
    """Return the pod that measures from a node, which has the role `role`, to the pod `server`."""
    return _pod(f"{SERVER}-{role}", namespace, role, node, images, (str(server["status"]["podIP"]),))


def nodes_to_measure(nodes: Sequence[Object], chosen: Mapping[ClusterRole, str]) -> list[tuple[ClusterRole, str]]:
    """Return the nodes to measure from, each with its role: the one chosen for a role, or all of them. A node of both
    roles is measured once for each role.
    """
    return [
        (role, name)
        for role in OTHER_ROLES
        for node in nodes
        if has_role(node, role) and takes_pods(node)
        if (name := str(node["metadata"]["name"])) == chosen.get(role, name)
    ]


def path_of(line: str, role: ClusterRole, node: str, app_node: str) -> NetworkPath | None:
    """Return the path that a pod measured, by the last line of its log; None for a line that is no measurement."""
    try:
        return NetworkPath(role=role, node=node, app_node=app_node, **json.loads(line))
    except (ValueError, TypeError):
        return None


def condition(paths: Sequence[NetworkPath], problem: str) -> Condition:
    """Return the measured paths in words, as a condition; without paths the problem why nothing was measured."""
    return Condition(
        id="network",
        title="The network between roles is measured",
        why="Answers wait for it: a result over another network is another result.",
        needed_for="extra",
        verdict="fit" if paths else "unknown",
        reading="; ".join(map(_path_words, paths)) or f"not measured: {problem}",
    )


def components(paths: Iterable[NetworkPath]) -> dict[str, str]:
    """Return the class of the network for each role, by its worst path; `unknown` for a role without one."""
    all_paths = list(paths)
    return {
        f"network of {role}": _network_class([path for path in all_paths if path.role == role]) for role in OTHER_ROLES
    }


def _network_class(paths: Sequence[NetworkPath]) -> str:
    if not paths:
        return "unknown"
    trip_ms = max(path.round_trip_ms for path in paths)
    gbit_per_s = min(path.mbit_per_s for path in paths) / 1000
    lost = max(path.lost / path.sent for path in paths)
    below = next((f"below {most:g} ms" for most in _ROUND_TRIPS_MS if trip_ms < most), "100 ms or more")
    least = next((f"{least:g} Gbit/s or more" for least in _GBITS_PER_S if gbit_per_s >= least), "below 0.1 Gbit/s")
    loss = "nothing" if lost == 0 else "below 0.1 %" if lost < _MUCH_LOST else "0.1 % or more"
    return f"round trip {below}, {least}, {loss} lost"


def _path_words(path: NetworkPath) -> str:
    where = f"within {path.node}" if path.node == path.app_node else f"{path.node} to {path.app_node}"
    return (
        f"{path.role} to app ({where}): round trip {path.round_trip_ms:.3f} ms, 99th percentile "
        f"{path.round_trip_p99_ms:.3f} ms, {path.mbit_per_s / 1000:.1f} Gbit/s, "
        f"{path.lost} of {path.sent} datagrams lost"
    )


def _pod(
    name: str,
    namespace: str,
    role: ClusterRole,
    node: str | None,
    images: ClusterImages,
    target: Sequence[str],
    **of_container: object,
) -> Object:
    container = {
        "name": SERVER,
        "image": images.sources,
        "command": ["java", *FLAGS, _PROGRAM, *target, str(_PORT)],
        "resources": resources(0, _MEMORY_MIB, whole=False),
        "volumeMounts": [
            {"name": "program", "mountPath": "/network", "readOnly": True},
            {"name": "temporary", "mountPath": "/tmp"},
        ],
        **of_container,
    }
    volumes = [{"name": "program", "configMap": {"name": SERVER}}, {"name": "temporary", "emptyDir": {}}]
    return api_object(
        "Pod", name, _LABELS, {"namespace": namespace}, spec=pod_spec(role, container, volumes, node=node)
    )
