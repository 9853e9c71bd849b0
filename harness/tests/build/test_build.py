"""An unchanged artifact is not built twice, a changed one always is, and a failed build says why."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from plumbline.measuring.build.builder import Builder, BuildFailed, not_built
from plumbline.measuring.build.command import maven_command
from plumbline.measuring.build.packs import pack, unpack
from plumbline.measuring.build.store import Store, inputs_sha256, tree_sha256
from plumbline.model.errors import UsageError
from plumbline.model.subject import AOT_OF_FRAMEWORK, Subject
from plumbline.subjects.catalog.bench import BenchSpec
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.variant import read_variant
from tests.checkout import CATALOG

VARIANT = """
name = "Toy"
framework = "none"
http = "none"
data = "none"
data_access = "sql"
concurrency = "imperative"
serves_on = "worker"
workloads = ["hello"]
engines = ["pg"]
[build]
tool = "maven"
[packaging.jvm]
output = "target/app"
run = ["-jar", "app.jar"]
[packaging.aot]
like = "jvm"
"""

# Stands in for Maven: writes one file and counts its calls, or fails when the source says so.
FAKE_MAVEN = """#!/bin/sh
echo "$@" >> ../calls
if grep -q broken src/App.java; then echo "[ERROR] cannot find symbol"; exit 1; fi
mkdir -p target/app && cp src/App.java target/app/app.jar
"""


@pytest.fixture
def builder(tmp_path: Path) -> Builder:
    folder = tmp_path / "apps" / "toy"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "App.java").write_text("class App {}")
    (folder / "pom.xml").write_text("<project/>")
    (folder / "variant.toml").write_text(VARIANT)
    maven = tmp_path / "maven" / "bin" / "mvn"
    maven.parent.mkdir(parents=True)
    maven.write_text(FAKE_MAVEN)
    maven.chmod(0o755)
    bench = BenchSpec.model_validate(
        {"default_suite": "x", "control": "toy", "defaults": {}, "scenarios": {}, "suites": {}}
    )
    catalog = Catalog(tmp_path, bench, {"toy": read_variant(folder)})
    return Builder(
        catalog=catalog,
        store=Store(tmp_path / "store"),
        logs=tmp_path / "logs",
        java_home=tmp_path,
        maven=maven,
        toolchain=("JDK 25.0.3", "Maven 3.9"),
        environ={"PATH": "/usr/bin:/bin"},
        say=lambda text: None,
    )


def calls(builder: Builder) -> int:
    return len((builder.catalog.variants["toy"].folder.parent / "calls").read_text().splitlines())


def test_built_once_then_reused_and_shared_between_packagings(builder: Builder) -> None:
    first = builder.build(builder.catalog.subject("toy/jvm/pg"))
    second = builder.build(builder.catalog.subject("toy/aot/pg"))
    assert calls(builder) == 1
    assert second.build.reused and not first.build.reused
    assert second.folder == first.folder and second.build.sha256 == first.build.sha256 == tree_sha256(first.folder)
    assert (first.folder / "app.jar").read_text() == "class App {}"


def test_a_changed_source_or_a_tampered_artifact_is_built_again(builder: Builder) -> None:
    subject = builder.catalog.subject("toy/jvm/pg")
    first = builder.build(subject)
    (first.folder / "app.jar").write_text("tampered")
    mended = builder.build(subject)
    assert calls(builder) == 2 and (mended.folder / "app.jar").read_text() == "class App {}"
    (builder.catalog.variants["toy"].folder / "src" / "App.java").write_text("class App { int changed; }")
    changed = builder.build(subject)
    assert calls(builder) == 3 and changed.folder != first.folder


def test_sources_that_change_while_they_are_built_are_not_stored(builder: Builder) -> None:
    subject = builder.catalog.subject("toy/jvm/pg")
    builder.maven.write_text(FAKE_MAVEN + 'echo "class Changed {}" > src/App.java\n')
    with pytest.raises(UsageError, match="changed while it was built"):
        builder.build(subject)
    builder.maven.write_text(FAKE_MAVEN)
    built = builder.build(subject)
    assert not built.build.reused and (built.folder / "app.jar").read_text() == "class Changed {}\n"


@pytest.mark.parametrize("shared", [True, False], ids=["one cache", "caches of two users"])
def test_two_builds_in_one_folder_wait_for_each_other(builder: Builder, tmp_path: Path, shared: bool) -> None:
    subject = builder.catalog.subject("toy/jvm/pg")
    gate, waits = builder.catalog.variants["toy"].folder.parent / "gate", Event()
    os.mkfifo(gate)
    builder.maven.write_text(FAKE_MAVEN + "if [ -p ../gate ]; then cat ../gate; rm ../gate; fi\n")
    store = builder.store if shared else Store(tmp_path / "store of another user")
    other = replace(builder, store=store, say=lambda text: waits.set() if text.startswith("waiting for ") else None)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(builder.build, subject)
        with gate.open("w"):
            second = pool.submit(other.build, subject)
            has_waited = waits.wait(20)
    assert has_waited and calls(builder) == (1 if shared else 2)
    assert second.result().build.reused is shared
    assert (second.result().folder == first.result().folder) is shared


def test_the_options_of_a_person_are_kept_from_the_build(builder: Builder) -> None:
    options = ("MAVEN_ARGS", "_JAVA_OPTIONS", "QUARKUS_PROFILE", "MICRONAUT_ENVIRONMENTS", "SPRING_PROFILES_ACTIVE")
    environ = {**builder.environ, "HTTPS_PROXY": "http://proxy", **dict.fromkeys(options, "mine")}
    builder.maven.write_text(FAKE_MAVEN + "env > ../environment\n")
    replace(builder, environ=environ).build(builder.catalog.subject("toy/jvm/pg"))
    lines = (builder.catalog.variants["toy"].folder.parent / "environment").read_text().splitlines()
    assert {"HTTPS_PROXY=http://proxy", "MAVEN_SKIP_RC=1"} <= set(lines)
    assert not [line for line in lines if line.endswith("=mine")]


def test_a_failed_build_says_its_last_lines_and_its_log(builder: Builder) -> None:
    source = builder.catalog.variants["toy"].folder
    (source / "src" / "App.java").write_text("broken")
    with pytest.raises(BuildFailed, match="cannot find symbol") as caught:
        builder.build(builder.catalog.subject("toy/jvm/pg"))
    log = Path(caught.value.next_step.removeprefix("The whole log is ").removesuffix("."))
    assert "cannot find symbol" in log.read_text()


MAVEN_ENDS = """\
[INFO] Compiling 17 source files with javac [debug parameters release 25] to target/classes
[INFO] BUILD FAILURE
[INFO] ------------------------------------------------------------------------
[INFO] Total time:  24.781 s
[INFO] Finished at: 2026-11-22T19:13:24Z
[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal maven-compiler-plugin:3.14.0:compile on project shop: Compilation failure
[ERROR] FruitService.java:[36,13] unreported exception java.lang.Exception; must be caught or declared to be thrown
[ERROR] -> [Help 1]
[ERROR]\x20
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
[ERROR] Re-run Maven using the -X switch to enable full debug logging.
[ERROR]\x20
[ERROR] For more information about the errors and possible solutions, please read the following articles:
[ERROR] [Help 1] http://cwiki.apache.org/confluence/display/MAVEN/MojoFailureException
[ERROR]\x20
[ERROR] After correcting the problems, you can resume the build with the command
[ERROR]   mvn <args> -rf :shop
"""


def test_of_mavens_last_lines_those_that_tell_why_are_said(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    log.write_text(MAVEN_ENDS)
    lines = [line.strip() for line in not_built("shop/jvm/pg", "Maven ended with 1", log).problem.splitlines()]
    assert [line[:40] for line in lines if line] == [
        "shop/jvm/pg was not built: Maven ended w",
        "[INFO] Compiling 17 source files with ja",
        "[ERROR] Failed to execute goal maven-com",
        "[ERROR] FruitService.java:[36,13] unrepo",
    ]


def test_the_digest_sees_names_contents_and_facts_but_no_build_outputs(tmp_path: Path) -> None:
    package = tmp_path / "a" / "src" / "out"
    package.mkdir(parents=True)
    (tmp_path / "a" / "pom.xml").write_text("<project/>")
    (tmp_path / "a" / "x").write_text("1")
    base = inputs_sha256([tmp_path / "a"], ["jdk 25"])
    (tmp_path / "a" / "target").mkdir()
    (tmp_path / "a" / "target" / "y").write_text("output")
    assert inputs_sha256([tmp_path / "a"], ["jdk 25"]) == base
    assert inputs_sha256([tmp_path / "a"], ["jdk 26"]) != base
    (package / "App.java").write_text("package out;")
    with_package = inputs_sha256([tmp_path / "a"], ["jdk 25"])
    (tmp_path / "a" / "x").rename(tmp_path / "a" / "z")
    assert len({base, with_package, inputs_sha256([tmp_path / "a"], ["jdk 25"])}) == 3


def test_a_module_more_builds_nothing_else_anew(tmp_path: Path) -> None:
    parent = tmp_path / "pom.xml"
    pom = "<project>\n  <modules>\n    <module>alpha</module>\n%s  </modules>\n  %s\n</project>\n"
    parent.write_text(pom % ("", "<version>1</version>"))
    before = inputs_sha256([parent], [])
    parent.write_text(pom % ("    <module>beta</module>\n", "<version>1</version>"))
    assert inputs_sha256([parent], []) == before
    parent.write_text(pom % ("", "<version>2</version>"))
    assert inputs_sha256([parent], []) != before


def test_another_engine_than_the_first_is_told_to_the_build() -> None:
    variant = CATALOG.variant("quarkus-rest-orm")
    words = {
        engine: maven_command(Path("mvn"), variant, Subject.parse(f"{variant.id}/jvm/{engine}"))[0]
        for engine in ("pg", "mysql")
    }
    assert "-Dengine=mysql" in words["mysql"]
    assert not any(word.startswith("-Dengine") for word in words["pg"])


def test_another_release_of_the_framework_is_another_artifact() -> None:
    variant, own = CATALOG.variant("quarkus-rest-orm"), CATALOG.subject("quarkus-rest-orm/aot/pg+pool=5")
    other = CATALOG.subject("quarkus-rest-orm/aot/pg+pool=5+release=3.34.3")
    artifacts = [CATALOG.artifact_of(subject) for subject in (own, other)]
    assert [artifact.id for artifact in artifacts] == [
        "quarkus-rest-orm/jvm/pg",
        "quarkus-rest-orm/jvm/pg+release=3.34.3",
    ]
    words = [set(maven_command(Path("mvn"), variant, artifact)[0]) for artifact in artifacts]
    assert words[1] - words[0] == {"-Dquarkus.version=3.34.3"} and words[0] < words[1]


def test_what_a_framework_does_at_build_time_is_another_artifact() -> None:
    variant = CATALOG.variant("spring4-mvc-jdbc")
    own, processed = (
        CATALOG.artifact_of(Subject.parse(f"{variant.id}/{packaging}/pg")) for packaging in ("aot", AOT_OF_FRAMEWORK)
    )
    assert (own.packaging, processed.packaging) == ("jvm", AOT_OF_FRAMEWORK)
    words = [set(maven_command(Path("mvn"), variant, artifact)[0]) for artifact in (own, processed)]
    assert words[1] - words[0] == {"-Paot"}


def test_of_what_was_built_elsewhere_a_missing_one_failed_and_another_is_no_excuse(builder: Builder) -> None:
    subject = builder.catalog.subject("toy/jvm/pg")
    with pytest.raises(BuildFailed, match="not among the artifacts that were handed over"):
        replace(builder, built_elsewhere={}).build(subject)
    with pytest.raises(UsageError, match="the store lacks its bytes"):
        replace(builder, built_elsewhere={"toy/jvm/pg": "b" * 64}).build(subject)


def test_two_builds_of_equal_inputs_are_both_found_after_they_came_in_packs(builder: Builder, tmp_path: Path) -> None:
    subject = builder.catalog.subject("toy/jvm/pg")
    sides = {}
    for side in ("base", "head"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "app.jar").write_text(f"built for {side}")
        elsewhere = Store(tmp_path / f"store of {side}")
        built = elsewhere.keep(tmp_path / side, "toy/jvm/pg", "a" * 64, ("mvn",), 1, 1)
        unpack(pack(built, tmp_path / f"packs of {side}"), built.build.sha256, builder.store)
        sides[side] = {"toy/jvm/pg": built.build.sha256}
    for side, digests in sides.items():
        artifact = replace(builder, built_elsewhere=digests).build(subject)
        assert (artifact.folder / "app.jar").read_text() == f"built for {side}"
        assert artifact.build.inputs_sha256 == "a" * 64


def test_an_artifact_that_came_in_a_pack_is_no_longer_found_once_it_was_changed(tmp_path: Path) -> None:
    (tmp_path / "app.jar").write_text("built")
    built = Store(tmp_path / "elsewhere").keep(tmp_path / "app.jar", "toy-4.1/jvm/pg", "a" * 64, ("mvn",), 1, 1)
    store, digest = Store(tmp_path / "store"), built.build.sha256
    unpack(pack(built, tmp_path / "packs"), digest, store)
    unpacked = store.find_unpacked("toy-4.1/jvm/pg", digest)
    assert unpacked is not None
    (unpacked.folder / "app.jar").write_text("changed")
    assert store.find_unpacked("toy-4.1/jvm/pg", digest) is None


def test_no_path_of_the_store_has_a_plus_in_it(tmp_path: Path) -> None:
    (tmp_path / "output").mkdir()
    (tmp_path / "output/app.jar").write_text("x")
    artifact, store = "quarkus-rest-orm/jvm/pg+release=3.34.3", Store(tmp_path / "store")
    kept = store.keep(tmp_path / "output", artifact, "a" * 64, ("mvn",), 1, 1)
    assert "+" not in str(kept.folder.relative_to(tmp_path))
    assert (stored := store.find(artifact, "a" * 64)) is not None and stored.build.artifact == artifact
