"""The database of a trial: PostgreSQL's official image, with schema and rows made anew when its pod starts."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.measuring.services.postgres.roles import APPLICATION, RIGHTS
from plumbline.measuring.services.postgres.service import DATABASE
from plumbline.measuring.services.postgres.settings import INITDB_ARGS, SETTINGS, as_arguments
from .files import ClusterFiles
from .images import ClusterImages
from .load_request import LoadRequest
from .passwords import ClusterPasswords
from .pod import Object, api_object, pod_spec, resources, service, variables

NAME = "database"
PORT = 5432
SECRET = "passwords"
_ROWS = "rows"
_ADMINISTRATOR = "postgres"
# `postgres` in the official image.
_USER = 999
_MEMORY_MIB = 2048
# As in the template database of a session on one host: no plan of a statement changes within a trial.
_STATISTICS = "VACUUM (FREEZE, ANALYZE);\n"


def database_objects(
    request: LoadRequest,
    files: ClusterFiles,
    images: ClusterImages,
    passwords: ClusterPasswords,
    labels: Mapping[str, str],
) -> list[Object]:
    """Return the database with its rows and passwords; no objects if the subject has no database."""
    if request.subject.engine == "none":
        return []
    pod = pod_spec(
        "db",
        _container(request, images),
        [{"name": "rows", "projected": {"sources": _sources_of_rows()}}, *_folders()],
        user=_USER,
        node=request.nodes.get("db"),
    )
    return [
        api_object(
            "Secret",
            SECRET,
            labels,
            stringData={
                "administrator": passwords.administrator,
                "application": passwords.application,
                # The image runs the files of that folder in the order of their names.
                "5-application.sql": _application_role(passwords.application),
            },
        ),
        api_object("ConfigMap", _ROWS, labels, data=_files_of_rows(request, files)),
        api_object("Pod", NAME, {**labels, "app": NAME}, spec=pod),
        service(NAME, {**labels, "app": NAME}, {"postgres": PORT}),
    ]


def _container(request: LoadRequest, images: ClusterImages) -> Object:
    listen_settings = {"listen_addresses": "*", "port": str(PORT)}
    return {
        "name": NAME,
        "image": images.database,
        "args": as_arguments({**SETTINGS, **listen_settings}),
        "env": [
            *variables(
                {
                    "POSTGRES_USER": _ADMINISTRATOR,
                    "POSTGRES_DB": DATABASE,
                    "POSTGRES_INITDB_ARGS": INITDB_ARGS,
                }
            ),
            from_secret("POSTGRES_PASSWORD", "administrator"),
        ],
        "ports": [{"name": "postgres", "containerPort": PORT}],
        "resources": resources(request.database_cpus, _MEMORY_MIB, whole=request.whole_cpus),
        # While the rows are made the server listens on no port.
        "startupProbe": {"tcpSocket": {"port": "postgres"}, "periodSeconds": 1, "failureThreshold": 120},
        "volumeMounts": [
            {"name": "rows", "mountPath": "/docker-entrypoint-initdb.d", "readOnly": True},
            {"name": "data", "mountPath": "/var/lib/postgresql"},
            {"name": "socket", "mountPath": "/var/run/postgresql"},
            {"name": "temporary", "mountPath": "/tmp"},
        ],
    }


def _sources_of_rows() -> list[Object]:
    return [
        {"configMap": {"name": _ROWS}},
        {"secret": {"name": SECRET, "items": [{"key": "5-application.sql", "path": "5-application.sql"}]}},
    ]


def _folders() -> list[Object]:
    return [{"name": name, "emptyDir": {}} for name in ("data", "socket", "temporary")]


def _files_of_rows(request: LoadRequest, files: ClusterFiles) -> dict[str, str]:
    rows = {
        "1-schema.sql": files.sql["pg/schema.sql"],
        "2-fruits.sql": files.sql["fruits.sql"],
        "3-rows.sql": files.sql["pg/rows.sql"],
        "6-statistics.sql": _STATISTICS,
    }
    if request.scenario.prepare is not None:
        rows["4-prepare.sql"] = files.sql[f"prepare/{request.scenario.prepare}.sql"]
    return dict(sorted(rows.items()))


def _application_role(password: str) -> str:
    """Return statements for the application's role, which reads and writes rows; nobody else may use the database, and
    the role may use no other.
    """
    statements = (
        f"CREATE ROLE {APPLICATION} LOGIN PASSWORD '{password}'",
        f"REVOKE ALL ON DATABASE {DATABASE}, postgres, template1 FROM PUBLIC",
        f"GRANT CONNECT ON DATABASE {DATABASE} TO {APPLICATION}",
        *(right.format(APPLICATION) for right in RIGHTS),
    )
    return "".join(f"{statement};\n" for statement in statements)


def from_secret(variable: str, key: str) -> Object:
    """Return a variable whose value is a key of the secret."""
    return {"name": variable, "valueFrom": {"secretKeyRef": {"name": SECRET, "key": key}}}
