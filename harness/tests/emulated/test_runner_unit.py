"""From a job that waits to a host that is clean again, as operate.md sets it up: timer, runner's unit, and wipe.

A stand-in answers for GitHub, and a job that attacks is in the place of GitHub's runner. Its session lives while the
host is wiped, and asks for others.
"""

from __future__ import annotations

import json

import pytest

from tests.operate import commands, named
from tests.runner_setup.test_watch import RUN, Forge
from .following import set_up_runner, take_away_runner, typed
from .machine import Machine

# The configuration that the stand-in hands out.
_JITCONFIG = "c2VjcmV0"
_PORT = 8100
_STAYS_S = 987655
_BROUGHT = "/srv/brought"

# What a hostile job does: looks around, says what it found, and leaves all that it can.
_JOB = """#!/usr/bin/python3
import glob, json, os, socket, subprocess, time
state = "/var/lib/plumbline/"
said = {"before": " ".join(path for path in ("/tmp/before", state + "cache/before") if os.path.exists(path))}
def attempt(name, do):
    try:
        do()
        said[name] = "done"
    except OSError as error:
        said[name] = str(error)
def connect(family, address):
    with socket.socket(family) as line:
        line.settimeout(3)
        line.connect(address)
attempt("metadata", lambda: connect(socket.AF_INET, ("169.254.169.254", 8098)))
attempt("loopback", lambda: connect(socket.AF_INET, ("127.0.0.1", 8098)))
attempt("bus", lambda: connect(socket.AF_UNIX, "/run/dbus/system_bus_socket"))
attempt("token", lambda: open("/etc/plumbline/token"))
attempt("jitconfig", lambda: open("/run/plumbline-runner/jitconfig"))
attempt("state", lambda: os.rename("/var/lib/plumbline/cache", "/var/lib/plumbline/moved"))
attempt("flag", lambda: open("/var/lib/plumbline/unclean", "w"))
said["given"] = os.environ["ACTIONS_RUNNER_INPUT_JITCONFIG"]
os.rmdir(state + "cache/own") if os.path.isdir(state + "cache/own") else None
os.symlink("/srv/outside", state + "cache/link")
os.symlink("/srv/outside", state + "runner/cache")
for place in ("/tmp", "/var/tmp", "/dev/shm"):
    open(place + "/left-by-the-job", "w").close()
subprocess.Popen(["/bin/sleep", "987654"], start_new_session=True)
open(state + "runner/rejected", "w").write("nothing was minted")
session = subprocess.Popen(["/srv/live"], stdout=subprocess.PIPE, text=True, start_new_session=True)
said["session"] = session.stdout.readline().strip()
while len(glob.glob("/sys/fs/cgroup/plumbline_*_harness.slice")) < 3:
    time.sleep(0.2)
open(state + "runner/ready", "w").close()
while not os.path.exists("/srv/go"):
    time.sleep(0.2)
print("SAID " + json.dumps(said), flush=True)
"""

_LISTENING = """
import socket, time
line = socket.socket()
line.bind(("0.0.0.0", 8098))
line.listen()
time.sleep(1e6)
"""


def leave_a_process(host: Machine) -> None:
    """Leave a process in the application's slice of the live session, from a unit that has ended and is forgotten."""
    slices = host.check("bash", "-c", "basename -a /sys/fs/cgroup/plumbline_*_*_app.slice").split()
    host.check(
        *("systemd-run", "--wait", "--uid=nobody", "--collect", f"--slice={slices[-1]}"),
        *("--property=KillMode=process", "/bin/sh", "-c", f"sleep {_STAYS_S} & "),
    )
    assert host.run("pgrep", "-f", str(_STAYS_S))


