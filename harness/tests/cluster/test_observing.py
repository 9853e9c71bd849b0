"""The program of an observer finds the containers that it is told, reads those alone, and answers who has the token."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import urllib3
from pydantic import ValidationError

from plumbline.measuring.cluster.observing import (
    TOKEN_HEADER,
    NodeEvidence,
    Observing,
    Watch,
    WatchedContainer,
    Watching,
    groups_of,
)
from plumbline.measuring.observe.targets import Roots
from plumbline.model.evidence import Window
from tests.machines import DESKTOP

POD, OTHER = "11111111-2222-4333-8444-555555555555", "99999999-2222-4333-8444-555555555555"
CONTAINER, PAUSE = "a" * 64, "b" * 64
ONE = WatchedContainer.model_validate({"pod": POD, "container": CONTAINER, "address": "10.0.0.7"})
# More than any file of a made-up node has.
FILE_BYTES = 512
WINDOW = Window(phase="closed", kind="closed", start_s=0.0, end_s=1.0)


def place(driver: str, pod: str, container: str, above: str = "") -> str:
    """The path of a container's group, as a kubelet and a runtime name it."""
    if driver == "systemd":
        name = container if container.startswith("crio-") else f"cri-containerd-{container}"
        slices = f"{above}kubepods.slice/kubepods-burstable.slice"
        return f"{slices}/kubepods-burstable-pod{pod.replace('-', '_')}.slice/{name}.scope"
    return f"{above}kubepods/pod{pod}/{container}"


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write each file as the kernel changes its own: a reader that holds the file open finds the old text or the new.

    All have one length, since a reader may meet the new length with the old text, and the other way round.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / name
        content = text.encode().ljust(FILE_BYTES, b"\n")
        if path.exists():
            with path.open("r+b", buffering=0) as file:
                file.write(content)
        else:
            unfinished = folder / f".{name}"
            unfinished.write_bytes(content)
            unfinished.rename(path)


def version_2(root: Path, driver: str, pod: str, container: str, files: Mapping[str, str]) -> None:
    write(root, {"cgroup.controllers": "cpu cpuset memory\n"})
    write(root / place(driver, pod, container), files)


def version_1(root: Path, driver: str, pod: str, container: str, files: Mapping[str, str]) -> None:
    for controllers in ("cpu,cpuacct", "cpuset", "memory"):
        written = {
            name: text for name, text in files.items() if name.split(".")[0] in ("cgroup", *controllers.split(","))
        }
        write(root / controllers / place(driver, pod, container, "nested/"), written)
    for name in ("cpu", "cpuacct"):
        if not (root / name).exists():
            (root / name).symlink_to("cpu,cpuacct")


MAKERS = {1: version_1, 2: version_2}


@pytest.mark.parametrize("version", MAKERS)
@pytest.mark.parametrize("driver", ["systemd", "cgroupfs"])
def test_a_container_is_found_by_its_pod_and_its_own_id(tmp_path: Path, driver: str, version: int) -> None:
    make = MAKERS[version]
    # Another container of the pod, and one of the same id that another pod claims.
    for pod, container in ((POD, PAUSE), (OTHER, CONTAINER), (POD, CONTAINER)):
        make(tmp_path, driver, pod, container, {"cgroup.procs": f"{pod[0]}{container[0]}"})
    groups = groups_of(tmp_path, ONE)
    assert set(groups) == ({""} if version == 2 else {"cpu", "cpuacct", "cpuset", "memory"})
    assert {(folder / "cgroup.procs").read_text().strip() for folder in groups.values()} == {"1a"}


