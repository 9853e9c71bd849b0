"""The sandbox as a client sees it: what starts, what is refused, and that nothing outlives the connection."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from launcher import folders, requests, systemd
from launcher.config import Config, Refused
from launcher.folders import counters
from launcher.units import ROLES

from plumbline.measuring.launch.interface import Child
from plumbline.measuring.launch.sandboxed import Sandboxed
from plumbline.measuring.place.launcher import Launcher, enter
from plumbline.measuring.place.providers.sandbox import Sandbox
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.host import CpuSets
from tests.launch.spawning import PATIENCE_S
from tests.machines import LAPTOP
from . import fakes
from .conftest import Host, start_host

SETS = CpuSets(app=(0,), db=(0,), load=(0,), housekeeping=(0,))
NAMESPACE = "plumbline-0a1b2c"
SESSION = "20261101T000000Z-lab-1-abc123"


def inside(host: Host) -> tuple[Launcher, Sandboxed]:
    """A harness in a namespace that the launcher made."""
    if not (host.namespaces / NAMESPACE).is_symlink():
        (host.namespaces / NAMESPACE).symlink_to("/proc/self/ns/net")
    launcher = host.connect()
    Sandbox(launcher, NAMESPACE).prepare(SESSION, SETS)
    return launcher, Sandboxed(launcher, SESSION)


def spawn(spawner: Sandboxed, folder: Path, code: str, **env: str) -> Child:
    words = [sys.executable, "-c", code]
    return spawner.spawn(role="app", argv=words, cwd=folder, env=env, stdout=folder / "app.log")


def gone(pid: int) -> bool:
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_a_program_gets_its_words_and_answers_with_its_status(host: Host, tmp_path: Path) -> None:
    launcher, spawner = inside(host)
    before_s = time.monotonic()
    code = "import os, sys; print(os.environ['NAME'], os.getcwd(), os.getpid(), flush=True); sys.exit(7)"
    process = spawn(spawner, tmp_path, code, NAME="a 'b' $HOME %n")
    assert process.wait(PATIENCE_S) == 7
    assert (tmp_path / "app.log").read_text().split("\n")[0] == f"a 'b' $HOME %n {tmp_path} {process.pid}"
    assert before_s < process.spawned_at_s < time.monotonic()
    launcher.close()


def test_a_program_that_is_gone_before_anybody_looks_leaves_its_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(systemd, "_await_exec", until_reaped)
    assert unit_status(tmp_path, monkeypatch, ["/bin/false"], signal.SIGTERM) == 1


def unit_status(
    folder: Path, monkeypatch: pytest.MonkeyPatch, argv: list[str], *signals: int, runtime_max_s: int = 60
) -> int:
    """Start a unit, send it signals, and return its status."""
    programs, _, _ = fakes.install(folder)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    memory_bytes = dict.fromkeys(ROLES, 1 << 30)
    config = Config("nobody", folder, memory_bytes, 512, runtime_max_s, database_user="nobody", sessions=folder)
    words = {"argv": argv, "cwd": str(folder), "env": {}}
    with (folder / "app.log").open("wb") as log:
        started = systemd.start(config, "x.service", "app", NAMESPACE, "x", (), words, [log.fileno()])
    assert isinstance(started, tuple)
    for number in signals:
        started[0].signal(number)
    return started[0].status()


def until_reaped(pid: int) -> None:
    while Path(f"/proc/{pid}").exists():
        time.sleep(0.01)


def test_nothing_of_a_client_stands_in_the_unit(host: Host, tmp_path: Path) -> None:
    launcher, spawner = inside(host)
    spawn(spawner, tmp_path, "print('very-own-code')", SECRET="very-own-secret").wait(PATIENCE_S)
    (unit,) = host.units.glob("*-app-*.json")
    assert "very-own" not in unit.read_text()
    unit_properties = json.loads(unit.read_text())["properties"]
    assert unit_properties["DynamicUser"] == "yes" and unit_properties["NoNewPrivileges"] == "yes"
    assert unit_properties["NetworkNamespacePath"].endswith(NAMESPACE)
    assert unit_properties["AllowedCPUs"] == "0" and unit_properties["CapabilityBoundingSet"] == ""
    assert "/run:ro" in unit_properties["TemporaryFileSystem"].split()
    (place,) = (host.state / "sessions").iterdir()
    assert unit_properties["ReadWritePaths"] == str(place / "work")
    launcher.close()


@pytest.mark.parametrize("status", [0, 1, 255])
def test_a_status_that_systemd_has_too_is_the_programs_own(host: Host, tmp_path: Path, status: int) -> None:
    launcher, spawner = inside(host)
    assert spawn(spawner, tmp_path, f"import sys; sys.exit({status})").wait(PATIENCE_S) == status
    launcher.close()


def test_a_program_that_the_kernel_ends_for_want_of_memory_was_killed(host: Host, tmp_path: Path) -> None:
    (host.units / "oom").touch()
    launcher, spawner = inside(host)
    # With one process killed, systemd asks the others to end: here the main process did so by itself.
    assert spawn(spawner, tmp_path, "import sys; sys.exit(143)").wait(PATIENCE_S) == -9
    launcher.close()


def test_a_program_whose_time_is_over_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import signal, sys; signal.signal(15, lambda *_: sys.exit(0)); signal.pause()"
    assert unit_status(tmp_path, monkeypatch, [sys.executable, "-c", code], runtime_max_s=1) == -9


# Systemd takes SIGTERM for a clean end.
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 0), (signal.SIGKILL, -9), (signal.SIGABRT, -6)])
def test_a_signal_arrives_and_is_told(host: Host, tmp_path: Path, number: int, status: int) -> None:
    launcher, spawner = inside(host)
    process = spawn(spawner, tmp_path, "import time; time.sleep(60)")
    assert process.poll() is None
    process.signal(number)
    assert process.wait(PATIENCE_S) == status
    process.signal(number)  # nothing happens
    launcher.close()


def test_who_does_not_stop_is_killed(host: Host, tmp_path: Path) -> None:
    launcher, spawner = inside(host)
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    process = spawn(spawner, tmp_path, code)
    while "deaf" not in (tmp_path / "app.log").read_text():
        time.sleep(0.02)
    assert process.terminate(0.2) == -9
    launcher.close()


def test_a_program_that_is_not_there_is_said_by_its_name(host: Host, tmp_path: Path) -> None:
    launcher, spawner = inside(host)
    with pytest.raises(UsageError, match="/no/such/program can't be started: No such file"):
        spawner.spawn(role="db", argv=["/no/such/program"], cwd=tmp_path, env={}, stdout=tmp_path / "log")
    launcher.close()


def test_when_the_client_goes_everything_ends(host: Host, tmp_path: Path) -> None:
    launcher, spawner = inside(host)
    process = spawn(spawner, tmp_path, "import time; time.sleep(60)")
    launcher.close()
    assert gone(process.pid)


def test_the_kernels_words_of_a_process_are_read_for_us(host: Host, tmp_path: Path) -> None:
    launcher, spawner = inside(host)
    process = spawn(spawner, tmp_path, "import time; time.sleep(60)", NAME="value")
    end_s = time.monotonic() + PATIENCE_S  # the words of a program are there once it has become that program
    while b"NAME=value" not in (launcher.read(process.pid, "environ") or b"") and time.monotonic() < end_s:
        time.sleep(0.02)
    assert b"NAME=value" in (launcher.read(process.pid, "environ") or b"")
    assert launcher.read(os.getpid(), "environ") is None
    assert b"write_bytes" in (launcher.read(process.pid, "io") or b"")
    assert launcher.read(process.pid, "mem") is None
    with pytest.raises(CannotGoOn, match="only cmdline, environ, hsperfdata, io, smaps_rollup are read"):
        launcher.ask(do="read", pid=process.pid, file="mem")
    launcher.close()


def test_the_applications_user_has_a_name_whichever_systemd_takes(host: Host) -> None:
    launcher, _ = inside(host)
    (place,) = (host.state / "sessions").iterdir()
    names = [line.split(":") for line in (place / "names").read_text().splitlines()]
    assert {words[0] for words in names} == {"plumbline-app"}
    assert [int(words[2]) for words in names] == list(range(61184, 65519 + 1))
    assert (place / "names").stat().st_mode & 0o777 == 0o444
    launcher.close()


def test_the_counters_in_the_applications_tmp_are_read_for_us(host: Host, tmp_path: Path) -> None:
    launcher, spawner = inside(host)
    process = spawn(spawner, tmp_path, "import time; time.sleep(60)")
    (place,) = (host.state / "sessions").iterdir()
    folder = place / "tmp" / "hsperfdata_plumbline-app"
    assert launcher.read(process.pid, "hsperfdata") is None
    folder.mkdir()
    (folder / str(process.pid)).write_bytes(b"counters")
    assert launcher.read(process.pid, "hsperfdata") == b"counters"
    launcher.close()


def traps(folder: Path, outside: Path, pid: int) -> dict[str, Callable[[], None]]:
    """Return, by name, functions that put something else where an application's counters are expected."""
    return {
        "a link": lambda: (folder / str(pid)).symlink_to(outside / "secret"),
        "a pipe": lambda: os.mkfifo(folder / str(pid)),
        "a folder": lambda: (folder / str(pid)).mkdir(),
        "a link in place of the folder": lambda: (
            folder.rename(f"{folder}-moved").parent.joinpath(folder.name).symlink_to(outside)
        ),
    }


