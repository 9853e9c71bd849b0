"""The objects of observers have the least rights, and what several nodes saw is one series by one clock."""

from __future__ import annotations

import kubernetes_validate
import pytest

from plumbline.measuring.cluster.images import images_of
from plumbline.measuring.cluster.names import ROLE_LABEL, SESSION_LABEL
from plumbline.measuring.cluster.objects import namespace_of
from plumbline.measuring.cluster.observers import cpusets_of, merged, observer_objects, observers_of
from plumbline.measuring.cluster.observing import NodeEvidence
from plumbline.measuring.cluster.pod import ClusterRole
from plumbline.model.evidence import Cpuset, Series
from plumbline.model.host import Cpu, CpuSets
from plumbline.model.java import USER
from tests.checkout import CATALOG
from tests.cluster.planned import PINS, SESSION, one, planned
from tests.kubernetes.schemas import VERSIONS

FRUITS = planned("compare", "vertx-pg/*")
NAMESPACE = namespace_of(FRUITS)
IMAGE = images_of(CATALOG.subject(FRUITS.control), PINS, "registry.example/plumbline").observer
MADE = observer_objects(NAMESPACE, SESSION, IMAGE, "a-token")
POD = one(MADE, "DaemonSet")["spec"]["template"]["spec"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["Namespace", "NetworkPolicy", "Secret", "DaemonSet"])
def test_the_api_takes_it(kind: str, version: str) -> None:
    kubernetes_validate.validate(one(MADE, kind), version, strict=True)


def test_observers_lie_beside_the_session_in_a_namespace_of_their_own() -> None:
    frame = one(MADE, "Namespace")["metadata"]
    assert frame["name"] == observers_of(NAMESPACE) != NAMESPACE
    assert len(frame["name"]) <= 63 and frame["labels"][SESSION_LABEL] == SESSION
    assert {manifest["metadata"]["namespace"] for manifest in MADE if manifest["kind"] != "Namespace"} == {
        frame["name"]
    }


def test_an_observer_sees_processes_and_control_groups_and_may_do_nothing_else() -> None:
    (container,) = POD["containers"]
    assert POD["hostPID"] is True and "hostNetwork" not in POD and "hostIPC" not in POD
    assert POD["automountServiceAccountToken"] is False
    assert POD["securityContext"]["runAsNonRoot"] is True and POD["securityContext"]["runAsUser"] == USER
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    (volume,), (mount,) = POD["volumes"], container["volumeMounts"]
    assert volume["hostPath"] == {"path": "/sys/fs/cgroup", "type": "Directory"}
    assert mount["name"] == volume["name"] and mount["readOnly"] is True
    # The token is in the secret alone.
    assert "a-token" not in str(POD) and one(MADE, "Secret")["stringData"] == {"token": "a-token"}


def test_an_observer_takes_no_cpu_from_those_that_a_trial_asks_for() -> None:
    resources = POD["containers"][0]["resources"]
    assert set(resources["requests"]) == set(resources["limits"]) == {"memory"}


