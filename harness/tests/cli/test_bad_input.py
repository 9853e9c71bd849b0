"""Bad input to a command: one sentence with the next step, the right exit status, and never a trace of Python."""

from __future__ import annotations

import errno
import json
import os
import select
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from plumbline import cli
from plumbline.cli.leaving import ending_of
from tests.cli.calling import PROGRAM, bench

HUGE = "9" * 400


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all sorts of input that is no record, no series, no pairs and no variant."""
    folder = tmp_path_factory.mktemp("bad input")
    (folder / "empty").touch()
    (folder / "noise").write_bytes(bytes(range(256)))
    (folder / "loop").symlink_to("loop")
    for name in ("folder", "a record", "records", "variant"):
        (folder / name).mkdir()
    (folder / "a record" / "record.json").touch()
    (folder / "records" / "record.json").mkdir()
    (folder / "variant" / "variant.toml").mkdir()
    os.mkdir(os.fsencode(folder) + b"/na\xff\xfeme")
    (folder / "pairs").write_text(json.dumps({"pairs": [[1, 2]] * 4, "better": "higher"}), encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["plan", "--budget", f"{HUGE}h"], 2, "is no time with a unit"),
        (["plan", "--blocks", HUGE], 2, "is not in the range 1<=x<=200"),
        (["plan", "--scale", "nan"], 2, "'nan' is no number"),
        (["plan", "--generators", "3"], 2, "--generators is for a cluster. Say --format kubernetes as well."),
        (["plan", "--format", "kubernetes", "--generators", "0"], 2, "0 generators make no load."),
        (["plan", "--format", "kubernetes", "--generators", HUGE], 2, "Take at most"),
        (["plan", "--format", "kubernetes", "--changed-since", "HEAD"], 2, "objects are those of one trial."),
        (["plan", "--format", "kubernetes", "--load", "x"], 2, "is no way to run load in a cluster."),
        (["plan", "--app", "variant"], 2, "variant/variant.toml cannot be read"),
        (["plan", "--app", b"na\xff\xfeme"], 2, "variant.toml cannot be read"),
        (["plan", "--history", "empty"], 2, "is no folder"),
        (["run", "--resume", "nosuch"], 2, "No interrupted session is called 'nosuch'."),
        (["run", "--artifacts", "noise"], 2, "names no artifacts"),
        (["run", "more"], 2, "unexpected extra argument (more). See"),
        (["build", ""], 2, "is not a subject id"),
        (["compare", "--pairs", "nosuch"], 2, "No such file or directory"),
        (["compare", "--pairs", "folder"], 2, "is a directory"),
        (["compare", "--pairs", "empty"], 2, "is not valid JSON"),
        (["compare", "--pairs", "noise"], 2, "is not UTF-8 text"),
        (["compare", "--pairs", "loop"], 2, "Too many levels of symbolic links"),
        (["compare", "--pairs", "pairs", "--not-slower-than", "nan"], 2, "'nan' is no number"),
        (["reproduce", "a record"], 1, "a record is not as recorded: MANIFEST.sha256 is missing."),
        (["judge", "folder"], 2, "There is no record at or called 'folder'."),
        (["report", b"na\xff\xfeme"], 2, "There is no record at or called"),
        (["show", "1", "--record", "a record"], 1, "is not as recorded"),
        (["show", "a record"], 2, "is not the number of a trial. To name a session: --record 'a record'."),
        (["verify", ""], 2, "There is no record at or called ''."),
        (["verify", "with space"], 2, "There is no record at or called 'with space'."),
        (["verify", "folder"], 2, "There is no record at or below folder."),
        (["verify", "x" * 5000], 2, f"{'x' * 50}…"),
        (["history", "loop"], 2, "is no folder"),
        (["history", "--series", "noise"], 2, "is not UTF-8 text"),
        (["publish", "nosuch", "out"], 2, "nosuch is no folder."),
        (["explain", "R999"], 2, "There is no rule 'R999'."),
        (["doctor", "--only", "nosuch"], 2, "There is no condition 'nosuch'."),
        (["new-variant", "../x", "--like", "vertx-pg"], 2, "is no name of a variant"),
        (["check-variant", "vertx-pg+nosuch=1"], 2, "unknown setting 'nosuch'"),
        (["start", "nosuch"], 2, "Unknown variant 'nosuch'."),
        (["lifecycle", "nosuch"], 2, "Unknown variant 'nosuch'."),
        (["smallest-heap", "nosuch"], 2, "Unknown variant 'nosuch'."),
        (["smallest-heap", "vertx-pg+heap=1g"], 2, "vertx-pg/jvm/pg+heap=1g has a heap already."),
        (["smallest-heap", "vertx-pg/aot"], 2, "an AOT cache is trained for one heap"),
        (["smallest-heap", "vertx-pg", "--scenario", "orders"], 2, "vertx-pg does not serve 'orders'."),
        (["completion"], 2, "Choose from: bash, zsh, fish. See"),
        (["ci", "check", "nosuch"], 2, "does not exist"),
        (["simulate", "out", "--sessions", HUGE], 2, "is not in the range"),
        (["simulate", "out", "--sessions", "0"], 2, "is not in the range 1<=x<=100000"),
        (["simulate", "out", "--series", "9"], 2, "is not in the range 10<=x<=100000"),
        (["rum"], 2, "Did you mean 'run'?"),
    ],
)
def test_one_sentence_and_the_next_step(place: Path, words: list[str | bytes], status: int, said: str) -> None:
    process = bench(*words, cwd=place)
    assert (process.returncode, process.stdout) == (status, "")
    line, end = process.stderr[:-1], process.stderr[-1:]
    assert (line.startswith("bench: "), "\n" in line, end) == (True, False, "\n"), process.stderr
    assert said in line
    assert len(line) < 1000
    assert not (place / "out").exists()


def test_no_command_shows_the_help_alone(tmp_path: Path) -> None:
    process = bench(cwd=tmp_path)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.startswith("Usage: bench ")
    assert " ".join(process.stderr.split()).endswith("has --help with an example.")


@pytest.mark.slow
@pytest.mark.parametrize(
    "called", ["{} explain | head -n 1", "{} explain >&-", "{} explain --json >&-", "{} list >&- <&-"]
)
def test_a_reader_who_has_enough_is_no_failure(tmp_path: Path, called: str) -> None:
    script = f"{called.format(shlex.join(PROGRAM))}; exit ${{PIPESTATUS[0]}}"
    process = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")


# A command that says a step as a session does, answers, and ends with a status.
_ANSWERING = """
import click
from plumbline import cli
from plumbline.cli.progress import TerminalProgress

