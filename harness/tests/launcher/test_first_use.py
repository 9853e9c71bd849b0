"""The first use: what is made, what is printed, and that a failure leaves nothing behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Yard

pytestmark = pytest.mark.slow

MINOR = f"py3.{sys.version_info.minor}"


def refusal(yard: Yard, *words: str | Path, status: int = 2, **variables: str) -> str:
    """Return the one sentence of a first use that is refused; no part of an environment may be left."""
    ran = yard.bench(*words, cwd=None, **variables)
    assert (ran.returncode, ran.stdout) == (status, "")
    assert list((yard.cache / "plumbline" / "env").glob("*")) == []
    return ran.stderr.splitlines()[-1]


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_says_what_it_does_once_and_makes_one_environment(yard: Yard) -> None:
    root = yard.checkout()
    first, second = yard.bench(root / "bench"), yard.bench(root / "bench")
    assert first.returncode == second.returncode == 0
    first_line, second_line = first.stderr.splitlines()
    assert first_line.startswith(f"bench: First use: making the Python 3.{sys.version_info.minor} environment in ")
    assert "with pip" in first_line and second_line.startswith("bench: The environment is ready after ")
    assert second.stderr == ""
    (environment,) = yard.environments
    assert environment.name.endswith(MINOR) and json.loads(second.stdout)["prefix"] == str(environment)


def test_tests_have_an_environment_of_their_own(yard: Yard) -> None:
    root = yard.checkout()
    calls: tuple[tuple[str, ...], ...] = ((), ("test",), ("python",))
    plain, of_tests, of_python = (json.loads(yard.bench(root / "bench", *words).stdout)["prefix"] for words in calls)
    assert plain != of_tests == of_python
    assert len(yard.environments) == 2


def test_two_first_uses_at_once_both_work(yard: Yard) -> None:
    root = yard.checkout()
    processes = [yard.start(root / "bench") for _ in range(2)]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    assert len(yard.environments) == 1
    assert list(yard.environments[0].parent.glob(".building-*")) == []


def test_many_first_uses_at_once_never_remove_what_another_uses(yard: Yard) -> None:
    """With a quick installer and slow programs, all processes put the environment in place at the same moment."""
    for tool in ("rm", "date"):
        yard.program(tool, f'sleep 0.$(($$ % 3)); exec {shutil.which(tool)} "$@"')
    (yard.programs / "chmod").symlink_to(str(shutil.which("chmod")))
    yard.program(
        "uv",
        """[ "$1" = venv ] || exit 0
for folder; do :; done
mkdir -p "$folder/bin"
printf '#!/bin/sh\\nexec python3 -c "print(7)"\\n' >"$folder/bin/python"
chmod +x "$folder/bin/python\"""",
    )
    for number in range(4):
        root = yard.checkout(f"checkout-{number}")
        (root / "harness" / "requirements.lock").write_text(f"# {number}\n")
        processes = [yard.start(root / "bench") for _ in range(8)]
        outputs = [process.communicate(timeout=300) for process in processes]
        assert [out for out, _ in outputs] == ["7\n"] * len(processes), outputs
    assert len(yard.environments) == 4
    assert list(yard.environments[0].parent.glob(".building-*")) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_first_use_is_never_used(yard: Yard, number: signal.Signals) -> None:
    root = yard.checkout()
    marker = yard.folder / "begun"
    yard.program("uv", f': > "{marker}"; exec sleep 60')
    process = yard.start(root / "bench")
    until(marker.exists)
    os.killpg(process.pid, number)
    process.communicate(timeout=60)
    assert process.returncode != 0 and yard.environments == []
    remaining = list((yard.cache / "plumbline" / "env").glob(".building-*"))
    assert bool(remaining) == (number == signal.SIGKILL)
    (yard.programs / "uv").unlink()
    assert yard.bench(root / "bench").returncode == 0


def test_what_a_killed_one_left_a_day_ago_is_removed(yard: Yard) -> None:
    environments = yard.cache / "plumbline" / "env"
    for name, age_s in ((".building-old", 2 * 86400), (".building-new", 60)):
        (environments / name / "env").mkdir(parents=True)
        moment = time.time() - age_s
        os.utime(environments / name, (moment, moment))
    assert yard.bench(yard.checkout() / "bench").returncode == 0
    assert [path.name for path in environments.glob(".building-*")] == [".building-new"]


def test_a_folder_that_another_first_use_removes_at_the_same_moment_is_no_failure(yard: Yard) -> None:
    yard.program("find", """echo "find: '.building-x': No such file or directory" >&2; exit 1""")
    ran = yard.bench(yard.checkout() / "bench")
    assert ran.returncode == 0 and "find" not in ran.stderr


