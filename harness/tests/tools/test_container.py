"""An engine that is there and answers, one that does not, and none; and what each is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from plumbline.tools.container import ContainerEngine, ContainerImage, RunningContainer, find_container_engine
from plumbline.tools.running import Ran

PODMAN = "podman version 5.6.2"
DOCKER = "Docker version 28.5.1, build e180ab8"


class Answers:
    """Runs nothing; `answers` are by the first word behind the program."""

    def __init__(self, **answers: tuple[int, str]) -> None:
        self.answers = answers
        self.calls: list[list[str]] = []

    def __call__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], waiting: Callable[[float], None]
    ) -> Ran:
        self.calls.append(list(argv[1:]))
        return Ran(*self.answers.get(argv[1].lstrip("-"), (0, "")))


def engine(answers: Answers, version: str = PODMAN) -> ContainerEngine:
    return ContainerEngine(Path("/usr/bin/podman"), version, {}, answers)


def on_path(folder: Path, *names: str) -> dict[str, str]:
    for name in names:
        (folder / name).touch(mode=0o755)
    return {"PATH": str(folder)}


def test_an_engine_that_answers_is_found_with_its_version(tmp_path: Path) -> None:
    found = find_container_engine(on_path(tmp_path, "docker"), Answers(version=(0, f"{DOCKER}\n")))
    assert isinstance(found, ContainerEngine)
    assert (found.program, found.version, found.is_podman) == (tmp_path / "docker", DOCKER, False)
    # It goes first, and is known by what it says, whatever it is called.
    found = find_container_engine(on_path(tmp_path, "docker", "podman"), Answers(version=(0, PODMAN)))
    assert isinstance(found, ContainerEngine) and found.program.name == "podman" and found.is_podman


def test_none_is_one_sentence_with_the_command_that_installs_one(tmp_path: Path) -> None:
    said = find_container_engine({"PATH": str(tmp_path)}, Answers())
    assert said == "there is neither podman nor docker on this host. `apt install podman` installs one."


@pytest.mark.parametrize(
    ("output", "word"),
    [
        ("WARN[0000]\nCannot connect to the Docker daemon.\n", "Cannot connect to the Docker daemon"),
        ("", "it says nothing"),
    ],
)
def test_one_that_does_not_answer_is_quoted(tmp_path: Path, output: str, word: str) -> None:
    said = find_container_engine(on_path(tmp_path, "docker"), Answers(ps=(1, output)))
    assert said == f"docker does not answer: {word}. `docker ps` has to work for this user."


def test_one_that_can_not_be_started_is_named(tmp_path: Path) -> None:
    def fails(*words: object, **more: object) -> Ran:
        raise PermissionError(13, "Permission denied")

    said = find_container_engine(on_path(tmp_path, "docker"), fails)
    assert isinstance(said, str) and f"{tmp_path}/docker can't be started (Permission denied)" in said


def test_an_image_is_known_by_its_digest_or_is_not_there() -> None:
    answers = Answers(image=(0, f"sha256:{'a' * 64} 301234567\n"))
    assert engine(answers).image("localhost/plumbline:x") == ContainerImage("a" * 64, 301234567)
    assert answers.calls == [["image", "inspect", "--format", "{{.Id}} {{.Size}}", "localhost/plumbline:x"]]
    missing = Answers(image=(125, "Error: localhost/plumbline:x: image not known\n"))
    assert engine(missing).image("localhost/plumbline:x") is None


def test_a_container_runs_once_its_process_is_there() -> None:
    answers = Answers(inspect=(0, f"{'c' * 64} 4711\n"))
    assert engine(answers).running("plumbline-x") == RunningContainer("c" * 64, 4711)
    words = ["inspect", "--type", "container", "--format", "{{.Id}} {{.State.Pid}}", "plumbline-x"]
    assert answers.calls == [words]
    assert engine(Answers(inspect=(0, f"{'c' * 64} 0\n"))).running("plumbline-x") is None
    assert engine(Answers(inspect=(1, "Error: no such object: plumbline-x\n"))).running("plumbline-x") is None


def test_a_container_is_killed_at_once_and_taken_away() -> None:
    answers = Answers()
    engine(answers).remove("plumbline-x")
    engine(answers, DOCKER).remove("plumbline-x")
    engine(answers).signal("plumbline-x", 19)
    assert answers.calls == [
        ["rm", "--force", "--time", "0", "--volumes", "plumbline-x"],
        ["rm", "--force", "--volumes", "plumbline-x"],
        ["kill", "--signal", "19", "plumbline-x"],
    ]


def test_what_sessions_left_is_found_by_its_label() -> None:
    answers = Answers(ps=(0, "c0ffee\nbadcab\n"))
    assert engine(answers).of_sessions() == ("c0ffee", "badcab")
    assert answers.calls == [["ps", "--all", "--quiet", "--filter", "label=plumbline.session"]]
    assert engine(Answers(ps=(1, "Cannot connect."))).of_sessions() == ()
