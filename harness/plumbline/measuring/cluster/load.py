"""The load of one phase, divided over generators of one CPU each: an Indexed Job, or a TestRun of k6's operator.

Each generator is k6 on its own execution segment. It waits paused, and is started through its REST interface, all of
them at one moment. Its summary is the last line of its log; its container ends with a message of k6's errors.
https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from plumbline.measuring.load.k6 import SLACK_S
from plumbline.measuring.load.params import TIMEOUT_S, LoadParams, Target, params_of
from plumbline.measuring.load.segments import segment_of, sequence_of
from plumbline.model.errors import UsageError
from plumbline.verdicts.contract.probes import golden_of, name_of
from . import application
from .files import ClusterFiles
from .images import ClusterImages
from .load_request import LoadRequest
from .names import REST_PORT, dns_label
from .pod import (
    Object,
    affinity,
    api_object,
    container_rights,
    pod_rights,
    pod_spec,
    resources,
    service,
    tolerations,
    variables,
)

NAME = "load"
_SCRIPTS = "k6"
# A thousand VUs of 0.5 MB, and room for a collector that lets the heap grow (GOGC). The heap ends below the container's
# limit, beyond which the kernel would kill the generator.
_MEMORY_MIB = 2048
_HEAP_MIB = 1792
# Pods are placed, images pulled, and VUs made before all generators are started.
_READY_S = 600
# The operator's starter is curl in a shell.
_STARTER_MIB = 64
# A pod's name and host have the index behind the job's name.
_LONGEST_NAME = 50
_INDEX = "$(JOB_COMPLETION_INDEX)"
_PARAMS = "/load/params.json"
_SEGMENT = "/segment/segment.json"


def load_objects(
    request: LoadRequest, files: ClusterFiles, images: ClusterImages, labels: Mapping[str, str]
) -> list[Object]:
    """Return the scripts, the parameters of the phase, and the Job or TestRun of k6. Raises UsageError for a script
    that the repository lacks.
    """
    if f"scenarios/{request.scenario.script}" not in files.scripts:
        raise UsageError(
            f"{request.scenario.id} names {request.scenario.script!r}, which is no script of k6/scenarios.",
            "Correct `script` in bench.toml.",
        )
    name = dns_label(f"{NAME}-{request.phase.name}", _LONGEST_NAME)
    segments = {} if request.load == "k6-operator" else _segments(request.generators)
    params = {"params.json": load_params(request, files).model_dump_json(), **segments}
    load_labels = {**labels, "app": NAME}
    return [
        # The key of a ConfigMap has no slash.
        api_object("ConfigMap", _SCRIPTS, labels, data={_key(path): text for path, text in files.scripts.items()}),
        api_object("ConfigMap", name, labels, data=params),
        *(
            [_test_run(request, files, images, name, load_labels)]
            if request.load == "k6-operator"
            else [
                # By this service each generator has its own host name from its start: load-...-0.load
                service(NAME, load_labels, {"rest": REST_PORT}, clusterIP="None", publishNotReadyAddresses=True),
                _job(request, files, images, name, load_labels),
            ]
        ),
    ]


def load_params(request: LoadRequest, files: ClusterFiles) -> LoadParams:
    """Return the parameters of the phase, the same for every generator: k6 itself divides them."""
    target = Target(
        base_url=f"http://{application.NAME}:{application.PORT}",
        name=name_of(request.scenario),
        golden=golden_of(request.scenario, files.probes),
    )
    return params_of(request.phase, request.scenario, target, Path("stdout"), generators=request.generators)


def _segments(count: int) -> dict[str, str]:
    return {
        f"segment-{index}.json": json.dumps({"executionSegment": segment_of(index, count)}) for index in range(count)
    }


def _job(
    request: LoadRequest, files: ClusterFiles, images: ClusterImages, name: str, labels: Mapping[str, str]
) -> Object:
    count = request.generators
    container = {
        "name": "k6",
        "image": images.load,
        "command": ["k6", "run", "--quiet", *_options()],
        "args": [
            "--log-output=file=/dev/termination-log,level=error",
            f"--address=0.0.0.0:{REST_PORT}",
            f"--config={_SEGMENT}",
            f"--execution-segment-sequence={sequence_of(count)}",
            "--paused",
            _script_path(request),
        ],
        "env": _environment(),
        "ports": [{"name": "rest", "containerPort": REST_PORT}],
        "resources": resources(1, _MEMORY_MIB, whole=request.whole_cpus),
        "volumeMounts": [
            *_mounts(),
            # The generator's index chooses its segment, without a shell.
            {
                "name": "parameters",
                "mountPath": _SEGMENT,
                "subPathExpr": f"segment-{_INDEX}.json",
                "readOnly": True,
            },
        ],
    }
    return api_object(
        "Job",
        name,
        labels,
        spec={
            "completionMode": "Indexed",
            "completions": count,
            "parallelism": count,
            # A lost generator makes the trial invalid, so no other takes its place.
            "backoffLimit": 0,
            "activeDeadlineSeconds": _READY_S + math.ceil(request.phase.expected_s + TIMEOUT_S + SLACK_S),
            "template": {
                "metadata": {"labels": dict(labels)},
                "spec": pod_spec("load", container, _volumes(files, name), subdomain=NAME),
            },
        },
    )


def _test_run(
    request: LoadRequest, files: ClusterFiles, images: ClusterImages, name: str, labels: Mapping[str, str]
) -> Object:
    """Return the same load for the operator, which divides the load, makes its pods and starts them by itself.

    https://grafana.com/docs/k6/latest/set-up/set-up-distributed-k6/usage/executing-k6-scripts-with-testrun-crd/
    """
    rights = {"securityContext": pod_rights(), "containerSecurityContext": container_rights()}
    runner = {
        "image": images.load,
        "metadata": {"labels": dict(labels)},
        "automountServiceAccountToken": "false",
        "affinity": affinity("load"),
        "tolerations": tolerations(),
        "env": _environment(),
        "resources": resources(1, _MEMORY_MIB),
        "volumes": _volumes(files, name),
        "volumeMounts": _mounts(),
        **rights,
    }
    return api_object(
        "TestRun",
        name,
        labels,
        spec={
            "parallelism": request.generators,
            "script": {"localFile": _script_path(request)},
            "arguments": " ".join(_options()),
            "paused": "true",
            "runner": runner,
            "starter": {
                "metadata": {"labels": dict(labels)},
                "automountServiceAccountToken": "false",
                "affinity": affinity("load"),
                "tolerations": tolerations(),
                # The operator's own request for CPU would not fit where the generators have all CPUs, and its limit
                # would make each generator begin a tenth of a second after the one before.
                "resources": resources(1, _STARTER_MIB, whole=False),
                **rights,
            },
        },
    )


def _options() -> list[str]:
    return ["--no-color", "--no-usage-report", "--log-format=raw"]


def _script_path(request: LoadRequest) -> str:
    return f"/k6/scenarios/{request.scenario.script}"


def _environment() -> list[Object]:
    # HTTP/1.1 over TLS too: Go would take HTTP/2 where a server offers it.
    return variables(
        {
            "PLUMBLINE_LOAD": _PARAMS,
            "HOME": "/tmp",
            "GOGC": "400",
            "GOMEMLIMIT": f"{_HEAP_MIB}MiB",
            "GOMAXPROCS": "1",
            "GODEBUG": "http2client=0",
        }
    )


def _mounts() -> list[Object]:
    return [
        {"name": "scripts", "mountPath": "/k6", "readOnly": True},
        {"name": "parameters", "mountPath": "/load", "readOnly": True},
        {"name": "temporary", "mountPath": "/tmp"},
    ]


def _volumes(files: ClusterFiles, parameters: str) -> list[Object]:
    return [
        {
            "name": "scripts",
            "configMap": {
                "name": _SCRIPTS,
                "items": [{"key": _key(path), "path": path} for path in files.scripts],
            },
        },
        {"name": "parameters", "configMap": {"name": parameters}},
        {"name": "temporary", "emptyDir": {}},
    ]


def _key(path: str) -> str:
    return path.replace("/", ".")
