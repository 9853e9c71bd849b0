"""Apply and rollback on made-up hosts: what is changed, that every change is undone, and an end at every step."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bench_host.apply import Step, apply, apply_again, lacking, steps
from bench_host.host import Host, at_boot, measures_of
from bench_host.rollback import differs, rollback
from bench_host.state import FOLDER, read_state
from measures import timers
from measures.changes import File, Value, chosen

from tests.bench_host.hosts import (
    ARM,
    HOSTS,
    HYBRID,
    LARGE,
    TWO_SOCKETS,
    Kernel,
    Killed,
    Live,
    System,
    live,
    record_host,
    snapshot,
    write_host,
)
from tests.bench_host.hosts import SMALL as SMALL_MACHINE
from tests.doctor.trees import CPU
from tests.machines import Machine


def every(step: Step) -> bool:
    return True


def applied(host: Host) -> None:
    apply(host, read_state(host.root, host.disk), measures_of(()), every, lambda text: None)


def undone(host: Host) -> None:
    rollback(host, read_state(host.root, host.disk), force=False, say=lambda text: None)


SMALL = "small machine"
# Each of the many small files of a host takes a page of memory.
ROOM_BYTES = 512 << 20
OF_FEW_CORES = tuple(name for name in HOSTS if name not in LARGE)


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.slow] if name in LARGE else []) for name in HOSTS])
def root(request: pytest.FixtureRequest, folder: Path) -> Path:
    return HOSTS[request.param](folder / "host")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for the thousands of files of a host, so that nothing has to wait for a disk.

    The files lie in memory where there is room for them; a killed program loses nothing of what it wrote.
    """
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK) or shutil.disk_usage(memory).free < ROOM_BYTES:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as place:
        yield Path(place)


def conditions(host: Host) -> dict[str, str]:
    roots = host.roots()
    return {measure.ID: measure.check(roots).verdict for measure in measures_of(())}


def test_applied_and_undone_byte_for_byte(root: Path) -> None:
    before, host = snapshot(root), live(root)
    active = set(host.run.active)
    applied(host)
    assert snapshot(root) != before
    undone(host)
    assert snapshot(root) == before
    assert host.run.active == active


def test_a_recorded_tree_is_changed_and_undone_without_a_command(root: Path) -> None:
    def never(words: object) -> str | None:
        raise AssertionError(f"{words} was run")

    before, host = snapshot(root), Host(root, run=never)
    applied(host)
    assert "always [madvise] never" in (root / "sys/kernel/mm/transparent_hugepage/enabled").read_text()
    undone(host)
    assert snapshot(root) == before


def test_the_recorded_tree_of_this_machine_is_changed_and_undone(tmp_path: Path) -> None:
    host = Host(record_host(tmp_path))
    (tmp_path / "proc/sys/kernel/randomize_va_space").write_text("0\n")
    before = snapshot(tmp_path)
    applied(host)
    assert snapshot(tmp_path) != before and not any(
        differs(host, entry) for entry in read_state(tmp_path, host.disk).entries
    )
    undone(host)
    assert snapshot(tmp_path) == before


def test_what_is_applied_is_met(root: Path) -> None:
    host = live(root)
    wanted = {"governor", "frequency", "turbo", "cstates", "swap", "thp", "numa-balancing", "ksm", "aslr"}
    wanted |= {"clocksource", "timers", "kernel-held", "network", "socket-buffers", "watchdog"}
    if (root / "sys/devices/system/cpu/smt/control").read_text().strip() == "on":
        # A recorded tree keeps its siblings online when SMT is switched off; their values are not ours to set.
        wanted -= {"governor", "frequency", "cstates"}
    assert {"thp", "ksm", "network"} <= {id_ for id_, verdict in conditions(host).items() if verdict == "unfit"}
    applied(host)
    after = conditions(host)
    assert {id_: after[id_] for id_ in wanted} == dict.fromkeys(wanted, "fit")


def test_applied_twice_changes_nothing_more(root: Path) -> None:
    host = live(root)
    applied(host)
    applied_once = snapshot(root)
    ran = list(host.run.ran)
    done = apply(host, read_state(root, host.disk), measures_of(()), every, lambda text: None)
    assert (done.made, done.refused) == ([], [])
    assert snapshot(root) == applied_once and host.run.ran == ran


