"""A container engine that answers, one that does not answer, and none; and the commands that an engine is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from plumbline.machine.tools.container import (
    ContainerEngine,
    ContainerImage,
    RunningContainer,
    find_container_engine,
)
from plumbline.machine.tools.running import CommandOutput

PODMAN = "podman version 5.6.2"
DOCKER = "Docker version 28.5.1, build e180ab8"
QUIETLY = ["--log-level", "error"]


class Answers:
    """Runs nothing; `answers` has an answer for each first word behind the program."""

    def __init__(self, **answers: tuple[int, str]) -> None:
        self.answers = answers
        self.calls: list[list[str]] = []

    def __call__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], waiting: Callable[[float], None]
    ) -> CommandOutput:
        words = list(argv[1:])
        if words[:2] == QUIETLY:
            words = words[2:]
        self.calls.append(words)
        return CommandOutput(*self.answers.get(words[0].lstrip("-"), (0, "")))


def engine(answers: Answers, version: str = PODMAN) -> ContainerEngine:
    return ContainerEngine(Path("/usr/bin/podman"), version, {}, answers)


def on_path(folder: Path, *names: str) -> dict[str, str]:
    for name in names:
        (folder / name).touch(mode=0o755)
    return {"PATH": str(folder)}


def test_an_engine_that_answers_is_found_with_its_version(tmp_path: Path) -> None:
    engine = find_container_engine(on_path(tmp_path, "docker"), Answers(version=(0, f"{DOCKER}\n")))
    assert isinstance(engine, ContainerEngine)
    assert (engine.program, engine.version, engine.is_podman) == (tmp_path / "docker", DOCKER, False)
    # Podman goes first, and is known by its version line, whatever the program is called.
    engine = find_container_engine(on_path(tmp_path, "docker", "podman"), Answers(version=(0, PODMAN)))
    assert isinstance(engine, ContainerEngine) and engine.program.name == "podman" and engine.is_podman


def test_none_is_one_sentence_with_the_command_that_installs_one(tmp_path: Path) -> None:
    problem = find_container_engine({"PATH": str(tmp_path)}, Answers())
    assert problem == "there is neither podman nor docker on this host. `apt install podman` installs one."


def test_the_environment_chooses_among_two(tmp_path: Path) -> None:
    environ = on_path(tmp_path, "docker", "podman")
    engine = find_container_engine({**environ, "PLUMBLINE_CONTAINER_ENGINE": "docker"}, Answers(version=(0, DOCKER)))
    assert isinstance(engine, ContainerEngine) and engine.program == tmp_path / "docker"
    problem = find_container_engine({**environ, "PLUMBLINE_CONTAINER_ENGINE": "crio"}, Answers())
    assert problem == (
        "PLUMBLINE_CONTAINER_ENGINE names crio, which is no program on this host. Correct it, or leave it unset."
    )


@pytest.mark.parametrize(
    ("output", "word"),
    [
        ("WARN[0000]\nCannot connect to the Docker daemon.\n", "Cannot connect to the Docker daemon"),
        ("", "it says nothing"),
    ],
)
def test_one_that_does_not_answer_is_quoted(tmp_path: Path, output: str, word: str) -> None:
    problem = find_container_engine(on_path(tmp_path, "docker"), Answers(ps=(1, output)))
    assert problem == f"docker does not answer: {word}. `docker ps` has to work for this user."


def test_one_that_can_not_be_started_is_named(tmp_path: Path) -> None:
    def fails(*_: object, **__: object) -> CommandOutput:
        raise PermissionError(13, "Permission denied")

    problem = find_container_engine(on_path(tmp_path, "docker"), fails)
    assert isinstance(problem, str) and f"{tmp_path}/docker can't be started (Permission denied)" in problem


def test_one_that_is_silent_holds_nobody_up(tmp_path: Path) -> None:
    waited: list[float] = []

    def silent(*_: object, waiting: Callable[[float], None], **__: object) -> CommandOutput:
        for seconds in range(10, 600, 10):
            waited.append(seconds)
            waiting(seconds)
        raise AssertionError("it was waited for")

    problem = find_container_engine(on_path(tmp_path, "docker"), silent)
    assert problem == "docker does not answer within 30 s. `docker ps` has to work."
    assert waited == [10, 20, 30]


def test_its_own_warnings_are_kept_out_of_what_it_answers() -> None:
    assert engine(Answers()).command == ("/usr/bin/podman", *QUIETLY)


def test_an_image_is_known_by_its_digest_or_is_not_there() -> None:
    labels = '{"org.opencontainers.image.ref.name":"ubuntu","plumbline.jdk":"jdk-25.0.3+9"}'
    answers = Answers(image=(0, f"sha256:{'a' * 64} 301234567 {labels}\n"))
    image = engine(answers).image("localhost/plumbline:x")
    assert image == ContainerImage("a" * 64, 301234567, "jdk-25.0.3+9")
    words = "{{.Id}} {{.Size}} {{json .Config.Labels}}"
    assert answers.calls == [["image", "inspect", "--format", words, "localhost/plumbline:x"]]
    for other_labels in ("null", "{}", '{"maintainer":"some body"}'):
        base = Answers(image=(0, f"{'b' * 64} 301234567 {other_labels}\n"))
        assert engine(base).image("localhost/base") == ContainerImage("b" * 64, 301234567, None)
    missing = Answers(image=(125, "Error: localhost/plumbline:x: image not known\n"))
    assert engine(missing).image("localhost/plumbline:x") is None


def test_an_image_that_can_not_be_fetched_is_told_in_the_engines_word() -> None:
    answers = Answers(pull=(0, f"{'a' * 64}\n"))
    assert engine(answers).pull("localhost/base", print) is None
    assert answers.calls == [["pull", "--quiet", "localhost/base"]]
    refused = Answers(pull=(125, "Trying to pull localhost/base...\nError: connection refused.\n"))
    assert engine(refused).pull("localhost/base", print) == "connection refused"


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


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((0, "systemd\n"), ("--cgroup-parent", "plumbline.slice")),
        ((0, "cgroupfs\n"), ()),
        ((125, "Error: can't evaluate field CgroupDriver in type *define.Info\n"), ()),
    ],
)
def test_only_dockers_containers_would_be_among_services(answer: tuple[int, str], words: tuple[str, ...]) -> None:
    answers = Answers(info=answer)
    asked = engine(answers, DOCKER)
    assert asked.parent_words == asked.parent_words == words
    assert answers.calls == [["info", "--format", "{{.CgroupDriver}}"]]
