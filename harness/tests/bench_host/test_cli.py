"""The command line of bench-host: what it prints, its exit status, and every reason to leave a host alone."""

from __future__ import annotations

import errno
import io
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from bench_host import guards
from bench_host.cli import main, parser
from bench_host.disk import new_of
from bench_host.state import FOLDER
from measures import MEASURES
from measures.changes import by_hand
from measures.face import Measure

from tests.bench_host.conftest import RUNNER_SETUP
from tests.bench_host.hosts import HOSTS, live, snapshot
from tests.doctor.trees import put

COMMANDS = ("check", "apply", "rollback", "status", "fingerprint", "quiet")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return HOSTS["small machine"](tmp_path / "host")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_check_names_what_is_not_met(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "check", "--root", str(root), "--json")
    document = json.loads(out)
    assert (status, document["met"]) == (1, False)
    by_id = {condition["id"]: condition for condition in document["conditions"]}
    assert by_id["swap"]["verdict"] == "unfit" and by_id["swap"]["source"]
    status, out, _ = run(capsys, "check", "--root", str(root), "--only", "ksm")
    assert status == 1 and "UNFIT    ksm" in out and "scans memory all the time" in out


def test_a_plan_is_whole_and_changes_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(root)
    status, out, _ = run(capsys, "apply", "--dry-run", "--root", str(root))
    assert status == 0 and "now 'powersave'" in out and out.endswith("Nothing was changed.\n")
    assert "rcu_nocbs=1-3" in out and "(needs a reboot)" in out
    status, out, _ = run(capsys, "apply", "--dry-run", "--root", str(root), "--json")
    rows = json.loads(out)["steps"]
    assert {row["measure"] for row in rows} >= {"governor", "swap", "timers", "kernel-line", "at-boot"}
    assert snapshot(root) == before


