from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from plumbline.machine.tools.download import unpack_tar
from plumbline.model.errors import UsageError


def archive(*names: str, link: str | None = None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size, member.mode = 4, 0o755
            tar.addfile(member, io.BytesIO(b"body"))
        if link:
            member = tarfile.TarInfo(link)
            member.type, member.linkname = tarfile.SYMTYPE, names[0]
            tar.addfile(member)
    return out.getvalue()


def test_unpacks_once_and_readable_for_all(tmp_path: Path) -> None:
    body = archive("tool", link="again")
    opened = []

    def open_archive() -> io.BytesIO:
        opened.append(1)
        return io.BytesIO(body)

    target = unpack_tar(open_archive, tmp_path / "tools" / "one")
    assert (target / "again").read_bytes() == b"body"
    assert target.stat().st_mode & 0o055 == 0o055 and (target / "tool").stat().st_mode & 0o055 == 0o055
    unpack_tar(open_archive, target)
    assert len(opened) == 1


def test_a_tree_that_lost_a_file_is_made_again(tmp_path: Path) -> None:
    body = archive("bin/a", "bin/b")
    target = unpack_tar(lambda: io.BytesIO(body), tmp_path / "one")
    (target / "bin" / "b").unlink()
    unpack_tar(lambda: io.BytesIO(body), target)
    assert (target / "bin" / "b").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def test_a_tree_without_its_list_of_names_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "half").touch()
    target = unpack_tar(lambda: io.BytesIO(archive("tool")), tmp_path / "one")
    assert sorted(path.name for path in target.iterdir()) == [".names", "tool"]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def full() -> io.BytesIO:
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match=r"one could not be unpacked in .*: No space left"):
        unpack_tar(full, tmp_path / "one")
    assert list(tmp_path.iterdir()) == []
