"""All objects of one trial, in the order in which they are made, and their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import yaml

from plumbline.model.plan import Plan
from plumbline.subjects.catalog.catalog import Catalog
from .application import PORT, application_objects, sources_objects
from .database import database_objects
from .files import ClusterFiles
from .images import ClusterImages
from .load import load_objects
from .load_request import LoadRequest
from .names import (
    PART_OF,
    PLUMBLINE,
    REST_PORT,
    ROLE_LABEL,
    SESSION_LABEL,
    TRIAL_LABEL,
    dns_label,
    label_value,
)
from .passwords import ClusterPasswords
from .pod import ClusterRole, Object, api_object


def cluster_objects(
    request: LoadRequest,
    catalog: Catalog,
    files: ClusterFiles,
    images: ClusterImages,
    passwords: ClusterPasswords,
) -> list[Object]:
    """Return the objects of one trial of a plan, with the load of one of its phases: what `ask` made of the plan.

    Every object has the labels of session and trial, and an object of a role the label of that role, so that
    `kubectl apply -l plumbline.dev/role=db` makes only those of the role. Raises UsageError for a name of the plan that
    the API would not take.
    """
    roles = (role_objects(role, request, catalog, files, images, passwords) for role in ("db", "app", "load"))
    return [*frame_objects(request), *chain.from_iterable(roles)]


def role_objects(
    role: str,
    request: LoadRequest,
    catalog: Catalog,
    files: ClusterFiles,
    images: ClusterImages,
    passwords: ClusterPasswords,
) -> list[Object]:
    """Return the objects of one role of a trial: db, app or load."""
    match role:
        case "db":
            labels = _labels(request, "db")
            objects = database_objects(request, files, images, passwords, labels)
            objects += sources_objects(request, files, images, labels)
        case "app":
            objects = application_objects(request, catalog, images, _labels(request, "app"))
        case _:
            objects = load_objects(request, files, images, _labels(request, "load"))
    return _in_namespace(request, objects)


def _in_namespace(request: LoadRequest, objects: list[Object]) -> list[Object]:
    """Return the objects in the namespace of their session."""
    for item in objects:
        if item["kind"] != "Namespace":
            item["metadata"]["namespace"] = namespace_of(request.plan)
    return objects


def namespace_of(plan: Plan) -> str:
    """Return the namespace of a session. Deleting it removes everything of the session."""
    return dns_label(f"plumbline-{plan.session}")


def as_yaml(objects: Sequence[Object]) -> str:
    """Return the objects as documents of YAML."""
    return yaml.dump_all(
        objects, Dumper=_PlainDumper, sort_keys=False, explicit_start=True, allow_unicode=True, width=120
    )


class _PlainDumper(yaml.SafeDumper):
    """Writes a text of several lines in several lines, and no object as a reference to another."""

    def ignore_aliases(self, data: object) -> bool:
        """Write out each object, also an object that appears twice."""
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_PlainDumper.add_representer(str, _represent_text)


def _labels(request: LoadRequest, role: ClusterRole | None = None) -> Mapping[str, str]:
    role_label = {} if role is None else {ROLE_LABEL: role}
    return {
        PART_OF: PLUMBLINE,
        SESSION_LABEL: label_value(request.plan.session),
        TRIAL_LABEL: str(request.trial.number),
        **role_label,
    }


def frame_objects(request: LoadRequest) -> list[Object]:
    """Return the namespace and its network policies: pods may speak with one another, and else only with name servers.

    Whoever runs the trial reaches k6's REST interface and the application from anywhere.
    """
    labels = _labels(request)
    name_ports = [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]
    system_namespace = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}}
    objects = [
        api_object(
            "Namespace", namespace_of(request.plan), {**labels, "pod-security.kubernetes.io/enforce": "restricted"}
        ),
        api_object(
            "NetworkPolicy",
            "within",
            labels,
            spec={
                "podSelector": {},
                "policyTypes": ["Ingress", "Egress"],
                "ingress": [{"from": [{"podSelector": {}}]}],
                "egress": [{"to": [{"podSelector": {}}]}, {"to": [system_namespace], "ports": name_ports}],
            },
        ),
        api_object(
            "NetworkPolicy",
            "reached",
            labels,
            spec={
                "podSelector": {},
                "policyTypes": ["Ingress"],
                "ingress": [{"ports": [{"port": port, "protocol": "TCP"} for port in (REST_PORT, PORT)]}],
            },
        ),
    ]
    return _in_namespace(request, objects)