@pytest.mark.parametrize("trap", ["a link", "a pipe", "a folder", "a link in place of the folder"])
def test_only_a_regular_file_of_the_application_is_read(tmp_path: Path, trap: str) -> None:
    config = Config("nobody", tmp_path, dict.fromkeys(ROLES, 1), 1, sessions=tmp_path)
    outside, folder = tmp_path / "outside", tmp_path / "place" / "tmp" / "hsperfdata_plumbline-app"
    outside.mkdir()
    folder.mkdir(parents=True)
    for name in ("secret", "4711"):
        (outside / name).write_bytes(b"secret")
    traps(folder, outside, 4711)[trap]()
    content = None
    with contextlib.suppress(OSError):
        content = counters(config, "place", 4711, os.geteuid())
    assert content is None


def test_a_file_of_somebody_else_is_not_read_as_counters(tmp_path: Path) -> None:
    config = Config("nobody", tmp_path, dict.fromkeys(ROLES, 1), 1, sessions=tmp_path)
    folder = tmp_path / "place" / "tmp" / "hsperfdata_plumbline-app"
    folder.mkdir(parents=True)
    (folder / "4711").write_bytes(b"counters")
    assert counters(config, "place", 4711, os.geteuid()) == b"counters"
    assert counters(config, "place", 4711, os.geteuid() + 1) is None


