"""A real API server takes the objects of plans, by the commands of docs/scale.md too."""

from __future__ import annotations

import pytest

from plumbline.measuring.cluster.api import ApiRefused, ClusterApi
from plumbline.measuring.cluster.objects import as_yaml
from tests.cluster.planned import at_rate, objects
from tests.cluster.test_objects import PLANS
from tests.kubernetes.schemas import definition_of_test_run
from .cluster import Cluster
from .waiting import until


@pytest.fixture(scope="module")
def operated(cluster: Cluster) -> ClusterApi:
    """The API, which knows what a TestRun is from the operator's own definition."""
    definition = definition_of_test_run()
    cluster.api.apply(definition)
    (version,), group = definition["spec"]["versions"], definition["spec"]["group"]
    served = f"/apis/{group}/{version['name']}"
    until("TestRun is served", lambda: cluster.api.has(served))
    return cluster.api


@pytest.mark.parametrize("name", PLANS)
def test_the_api_server_takes_the_objects_of_a_plan(cluster: Cluster, name: str) -> None:
    frame, *manifests = objects(PLANS[name], generators=3)
    with cluster.namespace(frame):
        for manifest in manifests:
            assert cluster.api.apply(manifest, dry_run=True)["kind"] == manifest["kind"]


def test_a_field_that_does_not_exist_is_refused(cluster: Cluster) -> None:
    frame, *manifests = objects(PLANS["orders"])
    (pod,) = (
        manifest for manifest in manifests if manifest["kind"] == "Pod" and manifest["metadata"]["name"] == "sources"
    )
    pod["spec"]["containers"][0]["imagee"] = "x"
    with cluster.namespace(frame), pytest.raises(ApiRefused, match="imagee: field not declared"):
        cluster.api.apply(pod, dry_run=True)


def test_the_commands_of_scale_md_apply_each_object_once(cluster: Cluster) -> None:
    manifests = objects(PLANS["fruits"], generators=3)
    output = ""
    with cluster.namespace(manifests[0]):
        for chosen in ("notin (app, load)", "= app", "= load"):
            selector = f"plumbline.dev/role {chosen}"
            output += cluster.kubectl("apply", "--dry-run=server", "-f", "-", "-l", selector, given=as_yaml(manifests))
    assert output.count("(server dry run)") == len(manifests)


def test_the_api_server_takes_the_test_run_of_a_plan(cluster: Cluster, operated: ClusterApi) -> None:
    frame, *manifests = objects(at_rate(PLANS["fruits"], 12_000), load="k6-operator")
    (wanted,) = (manifest for manifest in manifests if manifest["kind"] == "TestRun")
    for pod in ("runner", "starter"):
        # The one field that is younger than the release whose definition Go brings.
        assert wanted["spec"][pod].pop("containerSecurityContext")
    with cluster.namespace(frame):
        assert operated.apply(wanted, dry_run=True)["spec"]["parallelism"] == 3
        with pytest.raises(ApiRefused, match="paralelism: field not declared"):
            operated.apply({**wanted, "spec": {**wanted["spec"], "paralelism": 2}}, dry_run=True)


def test_a_pod_with_a_right_too_many_is_refused(cluster: Cluster) -> None:
    frame, *manifests = objects(PLANS["hello"])
    (pod,) = (manifest for manifest in manifests if manifest["kind"] == "Pod")
    pod["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True
    with cluster.namespace(frame), pytest.raises(ApiRefused, match="violates PodSecurity"):
        cluster.api.apply(pod, dry_run=True)
