"""Shared memory that a killed PostgreSQL leaves is removed, and nobody else's is."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest

from plumbline.services.postgres.remains import release_shared_memory

MINE = os.getuid()
_IPC_CREAT, _IPC_PRIVATE = 0o1000, 0


def data_folder(below: Path, segment: int) -> None:
    """As `postmaster.pid` stands in the data directory of a server."""
    (below / "one" / "data").mkdir(parents=True)
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
    (below / "one" / "data" / "postmaster.pid").write_text("\n".join(rows) + "\n")


def machine(root: Path, *, attached: int = 0, running: bool = False) -> tuple[Path, Path]:
    proc, shm = root / "proc", root / "shm"
    (proc / "sysvipc").mkdir(parents=True)
    head = "key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap\n"
    rows = "".join(
        f"5432001 {number} 600 56 4711 4711 {attached} {MINE} 0 0 0 0 0 0 4096 0\n" for number in (17, 18)
    )
    (proc / "sysvipc" / "shm").write_text(head + rows)
    (proc / "99").mkdir()
    (proc / "99" / "comm").write_text("postgres\n" if running else "bash\n")
    shm.mkdir()
    for name in ("PostgreSQL.1383611232", "another"):
        (shm / name).write_bytes(b"")
    return proc, shm


def released(root: Path, proc: Path, shm: Path) -> tuple[tuple[str, ...], list[int]]:
    removed: list[int] = []
    said = release_shared_memory(root / "scratch", proc, shm, lambda number: removed.append(number) is None)
    return said, removed


def test_what_a_dead_server_left_is_removed(tmp_path: Path) -> None:
    data_folder(tmp_path / "scratch", 17)
    proc, shm = machine(tmp_path)
    said, removed = released(tmp_path, proc, shm)
    assert removed == [17] and [path.name for path in shm.iterdir()] == ["another"]
    assert said == ("segment 17 of System V shared memory", str(shm / "PostgreSQL.1383611232"))
    assert released(tmp_path, proc, shm)[0] == said[:1]


def test_what_lives_is_spared(tmp_path: Path) -> None:
    data_folder(tmp_path / "scratch", 17)
    proc, shm = machine(tmp_path, attached=3, running=True)
    assert released(tmp_path, proc, shm) == ((), [])
    assert (shm / "PostgreSQL.1383611232").exists()


@pytest.mark.parametrize("text", ["", "4711\n", "\n" * 9, "\n\n\n\n\n\nnobody knows\n"])
def test_a_pid_file_that_names_no_segment(tmp_path: Path, text: str) -> None:
    data_folder(tmp_path / "scratch", 17)
    (tmp_path / "scratch" / "one" / "data" / "postmaster.pid").write_text(text)
    assert released(tmp_path, *machine(tmp_path))[1] == []


def test_without_a_data_folder_nothing_is_ours(tmp_path: Path) -> None:
    assert released(tmp_path, *machine(tmp_path)) == ((), [])


def test_a_real_segment_is_gone(tmp_path: Path) -> None:
    number = ctypes.CDLL(None).shmget(_IPC_PRIVATE, 56, _IPC_CREAT | 0o600)
    assert number >= 0
    data_folder(tmp_path / "scratch", number)
    said = release_shared_memory(tmp_path / "scratch", shm=tmp_path)
    assert said == (f"segment {number} of System V shared memory",)
    rows = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    assert number not in {int(row.split()[1]) for row in rows}
