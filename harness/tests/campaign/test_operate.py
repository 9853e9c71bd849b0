"""docs/operate.md, followed word by word as far as that needs no host: each command and each row as it stands there."""

from __future__ import annotations

import json
import os
import re
import subprocess
from functools import partial
from pathlib import Path

import pytest

from tests.operate import SAID, commands, named
from tests.workflows.reading import workflows
from .act import Machine, Run
from .checkout import REPOSITORY, git
from .clicks import clicked, rows
from .github import TOKEN
from .story import another_data_branch, only, session_of

SOURCE = "plumbline-upstream/plumbline"


def block(step: str, first: str) -> str:
    """The indented commands of a step, with this repository's names in them."""
    return commands(step, first).replace("OWNER/NAME", REPOSITORY).replace("<this repository>", SOURCE)


class Owner:
    """Somebody with a shell, for whom the addresses of GitHub lead to folders, and its API is the stand-in."""

    def __init__(self, home: Path, machine: Machine, bare: Path) -> None:
        self.home, self.clone = home, home / "plumbline"
        config = "".join(
            f'[url "{folder}"]\n    insteadOf = https://github.com/{name}\n'
            for name, folder in ((SOURCE, machine.sources), (REPOSITORY, bare))
        )
        (home / "gitconfig").write_text(f"{config}[advice]\n    detachedHead = false\n")
        self.environ = {
            "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
            "GITHUB_API_URL": machine.hub.url,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_TOKEN": TOKEN,
        }

    def types(self, words: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Run the commands in a shell that stops at the first failure."""
        return subprocess.run(
            ["bash", "-euc", words],
            cwd=folder,
            env={**os.environ, **self.environ},
            capture_output=True,
            text=True,
        )


@pytest.fixture(scope="module")
def owner(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Owner:
    """An owner after step 1, whose repository was empty."""
    home = tmp_path_factory.mktemp("owner")
    git(home, "init", "--quiet", "--bare", "--initial-branch", "main", "empty.git")
    somebody = Owner(home, machine, home / "empty.git")
    ended = somebody.types(block("1. The repository", "git clone"), home)
    assert ended.returncode == 0, ended.stderr
    return somebody


def test_step_1_makes_an_empty_repository_ours(machine: Machine, owner: Owner) -> None:
    bare = owner.home / "empty.git"
    assert git(bare, "rev-parse", "main") == git(machine.sources, "rev-parse", "HEAD")
    assert git(bare, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]


def test_step_2_names_what_is_wrong_and_its_table_mends_all_of_it(machine: Machine, owner: Owner) -> None:
    assert "`./bench ci settings` reads them by the API" in SAID
    ended = owner.types("./bench ci settings --json", owner.clone)
    assert ended.returncode == 1, ended.stderr
    wrong = [setting for setting in json.loads(ended.stdout)["settings"] if setting["answer"] != "as wanted"]
    assert {setting["answer"] for setting in wrong} == {"wrong"} and len(wrong) >= 9
    assert {setting["where"].replace(", ", " > ") for setting in wrong} <= {page for page, _ in rows()}
    before = dict(machine.hub.settings)
    for page, change in rows():
        clicked(machine.hub.settings, page, change)
    ended = owner.types("./bench ci settings", owner.clone)
    machine.hub.settings = before
    assert ended.returncode == 0, ended.stdout
    assert all(line.startswith("as wanted ") for line in ended.stdout.splitlines())


def test_step_2_compares_the_pins_with_their_tags(
    machine: Machine, owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "`./bench ci\npins` does so" in SAID
    ended = owner.types("./bench ci pins", owner.clone)
    assert ended.returncode == 0, ended.stdout
    moved = ("f" * 40, machine.hub.pins["actions/checkout"][1])
    monkeypatch.setitem(machine.hub.pins, "actions/checkout", moved)
    ended = owner.types("./bench ci pins", owner.clone)
    assert ended.returncode == 1 and "moved    actions/checkout@" in ended.stdout


def test_step_3_pushes_the_tag_that_starts_a_campaign(machine: Machine, owner: Owner) -> None:
    ended = owner.types(block("3. A first tag", "git tag"), owner.clone)
    assert ended.returncode == 0, ended.stderr
    (tag,) = git(owner.home / "empty.git", "tag").split()
    (campaign,) = (workflow for workflow in workflows() if workflow.name == "campaign.yml")
    assert campaign.triggers["push"] == {"tags": ["v*"]} and tag.startswith("v")


def test_step_3_computes_every_published_figure_again(machine: Machine, owner: Owner, tagged: Run) -> None:
    reader = Owner(owner.home, machine, machine.hub.bare)
    # The branch also has nights that other tests made up, which no evidence supports.
    with another_data_branch(machine, partial(only, session_of(machine, tagged).name)):
        ended = reader.types(block("3. A first tag", "git clone"), owner.clone)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (owner.clone / "data/runs").is_dir() and "as recorded" in ended.stdout


@pytest.mark.parametrize("words", ["./bench plan --suite nightly", "./bench ci growth"])
def test_other_commands_that_are_named_answer(owner: Owner, words: str) -> None:
    ended = owner.types(named(words), owner.clone)
    assert ended.returncode == 0, ended.stderr


def test_the_table_of_what_runs_when_has_every_workflow_that_starts_by_itself() -> None:
    table = SAID.partition("\n## What runs when\n")[2].partition("\n## ")[0]
    files = re.findall(r"^\| `([\w.-]+\.yml)` \|", table, re.MULTILINE)
    assert sorted(files) == sorted(workflow.name for workflow in workflows() if workflow.starts_by_itself)
