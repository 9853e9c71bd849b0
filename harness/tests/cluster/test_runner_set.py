"""The values of a runner scale set on docs/scale.md have a pod that the API of Kubernetes takes."""

from __future__ import annotations

import re

import kubernetes_validate
import yaml

from tests.checkout import ROOT
from tests.kubernetes.schemas import VERSIONS


def test_the_pod_of_a_runner_is_one() -> None:
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    template = yaml.safe_load(block)["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "runner", **template["metadata"]}}
    for version in VERSIONS:
        kubernetes_validate.validate({**pod, "spec": template["spec"]}, version, strict=True)
    (container,) = template["spec"]["containers"]
    assert container["resources"]["requests"] == container["resources"]["limits"]
    (rule,) = template["spec"]["affinity"]["podAntiAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]
    assert rule["labelSelector"]["matchLabels"] == template["metadata"]["labels"]