def test_a_program_runs_beside_an_application_as_its_user(host: Host, tmp_path: Path) -> None:
    launcher, spawner = inside(host)
    process = spawn(spawner, tmp_path, "import time; time.sleep(60)")
    assert spawner.run_beside(process.pid, ["/bin/echo", "flags"]) == "flags\n"
    (app,), (beside,) = (
        [json.loads(path.read_text())["properties"] for path in host.units.glob(f"*-{role}-*.json")]
        for role in ("app", "beside")
    )
    assert beside["User"] == app["User"] and beside["DynamicUser"] == app["DynamicUser"] == "yes"
    assert beside["BindPaths"] == app["BindPaths"]
    # Its memory and its CPU time are not the application's.
    assert beside["Slice"].endswith("_harness.slice") and app["Slice"].endswith("_app.slice")
    launcher.close()


def test_nothing_runs_beside_what_is_no_application(host: Host, tmp_path: Path) -> None:
    launcher, spawner = inside(host)
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    database = spawner.spawn(role="db", argv=words, cwd=tmp_path, env={}, stdout=tmp_path / "db.log")
    assert spawner.run_beside(database.pid, ["/bin/echo"]) is None
    assert spawner.run_beside(os.getpid(), ["/bin/echo"]) is None
    assert spawner.run_beside(spawn(spawner, tmp_path, "").pid, ["/no/such/program"]) is None
    launcher.close()


