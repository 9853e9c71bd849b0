"""The checkout is never touched, and a change of source is a change of one literal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plumbline.measuring.lifecycle.tree import Tree, repository_of
from plumbline.model.errors import AnswerIsNo
from plumbline.subjects.catalog.variant import Variant, read_variant
from tests.checkout import CATALOG, ROOT
from tests.lifecycle.conftest import GREETER


@pytest.fixture
def tree(tmp_path: Path, variant: Variant, apps: Path) -> Tree:
    tree = Tree(tmp_path / "tree", tmp_path / "repository", tmp_path / "behind")
    tree.take(variant, apps)
    return tree


def source(folder: Path) -> Path:
    return folder / "src" / "main" / "java" / "Greeter.java"


def test_what_was_built_before_is_not_copied_but_every_package(tmp_path: Path, variant: Variant, apps: Path) -> None:
    package = source(apps / "x").with_name("build")
    package.mkdir()
    tree = Tree(tmp_path / "tree", tmp_path / "repository", tmp_path / "behind")
    tree.take(variant, apps)
    assert source(tree.folder(variant)).read_text() == GREETER
    assert source(tree.folder(variant)).with_name("build").is_dir()
    assert not (tree.folder(variant) / "target").exists()
    assert (tree.root / "apps" / "pom.xml").is_file()


def test_a_variant_that_is_built_alone_is_copied_by_itself_and_once(tmp_path: Path, apps: Path) -> None:
    file = apps / "x" / "variant.toml"
    text = file.read_text().replace('tool = "maven-reactor"', 'tool = "maven"')
    file.write_text(text.replace('inputs = ["../pom.xml", "../domain"]', ""))
    guest = read_variant(apps / "x")
    tree = Tree(tmp_path / "tree", tmp_path / "repository", tmp_path / "behind")
    for _ in range(2):
        tree.take(guest, apps)
    assert source(tree.folder(guest)).read_text() == GREETER
    assert not (tree.root / "apps").exists()
    assert tree.shared_modules(guest) == ()


def test_each_change_replaces_the_last_and_zero_takes_it_back(tree: Tree, variant: Variant, apps: Path) -> None:
    for number in (1, 2, 30):
        tree.edit(variant, number)
        assert source(tree.folder(variant)).read_text() == GREETER.replace("Hello", f"Hello {number}")
    tree.edit(variant, 0)
    assert source(tree.folder(variant)).read_text() == GREETER
    assert source(apps / "x").read_text() == GREETER


@pytest.mark.parametrize("text", ["class Greeter {}", GREETER + GREETER])
def test_a_variant_without_one_greeting_is_told_so(tree: Tree, variant: Variant, text: str) -> None:
    source(tree.folder(variant)).write_text(text)
    with pytest.raises(AnswerIsNo, match=r"x has [01] sources? with the greeting"):
        tree.edit(variant, 1)


def test_maven_downloads_where_it_is_told_to_alone(tree: Tree) -> None:
    offline = tree.maven(Path("/mvn"), ("clean", "test"), offline=True)
    assert offline[0] == "/mvn" and offline[-3:] == ["--offline", "clean", "test"]
    assert f"-Dmaven.repo.local={tree.repository}" in offline
    assert f"-Dmaven.repo.local.tail={tree.user_repository}" in offline
    assert "--offline" not in tree.maven(Path("/mvn"), ("test",), offline=False)


def test_the_users_repository_is_where_his_settings_say(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    assert repository_of(environ) == tmp_path / ".m2" / "repository"
    settings = tmp_path / ".m2" / "settings.xml"
    settings.parent.mkdir()
    settings.write_text(
        '<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0">'
        "<localRepository>${user.home}/elsewhere</localRepository></settings>"
    )
    assert repository_of(environ) == tmp_path / "elsewhere"
    settings.write_text("<settings>")
    assert repository_of(environ) == tmp_path / ".m2" / "repository"


def test_the_shared_modules_are_modules_of_the_reactor(tree: Tree, variant: Variant) -> None:
    assert tree.shared_modules(variant) == ("domain",)
    modules = re.findall("<module>(.*)</module>", (ROOT / "apps" / "pom.xml").read_text())
    shared = {id_: tree.shared_modules(variant) for id_, variant in CATALOG.variants.items()}
    assert {id_: set(names) - set(modules) for id_, names in shared.items() if not set(names) <= set(modules)} == {}
    assert shared["spring4-mvc-jpa"] == ("domain", "domain-jpa")
