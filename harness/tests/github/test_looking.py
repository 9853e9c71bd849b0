"""What is only read on a forge: settings of a repository, pins of actions, newer versions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from laboratory import versions
from laboratory.versions import (
    CATALOG,
    PINS,
    apply,
    checked_pins,
    frameworks,
    newer_versions,
    pinned,
    pins_command,
)
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.reporting.github.settings import settings
from plumbline.subjects.catalog.catalog import read_catalog
from tests.change.checkout import write
from tests.github.forge import Forge

ROOT = Path(__file__).resolve().parents[3]


def ruleset(
    number: int,
    target: str,
    pattern: str,
    *kinds: str,
    approvals: int = 1,
    stale: bool = False,
    methods: Sequence[str] | None = ("merge", "squash"),
    exclude: Sequence[str] = (),
) -> dict[str, Any]:
    approved = {"required_approving_review_count": approvals, "dismiss_stale_reviews_on_push": not stale}
    allowed = {} if methods is None else {"allowed_merge_methods": list(methods)}
    parameters = {"pull_request": {**approved, **allowed}}
    return {
        "id": number,
        "target": target,
        "enforcement": "active",
        "conditions": {"ref_name": {"include": [pattern], "exclude": list(exclude)}},
        "rules": [{"type": kind, "parameters": parameters.get(kind)} for kind in kinds],
    }


OF_MAIN = ("deletion", "non_fast_forward", "pull_request")
ENVIRONMENTS = ("bare-metal", "campaign", "github-pages")
REVIEWED = ({"type": "required_reviewers", "reviewers": [{"type": "User", "reviewer": {"login": "me"}}]},)
MAIN, TAGS = {"name": "main", "type": "branch"}, {"name": "v*", "type": "tag"}


def environment(rules: Sequence[dict[str, Any]] = (), **policy: bool) -> dict[str, Any]:
    """An environment as GitHub answers; its policy would be null if every branch might deploy."""
    policies_allowed = {"protected_branches": False, "custom_branch_policies": True, **policy}
    return {"protection_rules": [*rules, {"type": "branch_policy"}], "deployment_branch_policy": policies_allowed}


def policies(*rows: dict[str, str]) -> dict[str, Any]:
    return {"total_count": len(rows), "branch_policies": list(rows)}


def as_wanted(forge: Forge) -> None:
    forge.on(
        "GET",
        "/actions/permissions/workflow",
        {"default_workflow_permissions": "read", "can_approve_pull_request_reviews": True},
    )
    forge.on(
        "GET",
        "/actions/permissions/fork-pr-contributor-approval",
        {"approval_policy": "all_external_contributors"},
    )
    forge.on("GET", "/actions/permissions", {"sha_pinning_required": True})
    for name in ENVIRONMENTS:
        is_metal = name == "bare-metal"
        forge.on("GET", f"/environments/{name}", environment(REVIEWED if is_metal else ()))
        refs = (MAIN,) if is_metal else (MAIN, TAGS)
        forge.on("GET", f"/environments/{name}/deployment-branch-policies", policies(*refs))
    forge.on("GET", "/pages", {"build_type": "workflow"})
    forge.on("GET", "/actions/runners", {"total_count": 0, "runners": []})
    rules = [
        ruleset(1, "branch", "~DEFAULT_BRANCH", *OF_MAIN),
        ruleset(2, "branch", "refs/heads/data", "deletion", "non_fast_forward"),
        ruleset(3, "tag", "refs/tags/v*", "creation", "deletion", "update"),
    ]
    forge.on("GET", "/rulesets", rules)
    for rule in rules:
        forge.on("GET", f"/rulesets/{rule['id']}", rule)


def test_everything_as_wanted(forge: Forge) -> None:
    as_wanted(forge)
    checks = settings(forge.api())
    assert {check.answer for check in checks} == {"as wanted"}
    assert len(checks) == 12
    assert {method for method, *_ in forge.asked} == {"GET"}


WRONG: dict[str, tuple[str, Any, str]] = {
    "a token that writes": (
        "/actions/permissions/workflow",
        {"default_workflow_permissions": "write", "can_approve_pull_request_reviews": True},
        "what a job's token may do",
    ),
    "first contributors only": (
        "/actions/permissions/fork-pr-contributor-approval",
        {"approval_policy": "first_time_contributors"},
        "whose pull requests wait",
    ),
    "tags as pins": ("/actions/permissions", {"sha_pinning_required": False}, "pinned by a full commit"),
    "nobody reviews": ("/environments/bare-metal", environment(), "environment bare-metal"),
    "no reviewer is named": (
        "/environments/bare-metal",
        environment([{"type": "required_reviewers", "reviewers": []}]),
        "environment bare-metal",
    ),
    **{
        f"no {name}": (f"/environments/{name}", (404, {"message": "Not Found"}), f"environment {name}")
        for name in ENVIRONMENTS
    },
    **{
        f"every branch in {name}": (
            f"/environments/{name}",
            {"protection_rules": list(REVIEWED), "deployment_branch_policy": None},
            f"environment {name}",
        )
        for name in ENVIRONMENTS
    },
    **{
        f"another branch in {name}": (
            f"/environments/{name}/deployment-branch-policies",
            policies(MAIN, TAGS, {"name": "*", "type": "branch"}),
            f"environment {name}",
        )
        for name in ENVIRONMENTS
    },
    "a branch that is called like a tag": (
        "/environments/campaign/deployment-branch-policies",
        policies(MAIN, {"name": "v*", "type": "branch"}),
        "environment campaign",
    ),
    "tags on bare metal": (
        "/environments/bare-metal/deployment-branch-policies",
        policies(MAIN, TAGS),
        "environment bare-metal",
    ),
    "no tag in a campaign": (
        "/environments/campaign/deployment-branch-policies",
        policies(MAIN),
        "environment campaign",
    ),
    "no ref is named": (
        "/environments/campaign/deployment-branch-policies",
        policies(),
        "environment campaign",
    ),
    "no rules": ("/rulesets", [], "rules of the branch main"),
    "rules that rest": (
        "/rulesets",
        [{**ruleset(1, "branch", "~ALL", "deletion"), "enforcement": "disabled"}],
        "rules of the branch data",
    ),
    "a pull request that nobody approves": (
        "/rulesets/1",
        ruleset(1, "branch", "~DEFAULT_BRANCH", *OF_MAIN, approvals=0),
        "rules of the branch main",
    ),
    "an approval that outlives a push": (
        "/rulesets/1",
        ruleset(1, "branch", "~DEFAULT_BRANCH", *OF_MAIN, stale=True),
        "rules of the branch main",
    ),
    **{
        f"a rebase merge where {words}": (
            "/rulesets/1",
            ruleset(1, "branch", "~DEFAULT_BRANCH", *OF_MAIN, methods=methods),
            "rules of the branch main",
        )
        for words, methods in {"it is allowed": ("squash", "rebase"), "no method is named": None}.items()
    },
    "rules that leave a branch out": (
        "/rulesets/1",
        ruleset(1, "branch", "~ALL", *OF_MAIN, exclude=["refs/heads/main"]),
        "rules of the branch main",
    ),
    "pages of a branch": ("/pages", {"build_type": "legacy"}, "source of the pages"),
    "a runner that stands by": (
        "/actions/runners",
        {"total_count": 1, "runners": [{"name": "box", "status": "online"}]},
        "runners that stand by",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_each_wrong_setting_is_named_with_where_to_click(forge: Forge, name: str) -> None:
    path, answer, words = WRONG[name]
    as_wanted(forge)
    forge.on("GET", path, answer)
    wrong = [setting for setting in settings(forge.api()) if setting.answer == "wrong"]
    assert any(words in setting.name for setting in wrong)
    assert all(setting.wanted and setting.where.startswith("Settings, ") for setting in wrong)


def test_what_the_token_may_not_see_is_unknown(forge: Forge) -> None:
    as_wanted(forge)
    forge.on("GET", "/actions/permissions/workflow", (403, {"message": "Resource not accessible by integration"}))
    checks = {check.name: check for check in settings(forge.api())}
    hidden = checks["what a job's token may do by itself"]
    assert hidden.answer == "unknown" and "403" in hidden.seen
    assert sum(check.answer == "unknown" for check in checks.values()) == 2


def test_pins(forge: Forge, tmp_path: Path) -> None:
    a, b, c = "a" * 40, "b" * 40, "c" * 40
    write(
        tmp_path,
        ".github/workflows/x.yml",
        f"steps:\n  - uses: actions/one@{a} # v1.0.0\n  - uses: actions/two@{b} # v2.0.0\n  - uses: ./local\n"
        f"  - uses: actions/three/sub@{c} # v3.0.0\n  - uses: actions/one@{a} # v1.0.0\n  - uses: x/four@{c} # v4\n",
    )
    assert len(pinned(tmp_path)) == 4
    for name, tag, commit in (
        ("actions/one", "v1.0.0", a),
        ("actions/two", "v2.1.0", b),
        ("actions/three", "v3.0.0", a),
    ):
        forge.on("GET", f"//repos/{name}/releases/latest", {"tag_name": tag})
        pinned_tag = {"actions/two": "v2.0.0"}.get(name, tag)
        forge.on("GET", f"//repos/{name}/commits/{pinned_tag}", {"sha": commit})
    pins = {pin.repository: pin for pin in checked_pins(tmp_path, forge.api())}
    assert {name: pin.answer for name, pin in pins.items()} == {
        "actions/one": "newest",
        "actions/two": "stale",
        "actions/three": "moved",
        "x/four": "unknown",
    }


@pytest.mark.parametrize(("newest", "sha", "status"), [("v1.1.0", "a", 0), ("v1.0.0", "b", 1)], ids=["stale", "moved"])
def test_only_a_tag_that_moved_is_a_failure(
    forge: Forge,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    newest: str,
    sha: str,
    status: int,
) -> None:
    write(tmp_path, ".github/workflows/x.yml", f"steps:\n  - uses: actions/one@{'a' * 40} # v1.0.0\n")
    forge.on("GET", "//repos/actions/one/releases/latest", {"tag_name": newest})
    forge.on("GET", "//repos/actions/one/commits/v1.0.0", {"sha": sha * 40})
    monkeypatch.setattr(versions, "ROOT", tmp_path)
    for name, value in {"GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "owner/name"}.items():
        monkeypatch.setenv(name, value)
    assert pins_command.callback is not None and pins_command.callback() == status
    is_warned = "::warning::actions/one v1.0.0 is older than v1.1.0." in capfd.readouterr().out
    assert is_warned == (newest == "v1.1.0")


POM = """<project><properties>
    <quarkus.version>3.32.1</quarkus.version> <!-- io.quarkus.platform:quarkus-bom -->
    <spring-boot.version>4.1.0</spring-boot.version> <!-- org.springframework.boot:spring-boot-dependencies -->
    <spring-boot3.version>3.5.16</spring-boot3.version> <!-- org.springframework.boot:spring-boot-dependencies -->
    <shade-plugin.version>3.6.0</shade-plugin.version>