@pytest.mark.parametrize("version", MAKERS)
@pytest.mark.parametrize("driver", ["systemd", "cgroupfs"])
def test_the_group_of_a_containers_monitor_is_not_taken_for_the_containers(
    tmp_path: Path, driver: str, version: int
) -> None:
    """CRI-O with `conmon_cgroup = "pod"`."""
    own = f"crio-{CONTAINER}"
    MAKERS[version](tmp_path, driver, POD, f"crio-conmon-{CONTAINER}", {"cgroup.procs": "monitor"})
    assert groups_of(tmp_path, ONE) == {}
    MAKERS[version](tmp_path, driver, POD, own, {"cgroup.procs": "container"})
    assert {(folder / "cgroup.procs").read_text().strip() for folder in groups_of(tmp_path, ONE).values()} == {
        "container"
    }


@pytest.mark.parametrize("version", MAKERS)
@pytest.mark.parametrize("driver", ["systemd", "cgroupfs"])
def test_folders_of_other_pods_are_not_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: str, version: int
) -> None:
    MAKERS[version](tmp_path, driver, OTHER, CONTAINER, {"cgroup.procs": "1"})
    visited: list[str] = []
    walk = os.walk

    def noted(*words: Any) -> Iterator[Any]:
        for step in walk(*words):
            visited.append(step[0])
            yield step

    monkeypatch.setattr(os, "walk", noted)
    assert groups_of(tmp_path, ONE) == {}
    assert visited and not [path for path in visited if OTHER[:8] in path]


