"""The nodes of a session and the CPUs of its roles: what other pods request is not given away, and all of it fits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plumbline.measuring.cluster.nodes import RoleNode, SessionNodes, choose, nodes_of_machines, read_role_nodes
from plumbline.model.host import CpuSets
from tests.cluster.stand_in import StandIn
from tests.cluster.test_preflight import Cluster, node

SHARED = CpuSets(app=(0,), db=(1,), load=(1,), housekeeping=(1,))


def role_nodes(*labelled: tuple[str, str, int]) -> list[RoleNode]:
    return [RoleNode(name, tuple(role.split("-")), cpus) for name, role, cpus in labelled]  # type: ignore[arg-type]


def chosen(*labelled: tuple[str, str, int], generators: int = 1) -> SessionNodes:
    found = choose(role_nodes(*labelled), generators, {})
    assert found is not None
    return found


def counts(found: SessionNodes) -> tuple[int, int, int]:
    return len(found.sets.app), len(found.sets.db), len(found.sets.load)


@pytest.mark.parametrize(
    ("labelled", "generators", "expected"),
    [
        ((("a", "app", 8), ("b", "db", 4), ("c", "load", 16)), 3, (8, 4, 3)),
        ((("a", "app-db-load", 12),), 2, (4, 4, 2)),
        # Generators beside them leave them less than an equal part.
        ((("a", "app-db-load", 6),), 3, (2, 1, 3)),
        ((("a", "app-db-load", 6),), 4, (1, 1, 4)),
        ((("a", "app-load", 8), ("b", "db", 4)), 6, (2, 4, 6)),
        ((("a", "app", 4), ("b", "db-load", 8)), 7, (4, 1, 7)),
        ((("a", "app", 4), ("b", "db-load", 8), ("c", "load", 3)), 7, (4, 4, 7)),
    ],
)
def test_roles_get_equal_parts_of_their_nodes_and_all_generators_fit(
    labelled: Any, generators: int, expected: tuple[int, int, int]
) -> None:
    sets = chosen(*labelled, generators=generators).sets
    assert (len(sets.app), len(sets.db), len(sets.load)) == expected
    assert len({*sets.app, *sets.db, *sets.load, *sets.housekeeping}) == sum(expected) + 1


@pytest.mark.parametrize(
    ("labelled", "generators"),
    [
        ((("a", "app-db-load", 3),), 2),
        # The third generator has no CPU, whatever nodes without a load have.
        ((("a", "app", 64), ("b", "db", 64), ("c", "load", 2)), 3),
        ((("a", "app", 64), ("b", "db", 0), ("c", "load", 2)), 1),
    ],
)
def test_where_not_all_fit_database_and_generators_share_a_cpu(labelled: Any, generators: int) -> None:
    found = chosen(*labelled, generators=generators)
    assert found.is_shared and found.sets == SHARED and found.app == "a"


def test_of_several_nodes_those_with_the_most_cpus_are_taken_and_apart_if_they_can_be() -> None:
    found = chosen(("a", "app", 4), ("b", "app", 8), ("c", "db", 2), ("d", "db", 4), ("e", "load", 4))
    assert (found.nodes, counts(found)) == ({"app": "b", "db": "d"}, (8, 4, 1))
    found = chosen(("a", "app-db", 8), ("b", "app-db", 8), ("c", "load", 1))
    assert (found.nodes, counts(found)) == ({"app": "a", "db": "b"}, (4, 4, 1))
    small = choose(role_nodes(("a", "app", 2), ("b", "app", 4), ("c", "db", 9), ("d", "load", 0)), 1, {})
    assert small is not None and (small.nodes, small.sets) == ({"app": "b", "db": "c"}, SHARED)


def test_a_session_stays_on_the_nodes_on_which_it_began() -> None:
    now = role_nodes(("a", "app", 4), ("b", "app", 8), ("c", "db", 4), ("d", "load", 4))
    found = choose(now, 1, {"app": "a", "db": "c"})
    assert found is not None and found.nodes == {"app": "a", "db": "c"} and len(found.sets.app) == 4
    assert choose(now, 1, {"app": "gone", "db": "c"}) is None
    assert choose(role_nodes(("a", "app", 4)), 1, {}) is None


def pod(on: str, *cpus: str, **spec: Any) -> dict[str, Any]:
    containers = [{"resources": {"requests": {"cpu": amount}}} for amount in cpus]
    return {"spec": {"nodeName": on, "containers": [*containers, {}], **spec}}


def container(cpu: str, **more: Any) -> dict[str, Any]:
    return {"resources": {"requests": {"cpu": cpu}}, **more}


@pytest.mark.parametrize(
    ("others", "left"),
    [
        ([], 14),
        ([pod("one", "250m")], 13),
        ([pod("one", "250m", "1"), pod("one", "0.75"), pod("two", "9")], 12),
        ([pod("one", "1", overhead={"cpu": "1500m"})], 11),
        # Of containers that run before the others only the largest one counts, and those that stay are added.
        ([pod("one", "1", initContainers=[container("4"), container("3")])], 10),
        ([pod("one", "1", initContainers=[container("2", restartPolicy="Always")])], 11),
        # A pod may request more than its containers do.
        ([pod("one", "1", **container("4"))], 10),
        ([pod("one", overhead={"cpu": "1"}, **container("2500m"))], 10),
        ([pod("one", "1", resources={"requests": {"memory": "1Gi"}})], 13),
        ([pod("one", "20")], 0),
    ],
)
def test_what_pods_of_others_request_is_not_left(tmp_path: Path, others: list[Any], left: int) -> None:
    cluster = Cluster()
    cluster.pods = others
    nodes = [node("one", "app", "14"), node("two", "db", "14000m"), node("three", None, "9")]
    nodes.append(node("four", "load", ready="False"))
    with StandIn(tmp_path, cluster) as stand_in:
        found = read_role_nodes(stand_in.api(), nodes)
    assert [(role_node.name, role_node.roles) for role_node in found] == [("one", ("app",)), ("two", ("db",))]
    assert found[0].cpus == left
    # The API leaves out what has ended, and the session's own pods.
    assert cluster.asked_for_pods == [
        {
            "labelSelector": "app.kubernetes.io/part-of!=plumbline",
            "fieldSelector": "status.phase!=Succeeded,status.phase!=Failed",
        }
    ]


def test_nodes_of_one_machine_are_known_by_the_boot_of_its_kernel() -> None:
    nodes = [node("a", "app", boot="1"), node("b", "db", boot="1"), node("c", "load", boot="2"), node("d", "load")]
    assert nodes_of_machines(nodes) == {"1": ["a", "b"], "2": ["c"], "d": ["d"]}
