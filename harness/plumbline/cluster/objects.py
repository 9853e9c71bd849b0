"""All objects of one trial, in the order in which they are made, and their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import yaml

from plumbline.catalog.catalog import Catalog
from plumbline.model.plan import Plan
from .application import application_objects, sources_objects
from .asked import Asked
from .database import database_objects
from .files import ClusterFiles
from .images import ClusterImages
from .load import REST_PORT, load_objects
from .names import ROLE_LABEL, SESSION_LABEL, TRIAL_LABEL, dns_label, label_value
from .passwords import ClusterPasswords
from .pod import ClusterRole, Object


def cluster_objects(
    asked: Asked, catalog: Catalog, files: ClusterFiles, images: ClusterImages, passwords: ClusterPasswords
) -> list[Object]:
    """Return the objects of one trial of a plan, with the load of one of its phases: what `ask` made of the plan.

    Every object has the labels of session and trial, and those of a role its role, so that
    `kubectl apply -l plumbline.dev/role=db` makes that part of them. Raises UsageError for a name of the plan that the
    API would not take.
    """
    made = [
        *_frame(asked),
        *database_objects(asked, files, images, passwords, _labels(asked, "db")),
        *sources_objects(asked, files, images, _labels(asked, "db")),
        *application_objects(asked, catalog, images, _labels(asked, "app")),
        *load_objects(asked, files, images, _labels(asked, "load")),
    ]
    namespace = namespace_of(asked.plan)
    for one in made:
        if one["kind"] != "Namespace":
            one["metadata"]["namespace"] = namespace
    return made


def namespace_of(plan: Plan) -> str:
    """Return the namespace of a session. To delete it removes everything of the session."""
    return dns_label(f"plumbline-{plan.session}")


def as_yaml(objects: Sequence[Object]) -> str:
    """Return the objects as documents of YAML."""
    return yaml.dump_all(
        objects, Dumper=_Plain, sort_keys=False, explicit_start=True, allow_unicode=True, width=120
    )


class _Plain(yaml.SafeDumper):
    """Writes texts of several lines as such, and nothing by reference."""

    def ignore_aliases(self, data: object) -> bool:
        """Write each object out, also one that stands twice."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Plain.add_representer(str, _text)


def _labels(asked: Asked, role: ClusterRole | None = None) -> Mapping[str, str]:
    its = {} if role is None else {ROLE_LABEL: role}
    return {
        "app.kubernetes.io/part-of": "plumbline",
        SESSION_LABEL: label_value(asked.plan.session),
        TRIAL_LABEL: str(asked.trial.number),
        **its,
    }


def _frame(asked: Asked) -> list[Object]:
    """Return the namespace, and who may speak with whom: the pods with one another, and with names alone besides.

    Whoever lets the generators go reaches their REST interface from anywhere.
    """
    labels = _labels(asked)
    names = [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]
    of_system = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}}
    return [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {
                "name": namespace_of(asked.plan),
                "labels": {**labels, "pod-security.kubernetes.io/enforce": "restricted"},
            },
        },
        _policy(
            "within",
            labels,
            {
                "podSelector": {},
                "policyTypes": ["Ingress", "Egress"],
                "ingress": [{"from": [{"podSelector": {}}]}],
                "egress": [{"to": [{"podSelector": {}}]}, {"to": [of_system], "ports": names}],
            },
        ),
        _policy(
            "let-go",
            labels,
            {
                "podSelector": {"matchLabels": {ROLE_LABEL: "load"}},
                "policyTypes": ["Ingress"],
                "ingress": [{"ports": [{"port": REST_PORT, "protocol": "TCP"}]}],
            },
        ),
    ]


def _policy(name: str, labels: Mapping[str, str], spec: Object) -> Object:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name, "labels": dict(labels)},
        "spec": spec,
    }
