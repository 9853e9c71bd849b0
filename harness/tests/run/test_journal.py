"""The journal survives a crash at any byte, and tells what to go on with."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.model.errors import UsageError
from plumbline.model.host import CpuSets
from plumbline.model.plan import Detectable, Plan
from plumbline.run.journal import NAME, Journal, read_journal
from plumbline.run.local import clear_finished, find_interrupted, find_record, interrupted_sessions

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
    found = read_journal(tmp_path)
    assert found.plan == PLAN
    assert found.trials == {1, 2}
    assert (found.resumed, found.cpu_s, found.took_s) == (1, {"session": 5.5}, 41.5)


def test_the_last_plan_counts(tmp_path: Path) -> None:
    write(tmp_path)
    Journal(tmp_path).write(
        "plan", plan=PLAN.model_copy(update={"blocks": 7}).model_dump(mode="json"), started_at="x", options={}
    )
    found = read_journal(tmp_path)
    assert (found.plan.blocks, found.started_at, found.trials) == (7, "now", {1, 2})


@given(cut=st.integers(1, 10_000))
def test_a_journal_cut_anywhere_is_read_up_to_there(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
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
    found = read_journal(tmp_path)
    assert (found.trials, found.resumed) == (before.trials | {3}, before.resumed + 1)
    content = path.read_bytes()
    journal.mend()
    assert path.read_bytes() == content


def test_what_was_built_and_which_folders_it_was_begun_with_are_remembered(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    options = {"apps": ["/somewhere/mine"], "command_line": []}
    journal.write("plan", plan=PLAN.model_dump(mode="json"), started_at="now", options=options)
    journal.write("built", artifacts={"mine/jvm/pg": "ab12"})
    found = read_journal(tmp_path)
    assert (found.apps, found.artifacts) == ([Path("/somewhere/mine")], {"mine/jvm/pg": "ab12"})


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
