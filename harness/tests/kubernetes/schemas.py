"""Schemas of the API of Kubernetes, and of k6's operator: what an API server refuses, or drops in silence."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import yaml

# The oldest version that the project still mends, and the newest whose schema the validator brings.
VERSIONS = ("1.34", kubernetes_validate.latest_version())
# The schema of TestRun comes with the operator's module, which Go checks by its sum.
OPERATOR = "github.com/grafana/k6-operator@v0.0.12"
OPERATOR_SUM = "h1:Gs/0uCRoroG6oSw48Szj4j4l9uLlaEgHKx3Z3BiqZ7g="


@cache
def definition_of_test_run() -> dict[str, Any]:
    """The object by which the operator tells the API what a TestRun is."""
    go = shutil.which("go")
    assert go is not None, "Go brings the schema of TestRun: install it, as k6's own build needs it too."
    ran = subprocess.run([go, "mod", "download", "-json", OPERATOR], capture_output=True, text=True, check=False)
    module = json.loads(ran.stdout)
    assert ran.returncode == 0 and module["Sum"] == OPERATOR_SUM, module.get("Error")
    file = Path(module["Dir"]) / "config" / "crd" / "bases" / "k6.io_testruns.yaml"
    definition: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return definition


@cache
def schema_of_test_run() -> dict[str, Any]:
    (version,) = definition_of_test_run()["spec"]["versions"]
    schema: dict[str, Any] = _closed(version["schema"]["openAPIV3Schema"])
    # The schema of metadata is not here: the API server knows it of every object.
    schema["properties"]["metadata"] = {"type": "object"}
    return schema


def _closed(schema: Any) -> Any:
    """The schema with unknown fields refused, which the API would drop in silence."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        closed.setdefault("additionalProperties", False)
    return closed
