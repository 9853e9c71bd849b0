"""The supervisor with its client, in real processes."""

from __future__ import annotations

import errno
import json
import os
import pwd
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.measuring.launch import client
from plumbline.measuring.launch.client import Supervisor
from plumbline.measuring.launch.interface import Child
from plumbline.measuring.launch.supervisor import born
from plumbline.measuring.launch.supervisor.loop import BY_FORCE_S, BY_THEMSELVES_S, REMOVE_GROUPS_S
from plumbline.measuring.launch.supervisor.strays import strays_of
from plumbline.model.errors import CannotGoOn, UsageError
from tests.launch.spawning import (
    LISTENS,
    PROC,
    RESISTS,
    affinity_alone,
    cpu_ticks,
    is_there,
    line_of,
    living,
    python,
    session,
    until,
)
from tests.processes import listening_ports

TELLS = """
import ctypes, json, os, signal
death = ctypes.c_int()
ctypes.CDLL(None).prctl(2, ctypes.byref(death), 0, 0, 0)
print(json.dumps({
    "env": {name: value for name, value in os.environ.items() if name != "LC_CTYPE"},
    "cwd": os.getcwd(), "cpus": sorted(os.sched_getaffinity(0)), "death": death.value,
    "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd"))[:-1],
    "leader": os.getsid(0) == os.getpid() == os.getpgid(0), "uid": os.getuid(), "gid": os.getgid(),
    "ignored": [int(n) for n in signal.valid_signals() if n not in (signal.SIGPIPE, signal.SIGXFSZ)
                and signal.getsignal(n) == signal.SIG_IGN],
}), flush=True)
"""


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    with Supervisor(session("supervisor"), affinity_alone(), log=tmp_path / "supervisor.log") as started:
        yield started
    assert (tmp_path / "supervisor.log").read_text() == ""


def spawn(supervisor: Supervisor, program: str, folder: Path, *, role: str = "app", user: str | None = None) -> Child:
    env = {"PATH": "/usr/bin:/bin"}
    out = folder / "out.log"
    return supervisor.spawn(role=role, argv=python(program), cwd=folder, env=env, user=user, stdout=out)


def test_a_supervisor_is_not_killed_while_it_brings_everything_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits_s: list[float | None] = []
    wait = subprocess.Popen.wait

    def waiting(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        waits_s.append(timeout)
        return wait(process, timeout)

    started = Supervisor(session("ending"), affinity_alone(), log=tmp_path / "supervisor.log")
    monkeypatch.setattr(subprocess.Popen, "wait", waiting)
    started.close()
    assert waits_s[0] is not None and waits_s[0] >= BY_THEMSELVES_S + BY_FORCE_S + REMOVE_GROUPS_S


@pytest.mark.parametrize(("role", "death"), [("app", signal.SIGKILL), ("db", signal.SIGQUIT)])
def test_a_child_is_just_what_was_asked_for(supervisor: Supervisor, tmp_path: Path, role: str, death: int) -> None:
    before_s = time.monotonic()
    child = spawn(supervisor, TELLS, tmp_path, role=role)
    assert child.wait(30.0) == 0
    assert before_s <= child.spawned_at_s <= time.monotonic()
    state = json.loads(line_of(tmp_path / "out.log"))
    assert state == {
        "env": {"PATH": "/usr/bin:/bin", "PLUMBLINE_SESSION": session("supervisor")},
        "cwd": str(tmp_path),
        "cpus": list(affinity_alone().entry("app" if role == "app" else "db").cpus),
        "death": death,
        "descriptors": [0, 1, 2],
        "leader": True,
        "uid": os.getuid(),
        "gid": os.getgid(),
        "ignored": [],
    }


def test_a_start_takes_no_longer_where_a_process_may_open_any_number_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As where neither Python nor the kernel can close a range at once: each number of it would be a call.
    def refuse(low: int, high: int) -> None:
        raise OSError(errno.ETIME, f"{high - low} calls")

    monkeypatch.setattr(os, "closerange", refuse)
    cpus = list(affinity_alone().entry("app").cpus)
    log = tmp_path / "out.log"
    with log.open("ab") as inherited:
        os.set_inheritable(inherited.fileno(), True)
        spec = born.ProcessSpec(python(TELLS), str(tmp_path), {}, None, str(log), signal.SIGKILL, [], cpus)
        pid, _ = born.start_process(spec)
        assert os.waitpid(pid, 0)[1] == 0
    assert json.loads(line_of(log))["descriptors"] == [0, 1, 2]


def test_the_harness_may_open_more_files_than_it_was_started_with_and_a_child_may_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    monkeypatch.setattr(client, "OPEN_FILES", (512, before[1]))
    program = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], flush=True)"
    try:
        for name in ("first", "second"):
            with Supervisor(session(name), affinity_alone(), log=tmp_path / f"{name}.log") as started:
                assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1])
                assert spawn(started, program, tmp_path).wait(30.0) == 0
        assert (tmp_path / "out.log").read_text().split() == ["512", "512"]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_child_runs_on_those_of_its_cpus_that_it_was_given(supervisor: Supervisor, tmp_path: Path) -> None:
    cpus = affinity_alone().entry("app").cpus[:1]
    out = tmp_path / "out.log"
    child = supervisor.spawn(role="app", argv=python(TELLS), cwd=tmp_path, env={}, stdout=out, cpus=cpus)
    assert child.wait(30.0) == 0
    assert json.loads(line_of(out))["cpus"] == list(cpus)