def test_an_observer_runs_on_every_node_that_has_a_role() -> None:
    (term,) = POD["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term == {"matchExpressions": [{"key": ROLE_LABEL, "operator": "Exists"}]}
    assert POD["tolerations"] == [{"key": ROLE_LABEL, "operator": "Exists"}]


def test_an_observer_is_reached_at_its_port_and_reaches_generators_alone() -> None:
    (port,) = POD["containers"][0]["ports"]
    spec = one(MADE, "NetworkPolicy")["spec"]
    assert spec["podSelector"] == {} and spec["policyTypes"] == ["Ingress", "Egress"]
    assert spec["ingress"] == [{"ports": [{"port": port["containerPort"], "protocol": "TCP"}]}]
    (egress,) = spec["egress"]
    assert egress["ports"] == [{"port": 6565, "protocol": "TCP"}]
    (to,) = egress["to"]
    assert to["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": NAMESPACE}


OWN = CpuSets(app=(0, 1), db=(2,), load=(3, 4), housekeeping=(5,))
SHARED = CpuSets(app=(0,), db=(1,), load=(1,), housekeeping=(1,))


def node_evidence(
    t_s: tuple[float, ...], cpus: dict[str, tuple[int, ...]], **columns: tuple[float | None, ...]
) -> NodeEvidence:
    dotted = {name.replace("__", "."): values for name, values in columns.items()}
    return NodeEvidence.model_validate(
        {
            "series": Series(t_s=t_s, columns=dotted),
            "threads": (),
            "cpus": cpus,
            "rss_after_bytes": None,
            "pss_after_bytes": None,
        }
    )


def test_columns_of_a_role_come_from_the_nodes_of_its_pods_at_the_times_of_the_application() -> None:
    a = node_evidence(
        (1.0, 2.0, 3.0),
        {"app": (7, 8)},
        cpu__app__user_us=(0, 10, 20),
        app__rss_bytes=(5, 6, 7),
        set__app__busy_us=(0, 1, 2),
        cpu__load__user_us=(0, 0, 0),
        cpu__db__user_us=(0, 0, 0),
        cpu__harness__user_us=(0, 0, 0),
        vm__oom_kills=(0, 0, 0),
        jvm__gc_us=(1, 2, 3),
    )
    b = node_evidence(
        (0.5, 1.5, 2.5),
        {"load": (1,), "db": (2,)},
        cpu__load__user_us=(0, 100, 200),
        cpu__db__user_us=(0, 1000, 2000),
        load__requests=(0, 4, 8),
        jvm__gc_us=(0, 0, 0),
    )
    c = node_evidence((1.0, 2.0, 3.0), {"load": (1,)}, cpu__load__user_us=(0, 7, 14), load__requests=(0, 2, 4))
    series = merged({"a": a, "b": b, "c": c}, {"app": {"a"}, "load": {"b", "c"}, "db": {"b"}}, OWN)
    assert series.t_s == (1.0, 2.0, 3.0)
    assert series.columns == {
        "app.rss_bytes": (5, 6, 7),
        "cpu.app.user_us": (0, 10, 20),
        "cpu.db.user_us": (500, 1500, None),
        "cpu.load.user_us": (50, 157, None),
        "jvm.gc_us": (1, 2, 3),
        "load.requests": (2, 8, None),
        "set.app.busy_us": (0, 1, 2),
    }


def test_a_role_one_of_whose_nodes_is_missing_has_no_columns() -> None:
    a = node_evidence((1.0,), {"app": (0, 1)}, cpu__app__user_us=(0,), cpu__load__user_us=(3,), psi__io__some_us=(1,))
    series = merged({"a": a}, {"app": {"a"}, "load": {"a", "b"}}, OWN)
    assert set(series.columns) == {"cpu.app.user_us"}


def test_a_role_one_of_whose_containers_was_not_found_has_no_columns() -> None:
    """A container that was not found has columns, and all their values are 0."""
    a = node_evidence((1.0,), {"app": (0, 1)}, cpu__app__user_us=(0,), cpu__load__user_us=(0,), load__requests=(0,))
    with_missed = a.model_copy(update={"missed": frozenset({"load"})})
    assert set(merged({"a": with_missed}, {"app": {"a"}, "load": {"a"}}, OWN).columns) == {"cpu.app.user_us"}


def test_cpus_of_a_role_are_told_by_node_where_all_of_its_containers_were_found() -> None:
    cpu = Cpu(number=1, core=1, package=0, node=0, cache=0)
    app, load = (Cpuset(phase="closed", role=role, cpus=(cpu,)) for role in ("app", "load"))
    a = node_evidence((1.0,), {}).model_copy(update={"cpusets": (app, load)})
    b = node_evidence((1.0,), {}).model_copy(update={"cpusets": (load,)})
    missed = b.model_copy(update={"missed": frozenset({"load"})})
    nodes: dict[ClusterRole, set[str]] = {"app": {"a"}, "load": {"a", "b"}}
    assert cpusets_of({"a": a, "b": b}, nodes) == {"a": (app, load), "b": (load,)}
    assert cpusets_of({"a": a}, nodes) == cpusets_of({"a": a, "b": missed}, nodes) == {"a": (app,)}
    # Nodes that are containers of one machine have the same CPUs.
    assert cpusets_of({"a": a, "b": b}, nodes, {"a": "a, b", "b": "a, b"}) == {"a, b": (app, load, load)}


def test_columns_of_a_node_are_told_where_all_roles_are_on_it() -> None:
    a = node_evidence((1.0,), {"app": (0, 1)}, vm__oom_kills=(0,), psi__io__some_us=(1,), tcp__timeouts=(1,))
    assert set(merged({"a": a}, {"app": {"a"}, "db": {"a"}}, OWN).columns) == {
        "vm.oom_kills",
        "psi.io.some_us",
    }


@pytest.mark.parametrize(
    ("sets", "cpus", "left"),
    [
        (OWN, {"app": (6, 7), "db": (4,)}, {"cpu.app.outside_us", "set.app.busy_us", "cpu.db.user_us"}),
        # No static policy: the application may run on all CPUs of the node, and its quota holds it.
        (OWN, {"app": (4, 5, 6, 7), "db": (4,)}, {"cpu.db.user_us"}),
        # Nothing is known of its CPUs, but the quota is there.
        (OWN, {"app": (6, 7)}, {"cpu.app.outside_us", "set.app.busy_us", "cpu.db.user_us"}),
        # Two CPUs are shared where the plan counts one, and no quota is there.
        (SHARED, {"app": (6,), "db": (4, 5)}, {"cpu.app.outside_us", "set.app.busy_us"}),
        (SHARED, {"app": (6,), "db": (4,)}, {"cpu.app.outside_us", "set.app.busy_us", "cpu.db.user_us"}),
    ],
)
def test_what_was_measured_on_other_cpus_than_the_plan_counts_is_left_out(
    sets: CpuSets, cpus: dict[str, tuple[int, ...]], left: set[str]
) -> None:
    columns = {
        "cpu__app__user_us": (0,),
        "cpu__app__outside_us": (0,),
        "set__app__busy_us": (0,),
        "cpu__db__user_us": (0,),
    }
    series = merged({"a": node_evidence((1.0,), cpus, **columns)}, {"app": {"a"}, "db": {"a"}}, sets)
    assert set(series.columns) == {"cpu.app.user_us", *left}