def test_apply_status_rollback(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(root)
    assert run(capsys, "status", "--root", str(root))[1] == "Nothing is applied.\n"
    status, out, _ = run(capsys, "apply", "--root", str(root))
    assert status == 0 and "left out, since it needs a reboot" in out and "0 refused" in out
    assert not (root / "etc/default/grub.d").exists()
    status, out, _ = run(capsys, "apply", "--root", str(root), "--yes", "--json")
    assert status == 0 and json.loads(out)["needs_reboot"]
    assert (root / "etc/default/grub.d/zz-plumbline-host.cfg").is_file()
    assert run(capsys, "status", "--root", str(root))[1].startswith("Applied: ")
    (root / "sys/kernel/mm/ksm/run").write_text("1\n")
    status, out, _ = run(capsys, "status", "--root", str(root))
    assert status == 1 and "no longer as it was set: /sys/kernel/mm/ksm/run" in out
    status, out, _ = run(capsys, "rollback", "--root", str(root))
    assert status == 0 and snapshot(root) == before
    assert run(capsys, "rollback", "--root", str(root))[1] == "Nothing was applied.\n"


@pytest.mark.parametrize(
    ("answer", "made"), [("y\n", True), ("Yes\n", True), ("\n", False), ("no\n", False), ("", False)]
)
def test_at_a_terminal_it_asks_before_what_needs_a_reboot(
    answer: str,
    made: bool,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal = io.StringIO(answer)
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    status, out, err = run(capsys, "apply", "--root", str(root))
    assert status == 0 and err.count("Make it? [y/N]") == 1 and "zz-plumbline-host.cfg" in err
    assert (root / "etc/default/grub.d/zz-plumbline-host.cfg").exists() == made
    assert ("left out, since it needs a reboot" in out, "Reboot, so that" in out) == (not made, made)


def test_at_boot_only_what_was_applied_is_set_again(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "apply", "--root", str(root), "--only", "ksm")
    applied = snapshot(root)
    (root / "sys/kernel/mm/ksm/run").write_text("1\n")
    status, out, _ = run(capsys, "apply", "--root", str(root), "--at-boot")
    assert (status, out) == (0, "1 values set again.\n") and snapshot(root) == applied


def test_a_half_applied_host_is_left_alone_until_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(root)
    run(capsys, "apply", "--root", str(root))
    path = root / FOLDER / "state.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "complete": False}))
    half = snapshot(root)
    status, _, err = run(capsys, "apply", "--root", str(root))
    assert status == 2 and "interrupted" in err and len(err.splitlines()) == 1 and snapshot(root) == half
    assert run(capsys, "status", "--root", str(root))[0] == 1
    assert run(capsys, "apply", "--root", str(root), "--resume")[0] == 0
    assert run(capsys, "rollback", "--root", str(root))[0] == 0
    assert snapshot(root) == before


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"proc/cpuinfo": "flags : fpu hypervisor"}, "This is a virtual machine"),
        (
            {"proc/cpuinfo": "Features : fp asimd", "proc/device-tree/hypervisor/compatible": "linux,kvm"},
            "This is a virtual machine",
        ),
        ({"sys/devices/system/cpu/online": "0-1"}, "2 cores"),
        ({"sys/devices/system/cpu/online": "2"}, "1 core, and a benchmark host needs 4"),
        (
            {
                "sys/class/power_supply/BAT0/type": "Battery",
                "sys/class/power_supply/BAT0/status": "Discharging",
            },
            "runs on its battery",
        ),
        *(
            (files, f"{service} manages the same settings")
            for name, service in guards.OTHERS.items()
            for files in (
                {"proc/300/comm": name},
                {f"etc/systemd/system/graphical.target.wants/{service}": ""},
            )
        ),
        ({str(FOLDER / "state.json"): "{"}, "can't be read by this version"),
    ],
    ids=[
        "guest",
        "guest on Arm",
        "too few cores",
        "one core",
        "battery",
        *(f"{service} {how}" for service in guards.OTHERS.values() for how in ("runs", "at boot")),
        "foreign state",
    ],
)
def test_a_host_that_is_left_alone(
    files: dict[str, str], words: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(root, files)
    before = snapshot(root)
    status, out, err = run(capsys, "apply", "--root", str(root))
    assert (status, out) == (2, "") and words in err and len(err.splitlines()) == 1
    assert snapshot(root) == before
    status, out, _ = run(capsys, "apply", "--root", str(root), "--json")
    assert json.loads(out)["exit"] == status == 2 and snapshot(root) == before


def test_names_of_programs_are_as_short_as_the_kernel_makes_them() -> None:
    assert all(len(name) <= 15 and service.startswith(name) for name, service in guards.OTHERS.items())


def test_a_guest_may_be_tried_and_a_managed_host_may_not(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(root, {"proc/cpuinfo": "flags : fpu hypervisor"})
    assert run(capsys, "apply", "--root", str(root), "--anyway")[0] == 0
    put(root, {"proc/300/comm": "tuned"})
    assert run(capsys, "apply", "--root", str(root), "--anyway")[0] == 2


def test_a_mouse_has_a_battery_as_well(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mouse = "sys/class/power_supply/hid-1"
    put(root, {f"{mouse}/type": "Battery", f"{mouse}/status": "Discharging", f"{mouse}/scope": "Device"})
    assert run(capsys, "apply", "--root", str(root))[0] == 0


def test_a_kernel_that_lacks_a_measure_is_left_without(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "proc/sys/kernel/numa_balancing").unlink()
    before = snapshot(root)
    sentence = "nothing to set here: numa-balancing: this kernel balances nothing\n"
    status, out, _ = run(capsys, "apply", "--root", str(root), "--only", "numa-balancing")
    assert (status, out.splitlines(keepends=True)[0]) == (0, sentence) and "\n0 changes made" in out
    assert snapshot(root) == before
    status, out, _ = run(capsys, "apply", "--dry-run", "--root", str(root), "--only", "numa-balancing", "--json")
    assert json.loads(out) == {
        "version": 1,
        "steps": [],
        "nothing_to_set": ["numa-balancing: this kernel balances nothing"],
    }
    status, out, _ = run(capsys, "apply", "--root", str(root))
    assert status == 0 and "numa_balancing" not in out and sentence in out
    assert run(capsys, "rollback", "--root", str(root))[0] == 0 and snapshot(root) == before


@pytest.mark.parametrize("measure", MEASURES, ids=[measure.ID for measure in MEASURES])
def test_a_host_that_shows_nothing_is_told_so_and_left_as_it_is(
    measure: Measure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("proc", "sys", "etc", "var/lib"):
        (tmp_path / name).mkdir(parents=True)
    put(tmp_path, {"proc/cpuinfo": "flags : fpu"})
    before = snapshot(tmp_path)
    status, out, _ = run(capsys, "apply", "--root", str(tmp_path), "--anyway", "--only", measure.ID)
    sentence = "" if measure.changes is by_hand else f"nothing to set here: {measure.ID}: "
    assert status == 0 and out.startswith(sentence)
    assert "0 changes made, 0 refused." in out and snapshot(tmp_path) == before


def test_a_command_that_failed_is_told_until_it_is_done(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    host = live(root)

    def run_live(*words: str) -> tuple[int, str]:
        return main((*words, "--root", str(root)), host=lambda root: host), capsys.readouterr().out

    host.run.broken.add("update-grub")
    status, out = run_live("apply", "--yes")
    assert status == 3 and "refused: run `update-grub`: update-grub failed\n" in out
    status, out = run_live("status")
    assert status == 1 and "not done yet: run `update-grub`; `bench-host apply` runs it again\n" in out
    status, out = run_live("rollback")
    assert status == 3 and "update-grub failed; call rollback again, or --force to forget it\n" in out
    assert run_live("status")[1].startswith("Half applied: 1 entries")
    host.run.broken.clear()
    assert run_live("rollback")[0] == 0
    assert run_live("status") == (0, "Nothing is applied.\n")


@pytest.mark.parametrize("command", ["apply", "rollback"])
def test_only_root_changes_a_real_host(
    command: str, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    before = snapshot(root)
    status = main((command, "--root", str(root)), host=lambda root: live(root))
    printed = capsys.readouterr()
    assert (status, printed.out, len(printed.err.splitlines())) == (2, "", 1) and "Only root" in printed.err
    assert snapshot(root) == before
    assert run(capsys, command, "--root", str(root))[0] == 0, "a recorded tree needs no root"


def test_anybody_may_look(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for words in (("check",), ("apply", "--dry-run"), ("status",), ("fingerprint",)):
        assert main((*words, "--root", str(root)), host=lambda root: live(root)) in (0, 1), words


def test_another_system_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    before = snapshot(root)
    for command in COMMANDS:
        status, out, err = run(capsys, command, "--root", str(root))
        assert (status, out, len(err.splitlines())) == (2, "", 1) and "this is Darwin" in err
    assert snapshot(root) == before


def test_two_at_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import fcntl

    descriptor = os.open(root / "var/lib", os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    status, _, err = run(capsys, "apply", "--root", str(root))
    os.close(descriptor)
    assert status == 2 and "Another bench-host" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check", "--only", "govenor"), "There is no measure 'govenor'"),
        (("check", "--root", "/nowhere/at/all"), "is no folder"),
        (("quiet", "--cpus", "four"), "is no list of CPUs"),
        (("quiet", "--cpus", "9999"), "Not all of '9999' are online"),
        (("quiet", "--seconds", "0"), "is no time of a CPU"),
        (("quiet", "--seconds", "0.01", "--harness", "/nowhere"), "There is no /nowhere/bench"),
    ],
)
def test_wrong_words(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "") and said in err


def test_every_command_has_json_root_and_words() -> None:
    for command in COMMANDS:
        options = parser().parse_args([command, "--json", "--root", "/x"])
        assert (options.json, options.root) == (True, Path("/x"))


def test_a_fingerprint_is_stable_and_names_nobody(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secrets = {
        "sys/class/dmi/id/board_serial": "SN-1",
        "sys/class/dmi/id/product_uuid": "UUID-1",
        "sys/class/net/eth0/address": "52:54:00:12:34:56",
        "etc/machine-id": "abcdef",
        "etc/hostname": "somebody",
        "sys/block/sda/device/model": "Fast Disk",
        "sys/block/sda/device/serial": "SN-2",
    }
    first = run(capsys, "fingerprint", "--root", str(root))[1]
    put(root, secrets)
    second = run(capsys, "fingerprint", "--root", str(root))[1]
    assert json.loads(second)["disks"] == ["Fast Disk"]
    assert second.replace('"Fast Disk"', "").split() == first.replace('"disks": []', '"disks": [ ]').split()
    assert not [text for text in secrets.values() if text in second and text != "Fast Disk"]
    assert "secret" not in second and json.loads(second)["memory_kb"] == 16_000_000


def test_quiet_measures_a_cpu_and_the_disk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cpu = str(min(os.sched_getaffinity(0)))
    before = os.sched_getaffinity(0)
    words = ("quiet", "--cpus", cpu, "--seconds", "0.05", "--scratch", str(tmp_path), "--json")
    status, out, _ = run(capsys, *words)
    document = json.loads(out)
    [row] = document["jitter"]
    assert status == 0 and row["cpu"] == int(cpu) and 0 <= row["lost_share"] <= 1
    assert document["writes"]["median_ms"] <= document["writes"]["p99_ms"] <= document["writes"]["longest_ms"]
    assert os.sched_getaffinity(0) == before and list(tmp_path.iterdir()) == []


def test_a_cpu_that_services_are_kept_off_is_measured_from_a_login(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def kept_off(pid: int, cpus: set[int]) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "sched_setaffinity", kept_off)
    cpu = str(min(os.sched_getaffinity(0)))
    status, out, err = run(capsys, "quiet", "--cpus", cpu, "--seconds", "0.05")
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert f"may not run on CPU {cpu}" in err and "from a login" in err


def test_it_runs_without_the_harness_from_any_folder(tmp_path: Path, root: Path) -> None:
    program = [sys.executable, "-I", str(RUNNER_SETUP / "bench-host")]
    process = subprocess.run(
        [*program, "check", "--json", "--root", str(root)], cwd=tmp_path, capture_output=True, text=True
    )
    assert process.returncode == 1 and json.loads(process.stdout)["version"] == 1, process.stderr


def test_what_an_interrupted_write_left_goes_with_the_rollback(root: Path) -> None:
    before = snapshot(root)
    state_file = root / FOLDER / "state.json"
    state_file.parent.mkdir()
    new_of(state_file).write_text("half")
    assert main(["rollback", "--root", str(root)]) == 0
    assert snapshot(root) == before
