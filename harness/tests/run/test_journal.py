"""The journal survives a crash at any byte, and tells what to go on with."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.archive.record.evidence_file import write_evidence
from plumbline.cli.progress import TerminalProgress
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.finish import require_whole
from plumbline.measuring.run.journal import DAMAGED, NAME, Journal, Journaled, SessionOptions, read_journal
from plumbline.measuring.run.local import (
    clear_finished,
    find_interrupted,
    find_record,
    finished_sessions,
    interrupted_sessions,
    remove_half_written,
)
from plumbline.measuring.run.session import resumed_session
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.host import CpuSets
from plumbline.model.plan import Detectable, Plan, PlannedTrial
from tests.judge.evidence import session

PLAN = Plan(
    session="20261121T070000Z-box-0a1b2c",
    suite="smoke",
    seed=1,
    host="box",
    host_class="small",
    sets=CpuSets(app=(1,), db=(0,), load=(0,), housekeeping=(0,)),
    placement="taskset",
    defaults={},
    subjects=("a/jvm/pg",),
    control="control/jvm/pg",
    scenarios=(),
    blocks=1,
    trials=(),
    expected_s=1.0,
    detectable=Detectable(trials=1, cv=0.05, change=None, basis="none"),
)


def write(folder: Path) -> Path:
    journal = Journal(folder)
    journal.write("plan", plan=PLAN.model_dump(mode="json"), started_at="now", options={"apps": []})
    journal.write("trial", number=1, cpu_s={"session": 2.0}, took_s=20.5)
    journal.write("resumed", at="later")
    journal.write("trial", number=2, cpu_s={"session": 3.5}, took_s=21.0)
    return folder / NAME


def test_it_tells_plan_trials_and_use(tmp_path: Path) -> None:
    write(tmp_path)
    journaled = read_journal(tmp_path)
    assert journaled.plan == PLAN
    assert journaled.trials == {1, 2}
    assert (journaled.resumed, journaled.cpu_s, journaled.took_s) == (1, {"session": 5.5}, 41.5)


def test_the_last_plan_counts(tmp_path: Path) -> None:
    write(tmp_path)
    Journal(tmp_path).write(
        "plan", plan=PLAN.model_copy(update={"blocks": 7}).model_dump(mode="json"), started_at="x", options={}
    )
    journaled = read_journal(tmp_path)
    assert (journaled.plan.blocks, journaled.started_at, journaled.trials) == (7, "now", {1, 2})


@given(cut=st.integers(1, 10_000))
def test_a_journal_cut_anywhere_is_read_up_to_there(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    folder = tmp_path_factory.mktemp("journal")
    path = write(folder)
    content = path.read_bytes()
    kept = content[: min(cut, len(content))]
    path.write_bytes(kept)
    if kept.count(b"\n") == 0 and cut < content.index(b"\n"):
        with pytest.raises(UsageError):
            read_journal(folder)
    else:
        assert read_journal(folder).trials <= {1, 2}


def test_interrupted_sessions_are_listed_and_records_found_by_name(tmp_path: Path) -> None:
    running = tmp_path / ".running" / PLAN.session
    running.mkdir(parents=True)
    write(running)
    (tmp_path / ".running" / "empty").mkdir()
    assert [folder.name for folder, _ in interrupted_sessions(tmp_path)] == [PLAN.session]
    done = tmp_path / "20261120T070000Z-box-0a1b2c"
    done.mkdir()
    (done / "record.json").write_text("{}")
    assert find_record(tmp_path, None) == done
    assert find_record(tmp_path, done.name) == done
    assert find_record(tmp_path, str(done / "record.json")) == done
    with pytest.raises(UsageError, match="Did you mean '20261120T070000Z-box-0a1b2c'"):
        find_record(tmp_path, "20261120T070000Z-box-0a1b2d")


def test_a_resumed_session_writes_on_behind_the_last_whole_line(tmp_path: Path) -> None:
    path = write(tmp_path)
    before = read_journal(tmp_path)
    with path.open("a") as file:
        file.write('{"kind":"trial","number":3,"cpu')
    journal = Journal(tmp_path)
    journal.mend()
    journal.write("resumed", at="later")
    journal.write("trial", number=3, cpu_s={}, took_s=1.0)
    journaled = read_journal(tmp_path)
    assert (journaled.trials, journaled.resumed) == (before.trials | {3}, before.resumed + 1)
    content = path.read_bytes()
    journal.mend()
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("host", "app", "placement", "words"),
    [
        ("lab", 1, PLAN.placement, "begun on host 'box', and this one is 'lab'"),
        ("box", 2, PLAN.placement, "begun with other CPUs"),
        ("box", 1, "another", f"begun with processes placed by {PLAN.placement}, and here they would be"),
    ],
)
def test_a_session_goes_on_where_and_as_it_was_begun(
    tmp_path: Path, host: str, app: int, placement: str, words: str
) -> None:
    trial = PlannedTrial(number=1, block=1, role="measured", subject="a/jvm/pg", scenario="hello@1")
    plan = PLAN.model_copy(update={"trials": (trial,)})
    Journal(tmp_path).write("plan", plan=plan.model_dump(mode="json"), started_at="now", options={})
    here = SimpleNamespace(
        host_name=host,
        gives=lambda sets: sets == plan.sets.model_copy(update={"app": (app,)}),
        places=(plan.sets, plan.sets),
        held_by=placement,
    )
    with pytest.raises(UsageError, match=words):
        resumed_session(cast(Context, here), tmp_path, TerminalProgress(quiet=True))


@pytest.mark.parametrize("lost", ["cut", "gone"])
def test_trials_whose_evidence_is_lost_are_measured_again_in_their_order(tmp_path: Path, lost: str) -> None:
    measured, journal = session(), Journal(tmp_path)
    journal.write("plan", plan=measured.plan.model_dump(mode="json"), started_at="now", options={})
    for number in (1, 2, 3):
        write_evidence(tmp_path, measured.trials[number].evidence)
        journal.write("trial", number=number, cpu_s={}, took_s=1.0)
    path = tmp_path / "evidence" / "0002.json.gz"
    path.write_bytes(path.read_bytes()[:-9])
    if lost == "gone":
        path.unlink()
    plan = measured.plan
    here = SimpleNamespace(host_name=plan.host, gives=lambda sets: True, places=(), held_by=plan.placement)
    said: list[str] = []
    progress = TerminalProgress(quiet=True)
    progress.say = said.append  # type: ignore[assignment, method-assign]
    going_on = resumed_session(cast(Context, here), tmp_path, progress)
    assert going_on._journaled.trials == {1}
    (sentence,) = said
    assert "0002.json.gz is " in sentence
    assert sentence.endswith(" The trials from 2 on are measured again.")
    journal.write("resumed", at="later", lost_from=going_on._journaled.lost_from)
    assert read_journal(tmp_path).trials == {1}
    journal.write("trial", number=2, cpu_s={}, took_s=1.0)
    again = read_journal(tmp_path)
    assert (again.trials, again.lost_from) == ({1, 2}, None)


def test_what_was_built_and_which_folders_it_was_begun_with_are_remembered(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    options = {"apps": ["/somewhere/mine"], "command_line": []}
    journal.write("plan", plan=PLAN.model_dump(mode="json"), started_at="now", options=options)
    journal.write("built", artifacts={"mine/jvm/pg": "ab12"})
    journaled = read_journal(tmp_path)
    assert (journaled.apps, journaled.artifacts) == ([Path("/somewhere/mine")], {"mine/jvm/pg": "ab12"})


def test_an_interrupted_session_is_found_by_name_or_as_the_newest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no interrupted session"):
        find_interrupted(tmp_path, None)
    for name in ("20261119T070000Z-box-0a1b2c", "20261120T070000Z-box-0a1b2c"):
        (tmp_path / ".running" / name).mkdir(parents=True)
        write(tmp_path / ".running" / name)
    assert find_interrupted(tmp_path, None)[0].name == "20261120T070000Z-box-0a1b2c"
    assert find_interrupted(tmp_path, "20261119T070000Z-box-0a1b2c")[1].plan == PLAN
    with pytest.raises(UsageError, match="Did you mean '20261119T070000Z-box-0a1b2c'"):
        find_interrupted(tmp_path, "20261119T070000Z-box-0a1b2d")


def test_a_session_killed_between_its_record_and_its_end_is_put_away(tmp_path: Path) -> None:
    running, folder = tmp_path / ".running" / PLAN.session, tmp_path / PLAN.session
    (running / "logs" / "0001").mkdir(parents=True)
    write(running)
    folder.mkdir()
    clear_finished(tmp_path)
    assert running.is_dir()
    (folder / "record.json").write_text("{}")
    with pytest.raises(UsageError, match="no interrupted session"):
        find_interrupted(tmp_path, None)
    clear_finished(tmp_path)
    assert not running.exists() and (folder / "logs" / "0001").is_dir()


def cut_in(line: int) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [*lines[:line], lines[line][:-9], *lines[line + 1 :]]


def put(line: int, content: bytes) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [*lines[:line], content, *lines[line + 1 :]]


DAMAGES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], int]] = {
    "a number": (put(1, b"5"), 1),
    "another document": (put(1, b'{"a": 1}'), 1),
    "no sum": (put(1, b'{"kind":"trial","number":1,"cpu_s":{},"took_s":1}'), 1),
    "half a line": (cut_in(1), 1),
    "a changed number": (lambda lines: [line.replace(b'"number":1', b'"number":3') for line in lines], 1),
    "a line lost": (lambda lines: [*lines[:1], *lines[2:]], 1),
    "lines in another order": (lambda lines: [lines[0], lines[3], lines[2], lines[1]], 1),
    "bytes of nobody": (put(3, b"\xff\x00" * 40), 3),
    "an empty line": (put(2, b""), 2),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_line_is_told_and_mended(tmp_path: Path, damage: str) -> None:
    change, kept = DAMAGES[damage]
    path = write(tmp_path)
    lines = change(path.read_bytes().splitlines())
    path.write_bytes(b"\n".join(lines) + b"\n")
    journaled = read_journal(tmp_path)
    assert journaled.damage is not None and f"Line {kept + 1} of {NAME} is damaged" in journaled.damage
    assert journaled.trials == ({1} if kept > 1 else set())
    count = "the 1 trial before it counts" if kept > 1 else "the 0 trials before it count"
    assert f"{count}; all others are measured again." in journaled.damage
    journal = Journal(tmp_path)
    journal.mend()
    # What was put away is kept, and what is written from now on is read.
    assert (tmp_path / DAMAGED).read_bytes().splitlines() == lines[kept:]
    journal.write("resumed", at="later")
    journal.write("trial", number=2, cpu_s={}, took_s=1.0)
    again = read_journal(tmp_path)
    assert again.damage is None and again.trials == journaled.trials | {2}
    assert again.resumed == journaled.resumed + 1


def test_a_damaged_plan_is_nothing_to_go_on_from_and_is_listed_so(tmp_path: Path) -> None:
    running = tmp_path / ".running" / PLAN.session
    running.mkdir(parents=True)
    path = write(running)
    path.write_bytes(b"5\n" + path.read_bytes())
    with pytest.raises(UsageError, match=f"Line 1 of {NAME} is damaged, and no plan stands before it"):
        read_journal(running)
    ((folder, why),) = interrupted_sessions(tmp_path)
    assert folder == running and isinstance(why, UsageError)
    with pytest.raises(UsageError, match="Line 1 of"):
        find_interrupted(tmp_path, PLAN.session)
    with pytest.raises(UsageError, match="no interrupted session"):
        find_interrupted(tmp_path, None)


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_a_journal_that_is_no_file_is_refused_at_once(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / NAME)
    with pytest.raises(UsageError, match="is no plain file"):
        read_journal(tmp_path)


def test_a_session_that_lacks_trials_is_not_finished(tmp_path: Path) -> None:
    journaled = Journaled(session("lab", 1).plan, "now", SessionOptions())
    numbers = [trial.number for trial in journaled.plan.trials]
    require_whole(journaled, numbers)
    with pytest.raises(CannotGoOn, match=rf"is not whole. Trials {numbers[-2]}-{numbers[-1]} of its plan"):
        require_whole(journaled, numbers[:-2])
    with pytest.raises(CannotGoOn, match="Line 3 is damaged"):
        require_whole(replace(journaled, damage="Line 3 is damaged."), numbers)


def test_a_record_that_was_killed_while_it_was_written_is_removed(tmp_path: Path) -> None:
    half = tmp_path / f".{PLAN.session}.4711"
    (half / "evidence").mkdir(parents=True)
    (half / "record.json").write_text("{}")
    assert finished_sessions(tmp_path) == []
    for other in (".running", ".mine.4711", PLAN.session):
        (tmp_path / other).mkdir()
    assert remove_half_written(tmp_path) == (PLAN.session,)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([".running", ".mine.4711", PLAN.session])
    assert remove_half_written(tmp_path / "nowhere") == ()
