"""The manifests of study 004 are what the API of Kubernetes takes, and speak the words of the contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from plumbline.catalog.catalog import read_catalog
from plumbline.load.params import LoadParams, Target, params_of
from plumbline.plan.phases import scenario_of
from plumbline.run.application import application_command
from plumbline.services.interface import DatabaseAddress
from tests.kubernetes.schemas import VERSIONS, schema_of_test_run

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "apps" / "kubernetes" / "orders"


def documents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every document of the folder with its file and kind."""
    for path in sorted(FOLDER.glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            yield f"{path.name}: {document['kind']}", document


DOCUMENTS = dict(documents())
OF_KUBERNETES = {
    name: document
    for name, document in DOCUMENTS.items()
    if not document["apiVersion"].startswith(("k6.io/", "kustomize."))
}


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, document in OF_KUBERNETES.items():
        if "template" in document.get("spec", {}):
            yield name, document["spec"]["template"]["spec"]


def containers() -> list[tuple[str, dict[str, Any]]]:
    found = [
        (f"{name} {container['name']}", container)
        for name, pod in pods()
        for container in (*pod.get("initContainers", ()), *pod["containers"])
    ]
    return [*found, ("load.yaml: TestRun runner", DOCUMENTS["load.yaml: TestRun"]["spec"]["runner"])]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", OF_KUBERNETES)
def test_the_api_takes_it(name: str, version: str) -> None:
    kubernetes_validate.validate(OF_KUBERNETES[name], version, strict=True)


def test_a_field_that_does_not_exist_would_be_found() -> None:
    wrong = json.loads(json.dumps(OF_KUBERNETES["jaeger.yaml: Deployment"]))
    wrong["spec"]["template"]["spec"]["containers"][0]["imagee"] = "x"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[0], strict=True)


@pytest.mark.slow
def test_the_operator_takes_the_test_run() -> None:
    schema = schema_of_test_run()
    document = DOCUMENTS["load.yaml: TestRun"]
    jsonschema.validate(document, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "spec": {**document["spec"], "paralelism": 2}}, schema)


@pytest.mark.parametrize(("name", "container"), containers())
def test_each_container_gets_what_it_may_use(name: str, container: dict[str, Any]) -> None:
    resources = container["resources"]
    assert resources["limits"] == resources["requests"]
    assert set(resources["limits"]) == {"cpu", "memory"}
    image, _, tag = container["image"].rpartition(":")
    assert image and tag not in ("", "latest")


def test_the_application_is_told_what_a_trial_tells_it() -> None:
    deployment = OF_KUBERNETES["order-service.yaml: Deployment"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    said = {one["name"]: one.get("value") for one in container["env"]}
    catalog = read_catalog(ROOT)
    command = application_command(
        run=("-jar", "app.jar"),
        folder=Path("/app"),
        java=Path("java"),
        settings=catalog.bench.defaults,
        processors=int(container["resources"]["limits"]["cpu"]),
        port=8080,
        database=DatabaseAddress("database", 5432, "bench", "bench", "secret", None),
        environ={},
        sources="http://sources:8090/5",
    )
    of_the_contract = {
        name: value for name, value in command.env.items() if name.startswith(("HTTP_", "DB_", "STUB_"))
    }
    kept = {name: said[name] for name in of_the_contract if name in said}
    assert kept == {**of_the_contract, "HTTP_HOST": "0.0.0.0", "DB_PASSWORD": None}
    assert container["command"] == command.argv


def test_services_and_files_that_are_named_exist() -> None:
    services = {one["metadata"]["name"] for one in OF_KUBERNETES.values() if one["kind"] == "Service"}
    assert services == {"database", "sources", "jaeger", "order-service"}
    kustomization = DOCUMENTS["kustomization.yaml: Kustomization"]
    named = [text.rpartition("=")[2] for one in kustomization["configMapGenerator"] for text in one["files"]]
    assert named and all((FOLDER / path).is_file() for path in named)
    assert {path.name for path in FOLDER.glob("*.yaml")} == {
        *kustomization["resources"],
        "kustomization.yaml",
        "load.yaml",
    }
    generated = {one["name"] for one in kustomization["configMapGenerator"]}
    used = {
        volume["configMap"]["name"]
        for _, pod in pods()
        for volume in pod.get("volumes", ())
        if "configMap" in volume
    }
    assert used == generated


def test_the_load_is_the_scenario_of_this_repository() -> None:
    catalog = read_catalog(ROOT)
    _, suite = catalog.suite("seed-004")
    spec = catalog.scenario("orders-mix")
    scenario = scenario_of("orders-mix", spec, suite)
    phase = next(phase for phase in scenario.phases if phase.multiplier == 1)
    target = Target(base_url="http://order-service:8080", name="", golden=None)
    expected = params_of(phase, scenario, target, Path("stdout"))
    given = LoadParams.model_validate_json((FOLDER / "load.json").read_bytes())
    assert given == expected, f"load.json should be:\n{expected.model_dump_json(indent=1)}"