@pytest.mark.parametrize(
    "changed",
    [
        {"pod": "../../etc"},
        {"pod": POD.upper().replace("1", "A")},
        {"pod": f"{POD}\n"},
        {"container": "a" * 63},
        {"container": f"{'a' * 62}/."},
        {"address": "metadata.internal"},
        {"path": "/etc"},
    ],
)
def test_what_is_no_id_is_refused(changed: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        WatchedContainer.model_validate({"pod": POD, "container": CONTAINER, "address": "10.0.0.7", **changed})


def throttled(us: int) -> str:
    return f"nr_throttled {us // 1000}\nthrottled_usec {us}\n"


class Node:
    """A made-up node: processes by their ids, each with CPU time, memory and CPUs."""

    def __init__(self, root: Path) -> None:
        self.proc, self.groups = root / "proc", root / "groups"
        self.proc.mkdir()
        (self.proc / "self").symlink_to("1")
        # Eight cores, whose siblings are n and n + 8.
        self.sys, described = DESKTOP.write(root / "machine")
        shutil.copy(described / "cpuinfo", self.proc)
        # /proc/net shows the network of the process that reads it.
        write(self.proc / "net", {"dev": "Inter-|\n face |\n    lo: 10 1 0 0\n"})
        self.process(1, parent=0, inside="1")

    def process(self, pid: int, *, parent: int, inside: str, ticks: int = 0, rss_kb: int = 4) -> None:
        fields = ["S", str(parent), *["0"] * 9, str(ticks), *["0"] * 5, "1", *["0"] * 18, "1", *["0"] * 4]
        status = (
            f"Name:\tjava\nNSpid:\t{pid}\t{inside}\nVmRSS:\t{rss_kb} kB\nRssAnon:\t{rss_kb} kB\n"
            "RssFile:\t0 kB\nRssShmem:\t0 kB\nCpus_allowed_list:\t2-3\n"
        )
        files = {"stat": f"{pid} (java) {' '.join(fields)}", "status": status, "comm": "java\n"}
        write(self.proc / str(pid), files)
        write(self.proc / str(pid) / "task" / str(pid), files)

    def container(
        self,
        pids: str,
        cpu_us: int,
        container: str = CONTAINER,
        pod: str = POD,
        cpus: str = "2-3",
        throttled_us: int = 0,
    ) -> None:
        stat = f"usage_usec {cpu_us}\nuser_usec {cpu_us}\nsystem_usec 0\n"
        files = {
            "cgroup.procs": pids,
            "cpu.stat": f"{stat}{throttled(throttled_us)}",
            "cpuset.cpus.effective": f"{cpus}\n",
        }
        version_2(self.groups, "systemd", pod, container, files)
        above = (self.groups / place("systemd", pod, container)).parent
        if not (above / "cpu.stat").exists():
            write(above, {"cpu.stat": throttled(0)})

    def stop_pod(self, throttled_us: int) -> None:
        """The quota of the pod has stopped all of its containers for so long."""
        write((self.groups / place("systemd", POD, CONTAINER)).parent, {"cpu.stat": throttled(throttled_us)})

    def end(self, watched: WatchedContainer) -> None:
        """Remove the group of a container, as the runtime does when the container ends."""
        shutil.rmtree(self.groups / place("systemd", watched.pod, watched.container))

    def watch(self, **containers: Any) -> Watching:
        wanted = Watch.model_validate({"zero_s": time.time(), "containers": containers})
        return Watching(wanted, Roots(self.proc, self.sys), self.groups)


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setattr("plumbline.measuring.observe.observer.PERIOD_S", 0.02)
    return Node(tmp_path)


def rows(watching: Watching, count: int) -> int:
    """Wait until the series has `count` more rows, and return how many it has then."""
    wanted = len(watching._observer.so_far().t_s) + count
    while (have := len(watching._observer.so_far().t_s)) < wanted:
        assert watching._observer._thread.is_alive(), watching._observer._problem
        time.sleep(0.005)
    return have


def observed(container: WatchedContainer = ONE) -> list[dict[str, str]]:
    return [container.model_dump(mode="json")]


def test_cpu_time_is_that_of_the_group_and_memory_that_of_its_processes(node: Node) -> None:
    node.process(70, parent=1, inside="1", rss_kb=100)
    # A child, which is not the first process of the container; and a process of no container.
    node.process(71, parent=70, inside="2", rss_kb=20)
    node.process(72, parent=1, inside="1", rss_kb=999)
    node.container("71\n70\n", 5_000)
    watching = node.watch(app=observed())
    rows(watching, 2)
    node.container("71\n70\n", 9_000)
    rows(watching, 2)
    (allowed,) = {row.allowed for row in watching.affinity() if row.pid == 70}
    evidence = watching.end((WINDOW,))
    columns = evidence.series.columns
    assert columns["cpu.app.user_us"][0] == 0 and columns["cpu.app.user_us"][-1] == 4_000
    assert set(columns["app.rss_bytes"]) == {120 * 1024}
    assert evidence.rss_after_bytes == 100 * 1024 and allowed == (2, 3)
    assert evidence.cpus == {"app": (2, 3)}
    # Nothing of roles that are not here, and nothing of this program's own network.
    assert not [name for name in columns if name.startswith(("db.rss", "tcp.", "net."))]


FIRST, SECOND, NEXT = (ONE.model_copy(update={"container": digit * 64}) for digit in "cde")


def test_generators_of_several_phases_add_up(node: Node) -> None:
    """Two in the first phase, and another one in the next: what the kernel counted of each stays in the sum."""
    for pid, container in ((70, FIRST), (71, SECOND)):
        node.process(pid, parent=1, inside="1")
        node.container(f"{pid}\n", 0, container.container)
    watching = node.watch(load=[*observed(FIRST), *observed(SECOND)])
    ends = [rows(watching, 2)]
    node.container("70\n", 50_000, FIRST.container, throttled_us=3_000)
    node.container("71\n", 20_000, SECOND.container, throttled_us=4_000)
    ends += [rows(watching, 2)]
    # The pod of both has a quota as well.
    node.stop_pod(5_000)
    ends += [rows(watching, 2)]
    node.end(FIRST)
    node.end(SECOND)
    ends += [rows(watching, 2)]
    node.process(80, parent=1, inside="1")
    following = NEXT.model_copy(update={"pod": OTHER})
    node.container("80\n", 30_000, following.container, OTHER, throttled_us=2_000)
    watching.aim({"load": (following,)})
    ends += [rows(watching, 3)]
    columns = watching.end(()).series.columns
    for name, steps in {
        "cpu.load.user_us": (0, 70_000, 70_000, 70_000, 100_000),
        "load.throttled_us": (0, 7_000, 12_000, 12_000, 14_000),
        "load.throttled_periods": (0, 7, 12, 12, 14),
    }.items():
        # A row between two changes of a step may have the first alone.
        assert tuple(columns[name][end - 1] for end in ends) == steps, name
        known = [value for value in columns[name] if value is not None]
        assert list(columns[name]) == sorted(known), name


def test_cpus_of_each_role_are_told_by_phase_with_their_cores(node: Node) -> None:
    """A generator that ends before the others has had its CPUs all the same; the next phase has other generators."""
    for pid, container, cpus in ((69, ONE, "2-3"), (70, FIRST, "4"), (71, SECOND, "13")):
        node.process(pid, parent=1, inside="1")
        node.container(f"{pid}\n", 0, container.container, cpus=cpus)
    watching = node.watch(app=observed(), load=[*observed(FIRST), *observed(SECOND)])
    rows(watching, 2)
    node.end(FIRST)
    rows(watching, 2)
    first = within(watching, "warm-up", 0.0)
    node.end(SECOND)
    node.process(80, parent=1, inside="1")
    node.container("80\n", 0, NEXT.container, cpus="6")
    watching.aim({"load": (NEXT,)})
    rows(watching, 2)
    start_s = seconds_since_zero(watching)
    rows(watching, 2)
    evidence = watching.end((first, within(watching, "closed", start_s)))
    assert [
        (cpuset.phase, cpuset.role, [(cpu.number, cpu.core) for cpu in cpuset.cpus]) for cpuset in evidence.cpusets
    ] == [
        ("warm-up", "app", [(2, 2), (3, 3)]),
        ("warm-up", "load", [(4, 4), (13, 5)]),
        ("closed", "app", [(2, 2), (3, 3)]),
        ("closed", "load", [(6, 6)]),
    ]
    # The CPUs of the generators changed between the phases, so that no set is told for their columns.
    assert evidence.cpus == {"app": (2, 3)}


def test_threads_of_the_next_generators_are_held_against_their_own_cpus_at_once(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every thread of this node may run on the CPUs 2 and 3. No row follows the first one."""
    monkeypatch.setattr("plumbline.measuring.observe.observer.PERIOD_S", 1e6)
    node.process(70, parent=1, inside="1")
    node.container("70\n", 0, FIRST.container, cpus="4")
    watching = node.watch(load=observed(FIRST))
    assert [row.outside for row in watching.affinity() if row.role == "load"] == [1]
    node.end(FIRST)
    node.process(80, parent=1, inside="1")
    node.container("80\n", 0, NEXT.container, cpus="2-3")
    watching.aim({"load": (NEXT,)})
    start_s = seconds_since_zero(watching)
    assert [row.outside for row in watching.affinity() if row.role == "load"] == [0]
    (cpuset,) = watching.end((within(watching, "closed", start_s),)).cpusets
    assert [cpu.number for cpu in cpuset.cpus] == [2, 3]


def seconds_since_zero(watching: Watching) -> float:
    return time.time() - watching._zero_s


def within(watching: Watching, phase: str, start_s: float) -> Window:
    """The window of a phase from `start_s` until now."""
    return Window(phase=phase, kind="closed", start_s=start_s, end_s=seconds_since_zero(watching))


def test_a_role_whose_container_is_not_found_is_missed(node: Node) -> None:
    """A runtime that names groups otherwise, or that puts a machine of its own around its processes."""
    node.process(70, parent=1, inside="1")
    node.container("70\n", 0)
    other = ONE.model_copy(update={"container": "c" * 64})
    # This container has a group, and no process in it is the first of a name space.
    node.process(71, parent=1, inside="5")
    node.container("71\n", 0, container="d" * 64)
    without_first = ONE.model_copy(update={"container": "d" * 64})
    watching = node.watch(app=observed(), db=observed(without_first), load=[*observed(), *observed(other)])
    rows(watching, 2)
    assert watching.end(()).missed == {"db", "load"}


def test_cpus_that_change_under_a_role_are_not_told(node: Node) -> None:
    node.process(70, parent=1, inside="1")
    node.container("70\n", 0)
    watching = node.watch(app=observed())
    rows(watching, 2)
    node.container("70\n", 0, cpus="2")
    rows(watching, 3)
    evidence = watching.end((within(watching, "closed", 0.0),))
    assert evidence.cpus == {}
    assert [[cpu.number for cpu in cpuset.cpus] for cpuset in evidence.cpusets] == [[2, 3], [2]]


@pytest.mark.parametrize("cpus", ["2-3", "20"], ids=["no kernel that describes them", "one that is not online"])
def test_nothing_is_said_of_cpus_that_nobody_describes(node: Node, cpus: str) -> None:
    if cpus == "2-3":
        (node.sys / "devices/system/cpu/online").unlink()
    node.process(70, parent=1, inside="1")
    node.container("70\n", 0, cpus=cpus)
    watching = node.watch(app=observed())
    rows(watching, 2)
    assert watching.end((within(watching, "closed", 0.0),)).cpusets == ()


@pytest.fixture
def server(node: Node) -> Iterator[Observing]:
    with Observing(0, "the-token", Roots(node.proc, node.sys), node.groups) as opened:
        thread = threading.Thread(target=opened.serve_forever, args=(0.02,))
        thread.start()
        yield opened
        opened.shutdown()
        thread.join()


def ask(server: Observing, path: str, content: Any = None, token: str | None = "the-token") -> tuple[int, bytes]:
    address = f"http://127.0.0.1:{server.server_address[1]}{path}"
    headers = {} if token is None else {TOKEN_HEADER: token}
    body = None if content is None else json.dumps(content)
    answer = urllib3.request("POST", address, body=body, headers=headers, retries=False, timeout=10)
    return answer.status, answer.data


@pytest.mark.parametrize("token", [None, "", "another"])
@pytest.mark.parametrize("question", ["/begin", "/aim", "/affinity", "/end"])
def test_nobody_without_the_token_is_told_anything(server: Observing, question: str, token: str | None) -> None:
    assert ask(server, question, [], token) == (403, b"")


def test_a_trial_is_begun_aimed_and_ended(server: Observing, node: Node) -> None:
    node.process(70, parent=1, inside="1")
    node.container("70\n", 0)
    assert ask(server, "/end", [])[0] == 409
    assert ask(server, "/begin", {"zero_s": time.time(), "containers": {"app": observed()}})[0] == 200
    assert ask(server, "/aim", {"load": []})[0] == 200
    status, answer = ask(server, "/affinity", "")
    assert status == 200 and [row["pid"] for row in json.loads(answer)] == [70]
    status, answer = ask(server, "/end", [WINDOW.model_dump(mode="json")])
    assert status == 200 and "app.rss_bytes" in NodeEvidence.model_validate_json(answer).series.columns
    # An answer that was lost on its way is asked for again.
    assert ask(server, "/end", [WINDOW.model_dump(mode="json")]) == (status, answer)


@pytest.mark.parametrize(
    ("question", "content"),
    [("/begin", {"zero_s": 0, "containers": {"app": [{"pod": "x"}]}}), ("/begin", [1]), ("/files", {})],
)
def test_what_is_not_understood_is_refused(server: Observing, question: str, content: Any) -> None:
    assert ask(server, "/begin", {"zero_s": 0, "containers": {}})[0] == 200
    assert ask(server, question, content)[0] == 400
    ask(server, "/end", [])


def test_any_answer_has_a_date(server: Observing) -> None:
    answer = urllib3.request("GET", f"http://127.0.0.1:{server.server_address[1]}/", retries=False, timeout=10)
    assert answer.status == 200 and answer.headers["Date"].endswith("GMT")