</properties></project>
"""
PINNED = """[k6]
version = "2.2.0"
[k6.amd64]
url = "https://example.org/k6.tar.gz"
sha256 = "00"

[postgresql]
version = "18.6"
[postgresql.amd64]
path = "io/zonky/pg-amd64/18.6.0/pg-amd64-18.6.0.jar"
sha256 = "1111"
[postgresql.arm64]
path = "io/zonky/pg-arm64/18.6.0/pg-arm64-18.6.0.jar"
sha256 = "2222"
"""


def index(*versions: str) -> bytes:
    rows = "".join(f"<version>{version}</version>" for version in versions)
    return f"<metadata><versioning><versions>{rows}</versions></versioning></metadata>".encode()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path, CATALOG, POM)
    write(tmp_path, PINS, PINNED)
    return tmp_path


INDEXES = {
    "c/io/quarkus/platform/quarkus-bom/maven-metadata.xml": index("3.9.0", "3.32.1", "3.33.0", "3.34.0.CR1", "4.0.0"),
    "c/org/springframework/boot/spring-boot-dependencies/maven-metadata.xml": index(
        "3.5.16", "3.5.17", "4.1.0", "4.2.0-M1", "4.1.0-SNAPSHOT"
    ),
    "c/io/zonky/pg-amd64/maven-metadata.xml": index("18.6.0", "18.10.0", "18.9.0", "19.0.0"),
    "c/io/zonky/pg-amd64/18.10.0/pg-amd64-18.10.0.jar": b"amd64",
    "c/io/zonky/pg-arm64/18.10.0/pg-arm64-18.10.0.jar": b"arm64",
}


def fetch(address: str, most: int) -> bytes:
    return INDEXES[address]


def test_newer_releases_of_the_same_major(tree: Path) -> None:
    assert [(upgrade.name, upgrade.now, upgrade.newer) for upgrade in newer_versions(tree, "c", fetch=fetch)] == [
        ("postgresql", "18.6.0", "18.10.0"),
        ("quarkus", "3.32.1", "3.33.0"),
        ("spring-boot3", "3.5.16", "3.5.17"),
    ]
    assert newer_versions(tree, "c", "spring-boot", fetch=fetch) == ()


def test_every_framework_of_the_tree_is_looked_after() -> None:
    """A version of the catalog that variants take for their framework names the artifact that raises it."""
    names_of_catalog = frameworks({CATALOG: (ROOT / CATALOG).read_text()})
    for variant in read_catalog(ROOT).variants.values():
        if variant.spec.framework != "none" and variant.spec.build.tool == "maven-reactor":
            properties = re.findall(r"\$\{([a-z0-9-]+)\.version\}", (variant.folder / "pom.xml").read_text())
            assert any(name.startswith(variant.spec.framework) for name in names_of_catalog.keys() & {*properties}), (
                variant.id
            )


def test_a_framework_is_raised_in_one_place(tree: Path) -> None:
    (upgrade,) = newer_versions(tree, "c", "quarkus", fetch=fetch)
    assert apply(tree, upgrade, "c", fetch) == (CATALOG,)
    assert (tree / CATALOG).read_text() == POM.replace("3.32.1", "3.33.0")
    assert (tree / PINS).read_text() == PINNED
    assert (upgrade.branch, upgrade.title) == ("versions/quarkus", "quarkus 3.32.1 -> 3.33.0")


def test_a_database_is_raised_with_its_digests(tree: Path) -> None:
    (upgrade,) = newer_versions(tree, "c", "postgresql", fetch=fetch)
    assert apply(tree, upgrade, "c", fetch) == (PINS,)
    text = (tree / PINS).read_text()
    assert 'version = "18.10"\n' in text and 'version = "2.2.0"\n' in text
    assert "pg-amd64/18.10.0/pg-amd64-18.10.0.jar" in text and "18.6" not in text
    for machine in (b"amd64", b"arm64"):
        assert hashlib.sha256(machine).hexdigest() in text


def test_an_unknown_name_and_an_index_that_is_none(tree: Path) -> None:
    with pytest.raises(UsageError, match="has no 'quarkos'"):
        newer_versions(tree, "c", "quarkos", fetch=fetch)
    for content in (b"<html>", b"", b'<!DOCTYPE x [<!ENTITY a "b">]><metadata/>'):

        def fetch_none(address: str, most: int, content: bytes = content) -> bytes:
            return content

        with pytest.raises(CannotGoOn, match="no index of versions"):
            newer_versions(tree, "c", "quarkus", fetch=fetch_none)
