"""Code that variants of one framework share stands once, in a module of that framework, except what a study varies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checkout import ROOT

APPS = ROOT / "apps"
# Files that stand twice on purpose, by family and file name, each with the reason.
TWICE = {
    (
        "quarkus",
        "EnvironmentEndpoint.java",
    ): "is served on the thread and in the transaction that a study varies",
    ("quarkus", "Problems.java"): "belongs to the HTTP layer or the data layer that study 004 exchanges",
    ("quarkus", "Connections.java"): "differs by the database in the one variant that has two",
    ("quarkus", "Json.java"): "is of JDBC's module and of Hibernate Reactive's, which no variant has both of",
    ("quarkus", "HealthEndpoint.java"): "as Json.java",
    ("micronaut", "Json.java"): "is of JDBC's module and of the variant on R2DBC, which has no module",
    ("micronaut", "HealthEndpoint.java"): "as Json.java",
    ("spring", "HealthEndpoint.java"): "WebFlux's two are a few lines, and have no module",
    ("spring", "FruitRepository.java"): "is the data layer, of which Spring Boot 3 and 4 are compared",
}


def plumbing(apps: Path) -> Iterator[tuple[str, Path]]:
    """Files that no study is about, each with its family: packages called plumbing, and code that asks the database.

    A family is a framework, whose variants can share a module. Its name is the folder's first word after `domain-`,
    without the release.
    """
    for path in sorted({*apps.glob("*/src/**/plumbing/*"), *apps.glob("*/src/**/*Repository.*")}):
        framework = path.relative_to(apps).parts[0].removeprefix("domain-").partition("-")[0]
        yield framework.rstrip("0123456789"), path


def twice(apps: Path) -> set[tuple[str, str]]:
    """Family and name of files whose bytes are the same in two folders of one family."""
    folders: dict[tuple[str, str, bytes], set[Path]] = defaultdict(set)
    for family, path in plumbing(apps):
        folders[family, path.name, path.read_bytes()].add(path.parent)
    return {(family, name) for (family, name, _), parents in folders.items() if len(parents) > 1}


def test_plumbing_stands_once_in_a_family() -> None:
    assert twice(APPS) == {*TWICE}


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("domain-quarkus-jdbc", "quarkus-rest-orm", {("quarkus", "Pool.java")}),  # a copy of the module's
        ("spring3-mvc-jpa", "spring4-mvc-jpa", {("spring", "Pool.java")}),  # two releases of one framework
        ("domain-quarkus-jdbc", "spring4-mvc-jpa", set()),  # another framework's
    ],
)
def test_a_copy_is_found(tmp_path: Path, one: str, other: str, found: set[tuple[str, str]]) -> None:
    for folder in (one, other):
        file = tmp_path / folder / "src/main/java/org/plumbline/app/plumbing/Pool.java"
        file.parent.mkdir(parents=True)
        file.write_text("class Pool {}")
    assert twice(tmp_path) == found