def test_a_child_under_another_user_still_dies_with_the_supervisor(supervisor: Supervisor, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    if os.geteuid() != 0:
        with pytest.raises(UsageError, match="its user"):
            spawn(supervisor, TELLS, tmp_path, user="nobody")
        return
    child = supervisor.spawn(
        role="app",
        argv=["/usr/bin/python3", "-c", TELLS],
        cwd=Path("/"),
        env={},
        user="nobody",
        stdout=tmp_path / "out.log",
    )
    assert child.wait(30.0) == 0
    state = json.loads(line_of(tmp_path / "out.log"))
    nobody = pwd.getpwnam("nobody")
    assert (state["uid"], state["gid"], state["death"]) == (nobody.pw_uid, nobody.pw_gid, signal.SIGKILL)


def test_what_cannot_be_started_is_an_error_and_not_an_exit_status(supervisor: Supervisor, tmp_path: Path) -> None:
    request = {"role": "app", "cwd": tmp_path, "env": {}, "stdout": tmp_path / "out.log"}
    with pytest.raises(UsageError, match=r"/no/such/program can't be started: No such file or directory"):
        supervisor.spawn(argv=["/no/such/program"], **request)  # type: ignore[arg-type]
    (tmp_path / "plain").write_text("")
    with pytest.raises(UsageError, match="Permission denied"):
        supervisor.spawn(argv=[str(tmp_path / "plain")], **request)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"its folder /no/such/folder"):
        supervisor.spawn(argv=["true"], **{**request, "cwd": Path("/no/such/folder")})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no user nobody-at-all"):
        supervisor.spawn(argv=["true"], user="nobody-at-all", **request)  # type: ignore[arg-type]


def test_ends_are_told_apart(supervisor: Supervisor, tmp_path: Path) -> None:
    assert spawn(supervisor, "raise SystemExit(7)", tmp_path).wait(30.0) == 7
    sleeping = spawn(supervisor, "import time; time.sleep(1000)", tmp_path)
    assert sleeping.poll() is None
    assert sleeping.wait(0.01) is None
    sleeping.signal(signal.SIGUSR1)
    assert sleeping.wait(30.0) == -signal.SIGUSR1
    sleeping.signal(signal.SIGTERM)
    assert sleeping.terminate(1.0) == -signal.SIGUSR1


def test_output_is_appended(supervisor: Supervisor, tmp_path: Path) -> None:
    for word in ("one", "two"):
        assert spawn(supervisor, f"print('{word}')", tmp_path).wait(30.0) == 0
    assert (tmp_path / "out.log").read_text() == "one\ntwo\n"


def test_the_stop_signal_may_be_enough(supervisor: Supervisor, tmp_path: Path) -> None:
    program = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(3))\nprint(1, flush=True)\ntime.sleep(1000)"
    )
    child = supervisor.spawn(
        role="db",
        argv=python(program),
        cwd=tmp_path,
        env={},
        stdout=tmp_path / "out.log",
        stop_signal=signal.SIGINT,
    )
    line_of(tmp_path / "out.log")
    assert child.terminate(30.0) == 3


def test_who_does_not_stop_is_killed_with_its_group(supervisor: Supervisor, tmp_path: Path) -> None:
    program = (
        "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "pid = os.fork()\nif pid:\n    print(pid, flush=True)\ntime.sleep(1000)"
    )
    child = spawn(supervisor, program, tmp_path)
    grandchild = int(line_of(tmp_path / "out.log"))
    assert child.terminate(0.2) == -signal.SIGKILL
    until(lambda: not is_there(grandchild))


