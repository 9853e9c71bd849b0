"""A session that is killed again and again, with a journal that is damaged: whole in the end, and nothing of it stays.

Of what only the next run can remove, since nobody was left to do it, the next run says that it does.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .checkout import Checkout, Run, make_checkout, processes
from .killing import Traces, groups_of, killed

pytestmark = pytest.mark.slow

# How far a session has come, in its order; how many processes it has by then, and how many ports, at the least.
MOMENTS: dict[str, tuple[Callable[[Run], object], int, int]] = {
    "while the first application starts": (lambda run: run.until_process("java", "app.jar"), 8, 1),
    "in the first warm-up": (lambda run: run.until_process("k6", "warm-up.params.json"), 10, 2),
    "under closed load": (
        lambda run: (after(run, 1), run.until_process("k6", "closed.params.json")),
        10,
        2,
    ),
    "under open load": (
        lambda run: (after(run, 2), run.until_process("k6", "open@100.params.json")),
        10,
        2,
    ),
    "while the record is written": (lambda run: after(run, 4), 0, 0),
}


def after(run: Run, trials: int) -> None:
    run.until(lambda: run.checkout.trials_ended() >= trials)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return make_checkout(tmp_path_factory.mktemp("killed") / "clone")


def damaged(journal: Path, line: str) -> int:
    """A digit of the first line of that kind is another one; how many trials stand before it."""
    lines = journal.read_text().splitlines(keepends=True)
    kinds = [json.loads(one)["kind"] for one in lines]
    at = len(kinds) - 1 - kinds[::-1].index(line)
    digit = next(place for place, letter in enumerate(lines[at]) if letter.isdigit())
    changed = str((int(lines[at][digit]) + 1) % 10)
    lines[at] = lines[at][:digit] + changed + lines[at][digit + 1 :]
    journal.write_text("".join(lines))
    return kinds[:at].count("trial")


def hidden(checkout: Checkout) -> list[str]:
    """Dot folders beside the records, but for that of running sessions."""
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
        # Nothing to go on from before the first trial has ended: it begins anew.
        again = ("--resume",) if checkout.trials_ended() else ("--suite", "tiny", "--seed", "7")
        if checkout.trials_ended() == 4:
            break
        run = checkout.start("run", *again)
    journal = checkout.results / ".running" / session / "journal.jsonl"
    before = damaged(journal, "trial")
    assert before == 3

    (row,) = [one for one in checkout.bench("list", "--json").document if one["session"] == session]
    assert (row["state"], row["trials"]) == ("interrupted", before)
    ended = checkout.bench("run", "--resume", session, "--json")
    found = ended.document
    damage = "journal.jsonl is damaged: it is not as it was written."
    said = next(line for line in ended.err.splitlines() if damage in line)
    record_property("rule", "resume")
    record_property("reading", said)
    assert f"and the {before} trials before it count; all others are measured again." in ended.err
    assert (found["session"], found["trials"]) == (session, 4), ended.err
    record = json.loads(Path(found["record"]).read_text())
    assert [trial["number"] for trial in record["trials"]] == [1, 2, 3, 4]
    assert record["provenance"]["resumed"] == 3
    assert checkout.bench("verify", session).status == 0

    assert (processes(session), groups_of(session), hidden(checkout)) == (set(), [], [])
    assert any(one.files for one in traces) and any(one.segments for one in traces)
    assert set().union(*(one.left() for one in traces)) == set()
