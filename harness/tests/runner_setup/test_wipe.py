"""The wipe after a job, with the programs that end processes replaced: what it removes, what it says when it fails."""

from __future__ import annotations

import getpass
import grp
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from .conftest import RUNNER_SETUP

WIPE = RUNNER_SETUP / "runner/wipe.sh"
# Only root can set owners; modes are set by the real program.
_INSTALL = """#!/bin/bash
words=()
while [ $# -gt 0 ]; do
    case $1 in -o | -g) shift ;; *) words+=("$1") ;; esac
    shift
done
exec /usr/bin/install "${words[@]}"
"""
# The machine of the tests may have a million files in the shared folders, and none of them comes from a job.
_FIND = 'case $1 in /tmp | /var/tmp) set -- "$@" -maxdepth 1 ;; esac; exec /usr/bin/find "$@"'


@dataclass(frozen=True)
class Host:
    state: Path
    programs: Path

    def program(self, name: str, text: str) -> None:
        path = self.programs / name
        path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def wipe(self) -> int:
        env = {
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "PLUMBLINE_STATE": str(self.state),
            "PLUMBLINE_LAUNCHER": str(self.programs / "launcher.py"),
            # A user who owns nothing in the shared folders, and whose processes are not stopped.
            "PLUMBLINE_USER": "games",
            "PLUMBLINE_DATABASE_USER": "games",
        }
        return subprocess.run([WIPE], env=env, capture_output=True, check=False).returncode

    def left(self) -> list[str]:
        return sorted(str(path.relative_to(self.state)) for path in self.state.rglob("*"))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    host_with_fakes = Host(tmp_path / "state", tmp_path / "bin")
    host_with_fakes.state.mkdir()
    host_with_fakes.programs.mkdir()
    host_with_fakes.program("install", _INSTALL)
    host_with_fakes.program("find", _FIND)
    host_with_fakes.program("systemctl", "exit 0")
    host_with_fakes.program("pkill", "exit 1")
    host_with_fakes.program("pgrep", "exit 1")
    host_with_fakes.program("launcher.py", "#!/usr/bin/python3\n")
    assert getpass.getuser() != "games" and grp.getgrnam("games")
    return host_with_fakes


def test_all_that_a_job_left_goes_and_no_link_is_followed(host: Host, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch(mode=0o600)
    (host.state / "cache" / "deep").mkdir(parents=True)
    (host.state / "cache" / "deep" / "file").touch()
    (host.state / "runner").symlink_to(outside)
    (host.state / "scratch").symlink_to(outside / "kept")
    assert host.wipe() == 0
    assert host.left() == ["cache", "runner", "scratch"]
    assert not any(path.is_symlink() for path in host.state.iterdir())
    assert (outside / "kept").exists() and (outside.stat().st_mode & 0o777) != 0o700


def test_what_a_rejected_job_said_is_kept_in_roots_own_folder(host: Host) -> None:
    (host.state / "runner").mkdir()
    (host.state / "runner" / "rejected").write_text("not the job that was meant" * 100)
    assert host.wipe() == 0
    assert (host.state / "rejected").read_text().startswith("not the job") and host.left() == [
        "cache", "rejected", "runner", "scratch"
    ]  # fmt: skip
    assert (host.state / "rejected").stat().st_size == 500
    assert host.wipe() == 0 and (host.state / "rejected").exists()


def test_a_flag_that_is_a_link_says_nothing_of_its_target(host: Host, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of root")
    (host.state / "runner").mkdir()
    (host.state / "runner" / "rejected").symlink_to(tmp_path / "secret")
    assert host.wipe() == 0
    assert host.left() == ["cache", "runner", "scratch"]


def test_no_session_is_asked_for_while_sessions_end(host: Host) -> None:
    """A live session could ask the launcher for another one whenever a session is ended."""
    log = host.programs / "log"
    host.program("systemctl", f'echo "$*" >>{log}')
    host.program("launcher.py", f"#!/usr/bin/python3\nopen({str(log)!r}, 'a').write('sweep\\n')")
    assert host.wipe() == 0
    first, second, *_, last = log.read_text().splitlines()
    assert first == "stop plumbline-launcher.socket plumbline-launcher@*.service" and second == "sweep"
    assert last == "start plumbline-launcher.socket"


def test_a_launcher_that_is_about_to_go_does_not_listen_again(host: Host) -> None:
    log = host.programs / "log"
    host.program("systemctl", f'echo "$*" >>{log}; case $* in *is-enabled*) exit 1 ;; esac')
    assert host.wipe() == 0
    assert "start" not in log.read_text() and not (host.state / "unclean").exists()


@pytest.mark.parametrize(
    ("program", "text", "said"),
    [
        ("pgrep", "exit 0", "pgrep"),  # somebody is still there
        ("systemctl", "exit 5", "systemctl stop"),
        ("find", "exit 1", "find"),
        ("launcher.py", "#!/usr/bin/python3\nraise SystemExit(1)", "sweep"),
    ],
)
def test_a_wipe_that_failed_flags_the_host(host: Host, program: str, text: str, said: str) -> None:
    host.program(program, text)
    assert host.wipe() != 0
    flag = host.state / "unclean"
    assert said in flag.read_text()
    # The next wipe leaves it to a person.
    host.program("pgrep", "exit 1")
    for name in ("systemctl", "launcher.py"):
        host.program(name, "exit 0" if name == "systemctl" else "#!/usr/bin/python3\n")
    host.program("find", _FIND)
    assert host.wipe() == 0 and flag.exists()


def test_what_a_job_left_in_a_folder_for_all_is_seen_even_where_find_fails(host: Host) -> None:
    """A find that removes nothing and fails, as on a folder that another program removes meanwhile."""
    host.program(
        "find",
        f'case "$*" in /dev/shm*-print*) echo left; exit ;; /dev/shm*) exit 1 ;; esac; {_FIND}',
    )
    assert host.wipe() != 0
    assert "theirs" in (host.state / "unclean").read_text()


def test_a_wipe_that_was_killed_leaves_the_flag(host: Host) -> None:
    host.program("systemctl", 'kill -KILL "$PPID"')
    assert host.wipe() != 0
    assert (host.state / "unclean").read_text() == "the wipe did not end\n"