# Leaves a grandchild that has a session of its own, has wiped its mark, and uses the CPU.
LEAVES = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "while True: pass"], env={}, start_new_session=True)
print(child.pid, flush=True)
"""


def test_what_a_program_leaves_behind_is_ended_and_told_with_what_it_used(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    living_child = spawn(supervisor, "import time; time.sleep(1000)", tmp_path, role="db")
    child = spawn(supervisor, LEAVES, tmp_path)
    grandchild = int(line_of(tmp_path / "out.log"))
    assert child.wait(30.0) == 0
    until(lambda: cpu_ticks(grandchild) > 3)
    (stray,) = supervisor.end_strays()
    assert (stray.pid, stray.ended, stray.command[:6]) == (grandchild, True, "python")
    assert stray.cpu_us >= 30_000
    assert not is_there(grandchild) and living_child.poll() is None
    assert supervisor.end_strays() == ()


@pytest.mark.slow
def test_what_an_engine_runs_and_what_it_leaves_running_is_spared(supervisor: Supervisor, tmp_path: Path) -> None:
    """The monitor of a container and what runs in it: orphans of the engine's client, both."""
    monitor_program = tmp_path / "conmon"
    shutil.copy(shutil.which("sleep") or "sleep", monitor_program)
    program = (
        "import subprocess, sys\n"
        f'for words in (["sleep", "1000"], ["{monitor_program}", "1000"]):\n'
        "    print(subprocess.Popen(words, start_new_session=True).pid, end=' ', flush=True)\n"
        "print(flush=True)"
    )
    child = spawn(supervisor, program, tmp_path)
    assert child.wait(30.0) == 0
    inner, monitor = map(int, line_of(tmp_path / "out.log").split())
    assert supervisor.end_strays(spared=[inner]) == ()
    assert is_there(inner) and is_there(monitor)
    assert {stray.pid for stray in supervisor.end_strays()} == {inner}
    assert is_there(monitor)


def test_who_is_in_a_group_of_the_session_belongs_to_it(tmp_path: Path) -> None:
    """It does not matter who started the process: here this test did, and not the supervisor."""
    group = tmp_path / "cgroup.procs"
    outsider = subprocess.Popen(["sleep", "1000"])
    try:
        group.write_text(f"{outsider.pid}\n")
        strays = strays_of(PROC, supervisor=1 << 30, session=session("group"), roots=(), groups=[group])
        assert strays == {outsider.pid}
        assert not strays_of(PROC, supervisor=1 << 30, session=session("group"), roots=[outsider.pid], groups=[group])
    finally:
        outsider.kill()
        outsider.wait()


def test_many_threads_may_ask_at_once(supervisor: Supervisor, tmp_path: Path) -> None:
    statuses: list[int | None] = []

    def run(number: int) -> None:
        statuses.append(spawn(supervisor, f"raise SystemExit({number})", tmp_path).wait(30.0))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(status for status in statuses if status is not None) == list(range(8))


@pytest.mark.slow
def test_closing_ends_everything(tmp_path: Path) -> None:
    name = session("closing")
    with Supervisor(name, affinity_alone(), log=tmp_path / "supervisor.log") as supervisor:
        spawn(supervisor, RESISTS, tmp_path)
        line_of(tmp_path / "out.log")
        until(lambda: len(living(name)) == 4)
        pids = living(name)
    assert not [pid for pid in pids if is_there(pid)]


def test_the_ports_of_a_session_are_known(supervisor: Supervisor, tmp_path: Path) -> None:
    spawn(supervisor, LISTENS, tmp_path)
    port = int(line_of(tmp_path / "out.log"))
    assert listening_ports(PROC, living(session("supervisor"))) == (port,)


def test_when_the_supervisor_is_killed_its_children_die_and_the_client_says_so(tmp_path: Path) -> None:
    name = session("killed")
    with Supervisor(name, affinity_alone(), log=tmp_path / "supervisor.log") as supervisor:
        child = spawn(supervisor, RESISTS, tmp_path)
        line_of(tmp_path / "out.log")
        until(lambda: len(living(name)) == 4)
        pids = living(name)
        os.kill(supervisor.pid, signal.SIGKILL)
        with pytest.raises(CannotGoOn, match="supervises all others is gone"):
            child.wait(30.0)
        with pytest.raises(CannotGoOn):
            spawn(supervisor, "pass", tmp_path)
        until(lambda: not is_there(child.pid))
    # The client finds what the death signals do not reach: by its mark, or by a parent that has the mark.
    assert not [pid for pid in pids if is_there(pid)]
