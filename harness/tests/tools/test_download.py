from __future__ import annotations

import hashlib
import http.client
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plumbline.machine.tools.download import Pin, download
from plumbline.model.errors import UsageError
from .conftest import FileServer

BODY = b"the pinned bytes " * 50_000


def pin(url: str, body: bytes = BODY) -> Pin:
    return Pin("1.0", url, hashlib.sha256(body).hexdigest())


def nothing(done: int, total: int | None) -> None:
    pass


def test_the_pinned_file_is_kept_and_fetched_once(server: FileServer, tmp_path: Path) -> None:
    wanted = pin(server.serve("/a/tool.tar.gz", BODY))
    progress: list[tuple[int, int | None]] = []
    first = download(wanted, tmp_path / "new" / "folder", lambda done, total: progress.append((done, total)))
    assert first.read_bytes() == BODY
    assert first.name == f"{wanted.sha256[:16]}-tool.tar.gz"
    assert progress[-1] == (len(BODY), len(BODY)) and len(progress) > 1
    assert download(wanted, first.parent, nothing) == first
    assert server.asked == ["/a/tool.tar.gz"]


def test_a_kept_file_that_was_changed_is_fetched_again(server: FileServer, tmp_path: Path) -> None:
    wanted = pin(server.serve("/tool", BODY))
    kept = download(wanted, tmp_path, nothing)
    kept.write_bytes(BODY[:-1])
    assert download(wanted, tmp_path, nothing).read_bytes() == BODY


def test_other_bytes_are_refused_and_leave_no_trace(server: FileServer, tmp_path: Path) -> None:
    wanted = pin(server.serve("/tool", BODY[:-1] + b"!"))
    with pytest.raises(UsageError, match="is not the pinned file"):
        download(wanted, tmp_path, nothing)
    assert list(tmp_path.iterdir()) == []


def test_a_transfer_that_breaks_off_leaves_no_trace(server: FileServer, tmp_path: Path) -> None:
    wanted = pin(server.serve("/tool", BODY[:1000], stated=len(BODY)))
    with pytest.raises(UsageError, match="could not be fetched"):
        download(wanted, tmp_path, nothing)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_says_what_the_server_said(server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"/nothing answers 404\. Try again"):
        download(pin(server.url + "/nothing"), tmp_path, nothing)
    assert list(tmp_path.iterdir()) == []


def test_no_network_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(UsageError, match=r"could not be fetched \(.*refused\)\. Try again with a network"):
            download(pin(f"http://127.0.0.1:{unused.getsockname()[1]}/x"), tmp_path, nothing)


def test_a_silent_server_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/x"
        with pytest.raises(UsageError, match="timed out"):
            download(pin(url), tmp_path, nothing, silence_s=0.05)


def test_a_network_that_goes_away_is_no_fault_of_the_folder(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(response: http.client.HTTPResponse, amount: int) -> bytes:
        raise OSError(113, "No route to host")

    monkeypatch.setattr(http.client.HTTPResponse, "read", unreachable)
    with pytest.raises(UsageError, match=r"could not be fetched \(.*No route to host\)"):
        download(pin(server.serve("/tool", BODY)), tmp_path, nothing)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_sentence(server: FileServer, tmp_path: Path) -> None:
    wanted = pin(server.serve("/tool", BODY))

    def full(done: int, total: int | None) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match=r"The disk is full: no room for .*\. Free some space"):
        download(wanted, tmp_path, full)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="can't be written to: Not a directory"):
        download(pin(server.serve("/tool", BODY)), tmp_path / "file" / "sub", nothing)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=300), stated=st.integers(0, 300), wanted=st.binary(max_size=300))
def test_whatever_comes_only_the_pinned_bytes_stay(
    server: FileServer, tmp_path: Path, body: bytes, stated: int, wanted: bytes
) -> None:
    url = server.serve("/any", body, stated=stated)
    for leftover in tmp_path.iterdir():
        leftover.unlink()
    try:
        kept = download(pin(url, wanted), tmp_path, nothing)
    except UsageError:
        assert list(tmp_path.iterdir()) == []
    else:
        assert kept.read_bytes() == wanted