@pytest.fixture(scope="module")
def job(installed: Machine) -> dict[str, str]:
    """Return what the job said. The unit of the job has ended, and the host was wiped."""
    installed.put("/srv/listening.py", _LISTENING)
    installed.check("ip", "address", "replace", "169.254.169.254/32", "dev", "lo")
    installed.check("systemd-run", "--unit=listening", "/usr/bin/python3", "/srv/listening.py")
    installed.put("/opt/actions-runner/run.sh", _JOB, 0o755)
    installed.put("/srv/outside/kept", "")
    # Somebody who was let in once may have left this.
    installed.put("/var/lib/systemd/linger/plumbline-runner", "")
    # Files of a job in whose middle the host went down.
    for path in ("/tmp/before", "/var/lib/plumbline/cache/before"):
        installed.check("install", "-o", "plumbline-runner", "/dev/null", path)
    live = f"exec {installed.python} -m tests.emulated.live"
    installed.put("/srv/live", f"#!/bin/sh\nexport PYTHONPATH=/srv/brought/harness\n{live}\n", 0o755)
    forge = Forge()
    forge.waits(RUN)
    installed.put("/srv/documents.json", json.dumps(forge.documents))
    stand_in = ("/usr/bin/python3", "/srv/brought/harness/tests/emulated/forge.py")
    installed.check("systemd-run", "--unit=forge", *stand_in, "/srv/documents.json", str(_PORT))
    installed.put("/etc/plumbline/token", "a token", 0o600)
    watch = json.loads(installed.read("/etc/plumbline/watch.json") or b"")
    watch["api"] = f"http://127.0.0.1:{_PORT}"
    installed.put("/etc/plumbline/watch.json", json.dumps(watch))
    typed(installed, named("sudo systemctl enable --now plumbline-watch.timer"), "/")
    job_is_ready = installed.shell("until [ -e /var/lib/plumbline/runner/ready ]; do sleep 1; done")
    # The stand-in's job would wait for ever.
    installed.check("systemctl", "disable", "--now", "plumbline-watch.timer")
    if job_is_ready:
        leave_a_process(installed)
    installed.put("/srv/go", "")
    installed.shell(
        'while [ "$(systemctl show -P ActiveState plumbline-runner)" != inactive ] &&'
        " ! systemctl is-failed -q plumbline-runner; do sleep 1; done"
    )
    journal = typed(installed, commands("5. The runner", "journalctl").replace(" -f", " -o cat"), "/")
    lines = [line for line in journal.splitlines() if line.startswith("SAID ")]
    assert job_is_ready and lines, journal
    flag = installed.read("/var/lib/plumbline/unclean")
    assert flag is None, f"{flag!r}\n{journal}"
    answers = json.loads(lines[-1].removeprefix("SAID "))
    assert isinstance(answers, dict)
    return answers


def test_a_job_finds_nothing_of_one_in_whose_middle_the_host_went_down(job: dict[str, str]) -> None:
    assert job["before"] == ""


def test_the_job_gets_its_configuration_and_cant_read_roots_file(job: dict[str, str]) -> None:
    assert job["given"] == _JITCONFIG and "denied" in job["jitconfig"]


@pytest.mark.parametrize("name", ["metadata", "loopback", "bus", "token", "state", "flag"])
def test_the_job_reaches_nothing_of_the_host(job: dict[str, str], name: str) -> None:
    assert job[name] != "done"


def test_what_the_filters_stop_is_there(installed: Machine, job: dict[str, str]) -> None:
    """Without the unit's filters the same user gets through to both addresses."""
    assert job
    words = ("systemd-run", "--uid=plumbline-runner", "--pipe", "--wait", "--quiet", "/usr/bin/python3", "-c")
    for address in ("169.254.169.254", "127.0.0.1"):
        code = f"import socket; socket.create_connection(('{address}', 8098), 3)"
        assert installed.run(*words, code)


def test_nothing_of_the_job_outlives_the_wipe(installed: Machine, job: dict[str, str]) -> None:
    assert job
    assert not installed.run("pgrep", "-u", "plumbline-runner") and not installed.run("pgrep", "-f", "987654")
    assert not installed.shell("ls -d /tmp/left* /var/tmp/left* /dev/shm/left*")
    remaining = installed.check("find", "/var/lib/plumbline", "-mindepth", "1", "-printf", "%P %u %m\n").splitlines()
    assert sorted(remaining) == [
        "cache plumbline-runner 755",
        "rejected root 644",
        "runner plumbline-runner 700",
        "scratch plumbline-runner 711",
    ]
    assert installed.check("cat", "/var/lib/plumbline/rejected") == "nothing was minted"
    assert installed.run("ls", "/srv/outside/kept")
    assert not installed.run("ls", "/run/plumbline-runner/jitconfig")