def ended(host: Live, work: Callable[[Live], None]) -> bool:
    try:
        work(host)
    except Killed:
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_FEW_CORES)
def test_killed_at_every_step_of_apply_and_undone(name: str, folder: Path) -> None:
    root = HOSTS[name](folder / "host")
    before, step = snapshot(root), 0
    while True:
        host = live(root, ends_before=step)
        was_killed = ended(host, applied)
        undone(live(root, active=host.run.active))
        assert snapshot(root) == before, f"after an end before step {step}"
        assert host.run.active == {"fstrim.timer", "irqbalance.service"}
        if not was_killed:
            break
        step += 1
    assert step > 100


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_killed_along_the_way_on_larger_machines(name: str, folder: Path) -> None:
    """Thousands of steps: at ten of them in apply, and at half as far in the rollback of what was left."""
    root = HOSTS[name](folder / "host")
    before, whole = snapshot(root), live(root)
    applied(whole)
    undone(live(root, active=whole.run.active))
    for step in range(0, whole.disk.steps, whole.disk.steps // 10):
        host = live(root, ends_before=step)
        assert ended(host, applied), step
        half = live(root, ends_before=step // 2, active=host.run.active)
        ended(half, undone)
        undone(live(root, active=half.run.active))
        assert snapshot(root) == before, f"after an end before step {step}"


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_FEW_CORES)
def test_killed_at_every_step_of_apply_and_taken_up_again(name: str, folder: Path) -> None:
    root = HOSTS[name](folder / "host")
    before = snapshot(root)
    whole = live(root)
    applied(whole)
    wanted = conditions(whole)
    undone(whole)
    for step in range(whole.disk.steps):
        host = live(root, ends_before=step)
        if not ended(host, applied):
            break
        applied(live(root, active=host.run.active))
        assert conditions(live(root)) == wanted, f"after an end before step {step}"
        undone(live(root, active=host.run.active))
        assert snapshot(root) == before, f"after an end before step {step}"


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_FEW_CORES)
def test_killed_at_every_step_of_rollback_and_begun_again(name: str, folder: Path) -> None:
    root = HOSTS[name](folder / "host")
    before, step = snapshot(root), 0
    while True:
        active = {"fstrim.timer", "irqbalance.service"}
        applied(live(root, active=active))
        was_killed = ended(live(root, ends_before=step, active=active), undone)
        undone(live(root, active=active))
        assert snapshot(root) == before, f"after an end before step {step}"
        assert active == {"fstrim.timer", "irqbalance.service"}
        if not was_killed:
            break
        step += 1


def test_a_plan_changes_nothing(root: Path) -> None:
    before = snapshot(root)
    found = list(steps(live(root), measures_of(())))
    assert len(found) > 20 and snapshot(root) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "arm"), [(TWO_SOCKETS, False), (HYBRID, False), (ARM, True), (SMALL_MACHINE, False)]
)
def test_both_versions_of_control_groups_differ_by_the_slice_alone(machine: Machine, arm: bool, tmp_path: Path) -> None:
    planned: dict[int, list[str]] = {}
    for version in (1, 2):
        root = write_host(tmp_path / "host", machine, version=version, arm=arm)
        planned[version] = [f"{step.measure}: {step.change}" for step in steps(live(root), measures_of(()))]
        shutil.rmtree(root)
    of_slice = [line for line in planned[2] if line.startswith("system-slice: ")]
    assert len(of_slice) == 1 and [line for line in planned[2] if line not in of_slice] == planned[1]


def test_what_somebody_changed_since_stays_until_forced(tmp_path: Path) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    before, host = snapshot(root), live(root)
    applied(host)
    limits = root / "etc/security/limits.d/50-plumbline-host.conf"
    limits.write_text("# mine now\n")
    done = rollback(host, read_state(root, host.disk), force=False, say=lambda text: None)
    assert done.kept == ["/etc/security/limits.d/50-plumbline-host.conf was changed since by somebody else"]
    assert limits.read_text() == "# mine now\n"
    state = read_state(root, host.disk)
    assert [entry["name"] for entry in state.entries] == ["/etc/security/limits.d/50-plumbline-host.conf"]
    rollback(host, state, force=True, say=lambda text: None)
    assert not limits.exists() and not (root / FOLDER).exists()
    assert {name for name in snapshot(root) if name not in before} <= {
        "etc/security",
        "etc/security/limits.d",
    }


