"""The control groups of a container, as podman and docker name them in both versions."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.observe.targets import Roots
from plumbline.measuring.place.contained import accounts_of
from plumbline.measuring.place.interface import Account
from plumbline.measuring.place.mounts import quotas_around
from plumbline.measuring.run.containing import database_accounts

ID = "3f9c" * 16
PID = 4711


def place(root: Path, *lines: str) -> Path:
    proc = root / "proc"
    (proc / str(PID)).mkdir(parents=True)
    (proc / str(PID) / "cgroup").write_text("".join(f"{line}\n" for line in lines))
    return proc


def version_2(root: Path, group: str) -> Path:
    """A host whose version 2 hierarchy has that group with its files."""
    proc = place(root, f"0::/{group}")
    (proc / "self").mkdir()
    (proc / "self/mountinfo").write_text(f"30 29 0:26 / {root}/cgroup rw - cgroup2 cgroup2 rw\n")
    folder = root / "cgroup" / group
    folder.mkdir(parents=True)
    for above in (folder, *folder.parents):
        if above.is_relative_to(root / "cgroup"):
            for name in ("cpu.stat", "memory.peak", "io.stat"):
                (above / name).touch()
    return proc


@pytest.mark.parametrize(
    ("group", "group_of_container"),
    [
        (f"machine.slice/libpod-{ID}.scope/container", f"machine.slice/libpod-{ID}.scope"),
        (f"libpod_parent/libpod-{ID}", f"libpod_parent/libpod-{ID}"),
        (f"system.slice/docker-{ID}.scope", f"system.slice/docker-{ID}.scope"),
        (f"docker/{ID}", f"docker/{ID}"),
    ],
)
def test_the_limits_and_accounts_are_those_of_the_containers_own_group(
    tmp_path: Path, group: str, group_of_container: str
) -> None:
    proc = version_2(tmp_path, group)
    folder = tmp_path / "cgroup" / group_of_container
    assert accounts_of(proc, PID, ID) == {"cpu": folder, "memory": folder, "io": folder}


def test_a_group_that_is_not_the_containers_counts_for_nothing(tmp_path: Path) -> None:
    proc = version_2(tmp_path, "user.slice/session-1.scope")
    assert accounts_of(proc, PID, ID) == {}


def test_a_group_around_a_container_may_have_a_quota(tmp_path: Path) -> None:
    """The root of the hierarchy has none, nor has a group to which no CPU controller was given."""
    version_2(tmp_path, f"machine.slice/vm.slice/libpod-{ID}.scope")
    root = tmp_path / "cgroup"
    for group in ("machine.slice", f"machine.slice/vm.slice/libpod-{ID}.scope"):
        (root / group / "cpu.max").touch()
    load = root / "plumbline.1.load"
    load.mkdir()
    (load / "cpu.stat").touch()
    own: dict[Account, Path] = {"cpu": root / f"machine.slice/vm.slice/libpod-{ID}.scope"}
    assert quotas_around(tmp_path / "proc", {"app": (own,), "load": ({"cpu": load},)}) == (
        {"quota": root / "machine.slice"},
    )


@pytest.mark.parametrize(("kind", "file"), [("cgroup2", "cpu.max"), ("cgroup", "cpu.cfs_quota_us")])
def test_without_groups_that_count_stops_all_runs_in_the_group_of_the_harness(
    tmp_path: Path, kind: str, file: str
) -> None:
    line = "0::/user.slice/run.scope" if kind == "cgroup2" else "4:cpu:/user.slice/run.scope"
    proc = place(tmp_path, line)
    (proc / "self").symlink_to(str(PID))
    (proc / "self/mountinfo").write_text(f"30 29 0:26 / {tmp_path}/cgroup rw - {kind} cgroup rw,cpu\n")
    own = tmp_path / "cgroup/user.slice/run.scope"
    own.mkdir(parents=True)
    for folder in (own, own.parent):
        (folder / file).touch()
    placed: dict[Account, Path] = {"memory": tmp_path}
    assert quotas_around(proc, {"load": (placed,)}) == ({"quota": own}, {"quota": own.parent})


def test_each_hierarchy_of_version_1_has_its_account(tmp_path: Path) -> None:
    names = ("cpu,cpuacct", "memory", "blkio", "cpuset")
    lines = [f"{number}:{name}:/docker/{ID}" for number, name in enumerate(names, start=1)]
    proc = place(tmp_path, *lines, "0::/system.slice")
    mounts = []
    for number, name in enumerate(names):
        (tmp_path / name / "docker" / ID).mkdir(parents=True)
        mounts.append(f"3{number} 31 0:3{number} / {tmp_path / name} rw - cgroup cgroup rw,{name}\n")
    (proc / "self").mkdir()
    (proc / "self/mountinfo").write_text("".join(mounts))
    expected = {account: tmp_path / name / "docker" / ID for account, name in (
        ("cpu", "cpu,cpuacct"), ("quota", "cpu,cpuacct"), ("memory", "memory"), ("io", "blkio")
    )}  # fmt: skip
    assert accounts_of(proc, PID, ID) == expected


def test_a_process_that_is_gone_has_none(tmp_path: Path) -> None:
    proc = version_2(tmp_path, f"docker/{ID}")
    assert accounts_of(proc, PID + 1, ID) == {}


CLIENT: dict[Account, Path] = {"cpu": Path("/sys/fs/cgroup/plumbline/db")}


def with_database(proc: Path, pids: tuple[int, ...], container: str | None) -> Any:
    return SimpleNamespace(roots=Roots(proc=proc), database=SimpleNamespace(pids=pids, container=container))


def test_a_database_in_a_container_counts_by_the_containers_group_and_its_clients(tmp_path: Path) -> None:
    proc = version_2(tmp_path, f"system.slice/docker-{ID}.scope")
    folder = tmp_path / "cgroup" / f"system.slice/docker-{ID}.scope"
    of_container = {"cpu": folder, "memory": folder, "io": folder}
    assert database_accounts(with_database(proc, (PID,), ID), CLIENT) == (CLIENT, of_container)
    # Where processes are counted, all of them are.
    assert database_accounts(with_database(proc, (PID,), ID), {}) == ()


def test_the_clients_group_alone_does_not_stand_for_a_container(tmp_path: Path) -> None:
    proc = version_2(tmp_path, "user.slice/session-1.scope")
    assert database_accounts(with_database(proc, (PID,), ID), CLIENT) == ()


def test_only_a_database_in_sight_has_a_group(tmp_path: Path) -> None:
    assert database_accounts(with_database(tmp_path, (PID,), None), CLIENT) == (CLIENT,)
    assert database_accounts(with_database(tmp_path, (), None), CLIENT) == ()
