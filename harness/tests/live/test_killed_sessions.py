"""A session is killed again and again, and its journal is damaged: it is whole in the end, and nothing of it stays.

A killed run leaves some things that only the next run can remove, and the next run says that it removes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.launch.spawning import groups_of
from .checkout import Checkout, Run, make_checkout, processes
from .killing import Traces, killed

pytestmark = pytest.mark.slow


def after(trials: int, *words: str) -> Callable[[Run], None]:
    """What waits until so many trials have ended, and then for a process with these words, if there are any."""

    def reached(run: Run) -> None:
        if trials:
            run.until(lambda: run.checkout.trials_ended() >= trials)
        if words:
            run.until_process(*words)

    return reached


# The moments of a session in their order: what reaches the moment, and the least processes and ports by then.
MOMENTS: dict[str, tuple[Callable[[Run], None], int, int]] = {
    "while the first application starts": (after(0, "java", "app.jar"), 8, 1),
    "in the first warm-up": (after(0, "k6", "warm-up.params.json"), 10, 2),
    "under closed load": (after(1, "k6", "closed.params.json"), 10, 2),
    "under open load": (after(2, "k6", "open@100.params.json"), 10, 2),
    "while the record is written": (after(4), 0, 0),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return make_checkout(tmp_path_factory.mktemp("killed") / "clone")


def damaged(journal: Path, line: str) -> int:
    """Change a digit in the last line of the kind `line`; return how many trials stand before that line."""
    lines = journal.read_text().splitlines(keepends=True)
    kinds = [json.loads(text)["kind"] for text in lines]
    at = len(kinds) - 1 - kinds[::-1].index(line)
    digit = next(place for place, letter in enumerate(lines[at]) if letter.isdigit())
    changed = str((int(lines[at][digit]) + 1) % 10)
    lines[at] = lines[at][:digit] + changed + lines[at][digit + 1 :]
    journal.write_text("".join(lines))
    return kinds[:at].count("trial")


def hidden(checkout: Checkout) -> list[str]:
    """The dot folders beside the records, but for the folder of running sessions."""
    return [path.name for path in checkout.results.iterdir() if path.name[0] == "." and path.name != ".running"]


def test_killed_at_every_moment_and_damaged_it_is_whole_in_the_end(
    checkout: Checkout, record_property: Callable[[str, object], None]
) -> None:
    run = checkout.start("run", "--suite", "tiny", "--seed", "7")
    traces: list[Traces] = []
    session = ""
    for reached, least, ports in MOMENTS.values():
        reached(run)
        session = checkout.session()
        traces.append(killed(run, session, least, ports))
        # Before the first trial has ended there is nothing to resume: the session begins anew.
        again = ("--resume",) if checkout.trials_ended() else ("--suite", "tiny", "--seed", "7")
        if checkout.trials_ended() == 4:
            break
        run = checkout.start("run", *again)
    journal = checkout.results / ".running" / session / "journal.jsonl"
    before = damaged(journal, "trial")
    assert before == 3

    (row,) = [row for row in checkout.bench("list", "--json").document if row["session"] == session]
    assert (row["state"], row["trials"]) == ("interrupted", before)
    ended = checkout.bench("run", "--resume", session, "--json")
    document = ended.document
    damage = "journal.jsonl is damaged: it is not as it was written."
    sentence = next(line for line in ended.err.splitlines() if damage in line)
    record_property("rule", "resume")
    record_property("reading", sentence)
    assert f"and the {before} trials before it count; all others are measured again." in ended.err
    assert (document["session"], document["trials"]) == (session, 4), ended.err
    record = json.loads(Path(document["record"]).read_text())
    assert [trial["number"] for trial in record["trials"]] == [1, 2, 3, 4]
    assert record["provenance"]["resumed"] == 3
    assert checkout.bench("verify", session).status == 0

    assert (processes(session), groups_of(session), hidden(checkout)) == (set(), [], [])
    assert any(trace.files for trace in traces) and any(trace.segments for trace in traces)
    assert set().union(*(trace.left() for trace in traces)) == set()