def test_a_timer_that_is_made_of_a_template_is_masked(tmp_path: Path) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    (root / "usr/lib/systemd/system/zfs-scrub-monthly@.timer").touch()
    wants = root / "etc/systemd/system/timers.target.wants/zfs-scrub-monthly@rpool.timer"
    wants.symlink_to("/usr/lib/systemd/system/zfs-scrub-monthly@.timer")
    before, host = snapshot(root), live(root)
    applied(host)
    assert (root / "etc/systemd/system/zfs-scrub-monthly@rpool.timer").readlink() == Path("/dev/null")
    assert "zfs-scrub-monthly@rpool" not in timers.check(host.roots()).reading
    undone(host)
    assert snapshot(root) == before


def test_a_value_that_the_kernel_refuses_is_told_and_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    before, host = snapshot(root), live(root)
    value = host.disk.value

    def refusing(path: Path, text: str) -> None:
        if path.parent.name == "25":
            raise OSError(5, "Input/output error")
        value(path, text)

    monkeypatch.setattr(host.disk, "value", refusing)
    done = apply(host, read_state(root, host.disk), measures_of(()), every, lambda text: None)
    [refused] = done.refused
    assert "/proc/irq/25/smp_affinity_list" in refused and refused.endswith("Input/output error")
    undone(host)
    assert snapshot(root) == before


def test_a_value_that_the_kernel_rounds_is_told_and_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    before, host = snapshot(root), live(root)
    value = host.disk.value

    def rounding(path: Path, text: str) -> None:
        value(path, "2099999" if text == "2100000" else text)

    monkeypatch.setattr(host.disk, "value", rounding)
    done = apply(host, read_state(root, host.disk), measures_of(("frequency",)), every, lambda text: None)
    assert len(done.refused) == 8 and done.refused[0].endswith("the kernel keeps '2099999'")
    undone(live(root, active=host.run.active))
    assert snapshot(root) == before


class WithoutHwp(Kernel):
    """A kernel whose intel_pstate shows no frequency above the base while turbo is off, 2100 MHz here."""

    def value(self, path: Path, text: str) -> None:
        super().value(path, text)
        if path.name == "no_turbo" and text == "1":
            for shown in path.parent.parent.glob("cpu*/cpufreq/scaling_*_freq"):
                shown.write_text(f"{min(2_100_000, int(shown.read_text()))}\n")


def write_intel_without_hwp(root: Path, name: str) -> Path:
    write_host(root, SMALL_MACHINE)
    cpus = root / CPU
    (cpus / "cpufreq/boost").unlink()
    for base in cpus.glob("cpu*/cpufreq/base_frequency"):
        base.unlink()
        (base.parent / "cpuinfo_max_freq").write_text("4700000")
    (cpus / "intel_pstate").mkdir()
    (cpus / "intel_pstate/no_turbo").write_text("0")
    (root / "proc/cpuinfo").write_text(f"processor\t: 0\nmodel name\t: {name}\nflags\t\t: fpu\n")
    return root


def test_without_hwp_the_base_frequency_stands_in_the_name(tmp_path: Path) -> None:
    root = write_intel_without_hwp(tmp_path / "host", "Intel(R) Xeon(R) CPU E5-2620 v4 @ 2.10GHz")
    before, kernel = snapshot(root), WithoutHwp()
    host = Live(root, kernel, System(root, kernel))
    applied(host)
    assert not any(differs(host, entry) for entry in read_state(root, host.disk).entries)
    assert (conditions(host)["frequency"], conditions(host)["turbo"]) == ("fit", "fit")
    assert (root / CPU / "cpu0/cpufreq/scaling_min_freq").read_text().strip() == "2100000"
    undone(host)
    assert snapshot(root) == before


def test_a_turbo_frequency_is_never_held(tmp_path: Path) -> None:
    host = live(write_intel_without_hwp(tmp_path / "host", "12th Gen Intel(R) Core(TM) i9-12900K"))
    assert not list(steps(host, measures_of(("frequency",))))
    assert lacking(host, measures_of(("frequency",))) == ["frequency: from 400 to 4700 MHz"]


def test_amd_pstate_gets_the_mode_that_has_a_switch_of_boost_and_keeps_it(tmp_path: Path) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    host = live(root)

    def line() -> str:
        [file] = [step.change for step in steps(host, measures_of(("kernel-line",))) if isinstance(step.change, File)]
        return file.content

    assert "amd_pstate" not in line()
    boost, status = root / CPU / "cpufreq/boost", root / CPU / "amd_pstate/status"
    boost.unlink()
    status.parent.mkdir()
    status.write_text("active\n")
    asked = line()
    assert asked.endswith(' amd_pstate=passive"\n')
    # The next boot obeys.
    boost.write_text("1")
    status.write_text("passive\n")
    (root / "proc/cmdline").write_text("quiet rcu_nocbs=1-3 amd_pstate=passive\n")
    assert line() == asked


