"""Reads a cluster before its trials: the network between the nodes of its roles, measured by pods of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from plumbline.measuring.run.draft import Halted
from plumbline.model.errors import UsageError
from plumbline.model.host import Condition, NetworkPath
from plumbline.model.plan import Plan
from plumbline.subjects.catalog.catalog import Catalog
from . import network
from .api import ApiRefused, ApiSilent
from .files import ClusterFiles
from .images import ClusterImages
from .load_request import load_request
from .namespace import Namespace, ended, ended_well
from .pod import ClusterRole


def read_network(
    namespace: Namespace,
    plan: Plan,
    catalog: Catalog,
    files: ClusterFiles,
    images: ClusterImages,
    nodes: Mapping[ClusterRole, str],
) -> tuple[Condition, tuple[NetworkPath, ...]]:
    """Measure the network of a cluster in the namespace of a session, between its nodes, and leave nothing there.

    Returns the condition in words, and each path that was measured. Without a measurement the condition says why.
    """
    namespace.phase = "network"
    paths: tuple[NetworkPath, ...] = ()
    problem = "no node has another role"
    try:
        namespace.frame(load_request(plan, catalog))
        paths = tuple(_paths(namespace, files, images, nodes))
    except UsageError as error:
        problem = error.problem
    except Halted as halted:
        problem = halted.failure.problem
    except (ApiRefused, ApiSilent) as error:
        problem = error.sentence
    with suppress(ApiRefused, ApiSilent, Halted):
        namespace.clear()
    return network.condition(paths, problem), paths


def _paths(
    namespace: Namespace, files: ClusterFiles, images: ClusterImages, nodes: Mapping[ClusterRole, str]
) -> Iterator[NetworkPath]:
    """Measure from each node of the other roles to the node of the application, one after another."""
    api = namespace.api
    for item in network.server_objects(namespace.name, files, images, nodes.get("app")):
        namespace.apply(item)
    server = namespace.until_ready(network.SERVER, "the network's server is ready")
    for role, node in network.nodes_to_measure(api.get("/api/v1/nodes")["items"], nodes):
        pod = network.client_object(namespace.name, role, node, server, images)
        name = pod["metadata"]["name"]
        namespace.apply(pod)
        client = namespace.until_ended(name, f"the network of {node} is measured")
        path = network.path_of(namespace.last_line(name), role, node, str(server["spec"]["nodeName"]))
        if path is None or not ended_well(client):
            raise Halted(namespace.phase, f"{name} on {node} measured nothing: {ended(client)}.")
        yield path
        api.delete(place := f"{namespace.place}/pods/{name}")
        namespace.until_gone(f"{name} is gone", lambda: api.has(place))