def answering(**_):
    with TerminalProgress() as progress:
        for step in range(3):
            progress.say("step")
            click.echo("answer")
            click.echo("words", err=True)
    return {status}

cli.bench.main = answering
cli.main()
"""


@pytest.mark.parametrize("status", [0, 1])
@pytest.mark.parametrize("closed", ["stdout", "stderr"])
@pytest.mark.parametrize("in_a_job", ["true", ""])
def test_a_command_that_nobody_reads_goes_on_to_its_answer(status: int, closed: str, in_a_job: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    stdout, stderr = (writer if closed == name else subprocess.PIPE for name in ("stdout", "stderr"))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "GITHUB_ACTIONS": in_a_job}
    command = [sys.executable, "-c", _ANSWERING.format(status=status)]
    process = subprocess.run(command, env=env, text=True, check=False, stdout=stdout, stderr=stderr)
    os.close(writer)
    assert process.returncode == status
    answered = process.stdout if closed == "stderr" else process.stderr
    assert answered.count("answer" if closed == "stderr" else "step") == 3


@pytest.mark.parametrize("in_a_job", ["true", ""])
def test_a_terminal_that_lacks_a_letter_ends_no_command(in_a_job: str) -> None:
    script = """
from plumbline import cli

def answering(**_):
    print("9 \\u00b5s \\u2026")

cli.bench.main = answering
cli.main()
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-c", script]
    process = subprocess.run(command, env={**env, "GITHUB_ACTIONS": in_a_job}, capture_output=True, check=False)
    assert (process.returncode, process.stdout) == (0, b"9 \xb5s \\u2026\n"), process.stderr


@pytest.mark.parametrize("in_a_job", ["true", ""])
def test_who_asks_for_unbuffered_output_reads_a_line_at_once(in_a_job: str) -> None:
    script = """
import sys
from plumbline import cli

def answering(**_):
    print("step")
    sys.stdin.read()

cli.bench.main = answering
cli.main()
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1", "GITHUB_ACTIONS": in_a_job}
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        readable, _, _ = select.select([process.stdout], [], [], 20)
        process.communicate("\n")
    assert readable and process.returncode == 0


def test_a_broken_pipe_to_another_program_is_no_answer() -> None:
    script = """
import click, os
from plumbline import cli

@click.command()
def broken():
    reader, writer = os.pipe()
    os.close(reader)
    os.write(writer, b"words")

cli.bench = broken
cli.main()
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (3, "bench: A pipe to another program broke.\n")


def test_a_command_that_can_not_resume_is_run_again_on_a_full_disk(tmp_path: Path) -> None:
    command = ["bash", "-c", f"{shlex.join(PROGRAM)} explain >/dev/full"]
    env = {**os.environ, "PYTHONUNBUFFERED": ""}
    process = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    step = "Free some space (`./bench clean` shows ours), then run it again."
    assert (process.returncode, process.stderr) == (3, f"bench: The disk is full. {step}\n")
    command[-1] += " 2>&1"
    assert subprocess.run(command, cwd=tmp_path, env=env, check=False).returncode == 3


def test_on_a_full_disk_resume_is_named_for_the_commands_that_have_it() -> None:
    context = click.Context(cli.bench)
    commands = {name: cli.bench.get_command(context, name) for name in cli.bench.list_commands(context)}
    resumable = {
        name
        for name, command in commands.items()
        if command is not None and any(parameter.name == "resume" for parameter in command.params)
    }
    assert resumable == set(cli.RESUMABLE)
    ending = ending_of(OSError(errno.ENOSPC, "No space left on device"), resumable=True)
    assert ending.next_step.endswith("then go on by --resume.")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG])
def test_an_error_without_a_name_of_a_file_names_none(number: int) -> None:
    ending = ending_of(OSError(number, os.strerror(number)), resumable=False)
    assert ending.problem == f"The system refused something: {os.strerror(number)}."
    named = ending_of(OSError(number, os.strerror(number), "file"), resumable=False)
    assert named.problem.startswith("file ")


def test_a_mistake_of_our_own_is_a_sentence_and_a_file(tmp_path: Path) -> None:
    script = (
        "from plumbline import cli\n"
        "def wrong(**_): raise ValueError('the moon is full')\n"
        "cli.bench.main = wrong\n"
        "cli.main()\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path)}
    process = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    (file,) = tmp_path.iterdir()
    assert (process.returncode, process.stderr) == (
        3,
        "bench: This is a mistake of Plumbline itself: ValueError: the moon is full. "
        f"Where it happened stands in {file}: please report it with that file.\n",
    )
    assert "line 2, in wrong" in file.read_text()