def test_words_for_the_kernel_are_added_to_those_of_a_providers_file(tmp_path: Path) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    applied(live(root))
    folder = root / "etc/default/grub.d"
    (folder / "hetzner.cfg").write_text('GRUB_CMDLINE_LINUX_DEFAULT="consoleblank=0"\n')
    script = 'for file in "$0"/*.cfg; do . "$file"; done; echo "$GRUB_CMDLINE_LINUX_DEFAULT"'
    words = subprocess.run(["sh", "-c", script, folder], capture_output=True, text=True, check=True).stdout.split()
    assert words == ["consoleblank=0", "irqaffinity=0", "rcu_nocbs=1-3"]


def test_words_that_are_written_and_not_booted_with_are_not_to_be_applied_again(tmp_path: Path) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    (root / CPU / "cpufreq/boost").unlink()
    (root / CPU / "amd_pstate").mkdir()
    (root / CPU / "amd_pstate/status").write_text("active\n")
    (root / "proc/cmdline").write_text("quiet\n")
    host, measures = live(root), measures_of(("kernel-line", "turbo"))

    def readings() -> list[tuple[str, str | None, bool]]:
        found = [measure.check(host.roots()) for measure in measures]
        return [(verdict, command, "zz-plumbline-host.cfg" in reading) for verdict, reading, command in found]

    command = "sudo bench-host apply --only kernel-line"
    assert readings() == [("unknown", command, False), ("unfit", command, False)]
    applied(host)
    assert readings() == [("unknown", None, True), ("unfit", None, True)]


def test_a_follow_up_that_failed_is_run_again_by_the_next_apply(tmp_path: Path) -> None:
    host = live(HOSTS[SMALL](tmp_path / "host"))
    host.run.broken.add("update-grub")
    for _ in range(2):
        done = apply(host, read_state(host.root, host.disk), measures_of(()), every, lambda text: None)
        assert done.refused == ["run `update-grub`: update-grub failed"]
    assert host.run.ran.count("update-grub") == 2
    host.run.broken.clear()
    applied(host)
    assert read_state(host.root, host.disk).pending == []
    applied(host)
    assert host.run.ran.count("update-grub") == 3


def test_a_rollback_that_failed_in_part_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    before, host = snapshot(root), live(root)
    active = set(host.run.active)
    applied(host)
    host.run.broken |= {"update-grub", "swapon"}
    with monkeypatch.context() as patched:
        patched.setattr(host.disk, "value", refused_for_irq_24(host.disk.value))
        done = rollback(host, read_state(root, host.disk), force=False, say=lambda text: None)
    assert [line.partition("`: ")[0] for line in done.failed] == [
        "write '0-3' to /proc/irq/24/smp_affinity_list: Input/output error",
        "run `update-grub",
        "run `swapon /swapfile",
    ]
    kept_entries = read_state(root, host.disk).entries
    assert {entry["name"] for entry in kept_entries} == {
        "/proc/irq/24/smp_affinity_list",
        "/etc/default/grub.d/zz-plumbline-host.cfg",
        "swapoff /swapfile",
    }
    host.run.broken.clear()
    undone(host)
    assert snapshot(root) == before and host.run.active == active


def test_what_can_never_be_undone_is_forgotten_by_force(tmp_path: Path) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    host = live(root)
    applied(host)
    host.run.broken.add("apt-mark")
    undone(host)
    state = read_state(root, host.disk)
    assert [entry["kind"] for entry in state.entries] == ["command"]
    done = rollback(host, state, force=True, say=lambda text: None)
    assert len(done.failed) == 1 and not (root / FOLDER).exists()


def refused_for_irq_24(value: Callable[[Path, str], None]) -> Callable[[Path, str], None]:
    def refusing(path: Path, text: str) -> None:
        if path.parent.name == "24":
            raise OSError(5, "Input/output error")
        value(path, text)

    return refusing


