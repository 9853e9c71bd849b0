"""However a session is ended, nothing of it runs on, and it can be gone on with to its full number of trials."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.cli.progress import TerminalProgress
from plumbline.measuring.run.context import open_context
from plumbline.measuring.run.session import resumed_session
from plumbline.model.errors import CannotGoOn
from tests.launch.spawning import groups_of
from .checkout import Checkout, Ended, Run, make_checkout, processes
from .killing import killed

pytestmark = pytest.mark.slow


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return make_checkout(tmp_path / "clone")


def ended_by(number: signal.Signals, run: Run, session: str) -> Ended:
    """End a run by a signal; require that nothing of the session is left once the command has ended."""
    run.process.send_signal(number)
    ended = run.ended()
    assert (processes(session), groups_of(session)) == (set(), [])
    return ended


def says_how_to_go_on(ended: Ended, session: str) -> bool:
    last = ended.err.splitlines()[-1]
    return (
        ended.status == 3
        and last == f"bench: Interrupted; what was measured is kept. Go on by `./bench run --resume {session}`."
    )


def in_second_trial(run: Run) -> None:
    run.until(lambda: run.checkout.trials_ended() == 1)
    run.until_process("k6", "closed.params.json")


def test_a_session_killed_and_ended_in_every_way_comes_to_its_full_number_of_trials(
    checkout: Checkout, tmp_path: Path
) -> None:
    run = checkout.start("run", "--suite", "tiny", "--seed", "7")
    run.until_process("postgres", "-D")
    refused_meanwhile(tmp_path, run.process.pid)
    in_second_trial(run)
    session = checkout.session()
    killed(run, session)
    (row,) = checkout.bench("list", "--json").document
    assert (row["session"], row["state"], row["trials"]) == (session, "interrupted", 1)
    # As if the power had gone in the middle of a line.
    journal = checkout.results / ".running" / session / "journal.jsonl"
    with journal.open("a") as file:
        file.write('{"kind":"trial","num')

    steps: tuple[tuple[signal.Signals, Callable[[Run], object]], ...] = (
        (signal.SIGINT, lambda run: run.until_process("k6", "closed.params.json")),
        (signal.SIGTERM, lambda run: run.until_process("java", "app.jar")),
        (signal.SIGHUP, lambda run: run.until_process("postgres", "-D")),
    )
    for number, reached in steps:
        run = checkout.start("run", "--resume")
        reached(run)
        assert says_how_to_go_on(ended_by(number, run, session), session), number.name

    stopped_by_a_full_disk(checkout, session)
    ended = checkout.bench("run", "--resume", session, "--json")
    document = ended.document
    assert (document["session"], document["trials"]) == (session, 4), ended.err
    assert ended.status == (1 if document["invalid_trials"] else 0)
    record = json.loads(Path(document["record"]).read_text())
    assert record["provenance"]["resumed"] == 5
    assert [trial["number"] for trial in record["trials"]] == [1, 2, 3, 4]
    assert checkout.bench("verify", session).status == 0
    assert [row["state"] for row in checkout.bench("list", "--json").document] == ["finished"]
    again = checkout.bench("run", "--resume", session)
    assert (again.status, len(again.err.splitlines())) == (2, 1)


def stopped_by_a_full_disk(checkout: Checkout, session: str) -> None:
    """A file system that has room when the session begins, and none left before the next trial."""
    room = iter([2**40, 2**40])
    context = replace(open_context(checkout.root, [], print), free_bytes=lambda folder: next(room, 0))
    going_on = resumed_session(context, checkout.results / ".running" / session, TerminalProgress(quiet=True))
    before = checkout.trials_ended()
    with pytest.raises(CannotGoOn, match=r"The disk is full: .* is kept\. Free some space .* `\./bench list`"):
        going_on.run()
    assert (processes(session), groups_of(session), checkout.trials_ended()) == (set(), [], before)


def refused_meanwhile(tmp_path: Path, holder: int) -> None:
    """Another user's checkout on the same machine."""
    second = make_checkout(tmp_path / "second")
    ended = second.bench("run", "--suite", "tiny", "--json")
    assert ended.status == 2 and second.traces() == []
    assert ended.document["error"].startswith(f"Another run measures on this machine: process {holder}, ")
    assert "Traceback" not in ended.err


def test_interrupted_before_its_first_trial_it_leaves_no_trace(checkout: Checkout) -> None:
    run = checkout.start("run", "--suite", "tiny")
    run.until_process("postgres", "-D")
    ended = ended_by(signal.SIGINT, run, checkout.session())
    assert ended.status == 3
    assert ended.err.splitlines()[-1] == (
        "bench: Interrupted before the first trial ended; nothing is kept. Start again by the same command."
    )
    assert checkout.traces() == []
