"""An image is built once for each artifact, recipe and Java, and a host without an engine says what to do."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.machine.tools.container import ContainerEngine
from plumbline.machine.tools.jdk import Jdk
from plumbline.machine.tools.running import CommandOutput
from plumbline.measuring.build.builder import Builder, BuildFailed, Unavailable
from plumbline.measuring.build.images import NATIVE_BASE_VARIABLE, NEWEST, UBUNTU, Images, base_of
from plumbline.model.subject import Subject
from tests.checkout import ROOT
from .test_build import builder as builder

NONE = "there is neither podman nor docker on this host. `apt install podman` installs one."


BASE = "docker.io/library/eclipse-temurin:25.0.3_9-jre-noble"
JDK = "jdk-25.0.3+9"


class Engine:
    """Keeps images by name, and the words and files of each build; bases come from a registry that may be gone."""

    def __init__(self, fails: str = "", registry: bool = True, jdk: str = JDK) -> None:
        self.fails, self.registry, self.jdk = fails, registry, jdk
        self.images: dict[str, str] = {}
        self.builds: list[tuple[list[str], list[str]]] = []
        self.pulled: list[str] = []

    def __call__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], waiting: Callable[[float], None]
    ) -> CommandOutput:
        words = list(argv[3:])
        if words[:2] == ["image", "inspect"]:
            digest = self.images.get(words[-1])
            if digest is None:
                return CommandOutput(125, "Error: image not known\n")
            labels = {} if words[-1] in self.pulled else {"plumbline.jdk": self.jdk}
            return CommandOutput(0, f"sha256:{digest} 1234 {json.dumps(labels)}\n")
        if words[0] == "pull":
            if not self.registry:
                return CommandOutput(125, "Trying to pull it...\nError: no route to host.\n")
            self.images[words[-1]] = hashlib.sha256(words[-1].encode()).hexdigest()
            self.pulled.append(words[-1])
            return CommandOutput(0, "")
        if self.fails:
            return CommandOutput(1, self.fails)
        with tarfile.open(Path(words[-1]) / "app.tar") as tar:
            self.builds.append((words, tar.getnames()))
        name = words[words.index("--tag") + 1]
        self.images[name] = hashlib.sha256(name.encode()).hexdigest()
        return CommandOutput(0, "STEP 1/9\n")


def images(tmp_path: Path, run: Engine | str) -> Images:
    recipes = tmp_path / "containers"
    recipes.mkdir(exist_ok=True)
    (recipes / "jvm.Containerfile").write_text("FROM java\n")
    (recipes / "native.Containerfile").write_text("FROM ubuntu\n")
    engine = run if isinstance(run, str) else ContainerEngine(Path("/usr/bin/podman"), "podman version 5", {}, run)
    return Images(engine, recipes, tmp_path / "scratch", tmp_path / "logs", lambda text: None, revision="c0ffee")


def test_the_image_is_made_once_of_the_packed_artifact_and_named_by_digest(builder: Builder, tmp_path: Path) -> None:
    subject, run = builder.catalog.subject("toy/jvm/pg"), Engine()
    artifact = builder.build(subject)
    image = images(tmp_path, run).build(subject, artifact, BASE)
    ((words, packed),) = run.builds
    name = words[words.index("--tag") + 1]
    assert name.startswith("localhost/plumbline:") and len(name) == len("localhost/plumbline:") + 32
    assert words[:-1] == [
        *("build", "--file", str(tmp_path / "containers" / "jvm.Containerfile"), "--tag", name),
        *("--build-arg", f"BASE={BASE}", "--label", "plumbline.artifact=toy/jvm/pg"),
        *("--label", f"plumbline.artifact.sha256={artifact.build.sha256}"),
        *("--label", "org.opencontainers.image.revision=c0ffee"),
    ]
    assert packed == ["build.json", "app/app.jar"]
    assert (image.artifact, image.sha256, image.size_bytes) == ("toy/jvm/pg", run.images[name], 1234)
    assert (image.engine, image.reused) == ("podman version 5", False)
    assert (image.base, image.jdk, run.pulled) == (BASE, JDK, [BASE])
    # No file of the build stays.
    assert list((tmp_path / "scratch").iterdir()) == []
    second = images(tmp_path, run).build(subject, artifact, BASE)
    assert (second.sha256, second.reused, second.wall_s, len(run.builds)) == (image.sha256, True, 0, 1)
    assert run.pulled == [BASE]


@pytest.mark.parametrize(
    ("jar", "options"),
    [("app.jar", None), ("quarkus-run.jar", None), ("app-launcher.jar", "wlp/lib/platform/java/java24.options")],
)
def test_the_image_starts_the_jar_of_each_framework(tmp_path: Path, jar: str, options: str | None) -> None:
    recipe = (ROOT / "apps" / "containers" / "jvm.Containerfile").read_text(encoding="utf-8")
    files = {jar: "a jar"} | ({options: "--add-opens"} if options else {})
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    _, _, unpacked = recipe.partition("WORKDIR /unpacked/app\n")
    for command in re.findall(r"(?m)^RUN (.*)$", unpacked):
        subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
    assert (tmp_path / "app.jar").read_text() == "a jar"
    assert (tmp_path / "java.options").read_text() == ("--add-opens" if options else "")


def test_another_java_or_recipe_is_another_image(builder: Builder, tmp_path: Path) -> None:
    subject, run = builder.catalog.subject("toy/jvm/pg"), Engine()
    artifact, maker = builder.build(subject), images(tmp_path, run)
    for base in (BASE, "localhost/java:mine"):
        maker.build(subject, artifact, base)
    # From now on the name of a base means another image.
    run.images["localhost/java:mine"] = "f" * 64
    maker.build(subject, artifact, "localhost/java:mine")
    (tmp_path / "containers" / "jvm.Containerfile").write_text("FROM java\nENV A=B\n")
    maker.build(subject, artifact, BASE)
    assert len(run.builds) == len({name for name in run.images if name.startswith("localhost/plumbline:")}) == 4


def test_a_base_that_can_not_be_had_is_named_with_what_names_another(builder: Builder, tmp_path: Path) -> None:
    subject, run = builder.catalog.subject("toy/jvm/pg"), Engine(registry=False)
    with pytest.raises(Unavailable) as caught:
        images(tmp_path, run).build(subject, builder.build(subject), BASE)
    assert caught.value.problem == (
        f"toy/jvm/pg is unavailable: the image {BASE} is neither on this host nor to be fetched (no route to host). "
        "PLUMBLINE_BASE_IMAGE names another one."
    )
    assert run.builds == []


def test_a_base_that_does_not_state_its_java_is_refused(builder: Builder, tmp_path: Path) -> None:
    subject = builder.catalog.subject("toy/jvm/pg")
    with pytest.raises(BuildFailed, match=f"The image {BASE} does not state its Java in JAVA_VERSION"):
        images(tmp_path, Engine(jdk="")).build(subject, builder.build(subject), BASE)


def test_a_failed_build_says_its_last_lines_and_its_log(builder: Builder, tmp_path: Path) -> None:
    subject = builder.catalog.subject("toy/jvm/pg")
    with pytest.raises(BuildFailed, match="no such host") as caught:
        images(tmp_path, Engine("STEP 1/9\nError: no such host\n")).build(subject, builder.build(subject), BASE)
    log = Path(caught.value.next_step.removeprefix("The whole log is ").removesuffix("."))
    assert "no such host" in log.read_text() and list((tmp_path / "scratch").iterdir()) == []


def test_without_an_engine_a_container_is_unavailable_and_a_process_is_not(builder: Builder, tmp_path: Path) -> None:
    bench = builder.catalog.bench.model_copy(update={"defaults": {"run-in": "process"}})
    without_engine = replace(builder, catalog=replace(builder.catalog, bench=bench), cannot_contain=lambda: NONE)
    process, contained = (
        without_engine.catalog.subject(text) for text in ("toy/jvm/pg", "toy/jvm/pg+run-in=container")
    )
    assert without_engine.unavailable(process) is None
    sentence = f"toy/jvm/pg+run-in=container is unavailable: {NONE}"
    # An artifact that was built elsewhere has to run here as well.
    for each_builder in (without_engine, replace(without_engine, built_elsewhere={})):
        assert str(each_builder.unavailable(contained)) == sentence
        with pytest.raises(Unavailable) as caught:
            each_builder.build(contained)
        assert caught.value.problem == sentence
    with pytest.raises(Unavailable) as caught:
        images(tmp_path, NONE).build(contained, builder.build(process), BASE)
    assert caught.value.problem == sentence
    assert replace(without_engine, cannot_contain=lambda: None).unavailable(contained) is None


@pytest.mark.parametrize(
    ("vendor", "build", "base"),
    [
        ("Eclipse Adoptium", "25.0.3+9-LTS", BASE),
        ("Eclipse Adoptium", "25+36-LTS", "docker.io/library/eclipse-temurin:25_36-jre-noble"),
        ("Eclipse Adoptium", "25-internal", NEWEST),
        ("Ubuntu", "25.0.1+8-Ubuntu-124.04", NEWEST),
    ],
)
def test_the_image_of_java_is_of_the_build_beside_it(vendor: str, build: str, base: str) -> None:
    assert base_of(Jdk(Path("/jdk"), build.partition("+")[0], vendor, build)) == base


@pytest.mark.parametrize(("family", "base"), [("jvm", NEWEST), ("native", UBUNTU)])
def test_each_containerfile_takes_the_usual_base_by_itself(family: str, base: str) -> None:
    recipe = Path(__file__).resolve().parents[3] / "apps" / "containers" / f"{family}.Containerfile"
    assert f"ARG BASE={base}\n" in recipe.read_text(encoding="utf-8")


def test_an_executable_stands_on_a_base_of_its_own_which_states_no_java(builder: Builder, tmp_path: Path) -> None:
    artifact, run = builder.build(builder.catalog.subject("toy/jvm/pg")), Engine(jdk="")
    native = Subject.parse("toy/native.mandrel/pg+run-in=container")
    image = images(tmp_path, run).build(native, artifact, UBUNTU)
    ((words, _),) = run.builds
    assert words[words.index("--file") + 1].endswith("native.Containerfile")
    assert words[words.index("--build-arg") + 1] == f"BASE={UBUNTU}"
    assert (image.base, image.jdk, run.pulled) == (UBUNTU, None, [UBUNTU])
    with pytest.raises(Unavailable) as caught:
        images(tmp_path, Engine(registry=False)).build(native, artifact, UBUNTU)
    assert f"{NATIVE_BASE_VARIABLE} names another one." in caught.value.problem
