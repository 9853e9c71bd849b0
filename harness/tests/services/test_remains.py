"""Shared memory that a killed PostgreSQL leaves is removed, and nobody else's is."""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import time
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from plumbline.measuring.launch.supervisor import marked
from plumbline.measuring.services.postgres.remains import release_segments, release_shared_memory
from plumbline.measuring.services.registry import DatabaseSetup, database_service
from .conftest import apart

pytestmark = pytest.mark.slow

MINE = os.getuid()
SHM = Path("/dev/shm")


def pid_file(folder: Path, text: str) -> Path:
    """Write `postmaster.pid` into the data directory of a server; return the folder above."""
    (folder / "one" / "data").mkdir(parents=True)
    (folder / "one" / "data" / "postmaster.pid").write_text(text)
    return folder


def naming(segment: int) -> str:
    rows = (
        "4711",
        "/somewhere",
        "1763800000",
        "41234",
        "",
        "127.0.0.1",
        f"  5432001 {segment:>9}",
        "ready   ",
    )
    return "\n".join(rows) + "\n"


def header(handle: int) -> bytes:
    return struct.pack("=iiQQIxxxxQQQ", 679834894, 4711, 56, 56, handle, 0, 0, 0)


def machine(root: Path) -> Path:
    """Write a folder of shared memory: the list in file 5 names file 6, and no longer names file 7."""
    root.mkdir()
    items = b"".join(struct.pack("=IIQQQQ", handle, used, 0, 0, 0, 0) for handle, used in ((6, 2), (7, 0)))
    (root / "PostgreSQL.5").write_bytes(struct.pack("=IIII", 0x9A503D32, 2, 64, 0) + items)
    for name in ("PostgreSQL.6", "PostgreSQL.7", "PostgreSQL.8", "another"):
        (root / name).write_bytes(b"")
    return root


def swept(folder: Path, shm: Path, content: bytes = header(5), owner: int = MINE) -> tuple[list[str], list[int]]:
    removed: list[int] = []
    segments = iter([(16, MINE), (17, owner)])

    def remove(number: int) -> bool:
        removed.append(number)
        return True

    release_segments(folder, segments, lambda number: content, remove, shm)
    return sorted(path.name for path in shm.iterdir()), removed


def test_what_a_dead_server_left_is_removed_and_no_more(tmp_path: Path) -> None:
    remaining, removed = swept(pid_file(tmp_path / "scratch", naming(17)), machine(tmp_path / "shm"))
    assert remaining == ["PostgreSQL.7", "PostgreSQL.8", "another"] and removed == [17]


ALL = ["PostgreSQL.5", "PostgreSQL.6", "PostgreSQL.7", "PostgreSQL.8", "another"]


def test_a_segment_of_somebody_else_with_our_number_is_spared(tmp_path: Path) -> None:
    scratch = pid_file(tmp_path / "scratch", naming(17))
    assert swept(scratch, machine(tmp_path / "shm"), owner=MINE + 1) == (ALL, [])


@pytest.mark.parametrize("content", [b"", b"\0" * 56, header(9), header(8)])
def test_a_segment_that_leads_nowhere(tmp_path: Path, content: bytes) -> None:
    remaining, removed = swept(pid_file(tmp_path / "scratch", naming(17)), machine(tmp_path / "shm"), content)
    assert removed == [17] and remaining == [name for name in ALL if content != header(8) or name != "PostgreSQL.8"]


@pytest.mark.parametrize("text", ["", "4711\n", "\n" * 9, "\n\n\n\n\n\nnobody knows\n"])
def test_a_pid_file_that_names_no_segment(tmp_path: Path, text: str) -> None:
    assert swept(pid_file(tmp_path / "scratch", text), machine(tmp_path / "shm")) == (ALL, [])


def test_a_real_server_that_was_killed_leaves_nothing_after_the_sweep(setup: DatabaseSetup) -> None:
    own_setup = replace(apart(setup, "killed"), session=f"{setup.session}-killed")
    scratch = own_setup.folder
    before = set(SHM.glob("PostgreSQL.*"))
    with database_service("embedded", own_setup) as service:
        with psycopg.connect(service.login.conninfo(), autocommit=True) as session:
            session.execute("SET debug_parallel_query = on")
            session.execute("SELECT count(*) FROM pg_class")
        # While the server lives, none of its memory is touched.
        assert release_shared_memory(scratch) == ()
        (segment,) = (int((path.read_text().splitlines()[6]).split()[1]) for path in scratch.glob("**/postmaster.pid"))
        pids = marked.with_descendants(set(service.pids), marked.parents(Path("/proc")))
        # The postmaster first: when another process dies before it, it starts them all anew, with other memory.
        for pid in sorted(pids, key=lambda pid: pid not in service.pids):
            # A session's own process may have ended meanwhile.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        # A worker that began after the processes were listed ends by itself, since its postmaster is gone.
        while any(alive(pid) for pid in pids) or processes_with(segment):
            time.sleep(0.02)
        removed = release_shared_memory(scratch)
    assert f"segment {segment} of System V shared memory" in removed
    files = [Path(name) for name in removed if name.startswith("/dev/shm/PostgreSQL.")]
    assert files and not before & set(files) and not any(path.exists() for path in files)
    assert segment not in {int(row.split()[1]) for row in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]}


def processes_with(segment: int) -> int:
    """Return how many processes have a segment of System V shared memory in their memory."""
    rows = (row.split() for row in Path("/proc/sysvipc/shm").read_text().splitlines()[1:])
    return sum(int(row[6]) for row in rows if int(row[1]) == segment)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
