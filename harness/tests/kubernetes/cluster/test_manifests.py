"""The manifests of study 004 are what a real API server takes, by the commands of their README."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml

from tests.kubernetes.schemas import definition_of_test_run
from tests.kubernetes.test_orders import DOCUMENTS, FOLDER
from .api import Api, ApiRefused, Object, until
from .cluster import Cluster

NAMESPACE = "plumbline-orders"
LENIENT = "--load-restrictor=LoadRestrictionsNone"


@pytest.fixture(scope="module")
def manifests(cluster: Cluster) -> Iterator[str]:
    """What kustomize makes of the folder; its name space is there."""
    cluster.api.apply(DOCUMENTS["namespace.yaml: Namespace"])
    yield cluster.kubectl("kustomize", LENIENT, str(FOLDER))
    cluster.api.delete(f"/api/v1/namespaces/{NAMESPACE}")


def test_the_api_server_takes_all_that_kustomize_makes(cluster: Cluster, manifests: str) -> None:
    made: list[Object] = list(yaml.safe_load_all(manifests))
    assert {one["kind"] for one in made} == {
        *("Namespace", "ConfigMap", "Secret", "Service", "Deployment", "StatefulSet")
    }
    for one in made:
        assert cluster.api.apply(one, dry_run=True)["kind"] == one["kind"]


def test_the_command_of_the_readme_takes_them(cluster: Cluster, manifests: str) -> None:
    said = cluster.kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", given=manifests)
    assert said.count("created (server dry run)") == manifests.count("\nkind: ") - 1


def test_a_field_that_does_not_exist_is_refused(cluster: Cluster, manifests: str) -> None:
    wrong = next(one for one in yaml.safe_load_all(manifests) if one["kind"] == "StatefulSet")
    wrong["spec"]["template"]["spec"]["containers"][0]["imagee"] = "x"
    with pytest.raises(ApiRefused, match=r"imagee: field not declared"):
        cluster.api.apply(wrong, dry_run=True)


def test_the_api_server_takes_the_test_run_by_the_operators_own_definition(
    cluster: Cluster, manifests: str
) -> None:
    definition = definition_of_test_run()
    wanted = DOCUMENTS["load.yaml: TestRun"]
    api: Api = cluster.api
    api.apply(definition)
    try:
        until("TestRun is served", lambda: api.path_of(wanted))
        assert api.apply(wanted, dry_run=True)["kind"] == "TestRun"
        with pytest.raises(ApiRefused, match="paralelism: field not declared"):
            api.apply({**wanted, "spec": {**wanted["spec"], "paralelism": 2}}, dry_run=True)
    finally:
        api.delete(api.path_of(definition))
