"""Sessions on their way to the data branch: races, failing remotes, killed pushes, corrupt clones."""

from __future__ import annotations

import random
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plumbline.archive.data.branch import DataBranch, NotLanded
from plumbline.archive.data.entry import parse_index
from plumbline.archive.data.landing import land_files, land_session, readme
from plumbline.archive.record.gate import check
from plumbline.model.errors import AnswerIsNo, UsageError
from tests.change.checkout import git
from tests.data.remotes import bare, log, names, session
from tests.record.hosts import on, together_on

pytestmark = pytest.mark.slow

MONTH = "runs/2026/09"


def branch_of(remote: Path, **options: object) -> DataBranch:
    waits: list[float] = []
    return DataBranch(str(remote), sleep=waits.append, draw=random.Random(1), **options)  # type: ignore[arg-type]


def test_the_first_session_makes_the_branch(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    record, files = session()
    landed = land_session(branch_of(remote), record, files)
    assert landed.new and landed.tries == 1
    path = f"{MONTH}/{record.plan.session}"
    assert names(remote, path) == sorted(f"{path}/{name}" for name in files)
    for name, content in files.items():
        process = subprocess.run(
            ["git", "-C", str(remote), "show", f"data:{path}/{name}"], capture_output=True, check=True
        )
        assert process.stdout == content
    assert git(remote, "log", "--format=%P", "data") == "", "an orphan"
    assert git(remote, "show", "data:README.md") == readme().decode().strip()
    (entry,) = parse_index(git(remote, "show", f"data:{MONTH}/index.json").encode())
    assert entry.session == record.plan.session and entry.trials == len(record.trials)


def test_the_commands_of_its_readme_lead_to_a_checked_session(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    record, files = session()
    land_session(branch_of(remote), record, files)
    text = readme().decode().replace("<this repository>", remote.as_uri())
    text = text.replace("YYYY/MM/<session>", f"2026/09/{record.plan.session}")
    blocks = text.split("```\n")[1::2]
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("git ")]
    assert len(commands) == 3
    for command in commands:
        subprocess.run(shlex.split(command), cwd=tmp_path, check=True, capture_output=True)
    assert check(tmp_path / "data" / MONTH / record.plan.session).word == "as recorded"


def test_the_same_bytes_again_are_a_success_without_a_commit(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    land_session(branch_of(remote), *session())
    assert land_session(branch_of(remote), *session()).new is False
    assert len(log(remote)) == 1


def test_other_bytes_under_the_same_id_are_refused(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    record, files = session()
    land_session(branch_of(remote), record, files)
    with pytest.raises(AnswerIsNo, match="with other bytes, and what is there is never changed"):
        land_session(branch_of(remote), record, {**files, "record.json": files["record.json"] + b" "})
    assert len(log(remote)) == 1


def test_trials_of_one_host_land_in_one_joined_session_alone(tmp_path: Path) -> None:
    """A host that was lost is measured by a job that ran again, after the others were recorded."""
    remote = bare(tmp_path / "remote")
    first, lost = on("lab-a", 2), on("lab-b", 2)
    again = lost[0].plan.model_copy(update={"session": "20260901T235900Z-lab-b-aaaaaa"})
    joined = {
        "without": together_on(first, lost=("lab-b",)),
        "with": together_on(first, (lost[0].model_copy(update={"plan": again}), lost[1])),
        "others": together_on(on("lab-c", 2), lost=("lab-b",)),
    }
    _, files = session()
    land_session(branch_of(remote), joined["without"][0], files)
    with pytest.raises(AnswerIsNo, match="as part of 20260901T101500Z-lab-a-"):
        land_session(branch_of(remote), joined["with"][0], files)
    assert land_session(branch_of(remote), joined["others"][0], files).new
    assert len(log(remote)) == 2


def test_the_session_of_a_host_does_not_land_after_the_joined_session_that_has_it(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    first, second = on("lab-a", 2), on("lab-b", 2)
    _, files = session()
    land_session(branch_of(remote), together_on(first, second)[0], files)
    with pytest.raises(AnswerIsNo, match="as part of 20260901T101500Z-lab-a-lab-b-"):
        land_session(branch_of(remote), first[0], files)
    assert land_session(branch_of(remote), on("lab-c", 2)[0], files).new


def test_the_session_of_the_only_host_that_was_not_lost_lands_once(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    alone = on("lab-a", 2)
    _, files = session()
    land_session(branch_of(remote), together_on(alone, lost=("lab-b",))[0], files)
    with pytest.raises(AnswerIsNo, match="as part of 20260901T101500Z-lab-a-"):
        land_session(branch_of(remote), alone[0], files)


def test_twenty_writers_at_once_all_land_each_once(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")

    # The threads really wait here, so that their pushes meet.
    def write(number: int) -> bool:
        branch = DataBranch(str(remote), tries=60, sleep=lambda s: time.sleep(min(s, 8) / 8))
        return land_session(branch, *session(number)).new

    for number in range(20):
        session(number)
    with ThreadPoolExecutor(20) as pool:
        assert all(pool.map(write, range(20)))
    assert len(log(remote)) == 20
    assert len(set(log(remote))) == 20
    entries = parse_index(git(remote, "show", f"data:{MONTH}/index.json").encode())
    assert [entry.session for entry in entries] == sorted(session(n)[0].plan.session for n in range(20))
    for number in range(20):
        record, files = session(number)
        assert len(names(remote, f"{MONTH}/{record.plan.session}")) == len(files)


EVERY_THIRD_FAILS = """#!/bin/sh
n=$(($(cat "$GIT_DIR/count" 2>/dev/null || echo 0) + 1))
echo "$n" > "$GIT_DIR/count"
[ $((n % 3)) -ne 0 ] || { echo "the disk of the remote is busy" >&2; exit 1; }
"""


def test_a_remote_that_fails_every_third_push(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote", EVERY_THIRD_FAILS)
    tries = [land_session(branch_of(remote), *session(number)).tries for number in range(7)]
    assert max(tries) == 2 and tries.count(2) == 3
    assert len(log(remote)) == 7


def test_waits_grow_and_are_jittered_and_the_last_word_says_why(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote", "#!/bin/sh\necho 'closed for the night' >&2\nexit 1\n")
    waits: list[float] = []
    branch = DataBranch(str(remote), tries=8, sleep=waits.append, draw=random.Random(1))
    with pytest.raises(NotLanded, match="is not on the branch data"):
        land_session(branch, *session())
    assert len(waits) == 7
    for number, wait in enumerate(waits):
        assert 0.5 * min(60, 2**number) <= wait <= 1.5 * min(60, 2**number)
    assert len({wait / min(60, 2**number) for number, wait in enumerate(waits)}) == 7


def test_a_remote_that_is_not_there_is_no_matter_of_waiting(tmp_path: Path) -> None:
    waits: list[float] = []
    with pytest.raises(NotLanded):
        land_session(DataBranch(str(tmp_path / "nowhere"), sleep=waits.append), *session())
    assert waits == []


def test_a_filter_that_the_remote_refuses_is_no_matter_of_waiting(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    land_session(branch_of(remote), *session(0))
    git(remote, "config", "uploadpackfilter.allow", "false")
    waits: list[float] = []
    with pytest.raises(NotLanded, match="filter"):
        land_session(DataBranch(str(remote), sleep=waits.append), *session(1))
    assert waits == []


def test_a_push_that_is_killed_lands_the_next_time(tmp_path: Path) -> None:
    # The remote holds the push until the writer is gone, and then goes on with the data that arrived.
    marker, gone = tmp_path / "pushing", tmp_path / "gone"
    hook = f"#!/bin/sh\ntouch {marker}\nwhile [ ! -e {gone} ]; do sleep 0.05; done\n"
    remote = bare(tmp_path / "remote", hook)
    clone = tmp_path / "clone"
    program = (
        "import sys; from pathlib import Path; sys.path[:0] = sys.argv[3:]\n"
        "from plumbline.archive.data.branch import DataBranch\n"
        "from plumbline.archive.data.landing import land_session\n"
        "from tests.data.remotes import session\n"
        "land_session(DataBranch(sys.argv[1], folder=Path(sys.argv[2])), *session(1))\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", program, str(remote), str(clone), str(Path(__file__).parents[2])],
        start_new_session=True,
    )
    for _ in range(600):
        if marker.exists() or writer.poll() is not None:
            break
        time.sleep(0.05)
    assert marker.exists() and writer.poll() is None
    writer.kill()
    writer.wait()
    gone.touch()
    landed = land_session(branch_of(remote, folder=clone), *session(1))
    record, files = session(1)
    assert len(names(remote, f"{MONTH}/{record.plan.session}")) == len(files)
    assert len(log(remote)) == 1, f"landed once, by whichever of the two ({landed})"


@pytest.mark.parametrize("damage", ["objects", "head", "config", "lock", "file"])
def test_a_corrupt_clone_is_thrown_away(tmp_path: Path, damage: str) -> None:
    remote, clone = bare(tmp_path / "remote"), tmp_path / "clone"
    land_session(branch_of(remote, folder=clone), *session(0))
    if damage == "objects":
        for path in (clone / "objects").rglob("*"):
            if path.is_file():
                path.chmod(0o644)
                path.write_bytes(b"rubbish")
    elif damage == "head":
        (clone / "HEAD").write_bytes(b"\0")
    elif damage == "config":
        (clone / "config").write_bytes(b"[[[")
    elif damage == "lock":
        (clone / "shallow.lock").write_bytes(b"")
        (clone / "config.lock").write_bytes(b"")
    else:
        for path in sorted(clone.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        clone.rmdir()
        clone.write_bytes(b"no folder")
    assert land_session(branch_of(remote, folder=clone), *session(1)).tries <= 2
    assert len(log(remote)) == 2


def test_no_file_of_an_older_session_is_fetched(tmp_path: Path) -> None:
    remote, clone = bare(tmp_path / "remote"), tmp_path / "clone"
    for number in range(6):
        land_session(branch_of(remote), *session(number))
    land_session(branch_of(remote, folder=clone), *session(6))
    _, files = session(6)
    objects = git(clone, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)").split()
    # Blobs: our files, the index before and after, and the texts that explain the branch. Trees: four for each side,
    # one for each session, and that of the evidence, which all of these sessions have in common.
    assert objects.count("blob") == len(files) + 4
    assert objects.count("tree") == 2 * 4 + 7 + 1
    assert objects.count("commit") == 2
    assert git(remote, "fsck", "--full") == ""


def test_files_beside_the_runs_are_written_again_and_runs_never(tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    land_session(branch_of(remote), *session())
    land_files(branch_of(remote), {"alerts.json": b"{}\n", "github-action-benchmark/bigger.json": b"[]\n"}, "kept")
    assert land_files(branch_of(remote), {"alerts.json": b"{}\n"}, "kept").new is False
    land_files(branch_of(remote), {"alerts.json": b'{"alerts":[]}\n'}, "kept")
    assert git(remote, "show", "data:alerts.json") == '{"alerts":[]}'
    land_files(branch_of(remote), {"hosts/lab/after.json": b"{}\n"}, "kept")
    assert git(remote, "show", "data:hosts/lab/after.json") == "{}"
    for path in (
        "hosts/../before.json",
        "hosts/lab/.json",
        "runs/2026/09/x/record.json",
        "../alerts.json",
        "README.md",
        "hosts/lab/doctor.json",
        "/alerts.json",
    ):
        with pytest.raises(UsageError, match="none of the files"):
            land_files(branch_of(remote), {path: b""}, "kept")