def test_an_environment_whose_python_went_away_is_made_anew(yard: Yard) -> None:
    root = yard.checkout()
    assert yard.bench(root / "bench").returncode == 0
    python = yard.environments[0] / "bin" / "python"
    links = [path for path in python.parent.glob("python*") if path.is_symlink()]
    for link in links:
        link.unlink()
        link.symlink_to("/nothing")
    ran = yard.bench(root / "bench")
    assert ran.returncode == 0 and "First use" in ran.stderr
    assert len(yard.environments) == 1


def test_uv_is_used_where_it_is_with_the_same_strictness(yard: Yard) -> None:
    """A stand-in that records its arguments, and does by venv and pip what uv would do."""
    log = yard.folder / "uv.log"
    yard.program(
        "uv",
        f'printf "%s|" "$@" >> "{log}"; echo >> "{log}"; for last; do :; done\n'
        'if [ "$1" = venv ]; then exec python3 -m venv "$last"; fi\n'
        'while [ "$1" != --python ]; do shift; done\n'
        'exec "$2" -m pip install --quiet -r "$last"',
    )
    ran = yard.bench(yard.checkout() / "bench")
    assert ran.returncode == 0 and "with uv" in ran.stderr
    venv, install = log.read_text().splitlines()
    assert venv.startswith("venv|") and install.startswith("pip|install|")
    assert "--require-hashes|--only-binary|:all:|" in install


def test_a_package_with_another_hash_is_refused(yard: Yard) -> None:
    sentence = refusal(yard, yard.checkout(sha256="0" * 64) / "bench", status=3)
    assert sentence.startswith("bench: A package is not the one that ") and "by its hash" in sentence


def test_no_network_is_one_sentence(yard: Yard) -> None:
    variables = {"PIP_NO_INDEX": "0", "PIP_FIND_LINKS": "", "PIP_INDEX_URL": "http://127.0.0.1:1/simple"}
    sentence = refusal(yard, yard.checkout() / "bench", status=3, **variables)
    assert "could not be fetched: no network" in sentence and "Run again" in sentence


def test_a_full_disk_is_one_sentence(yard: Yard) -> None:
    yard.program("uv", 'echo "error: No space left on device (os error 28)" >&2; exit 2')
    sentence = refusal(yard, yard.checkout() / "bench", status=3)
    assert sentence.startswith("bench: The disk is full: no room for the Python environment in ")


def test_an_old_python_alone_is_refused(yard: Yard) -> None:
    yard.program("python3", "exit 0")
    yard.program("python3.12", "exit 1")
    sentence = refusal(yard, yard.checkout() / "bench")
    assert sentence == (
        "bench: No Python 3.11 to 3.14, for which the packages are locked, is on PATH. Install one, for example: apt "
        "install python3 python3-venv"
    )


def test_a_python_that_no_package_is_locked_for_is_refused(yard: Yard) -> None:
    code = "import sys; sys.version_info = (3, 15, 0); exec(sys.argv[1])"
    (yard.programs / "python3").unlink()
    yard.program("python3", f"exec {sys.executable} -c '{code}' \"$2\"")
    assert "No Python 3.11 to 3.14" in refusal(yard, yard.checkout() / "bench")


def test_a_newer_python_is_found_behind_an_old_one(yard: Yard) -> None:
    (yard.programs / "python3").rename(yard.programs / "python3.12")
    yard.program("python3", "exit 0")
    assert yard.bench(yard.checkout() / "bench").returncode == 0


def test_a_python_without_venv_names_the_package(yard: Yard) -> None:
    yard.program("python3", 'case $* in *version_info*) echo "3.12 $0" ;; *) exit 1 ;; esac')
    sentence = refusal(yard, yard.checkout() / "bench")
    assert sentence.endswith("python3 has no venv module. Install it, for example: apt install python3-venv")


def test_a_cache_that_cannot_be_made_is_named(yard: Yard) -> None:
    (yard.folder / "file").touch()
    sentence = refusal(yard, yard.checkout() / "bench", XDG_CACHE_HOME=str(yard.folder / "file"))
    assert sentence.endswith("can't be written to. Name another place by XDG_CACHE_HOME.")


def test_other_systems_and_half_checkouts_are_refused(yard: Yard) -> None:
    root = yard.checkout()
    (yard.programs / "uname").unlink()
    yard.program("uname", "echo Darwin arm64")
    assert refusal(yard, root / "bench") == "bench: Plumbline measures on Linux, and this is Darwin."
    (root / "harness" / "requirements.lock").unlink()
    assert refusal(yard, root / "bench").endswith("is missing or unreadable; clone the whole repository.")
