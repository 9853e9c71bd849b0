"""The application, k6 or the database dies in mid-phase: the trial is kept and says why, and the session goes on."""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from .checkout import PROC, TINY, Ended, Run, make_checkout

pytestmark = pytest.mark.slow

# With its 25 connections open k6 is in the middle of its phase, which lasts longer than a busy machine takes to end it.
LOADING = 20
SUITE = TINY.replace('"closed", time = "2s"', '"closed", time = "10s"')


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, Path]:
    """One session whose parts are killed, one in each trial, and its record's folder."""
    checkout = make_checkout(tmp_path_factory.mktemp("dying") / "clone", SUITE)
    run = checkout.start("run", "--suite", "tiny", "--json")
    victims = (("java", "app.jar"), ("k6", "closed.params.json"), ("bin/postgres", "-D"))
    for trial, victim in enumerate(victims):
        loading(run, trial)
        os.kill(run.until_process(*victim), signal.SIGKILL)
    done = run.ended()
    return done, Path(done.document["record"]).parent


def loading(run: Run, trials_before: int) -> None:
    """Waits until the closed phase of the next trial is under way."""
    run.until(lambda: run.checkout.trials_ended() == trials_before)
    load = run.until_process("k6", "closed.params.json")
    run.until(lambda: sockets(load) > LOADING)


def sockets(pid: int) -> int:
    """How many sockets a process has open; one that is closed while they are counted does not count."""
    count = 0
    for descriptor in (PROC / str(pid) / "fd").iterdir():
        with suppress(FileNotFoundError):
            count += os.readlink(descriptor).startswith("socket:")
    return count


def row_of(ended: tuple[Ended, Path], trial: int) -> dict[str, Any]:
    row: dict[str, Any] = json.loads((ended[1] / "record.json").read_text())["trials"][trial - 1]
    assert row["number"] == trial
    return row


def of_the_whole_trial(trial: dict[str, Any]) -> str:
    """What R7 says of the trial's end."""
    (row,) = (row for row in trial["findings"] if row["rule"] == "R7" and row["phase"] is None)
    reading: str = row["reading"]
    return reading


def test_the_session_ends_with_all_trials_and_says_that_some_are_invalid(ended: tuple[Ended, Path]) -> None:
    done, _ = ended
    assert done.status == 1
    assert (done.document["trials"], "Traceback" in done.err) == (4, False)
    assert done.document["invalid_trials"] >= 3
    assert done.err.count("starting the database again") == 1


@pytest.mark.parametrize(
    ("trial", "sentence"),
    [
        (1, "(phase closed): The application ended by itself: signal 9 (SIGKILL)."),
        (2, "(phase closed): k6 died in the phase closed: signal 9 (SIGKILL)."),
        (3, "(phase closed): The database ended by itself: signal 9 (SIGKILL)."),
    ],
)
def test_the_trial_is_invalid_and_says_why_in_one_sentence(
    ended: tuple[Ended, Path], trial: int, sentence: str
) -> None:
    row = row_of(ended, trial)
    assert row["verdict"] == "invalid"
    assert of_the_whole_trial(row).startswith(f"The trial did not reach its end {sentence}")
    assert sentence.split(": ", 1)[1] in ended[0].err


def test_the_trial_after_a_dead_database_runs_to_its_end(ended: tuple[Ended, Path]) -> None:
    row = row_of(ended, 4)
    assert row["figures"]["closed"]["warming_throughput_per_s"] > 0
    assert "after" in row["figures"]
    assert "did not reach its end" not in of_the_whole_trial(row)
