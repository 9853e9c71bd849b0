"""The application of a trial, with the command line and the variables that a trial on one host states, and its six
sources where an order asks them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from plumbline.measuring.run.application import Command, application_command
from plumbline.measuring.services.interface import DatabaseAddress
from plumbline.measuring.services.postgres.roles import APPLICATION
from plumbline.measuring.services.postgres.service import DATABASE
from plumbline.measuring.services.sources import FLAGS
from plumbline.model.java import FOLDER, JAVA
from plumbline.model.subject import is_native
from plumbline.subjects.catalog.catalog import Catalog
from . import database
from .files import ClusterFiles
from .images import ClusterImages
from .load_request import LoadRequest
from .names import SUBJECT_ANNOTATION
from .pod import Object, api_object, pod_spec, resources, service, variables

NAME = "application"
PORT = 8080
_SOURCES = "sources"
_SOURCES_PORT = 8090
_SOURCES_MEMORY_MIB = 512
# Beside the heap: classes, compiled code, threads, buffers of the network.
_BESIDE_HEAP_MIB = 768
# A runtime that chooses its own heap takes a part of this.
_MEMORY_MIB = 2048
_OF_THE_HOST = frozenset({"PATH", "HOME", "DB_PASSWORD"})
_START_S = 120


def application_objects(
    request: LoadRequest, catalog: Catalog, images: ClusterImages, labels: Mapping[str, str]
) -> list[Object]:
    """Return the pod of the application and its service."""
    cpus = len(request.plan.sets_of(request.trial).app)
    command = _command(request, catalog, cpus)
    values = {name: value for name, value in command.env.items() if name not in _OF_THE_HOST}
    password = [database.from_secret("DB_PASSWORD", "application")] if "DB_PASSWORD" in command.env else []
    container = {
        "name": NAME,
        "image": images.application,
        "command": [word.replace("$", "$$") for word in command.argv],
        "workingDir": str(FOLDER),
        "env": [*variables({**values, "HTTP_HOST": "0.0.0.0", "LC_ALL": "C.UTF-8"}), *password],
        "ports": [{"name": "http", "containerPort": PORT}],
        "resources": resources(cpus, _memory_mib(request.settings["heap"])),
        # The probe ends with the first answer; after that a trial has no requests but those of its load.
        "startupProbe": {
            "httpGet": {"path": "/health", "port": "http"},
            "periodSeconds": 1,
            "failureThreshold": _START_S,
        },
        "volumeMounts": [{"name": "temporary", "mountPath": "/tmp"}],
    }
    own_labels = {**labels, "app": NAME}
    annotations = {SUBJECT_ANNOTATION: request.subject.id}
    volumes = [{"name": "temporary", "emptyDir": {}}]
    pod = pod_spec("app", container, volumes, node=request.nodes.get("app"))
    return [
        api_object("Pod", NAME, own_labels, {"annotations": annotations}, spec=pod),
        service(NAME, own_labels, {"http": PORT}),
    ]


def sources_objects(
    request: LoadRequest, files: ClusterFiles, images: ClusterImages, labels: Mapping[str, str]
) -> list[Object]:
    """Return the six sources of an order, on a node of the database; no objects if the scenario asks no sources."""
    if request.scenario.source_latency_ms is None:
        return []
    container = {
        "name": _SOURCES,
        "image": images.sources,
        "command": ["java", *FLAGS, "/sources/Stub.java", str(_SOURCES_PORT)],
        "env": variables({"STUB_HOST": "0.0.0.0", "LANG": "C.UTF-8", "TZ": "UTC"}),
        "ports": [{"name": "http", "containerPort": _SOURCES_PORT}],
        "resources": resources(request.sources_cpus, _SOURCES_MEMORY_MIB, whole=request.sources_cpus > 0),
        "startupProbe": {
            "httpGet": {"path": "/0/customers/1", "port": "http"},
            "periodSeconds": 1,
            "failureThreshold": _START_S,
        },
        "volumeMounts": [
            {"name": "program", "mountPath": "/sources", "readOnly": True},
            {"name": "temporary", "mountPath": "/tmp"},
        ],
    }
    volumes = [{"name": "program", "configMap": {"name": _SOURCES}}, {"name": "temporary", "emptyDir": {}}]
    own_labels = {**labels, "app": _SOURCES}
    return [
        api_object("ConfigMap", _SOURCES, labels, data={"Stub.java": files.sources}),
        api_object("Pod", _SOURCES, own_labels, spec=pod_spec("db", container, volumes, node=request.nodes.get("db"))),
        service(_SOURCES, own_labels, {"http": _SOURCES_PORT}),
    ]


def _command(request: LoadRequest, catalog: Catalog, cpus: int) -> Command:
    latency_ms = request.scenario.source_latency_ms
    variant = catalog.variant(request.subject.variant)
    return application_command(
        run=variant.packaging(request.subject.packaging).run,
        folder=FOLDER,
        java=JAVA,
        settings=request.settings,
        processors=cpus,
        port=PORT,
        # The secret has the password.
        database=DatabaseAddress(database.NAME, database.PORT, DATABASE, APPLICATION, "", None),
        environ={},
        sources=None if latency_ms is None else f"http://{_SOURCES}:{_SOURCES_PORT}/{latency_ms:g}",
        native=is_native(request.subject.packaging),
        engine=request.subject.engine,
    )


def _memory_mib(heap: str) -> int:
    size = re.fullmatch(r"([0-9]+)([mg])", heap)
    if size is None:
        return _MEMORY_MIB
    return int(size[1]) * (1024 if size[2] == "g" else 1) + _BESIDE_HEAP_MIB
