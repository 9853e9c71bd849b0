"""Images that are pushed, or baked by hand, are made and labelled as those that trials run in."""

from __future__ import annotations

import re

from plumbline.tools.container import ARTIFACT_LABEL, DIGEST_LABEL, JDK_LABEL, REVISION_LABEL
from .reading import ROOT, workflows

CONTAINERS = ROOT / "apps" / "containers"


def test_what_is_pushed_has_the_labels_of_what_is_measured() -> None:
    (workflow,) = (one for one in workflows() if one.name == "_images.yml")
    (job,) = workflow.jobs
    by_action = {step["uses"].partition("@")[0]: step["with"] for step in job.steps if "with" in step}
    labels = dict(
        line.split("=", 1) for line in by_action["docker/metadata-action"]["labels"].splitlines() if line
    )
    # The action itself adds the commit.
    assert labels == {
        ARTIFACT_LABEL: "${{ matrix.artifact }}",
        DIGEST_LABEL: "${{ steps.packed.outputs.sha256 }}",
    }
    built = by_action["docker/build-push-action"]
    assert built["labels"] == "${{ steps.names.outputs.labels }}"
    assert built["file"].startswith("apps/containers/") and built["file"].endswith(".Containerfile")


def test_what_is_baked_by_hand_has_them_too() -> None:
    text = (CONTAINERS / "docker-bake.hcl").read_text(encoding="utf-8")
    labels = dict(re.findall(r'^    "([a-z0-9.]+)" += ([A-Z0-9]+)$', text, re.MULTILINE))
    assert labels == {ARTIFACT_LABEL: "ARTIFACT", DIGEST_LABEL: "SHA256", REVISION_LABEL: "REVISION"}
    assert {f'variable "{name}"' for name in labels.values()} <= {
        line.removesuffix(" {") for line in text.splitlines()
    }


def test_java_is_named_by_its_base() -> None:
    text = (CONTAINERS / "jvm.Containerfile").read_text(encoding="utf-8")
    assert f"\nLABEL {JDK_LABEL}=${{JAVA_VERSION}}\n" in text