def test_after_a_boot_values_are_set_again_and_the_first_ones_put_back(tmp_path: Path) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    before, host = snapshot(root), live(root)
    applied(host)
    governor = root / "sys/devices/system/cpu/cpu2/cpufreq/scaling_governor"
    governor.write_text("schedutil")
    (root / "sys/kernel/mm/ksm/run").write_text("1\n")
    entry = read_state(root, host.disk).find("value", host.shown(governor))
    assert entry is not None and differs(host, entry)
    recorded_state = (root / FOLDER / "state.json").read_bytes()
    done = apply_again(host, read_state(root, host.disk))
    assert done.made == [host.shown(governor), "/sys/kernel/mm/ksm/run"] and not done.refused
    assert governor.read_text().strip() == "performance"
    assert (root / FOLDER / "state.json").read_bytes() == recorded_state
    undone(host)
    assert snapshot(root) == before


def test_a_value_that_was_there_already_outlives_a_boot_too(tmp_path: Path) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    merging = root / "sys/kernel/mm/ksm/run"
    merging.write_text("0\n")
    before, host = snapshot(root), live(root)
    applied(host)
    merging.write_text("1\n")
    assert apply_again(host, read_state(root, host.disk)).made == ["/sys/kernel/mm/ksm/run"]
    undone(host)
    assert snapshot(root) == before


def test_what_was_there_is_on_the_disk_before_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    host = live(root)
    value = host.disk.value

    def looked_at(path: Path, text: str) -> None:
        entries = json.loads((root / FOLDER / "state.json").read_bytes())["entries"]
        [mine] = [entry for entry in entries if entry["name"] == host.shown(path)]
        assert mine["was"] == path.read_text()
        value(path, text)

    monkeypatch.setattr(host.disk, "value", looked_at)
    applied(host)
    undone(live(root, active=host.run.active))


def test_the_ends_of_a_range_are_moved_so_that_they_never_cross(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = live(root)
    value = host.disk.value

    def as_the_kernel_does(path: Path, text: str) -> None:
        value(path, text)
        low, high = (int((path.parent / f"scaling_{end}_freq").read_text()) for end in ("min", "max"))
        assert low <= high

    def watched(path: Path, text: str) -> None:
        (as_the_kernel_does if path.name.endswith("_freq") else value)(path, text)

    monkeypatch.setattr(host.disk, "value", watched)
    applied(host)
    undone(host)


@pytest.mark.parametrize(
    ("device", "unit"),
    [
        ("/swapfile", "swapfile.swap"),
        ("UUID=ab-1", "dev-disk-by\\x2duuid-ab\\x2d1.swap"),
        ("/dev/mapper/vg-swap_1", "dev-mapper-vg\\x2dswap_1.swap"),
    ],
)
def test_swap_that_fstab_names_never_comes_back(device: str, unit: str, tmp_path: Path) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    (root / "etc/fstab").write_text(f"{device} none swap sw 0 0\n")
    applied(live(root))
    assert str((root / "etc/systemd/system" / unit).readlink()) == "/dev/null"


def test_swap_that_somebody_switched_on_again_is_no_failure(tmp_path: Path) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    before, host = snapshot(root), live(root)
    swaps = (root / "proc/swaps").read_bytes()
    applied(host)
    (root / "proc/swaps").write_bytes(swaps)
    done = rollback(host, read_state(root, host.disk), force=False, say=lambda text: None)
    assert done.failed == [] and snapshot(root) == before


def test_the_timer_of_the_runner_is_left_alone(root: Path) -> None:
    assert not [
        str(step.change) for step in steps(live(root), measures_of(())) if "plumbline-watch" in str(step.change)
    ]


def test_values_are_written_as_the_kernel_takes_them(root: Path) -> None:
    for step in steps(live(root), measures_of(())):
        if isinstance(step.change, Value):
            assert step.change.path.exists() and chosen(step.change.value) == step.change.value


def test_the_unit_at_boot_is_exposed_to_little(tmp_path: Path) -> None:
    root = HOSTS[SMALL](tmp_path / "host")
    [unit] = [entry for entry in at_boot(live(root)) if isinstance(entry, File)]
    path = tmp_path / unit.path.name
    path.write_text(unit.content)
    words = ["systemd-analyze", "security", "--offline=yes", "--no-pager", str(path)]
    report = subprocess.run(words, capture_output=True, text=True).stdout
    exposure = re.search(r"Overall exposure level for .*: ([0-9.]+)", report)
    assert exposure and float(exposure[1]) <= 2.0, report
