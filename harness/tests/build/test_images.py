"""An artifact's image is made once of each artifact, recipe and Java, and a host without an engine says what to do."""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.build.builder import Builder, BuildFailed, Unavailable
from plumbline.build.images import Images, jre_tag
from plumbline.tools.container import ContainerEngine
from plumbline.tools.jdk import Jdk
from plumbline.tools.running import Ran
from .test_build import builder as builder

NONE = "there is neither podman nor docker on this host. `apt install podman` installs one."


class Engine:
    """Keeps images by name, with the words and the context that made them."""

    def __init__(self, fails: str = "") -> None:
        self.fails = fails
        self.images: dict[str, str] = {}
        self.builds: list[tuple[list[str], list[str]]] = []

    def __call__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], waiting: Callable[[float], None]
    ) -> Ran:
        words = list(argv[1:])
        if words[:2] == ["image", "inspect"]:
            found = self.images.get(words[-1])
            return Ran(0, f"sha256:{found} 1234\n") if found else Ran(125, "Error: image not known\n")
        if self.fails:
            return Ran(1, self.fails)
        with tarfile.open(Path(words[-1]) / "app.tar") as tar:
            self.builds.append((words, tar.getnames()))
        name = words[words.index("--tag") + 1]
        self.images[name] = hashlib.sha256(name.encode()).hexdigest()
        return Ran(0, "STEP 1/9\n")


def images(tmp_path: Path, run: Engine | str) -> Images:
    recipes = tmp_path / "containers"
    recipes.mkdir(exist_ok=True)
    (recipes / "jvm.Containerfile").write_text("FROM java\n")
    (recipes / "native.Containerfile").write_text("FROM ubuntu\n")
    engine = (
        run if isinstance(run, str) else ContainerEngine(Path("/usr/bin/podman"), "podman version 5", {}, run)
    )
    return Images(engine, recipes, tmp_path / "scratch", tmp_path / "logs", lambda text: None)


def test_the_image_is_made_once_of_the_packed_artifact_and_named_by_digest(
    builder: Builder, tmp_path: Path
) -> None:
    subject, run = builder.catalog.subject("toy/jvm/pg"), Engine()
    artifact = builder.build(subject)
    made = images(tmp_path, run).build(subject, artifact, "25.0.3_9-jre-noble")
    ((words, packed),) = run.builds
    name = words[words.index("--tag") + 1]
    assert name.startswith("localhost/plumbline:") and len(name) == len("localhost/plumbline:") + 32
    assert words[:-1] == [
        *("build", "--file", str(tmp_path / "containers" / "jvm.Containerfile"), "--tag", name),
        *("--label", "plumbline.artifact=toy/jvm/pg", "--build-arg", "JRE=25.0.3_9-jre-noble"),
    ]
    assert packed == ["build.json", "app/app.jar"]
    assert (made.artifact, made.sha256, made.size_bytes) == ("toy/jvm/pg", run.images[name], 1234)
    assert (made.engine, made.reused) == ("podman version 5", False)
    # Nothing stays of what it was made of.
    assert list((tmp_path / "scratch").iterdir()) == []
    again = images(tmp_path, run).build(subject, artifact, "25.0.3_9-jre-noble")
    assert (again.sha256, again.reused, again.wall_s, len(run.builds)) == (made.sha256, True, 0, 1)


def test_another_java_or_recipe_is_another_image(builder: Builder, tmp_path: Path) -> None:
    subject, run = builder.catalog.subject("toy/jvm/pg"), Engine()
    artifact, its = builder.build(subject), images(tmp_path, run)
    for jre in ("25.0.3_9-jre-noble", "25.0.4_7-jre-noble", None):
        its.build(subject, artifact, jre)
    assert "--build-arg" not in run.builds[-1][0]
    (tmp_path / "containers" / "jvm.Containerfile").write_text("FROM java\nENV A=B\n")
    its.build(subject, artifact, None)
    assert len(run.images) == len(run.builds) == 4


def test_a_failed_build_says_its_last_lines_and_its_log(builder: Builder, tmp_path: Path) -> None:
    subject = builder.catalog.subject("toy/jvm/pg")
    with pytest.raises(BuildFailed, match="no such host") as caught:
        images(tmp_path, Engine("STEP 1/9\nError: no such host\n")).build(
            subject, builder.build(subject), None
        )
    log = Path(caught.value.next_step.removeprefix("The whole log is ").removesuffix("."))
    assert "no such host" in log.read_text() and list((tmp_path / "scratch").iterdir()) == []


def test_without_an_engine_a_container_is_unavailable_and_a_process_is_not(
    builder: Builder, tmp_path: Path
) -> None:
    bench = builder.catalog.bench.model_copy(update={"defaults": {"run-in": "process"}})
    without = replace(builder, catalog=replace(builder.catalog, bench=bench), cannot_contain=lambda: NONE)
    process, contained = (
        without.catalog.subject(text) for text in ("toy/jvm/pg", "toy/jvm/pg+run-in=container")
    )
    assert without.unavailable(process) is None
    sentence = f"toy/jvm/pg+run-in=container is unavailable: {NONE}"
    # What was built elsewhere has to run here all the same.
    for one in (without, replace(without, given={})):
        assert str(one.unavailable(contained)) == sentence
        with pytest.raises(Unavailable) as caught:
            one.build(contained)
        assert caught.value.problem == sentence
    with pytest.raises(Unavailable) as caught:
        images(tmp_path, NONE).build(contained, builder.build(process), None)
    assert caught.value.problem == sentence
    assert replace(without, cannot_contain=lambda: None).unavailable(contained) is None


@pytest.mark.parametrize(
    ("vendor", "build", "tag"),
    [
        ("Eclipse Adoptium", "25.0.3+9-LTS", "25.0.3_9-jre-noble"),
        ("Eclipse Adoptium", "25+36-LTS", "25_36-jre-noble"),
        ("Eclipse Adoptium", "25-internal", None),
        ("Ubuntu", "25.0.1+8-Ubuntu-124.04", None),
    ],
)
def test_the_image_of_java_is_of_the_build_beside_it(vendor: str, build: str, tag: str | None) -> None:
    assert jre_tag(Jdk(Path("/jdk"), build.partition("+")[0], vendor, build)) == tag
