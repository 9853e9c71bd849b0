"""Used wrongly: one sentence, the next step, exit status 2, and no trace."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plumbline.machine.host.kernel import free_port
from .checkout import TINY, Checkout, Ended, make_checkout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return make_checkout(tmp_path_factory.mktemp("bad") / "clone")


def is_refused(ended: Ended, *words: str) -> None:
    """The last line of standard error is the one sentence; lines before it tell what was done meanwhile."""
    last = ended.err.splitlines()[-1]
    assert (ended.status, "Traceback" in ended.err) == (2, False), ended.err
    assert last.startswith("bench: ") and last.rstrip("`").endswith((".", "?", "'", "help")), last
    for word in words:
        assert word in last, last


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["rum"], ["No command 'rum'.", "Did you mean 'run'?"]),
        (["run", "--suite", "smok"], ["Unknown suite 'smok'.", "Did you mean 'smoke'?"]),
        (["run", "--only", "vertx-pq"], ["No subject", "Did you mean 'vertx-pg'?"]),
        (["run", "--bloks", "2"], ["--bloks", "--blocks"]),
        (["run", "--blocks", "0"], ["0", "1<=x<=200"]),
        (["run", "--resume"], ["There is no interrupted session to resume.", "./bench run"]),
        (["run", "--app", "apps"], ["variant.toml", "apps"]),
        (["build", "vertx-pq"], ["Unknown variant 'vertx-pq'.", "Did you mean 'vertx-pg'?"]),
        (["build", "vertx-pg/jmv/pg"], ["no packaging 'jmv'.", "Did you mean 'jvm'?"]),
        (["build", "vertx-pg/jvm/pq"], ["no engine 'pq'.", "Did you mean 'pg'?"]),
        (["build", "vertx-pg/jvm/pg+db-tsl=off"], ["'db-tsl'", "Did you mean 'db-tls'?"]),
        (
            ["build", "vertx-pg/jvm/pg+db-tls=of"],
            ["'of' is not a value of db-tls.", "It takes off, require."],
        ),
        (["start", "vertx"], ["Unknown variant 'vertx'.", "Did you mean 'vertx-pg'?"]),
        (["verify", "nowhere"], ["'nowhere'"]),
        (["judge"], ["There is no record here yet."]),
        (["judge", "--rule", "R77"], ["There is no rule 'R77'.", "Did you mean 'R7'?"]),
        (["show", "7"], ["There is no record here yet."]),
        (["doctor", "--only", "govenor"], ["'govenor'", "Did you mean 'governor'?"]),
    ],
    ids=" ".join,
)
def test_a_wrong_word_is_one_sentence_with_the_nearest_name(
    checkout: Checkout, command: list[str], words: list[str]
) -> None:
    where = str(checkout.root / "apps") if "apps" in command else None
    ended = checkout.bench(*(where or word if word == "apps" else word for word in command))
    is_refused(ended, *words)
    assert len(ended.err.splitlines()) == 1 and ended.out == ""
    assert checkout.traces() == []


def test_with_json_the_sentence_is_the_one_document(checkout: Checkout) -> None:
    ended = checkout.bench("run", "--suite", "smok", "--json")
    assert ended.document == {
        "error": "Unknown suite 'smok'.",
        "next_step": "Did you mean 'smoke'?",
        "exit": 2,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[suites.broken\n", ["bench.toml is not valid TOML", "line", "column"]),
        (TINY.replace("phases", "phasis"), ["suites.tiny", "'phases'"]),
        (TINY.replace('"5m"', '"5"'), ["suites.tiny.budget", "needs a unit"]),
        (TINY.replace('"fruits"', '"fruit"'), ["Unknown scenario 'fruit'.", "Did you mean 'fruits'?"]),
        ('[hosts.lab1]\nplacement = "cgroup3"\n', ["hosts.lab1.placement", "'cgroup2'"]),
    ],
)
def test_a_mistake_in_bench_toml_is_named_by_its_place(tmp_path: Path, text: str, words: list[str]) -> None:
    broken = make_checkout(tmp_path / "clone", text)
    is_refused(broken.bench("run"), *words)
    assert broken.traces() == []


def test_a_program_that_is_no_k6_is_refused_before_anything_is_built(checkout: Checkout) -> None:
    is_refused(
        checkout.bench("run", "--suite", "tiny", PLUMBLINE_K6="/bin/true"),
        "PLUMBLINE_K6 names /bin/true, which is no k6.",
    )
    assert checkout.traces() == []


def test_a_database_that_is_not_reachable_leaves_no_trace(tmp_path: Path) -> None:
    port = free_port()
    far = make_checkout(tmp_path / "clone", f'{TINY}[hosts.far]\ndatabase = "postgresql://me@127.0.0.1:{port}"\n')
    ended = far.bench("run", "--suite", "tiny", PLUMBLINE_HOST="far")
    is_refused(ended, f"No database is reachable at 127.0.0.1:{port}", "PLUMBLINE_DB_PASSWORD")
    assert far.traces() == []


@contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """Make a folder unwritable. Root may write anywhere but on a file system that is mounted read-only."""
    if os.geteuid() == 0:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "ro,size=1m", "plumbline", str(folder)], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", str(folder)], check=True)
    else:
        folder.chmod(0o555)
        try:
            yield
        finally:
            folder.chmod(0o755)


def test_a_checkout_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    clone = make_checkout(tmp_path / "clone")
    shutil.rmtree(clone.results)
    with unwritable(clone.root / "results"):
        is_refused(clone.bench("run", "--suite", "tiny"), f"{clone.results} may not be written.")
        assert clone.bench("plan", "--suite", "tiny").status == 0
        assert json.loads(clone.bench("list", "--json").out) == []


def test_scratch_that_may_not_be_made_is_refused(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "a file").touch()
    for place in (tmp_path / "a file", tmp_path / "a file" / "below"):
        is_refused(checkout.bench("run", "--suite", "tiny", PLUMBLINE_SCRATCH=str(place)), "PLUMBLINE_SCRATCH")
    assert checkout.traces() == []


def test_a_host_without_an_engine_says_so_in_the_plan(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "podman"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n[ \"$1\" = --version ] || { echo 'Error: no service.'; exit 125; }\n")
    program.chmod(0o755)
    suite = TINY.replace("vertx-pg/jvm/pg", "vertx-pg/jvm/pg+run-in=container")
    checkout = make_checkout(tmp_path / "clone", suite, PATH=f"{program.parent}:/usr/bin:/bin")
    ended = checkout.bench("plan", "--suite", "tiny")
    assert ended.status == 0
    assert ended.out.splitlines()[-1] == (
        "vertx-pg/jvm/pg+run-in=container is unavailable: podman does not answer: no service. "
        "`podman ps` has to work for this user."
    )