def test_a_session_that_lives_ends_with_the_wipe(installed: Machine, job: dict[str, str]) -> None:
    assert job["session"] == "lives"
    find_remains = (
        "find /var/lib/plumbline-sessions /run/netns /sys/fs/cgroup/plumbline_*_*_*.slice -mindepth 1 2>/dev/null"
    )
    assert installed.shell(f"{find_remains}; mount | grep plumbline-sessions").output == ""
    assert not installed.run("pgrep", "-f", str(_STAYS_S)), "a process whose unit had gone"
    assert installed.check("systemctl", "is-active", "plumbline-launcher.socket") == "active\n"


def test_nobody_lingers(installed: Machine, job: dict[str, str]) -> None:
    assert job and not installed.run("ls", "/var/lib/systemd/linger/plumbline-runner")
    assert not installed.shell("systemctl start user@$(id -u plumbline-runner).service")


def test_a_flag_keeps_the_next_runner_from_starting(installed: Machine, job: dict[str, str]) -> None:
    assert job
    installed.put("/run/plumbline-runner/jitconfig", _JITCONFIG, 0o600)
    for flag in ("rejected", "unclean"):
        installed.put(f"/var/lib/plumbline/{flag}", "look")
        installed.run("systemctl", "start", "plumbline-runner.service")
        assert installed.check("systemctl", "show", "-P", "ConditionResult", "plumbline-runner").strip() == "no"
        installed.check("rm", f"/var/lib/plumbline/{flag}")


def test_a_person_wipes_again_and_takes_the_flag_away(installed: Machine, job: dict[str, str]) -> None:
    """As the row of `unclean` says; a session is asked for afterwards as before."""
    assert job
    installed.put("/var/lib/plumbline/unclean", "look")
    installed.put("/var/lib/plumbline/cache/left", "")
    typed(installed, named("/usr/local/lib/plumbline/runner/wipe.sh"), "/")
    assert installed.check("find", "/var/lib/plumbline", "-name", "left", "-o", "-name", "unclean").split() == [
        "/var/lib/plumbline/unclean"
    ]
    installed.check("rm", "/var/lib/plumbline/unclean")
    assert "active (listening)" in typed(installed, named("systemctl status plumbline-launcher.socket"), "/")


def test_a_link_in_a_folder_for_all_is_not_followed(installed: Machine) -> None:
    """The link of an application, in the folder of its trial, where the harness writes as the runner's user."""
    script = (
        "install -d -m 1777 -o plumbline-runner /srv/trial && rm -f /srv/trial/threads /var/lib/plumbline/cache/victim"
        " && setpriv --reuid=nobody --clear-groups ln -s /var/lib/plumbline/cache/victim /srv/trial/threads"
        " && setpriv --reuid=plumbline-runner --regid=plumbline --clear-groups sh -c 'echo x > /srv/trial/threads'"
    )
    assert not installed.shell(script)
    installed.check("sysctl", "-w", "fs.protected_symlinks=0")
    try:
        assert installed.shell(script)
    finally:
        installed.check("sysctl", "-w", "fs.protected_symlinks=1")


def test_it_is_taken_away_without_a_trace(installed: Machine, job: dict[str, str]) -> None:
    assert job
    take_away_runner(installed, _BROUGHT)
    assert installed.check("find", "/etc", "/usr/local", "/var/lib", "-name", "*plumbline*") == ""
    assert not installed.shell("id plumbline-runner || id plumbline-db || getent group plumbline")
    # A second call has nothing to do; and a new installation is whole.
    take_away_runner(installed, _BROUGHT)
    set_up_runner(installed, _BROUGHT)
    assert installed.check("systemctl", "is-active", "plumbline-launcher.socket") == "active\n"