def test_a_session_enters_a_namespace_that_goes_with_it(
    host: Host, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    launcher = host.connect()
    code = "import os, sys; print(os.environ['PLUMBLINE_SANDBOX'], sys.argv[1:]); sys.exit(3)"
    assert enter(launcher, [sys.executable, "-c", code, "run", "--suite"], tmp_path, {}) == 3
    words = capfd.readouterr().out.split(" ", 1)
    assert words[0].startswith("plumbline-") and words[1] == "['run', '--suite']\n"
    (unit,) = host.units.glob("*-harness-*.json")
    unit_properties = json.loads(unit.read_text())["properties"]
    # Its socket folder, and what conditions of the host are read from.
    assert unit_properties["BindReadOnlyPaths"].split() == [
        "/run/plumbline",
        "-/run/systemd/system",
        "-/run/systemd/timesync",
    ]
    assert "DynamicUser" not in unit_properties
    launcher.close()
    end_s = time.monotonic() + PATIENCE_S
    while list(host.namespaces.iterdir()) and time.monotonic() < end_s:
        time.sleep(0.02)
    assert not list(host.namespaces.iterdir())


def test_a_new_work_folder_has_nothing_of_the_application_before(host: Host, tmp_path: Path) -> None:
    launcher, spawner = inside(host)
    (place,) = (host.state / "sessions").iterdir()
    work = place / "work"
    assert spawn(spawner, work, "import os; os.makedirs('of/one')").wait(PATIENCE_S) == 0
    assert (work / "of" / "one").is_dir()
    launcher.ask(do="empty")
    assert not list(work.iterdir())
    launcher.close()


def test_an_application_has_so_many_bytes_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[tuple[str, ...]] = []
    monkeypatch.setattr(folders, "run_on_host", lambda *words: commands.append(words))
    config = Config("nobody", tmp_path, dict.fromkeys(ROLES, 1), 1, sessions=tmp_path)
    (tmp_path / "place").mkdir()
    folders.empty_work(config, "place")
    folders.empty_tmp(config, "place")
    options = [dict(word.partition("=")[::2] for word in words[4].split(",")) for words in commands]
    assert [(values["size"], values["nr_inodes"]) for values in options] == [
        ("1073741824", "65536"),
        ("536870912", "65536"),
    ]


def test_a_session_has_folders_that_go_with_it(host: Host, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    launcher, _ = inside(host)
    other_launcher, _ = inside(host)  # the other side of a comparison
    first, second = (host.state / "sessions").iterdir()
    (first / "database" / "link").symlink_to(outside)
    (second / "work" / "link").symlink_to(outside)
    launcher.close()
    other_launcher.close()
    end_s = time.monotonic() + PATIENCE_S
    while list((host.state / "sessions").iterdir()) and time.monotonic() < end_s:
        time.sleep(0.02)
    assert not list((host.state / "sessions").iterdir()) and (outside / "kept").exists()


REFUSED = [
    ({"do": "shell"}, "there is no verb 'shell'"),
    ({}, "a request is an object with id and do"),
    ({"do": "spawn", "role": "app"}, "join comes first"),
    ({"do": "empty"}, "join comes first"),
    ({"do": "join", "namespace": "../../etc"}, "there is no such namespace"),
    ({"do": "join", "namespace": "plumbline-ffffff"}, "not in that namespace"),
    ({"do": "join", "namespace": NAMESPACE, "cpus": {"app": [0]}}, "cpus must name app, db, load, harness"),
    (
        {
            "do": "join",
            "namespace": NAMESPACE,
            "cpus": {role: [4096] for role in ("app", "db", "load", "harness")},
        },
        "there is no such CPU",
    ),
    ({"do": "signal", "pid": 1, "number": 9999}, "number must be a number from 1 to"),
    ({"do": "enter", "argv": ["/bin/true"], "cwd": "/", "env": {}}, "needs 2 open files"),
]


@pytest.mark.parametrize(("words", "reason"), REFUSED)
def test_what_is_not_a_request_is_refused(host: Host, words: dict[str, Any], reason: str) -> None:
    (host.namespaces / NAMESPACE).symlink_to("/proc/self/ns/net")
    launcher = host.connect()
    with pytest.raises(CannotGoOn, match=reason):
        launcher.ask(**words)
    launcher.close()


def test_where_smt_is_off_cpus_are_known_by_their_numbers(tmp_path: Path) -> None:
    first_threads = replace(LAPTOP, cores=tuple((core[0],) for core in LAPTOP.cores))
    sys_folder, _ = first_threads.write(tmp_path)
    online = sys_folder / "devices/system/cpu/online"

    def asked(app: int) -> dict[str, tuple[int, ...]]:
        return requests.cpus({"cpus": {"app": [app], "db": [2], "load": [4], "harness": [0]}}, online)

    assert (first_threads.cpus[-1], len(first_threads.cpus)) == (19, 14)
    assert asked(19)["app"] == (19,)
    for missing_cpu in (3, 20, -1):
        with pytest.raises(Refused, match="no such CPU"):
            asked(missing_cpu)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"argv": "/bin/true"}, "argv must be a list"),
        ({"argv": ["true"]}, "full path"),
        ({"argv": ["/bin/true", "a\0b"]}, "argv must be a list"),
        ({"cwd": "here"}, "cwd must be a full path"),
        ({"env": {"A=B": "c"}}, "env must map"),
        ({"env": {"A": "x" * 300_000}}, "longer than"),
        ({"role": "root"}, "there is no role 'root'"),
    ],
)
def test_a_program_has_a_shape(host: Host, tmp_path: Path, changed: dict[str, object], reason: str) -> None:
    launcher, _ = inside(host)
    words = {"role": "app", "argv": ["/bin/true"], "cwd": "/", "env": {}, **changed}
    with (tmp_path / "log").open("wb") as log, pytest.raises(CannotGoOn, match=reason):
        launcher.ask((log.fileno(),), do="spawn", **words)
    launcher.close()


def test_somebody_else_is_sent_away(tmp_path: Path) -> None:
    other_user = "nobody" if os.geteuid() == 0 else "root"
    host, process = start_host(tmp_path, other_user)
    launcher = host.connect()
    with pytest.raises(CannotGoOn, match="launcher has ended"):
        launcher.ask(do="join")
    launcher.close()
    process.terminate()
    process.wait()
    assert f"only {other_user} may ask" in host.log.read_text()


def test_a_host_without_a_launcher_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"This host has no sandbox for this user: .* 'No such file or directory'"):
        Launcher(tmp_path / "none.sock")
