"""Providers on recorded trees: what they choose and what they would write."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.machine.host.kernel import allowed_cpus, read_topology
from plumbline.measuring.place.choose import choose_placement
from plumbline.measuring.place.groups import group_name, session_of
from plumbline.measuring.place.mounts import read_hierarchies
from plumbline.measuring.place.providers.taskset import Taskset
from plumbline.measuring.place.sets import plan_sets
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.host import Topology
from tests import machines

SESSION = "20260102T030405Z-lab.example.org-abc123"


@pytest.fixture(scope="module")
def topology(tmp_path_factory: pytest.TempPathFactory) -> Topology:
    sys_root, proc = machines.SERVER.write(tmp_path_factory.mktemp("server"))
    return read_topology(sys_root, proc, allowed_cpus(proc))


def version_1(root: Path, own: dict[str, str]) -> Path:
    """A /proc whose version 1 hierarchies are mounted below `root`; `own` is our place in each."""
    proc, lines, places = root / "proc", [], []
    for number, (controller, place) in enumerate(own.items()):
        mount = root / "cgroup" / controller
        (mount / place.lstrip("/")).mkdir(parents=True)
        lines.append(f"3{number} 31 0:3{number} / {mount} rw,relatime - cgroup cgroup rw,{controller}")
        places.append(f"{number + 1}:{controller}:{place}")
    (proc / "self").mkdir(parents=True, exist_ok=True)
    (proc / "self/mountinfo").write_text("\n".join(["22 1 8:1 / / rw - ext4 /dev/sda1 rw", *lines]) + "\n")
    (proc / "self/cgroup").write_text("\n".join([*places, "0::/"]) + "\n")
    if "cpuset" in own:
        (root / "cgroup/cpuset" / own["cpuset"].lstrip("/") / "cpuset.mems").write_text("0-1\n")
    return proc


def version_2(root: Path, own: str, groups: dict[str, dict[str, str]]) -> Path:
    """A /proc whose version 2 hierarchy is mounted below `root`; `groups` are folders with their files."""
    proc, mount = root / "proc", root / "cgroup"
    for folder, files in groups.items():
        (mount / folder).mkdir(parents=True, exist_ok=True)
        for name in ("cgroup.controllers", "cgroup.subtree_control", "cgroup.procs"):
            (mount / folder / name).write_text(files.get(name, ""))
        (mount / folder / "cpuset.mems.effective").write_text("0-1\n")
        if folder:
            (mount / folder / "cgroup.type").write_text("domain\n")
    (proc / "self").mkdir(parents=True, exist_ok=True)
    (proc / "self/mountinfo").write_text(f"30 29 0:26 / {mount} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n")
    (proc / "self/cgroup").write_text(f"0::{own}\n")
    return proc


def test_version_2_goes_up_to_the_first_group_that_may_have_children_with_a_cpuset(
    tmp_path: Path, topology: Topology
) -> None:
    all_controllers = "cpuset cpu io memory pids\n"
    proc = version_2(
        tmp_path,
        "/user.slice/session.scope",
        {
            "": {"cgroup.controllers": all_controllers, "cgroup.subtree_control": "memory\n"},
            "user.slice": {"cgroup.controllers": "memory pids\n"},
            "user.slice/session.scope": {"cgroup.controllers": "memory pids\n", "cgroup.procs": "77\n"},
        },
    )
    placement = choose_placement(proc, topology, is_root=True)
    assert placement.name == "cgroup2"
    assert str(tmp_path / "cgroup") in placement.reason
    placement.prepare(SESSION, plan_sets(topology))
    folder = tmp_path / "cgroup" / group_name(SESSION, "db")
    assert (folder / "cpuset.cpus").read_text() == "18-31,82-95"
    assert (folder / "cpuset.mems").read_text() == "0"
    assert (tmp_path / "cgroup" / group_name(SESSION, "app") / "cpuset.mems").read_text() == "1"
    assert (placement.memory_nodes((18, 19)), placement.memory_nodes((56,))) == ((0,), (1,))
    assert placement.memory_nodes((18, 56)) == Taskset("").memory_nodes((18,)) == ()
    assert placement.entry("db").files == (folder / "cgroup.procs",)
    assert placement.entry("harness").files == ()
    assert placement.entry("harness").cpus == (0, 1, 64, 65)
    (folder / "memory.peak").write_text("0\n")
    (folder / "cpu.pressure").write_text("")
    assert placement.accounting("db") == {"memory": folder, "pressure": folder}


def test_a_delegated_group_with_processes_in_it_cannot_have_such_children(tmp_path: Path, topology: Topology) -> None:
    proc = version_2(
        tmp_path,
        "/service",
        {
            "": {"cgroup.controllers": "cpuset\n", "cgroup.type": "domain", "cgroup.procs": "1\n"},
            "service": {"cgroup.controllers": "cpuset\n", "cgroup.procs": "77\n"},
        },
    )
    (tmp_path / "cgroup/cgroup.type").write_text("domain\n")
    placement = choose_placement(proc, topology, is_root=True)
    assert placement.name == "taskset"
    assert "no group from" in placement.reason


def test_a_delegated_group_without_processes_is_used(tmp_path: Path, topology: Topology) -> None:
    proc = version_2(
        tmp_path,
        "/service/us",
        {
            "": {},
            "service": {"cgroup.controllers": "cpuset memory\n", "cgroup.subtree_control": "cpuset\n"},
            "service/us": {"cgroup.controllers": "cpuset\n", "cgroup.procs": "77\n"},
        },
    )
    (tmp_path / "cgroup/cgroup.controllers").write_text("cpuset memory\n")
    placement = choose_placement(proc, topology, is_root=False)
    placement.prepare(SESSION, plan_sets(topology))
    assert {folder.parent for folder in placement.groups()} == {tmp_path / "cgroup/service"}


def test_on_one_node_of_memory_a_group_names_it_and_nothing_is_held_to_it(tmp_path: Path) -> None:
    sys_root, own_proc = machines.FOUR_CORES.write(tmp_path / "host")
    four_cores = read_topology(sys_root, own_proc, allowed_cpus(own_proc))
    proc = version_1(tmp_path, {"cpuset": "/"})
    (tmp_path / "cgroup/cpuset/cpuset.mems").write_text("0\n")
    placement = choose_placement(proc, four_cores, is_root=True)
    placement.prepare(SESSION, plan_sets(four_cores))
    assert (tmp_path / "cgroup/cpuset" / group_name(SESSION, "app") / "cpuset.mems").read_text() == "0"
    assert placement.memory_nodes(plan_sets(four_cores).app) == ()


def test_version_1_writes_sets_and_accounts(tmp_path: Path, topology: Topology) -> None:
    proc = version_1(tmp_path, {"cpuset": "/", "cpuacct": "/", "memory": "/", "blkio": "/"})
    placement = choose_placement(proc, topology, is_root=True)
    assert placement.name == "cgroup1"
    assert "version 2 is not mounted" in placement.reason
    placement.prepare(SESSION, plan_sets(topology))
    name = group_name(SESSION, "app")
    assert (tmp_path / "cgroup/cpuset" / name / "cpuset.cpus").read_text() == "56-63,120-127"
    assert (tmp_path / "cgroup/cpuset" / name / "cpuset.mems").read_text() == "1"
    assert placement.accounting("app") == {
        "cpu": tmp_path / "cgroup/cpuacct" / name,
        "memory": tmp_path / "cgroup/memory" / name,
        "io": tmp_path / "cgroup/blkio" / name,
    }
    assert len(placement.entry("app").files) == 4
    assert len(placement.groups()) == 12


def test_version_1_keeps_out_of_a_group_that_others_manage(tmp_path: Path, topology: Topology) -> None:
    proc = version_1(tmp_path, {"cpuset": "/", "memory": "/system.slice/ours"})
    placement = choose_placement(proc, topology, is_root=True)
    placement.prepare(SESSION, plan_sets(topology))
    assert placement.accounting("app") == {}
    assert "memory left alone" in placement.reason
    assert not [*(tmp_path / "cgroup/memory").rglob("plumbline.*")]


def test_without_groups_affinity_remains_and_the_gain_of_root_is_said(tmp_path: Path, topology: Topology) -> None:
    proc = version_1(tmp_path, {"memory": "/"})
    placement = choose_placement(proc, topology, is_root=False)
    placement.prepare(SESSION, plan_sets(topology))
    assert placement.name == "taskset"
    assert "root (or a delegated control group) would add" in placement.reason
    assert placement.entry("app").files == ()
    assert placement.entry("load").cpus == (*range(2, 18), *range(66, 82))
    assert (placement.groups(), placement.accounting("app"), placement.sweep(frozenset())) == ((), {}, ())


def test_a_kernel_that_refuses_is_one_sentence(tmp_path: Path, topology: Topology) -> None:
    proc = version_1(tmp_path, {"cpuset": "/"})
    placement = choose_placement(proc, topology, is_root=True)
    in_the_way = tmp_path / "cgroup/cpuset" / group_name(SESSION, "app") / "cpuset.cpus"
    in_the_way.mkdir(parents=True)
    with pytest.raises(CannotGoOn, match=r"The kernel refuses '56-63,120-127'"):
        placement.prepare(SESSION, plan_sets(topology))


def test_groups_of_dead_sessions_are_swept_and_others_kept(tmp_path: Path, topology: Topology) -> None:
    proc = version_1(tmp_path, {"cpuset": "/", "memory": "/"})
    parent = tmp_path / "cgroup/cpuset"
    for name in (group_name("dead", "app"), group_name("alive", "app"), "system.slice", "plumbline.odd"):
        (parent / name).mkdir()
    gone = choose_placement(proc, topology, is_root=True).sweep(frozenset({"alive"}))
    assert gone == (parent / group_name("dead", "app"),)
    assert {folder.name for folder in parent.iterdir() if folder.is_dir()} == {
        group_name("alive", "app"),
        "system.slice",
        "plumbline.odd",
    }


def test_a_session_can_be_read_from_a_groups_name() -> None:
    assert session_of(group_name(SESSION, "db")) == SESSION
    assert session_of("plumbline.service") is None
    assert session_of("user.slice") is None


def test_a_container_sees_its_own_group_as_the_mount(tmp_path: Path) -> None:
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "self/mountinfo").write_text(
        "40 30 0:40 /docker/abc /sys/fs/cgroup/cpu\\040set ro,nosuid master:1 - cgroup cgroup rw,cpuset\n"
        "41 30 0:41 /../.. /sys/fs/cgroup/unified ro - cgroup2 cgroup2 rw\n"
    )
    (proc / "self/cgroup").write_text("3:cpuset:/docker/abc\n0::/\n")
    first, second = read_hierarchies(proc)
    assert first.own == first.mount == Path("/sys/fs/cgroup/cpu set")
    assert second.parents() == (Path("/sys/fs/cgroup/unified"),)


def test_a_provider_is_taken_by_name_where_it_works(tmp_path: Path, topology: Topology) -> None:
    proc = version_1(tmp_path, {"cpuset": "/", "memory": "/"})
    for name in ("cgroup1", "taskset"):
        assert choose_placement(proc, topology, is_root=True, wanted=name).name == name
    with pytest.raises(
        UsageError, match=r"asks for the placement cgroup2 .*not possible: version 2 is not mounted\. Say"
    ):
        choose_placement(proc, topology, is_root=True, wanted="cgroup2")
