"""A new variant is read by the catalog at once, has its own name everywhere, and shows what is to be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.catalog import Catalog, read_catalog
from plumbline.subjects.catalog.new_variant import Facts, marks_left, new_variant
from .tree import small_tree


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return read_catalog(small_tree(tmp_path))


def test_it_is_a_variant_of_its_own_with_marked_places(catalog: Catalog) -> None:
    folder = new_variant(catalog, "quarkus-mine", catalog.variant("quarkus-rest-orm"))
    assert folder == catalog.root / "apps" / "quarkus-mine"
    variant = read_catalog(catalog.root).variant("quarkus-mine")
    assert variant.spec.name == catalog.variant("quarkus-rest-orm").spec.name
    assert (variant.spec.workloads, variant.spec.packaging.keys()) == (
        catalog.variant("quarkus-rest-orm").spec.workloads,
        catalog.variant("quarkus-rest-orm").spec.packaging.keys(),
    )
    pom = (folder / "pom.xml").read_text()
    assert "<artifactId>quarkus-mine</artifactId>" in pom
    assert "<module>quarkus-mine</module>" in (catalog.root / "apps" / "pom.xml").read_text()
    copied_files = [path for path in folder.rglob("*") if path.suffix in (".xml", ".toml", ".properties")]
    marked = [line for _, _, line in marks_left(folder)]
    assert len(marked) == 9
    assert marks_left(catalog.variant("quarkus-rest-orm").folder) == ()
    kept_lines = [line for path in copied_files for line in path.read_text().splitlines() if "quarkus-rest-orm" in line]
    assert [line.strip() for line in kept_lines] == [line for line in marked if "that of quarkus-rest-orm" in line]


def test_what_is_known_is_written_and_what_stays_is_marked(catalog: Catalog) -> None:
    facts = Facts("javalin", "worker", r"Javalin started in (?P<milliseconds>[0-9]+)ms \\o/")
    folder = new_variant(catalog, "javalin-mine", catalog.variant("quarkus-rest-orm"), facts)
    spec = read_catalog(catalog.root).variant("javalin-mine").spec
    assert (spec.framework, spec.serves_on, spec.started) == ("javalin", "worker", facts.started)
    lines = (folder / "variant.toml").read_text().splitlines()
    assert 'framework = "javalin"' in lines and f"started = '{facts.started}'" in lines
    marked = {line.partition(" ")[0] for path, _, line in marks_left(folder) if path.name == "variant.toml"}
    natives = {'[packaging."native.graalvm"]', '[packaging."native.mandrel"]'}
    of_quarkus = {
        "run",
        "release",
        "profile",
        "pool-warm-up",
        "sql",
        "second-level-cache",
        "[profile.defaults]",
        *natives,
    }
    assert marked == {"name", "http", "data", "data_access", "concurrency"} | of_quarkus


def test_a_framework_that_names_no_time_is_told_of_the_word_ready(catalog: Catalog) -> None:
    folder = new_variant(catalog, "mine", catalog.variant("quarkus-rest-orm"), Facts(framework="undertow"))
    marked = {line.partition(" ")[0]: line for _, _, line in marks_left(folder)}
    assert "put ready = '...' in place of started" in marked["started"]
    assert marked["pool-warm-up"].endswith("keep it only if the framework has this switch")


def test_in_a_copy_for_its_own_framework_the_switches_stay(catalog: Catalog) -> None:
    folder = new_variant(catalog, "mine", catalog.variant("quarkus-rest-orm"), Facts(framework="quarkus"))
    marked = [line for _, _, line in marks_left(folder)]
    assert not [line for line in marked if line.startswith(("run", "profile", "[packaging"))]


def test_the_reason_for_a_field_of_answers_is_the_models_and_marked(catalog: Catalog) -> None:
    folder = new_variant(catalog, "mine", catalog.variant("control"))
    (line,) = (line for _, _, line in marks_left(folder) if line.startswith("answer_fields"))
    assert "the JDK's server has a Date" in line and line.endswith("with the reason")


def test_a_start_that_is_told_takes_the_place_of_the_word_ready(catalog: Catalog) -> None:
    facts = Facts(started=r"up in (?P<seconds>[0-9.]+) s")
    new_variant(catalog, "mine", catalog.variant("control"), facts)
    spec = read_catalog(catalog.root).variant("mine").spec
    assert (spec.started, spec.ready) == (facts.started, None)


def test_a_line_without_a_time_takes_the_place_of_the_start_that_is_told(catalog: Catalog) -> None:
    new_variant(catalog, "mine", catalog.variant("quarkus-rest-orm"), Facts(ready="^It listens"))
    spec = read_catalog(catalog.root).variant("mine").spec
    assert (spec.started, spec.ready) == (None, "^It listens")


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (Facts(framework="Spring Boot"), "'Spring Boot' is no framework: it is one word"),
        (Facts(ready="("), "'\\(' is no ready: not a regular expression"),
        (Facts(serves_on="threads"), "'threads' is no serves_on"),
        (Facts(started="up in [0-9]+"), "it needs a group named 'seconds'"),
        (Facts(started="("), "not a regular expression"),
        (Facts(ready="(a+)+$"), "it repeats a group"),
        (Facts(ready=r"\(.* .* [^)]* up"), "or repeats more than twice"),
    ],
)
def test_a_fact_that_can_not_be_one_is_refused_and_nothing_is_made(catalog: Catalog, facts: Facts, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        new_variant(catalog, "mine", catalog.variant("control"), facts)
    assert not (catalog.root / "apps" / "mine").exists()


def test_one_with_a_pom_of_its_own_is_no_module(catalog: Catalog) -> None:
    pom_before = (catalog.root / "apps" / "pom.xml").read_text()
    new_variant(catalog, "mine", catalog.variant("control"))
    assert (catalog.root / "apps" / "pom.xml").read_text() == pom_before
    assert "mine" in read_catalog(catalog.root).variants


@pytest.mark.parametrize(
    ("name", "words"),
    [("Mine", "no name of a variant"), ("../mine", "no name of a variant"), ("control", "already")],
)
def test_a_name_that_can_not_be_one_is_refused(catalog: Catalog, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        new_variant(catalog, name, catalog.variant("control"))
