"""The values of a runner scale set have a pod that the API of Kubernetes takes; docs/scale.md fits what it changes."""

from __future__ import annotations

import kubernetes_validate
import yaml

from tests.checkout import ROOT
from tests.cluster.scale_set import WORKFLOW, changed_lines
from tests.kubernetes.schemas import VERSIONS


def test_the_pod_of_a_runner_is_one() -> None:
    values = (ROOT / "runner-setup" / "arc" / "scale-set.yaml").read_text(encoding="utf-8")
    template = yaml.safe_load(values)["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "runner", **template["metadata"]}}
    for version in VERSIONS:
        kubernetes_validate.validate({**pod, "spec": template["spec"]}, version, strict=True)
    (container,) = template["spec"]["containers"]
    assert container["resources"]["requests"] == container["resources"]["limits"]
    (rule,) = template["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert rule["labelSelector"]["matchLabels"] == template["metadata"]["labels"]


def test_the_lines_that_a_lab_on_arc_changes_are_there() -> None:
    lines = list(changed_lines())
    workflow = (ROOT / WORKFLOW).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert {line: [text.strip() for text in workflow].count(line) for line in lines} == dict.fromkeys(lines, 1)


def test_a_set_is_asked_for_by_its_name() -> None:
    values = yaml.safe_load((ROOT / "runner-setup" / "arc" / "scale-set.yaml").read_text(encoding="utf-8"))
    assert f"runs-on: {values['runnerScaleSetName']}" in changed_lines().values()
