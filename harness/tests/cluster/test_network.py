"""The network between roles: the program that measures it, the pods that run it, and what becomes of their answers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from plumbline.machine.host.kernel import free_port
from plumbline.machine.tools.jdk import find_jdk
from plumbline.measuring.cluster import network
from plumbline.measuring.cluster.images import images_of
from plumbline.measuring.cluster.trial import ClusterTrials
from plumbline.model.host import NetworkPath
from tests.checkout import CATALOG
from tests.cluster.planned import FILES, PINS
from tests.cluster.stand_in import Answer, StandIn
from tests.cluster.test_preflight import node
from tests.cluster.test_trial import NAMESPACE, Cluster, Heard, plan_of, quick_looks, trials_of
from tests.kubernetes.schemas import VERSIONS

__all__ = ["quick_looks"]

PROGRAM = Path(network.__file__).with_name("Network.java")
SAID = {"round_trip_ms": 0.21, "round_trip_p99_ms": 0.4, "mbit_per_s": 9410.0, "sent": 5000, "lost": 0}


class Measuring(Cluster):
    """A cluster of these nodes. Each measurement prints `said`, and ends with the status `code`."""

    def __init__(self, *nodes: Any) -> None:
        super().__init__()
        self.listed_nodes = list(nodes)
        self.said = json.dumps(SAID)
        self.code = 0
        self.applied_pods: list[Any] = []

    def _answer(self, method: str, path: str, body: Any) -> Answer:
        if path == "/api/v1/nodes":
            return 200, {"items": self.listed_nodes}
        if "/pods/network-" in path:
            self._look()
        if "/pods/network-" in path and path.endswith("/log"):
            return 200, f"Picked up nothing\n{self.said}\n"
        answer = super()._answer(method, path, body)
        if method == "PATCH" and body["kind"] == "Pod":
            self.applied_pods.append(body)
            if body["metadata"]["name"] != network.SERVER:
                self.end(body["metadata"]["name"], self.code)
        return answer


def trials_in(stand_in: StandIn, tmp_path: Path, heard: Heard, **nodes: str) -> ClusterTrials:
    trials = trials_of(stand_in, tmp_path, heard, plan_of())
    return replace(trials, generators=None, nodes=nodes)  # type: ignore[arg-type]


def test_every_node_of_the_other_roles_is_measured_from(tmp_path: Path) -> None:
    cluster = Measuring(node("a", "app"), node("b", "load"), node("c", "load"), node("d", "db-load"))
    heard = Heard()
    with StandIn(tmp_path, cluster) as stand_in, trials_in(stand_in, tmp_path, heard) as trials:
        reading = trials.read_before()
        left = [place for place in cluster.objects if "/pods/" in place]
    ways = [("load", "b"), ("load", "c"), ("load", "d"), ("db", "d")]
    assert [(path.role, path.node, path.app_node) for path in reading.network] == [(*way, "one") for way in ways]
    assert {path.round_trip_ms for path in reading.network} == {0.21}
    (sentence,) = heard.said
    assert "load to app (b to one): round trip 0.210 ms" in sentence and "0 of 5000 datagrams lost" in sentence
    assert [condition.verdict for condition in reading.conditions] == ["fit"]
    assert left == []
    _server, *clients = cluster.applied_pods
    assert {pod["metadata"]["namespace"] for pod in cluster.applied_pods} == {NAMESPACE}
    for (_, name), client in zip(ways, clients, strict=True):
        rule = client["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        (term,) = rule["nodeSelectorTerms"]
        assert term["matchFields"] == [{"key": "metadata.name", "operator": "In", "values": [name]}]
        # Guaranteed CPUs are for trials.
        assert "cpu" not in client["spec"]["containers"][0]["resources"]["requests"]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_api_takes_what_measures(version: str) -> None:
    images = images_of(CATALOG.subject("control/jvm/pg"), PINS)
    manifests = network.server_objects(NAMESPACE, FILES, images)
    server = {"status": {"podIP": "10.0.0.7"}}
    manifests.append(network.client_object(NAMESPACE, "db", "a-node", server, images))
    for manifest in manifests:
        kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize(
    ("said", "code", "why"),
    [
        ("no number", 0, "network-load on a measured nothing"),
        (json.dumps({**SAID, "lost": -1}), 0, "network-load on a measured nothing"),
        ("[1]", 0, "network-load on a measured nothing"),
        (json.dumps(SAID), 1, "network-load on a measured nothing: exit status 1"),
    ],
)
def test_what_cannot_be_measured_stays_unknown(tmp_path: Path, said: str, code: int, why: str) -> None:
    cluster = Measuring(node("a", "app-db-load"))
    cluster.said, cluster.code = said, code
    heard = Heard()
    with StandIn(tmp_path, cluster) as stand_in, trials_in(stand_in, tmp_path, heard) as trials:
        reading = trials.read_before()
    assert reading.network == ()
    (condition,) = reading.conditions
    assert condition.verdict == "unknown"
    assert condition.reading.startswith("not measured: ") and why in condition.reading
    assert heard.said == [f"network: {condition.reading}"]


def test_a_measurement_that_is_refused_ends_no_session(tmp_path: Path) -> None:
    cluster = Measuring(node("a", "app-db-load"))
    cluster.refuses = ("/pods/network", "pods is forbidden: exceeded quota")
    heard = Heard()
    with StandIn(tmp_path, cluster) as stand_in, trials_in(stand_in, tmp_path, heard) as trials:
        assert trials.read_before().network == ()
    assert "exceeded quota" in heard.said[0]


def path_of(role: Any = "load", **other: Any) -> NetworkPath:
    return NetworkPath(role=role, node="b", app_node="a", **{**SAID, **other})


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        ([path_of()], "round trip below 1 ms, 1 Gbit/s or more, nothing lost"),
        (
            [path_of(round_trip_ms=0.23, mbit_per_s=8700.0)],
            "round trip below 1 ms, 1 Gbit/s or more, nothing lost",
        ),
        ([path_of(), path_of(round_trip_ms=1.0)], "round trip below 10 ms, 1 Gbit/s or more, nothing lost"),
        ([path_of(), path_of(mbit_per_s=940.0)], "round trip below 1 ms, 0.1 Gbit/s or more, nothing lost"),
        ([path_of(lost=4)], "round trip below 1 ms, 1 Gbit/s or more, below 0.1 % lost"),
        ([path_of(lost=5)], "round trip below 1 ms, 1 Gbit/s or more, 0.1 % or more lost"),
        (
            [path_of(round_trip_ms=100.0, mbit_per_s=99.0)],
            "round trip 100 ms or more, below 0.1 Gbit/s, nothing lost",
        ),
        ([], "unknown"),
    ],
)
def test_the_fingerprint_has_the_class_of_the_worst_way(paths: list[NetworkPath], words: str) -> None:
    of_db = [path_of("db")]
    assert network.components([*paths, *of_db]) == {
        "network of load": words,
        "network of db": "round trip below 1 ms, 1 Gbit/s or more, nothing lost",
    }


def java() -> Path:
    return find_jdk(os.environ).java


def measured_at(port: int) -> NetworkPath:
    ended = subprocess.run(
        [str(java()), *network.FLAGS, str(PROGRAM), "127.0.0.1", str(port)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    path = network.path_of(ended.stdout.strip().splitlines()[-1], "load", "b", "a")
    assert path is not None, ended.stdout
    return path


@pytest.mark.slow
def test_the_program_measures_itself() -> None:
    port = free_port()
    server = subprocess.Popen([str(java()), *network.FLAGS, str(PROGRAM), str(port)])
    try:
        for _ in range(600):
            with socket.socket() as asking:
                if asking.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        path = measured_at(port)
    finally:
        server.kill()
        server.wait()
    assert 0 < path.round_trip_ms <= path.round_trip_p99_ms
    assert path.mbit_per_s > 0
    assert path.lost < path.sent


TRIP_S, EACH_LOST, BLOCK, BLOCK_S = 0.005, 10, 64 * 1024, 0.005


def bound_to_one_port() -> tuple[socket.socket, socket.socket]:
    """A socket of streams and a socket of datagrams that are bound to the same number.

    The kernel hands out a number that is free for streams. The same number may be taken for datagrams.
    """
    for _ in range(100):
        streams = socket.socket()
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        streams.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BLOCK)
        streams.bind(("127.0.0.1", 0))
        try:
            datagrams.bind(streams.getsockname())
        except OSError:
            streams.close()
            datagrams.close()
            continue
        return streams, datagrams
    raise AssertionError("no number is free for streams and for datagrams")


@contextmanager
def bad_network() -> Iterator[int]:
    """A server behind a network that takes 5 ms, carries some 100 Mbit/s, and loses each tenth datagram."""
    listening, datagrams = bound_to_one_port()
    listening.listen()

    def reflect() -> None:
        for count in range(1, 1_000_000):
            try:
                content, whom = datagrams.recvfrom(2048)
            except OSError:
                return
            if count % EACH_LOST:
                datagrams.sendto(content, whom)

    def serve() -> None:
        while True:
            try:
                opened, _ = listening.accept()
            except OSError:
                return
            with opened:
                opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                kind = opened.recv(1)
                while content := opened.recv(1 if kind == b"e" else BLOCK):
                    time.sleep(TRIP_S if kind == b"e" else BLOCK_S * len(content) / BLOCK)
                    if kind == b"e":
                        opened.sendall(content)
                opened.sendall(kind)

    for work in (reflect, serve):
        threading.Thread(target=work, daemon=True).start()
    try:
        yield listening.getsockname()[1]
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        datagrams.close()


@pytest.mark.slow
def test_a_bad_network_is_measured_as_one() -> None:
    with bad_network() as port:
        path = measured_at(port)
    assert path.round_trip_ms >= TRIP_S * 1000
    assert path.mbit_per_s <= BLOCK * 8 / 1e6 / BLOCK_S
    assert path.lost >= path.sent // EACH_LOST


def test_nodes_that_take_no_pods_are_left_out() -> None:
    nodes = [node("a", "app"), node("b", "load", unschedulable=True), node("c", "db")]
    assert network.nodes_to_measure(nodes, {}) == [("db", "c")]


def test_only_the_nodes_of_the_session_are_measured_for_its_database_and_its_application(tmp_path: Path) -> None:
    cluster = Measuring(node("a", "app"), node("b", "load"), node("c", "db-load"), node("d", "db"))
    heard = Heard()
    with (
        StandIn(tmp_path, cluster) as stand_in,
        trials_in(stand_in, tmp_path, heard, app="a", db="c") as trials,
    ):
        reading = trials.read_before()
    assert [(path.role, path.node) for path in reading.network] == [("load", "b"), ("load", "c"), ("db", "c")]
    server = cluster.applied_pods[0]
    rule = server["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert rule["nodeSelectorTerms"][0]["matchFields"][0]["values"] == ["a"]
