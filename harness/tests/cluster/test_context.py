"""A session finds its cluster and its nodes again, and its record names them and what ran there."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from plumbline.archive.record.names import is_host
from plumbline.machine.host.paths import Paths
from plumbline.measuring.cluster.context import ClusterContext
from plumbline.measuring.cluster.pod import ClusterRole
from plumbline.measuring.run.context import Context, Tools
from plumbline.measuring.run.finish import provenance
from plumbline.measuring.run.journal import ClusterOptions, Journaled, Origin, SessionOptions
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Evidence
from tests.checkout import CATALOG, ROOT
from tests.cluster.planned import PINS, planned
from tests.cluster.stand_in import Answer, StandIn
from tests.cluster.test_preflight import Cluster, node
from tests.record.sessions import evidence_of


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def found(stand_in: StandIn, options: ClusterOptions, said: list[str] | None = None) -> ClusterContext:
    environ = {**os.environ, "KUBECONFIG": str(stand_in.kubeconfig)}
    paths = Paths.of(environ, ROOT, os.geteuid())
    context = Context(ROOT, CATALOG, paths, environ, (said if said is not None else []).append)
    return ClusterContext.of(context, options)


def test_the_cluster_and_its_nodes_are_named_in_the_options_and_in_the_record(stand_in: StandIn) -> None:
    said: list[str] = []
    context = found(stand_in, ClusterOptions(generators=2), said)
    nodes: dict[ClusterRole, str] = {"app": "one", "db": "two"}
    assert context.options == ClusterOptions(context="tests", generators=2, uid="a-cluster", nodes=nodes)
    assert said == [f"cluster: the context tests, at {stand_in.address}"]
    host = context.host
    assert (host.name, context.host_name, host.kernel) == ("kubernetes-tests", "kubernetes-tests", "6.1.0")
    assert host.components == {
        "cluster": "a-cluster",
        "node of app": "one",
        "node of db": "two",
        "network of load": "unknown",
        "network of db": "unknown",
    }
    assert len(context.sets.app) == 3


def test_a_session_goes_on_in_its_own_context_and_on_its_own_nodes(
    stand_in: StandIn, cluster: Cluster, tmp_path: Path
) -> None:
    begun = found(stand_in, ClusterOptions()).options
    kubeconfig = yaml.safe_load(stand_in.kubeconfig.read_text(encoding="utf-8"))
    (tmp_path / "other").mkdir()
    with StandIn(tmp_path / "other", Cluster()) as other:
        kubeconfig["clusters"].append({"name": "other", "cluster": {"server": other.address}})
        kubeconfig["contexts"].append({"name": "other", "context": {"cluster": "other", "user": "me"}})
        kubeconfig["current-context"] = "other"
        stand_in.kubeconfig.write_text(yaml.safe_dump(kubeconfig), encoding="utf-8")
        # A node that would be taken by a new session.
        cluster.nodes.append(node("a-larger-one", "app", "64"))
        context = found(stand_in, begun)
        assert other.asked == []
    assert (context.api.address, context.chosen.nodes) == (stand_in.address, begun.nodes)
    assert context.options == begun


def test_another_cluster_of_the_same_context_is_refused(stand_in: StandIn, cluster: Cluster) -> None:
    begun = found(stand_in, ClusterOptions()).options
    cluster.uid = "made-anew"
    with pytest.raises(UsageError, match="began in another cluster than that of the context tests"):
        found(stand_in, begun)


def test_a_session_goes_on_with_its_cpus_where_pods_of_others_leave_as_many(
    stand_in: StandIn, cluster: Cluster
) -> None:
    begun = found(stand_in, ClusterOptions())
    cluster.nodes[0] = node("one", "app", "8")
    with_more = found(stand_in, begun.options)
    assert with_more.sets != begun.sets and with_more.gives(begun.sets)
    assert not begun.gives(with_more.sets)
    cluster.nodes = [node("one", "app", "1"), node("two", "db-load", "1")]
    shared = found(stand_in, begun.options)
    assert len(shared.sets.sharing("db")) > 1
    assert shared.gives(shared.sets) and not begun.gives(shared.sets)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (503, "The cluster's API does not answer: etcdserver: no leader."),
        (403, "The cluster's API refuses a request: etcdserver: no leader."),
    ],
)
def test_an_api_that_goes_away_while_it_is_looked_at_ends_the_command_in_a_sentence(
    tmp_path: Path, cluster: Cluster, status: int, said: str
) -> None:
    def answer(method: str, path: str, body: Any) -> Answer:
        is_looked_for = path == "/api/v1/namespaces/kube-system"
        return (status, {"message": "etcdserver: no leader"}) if is_looked_for else cluster(method, path, body)

    with StandIn(tmp_path, answer) as stand_in, pytest.raises(CannotGoOn) as ended:
        found(stand_in, ClusterOptions())
    assert ended.value.problem == said and ended.value.next_step


def test_a_node_that_is_gone_is_refused(stand_in: StandIn, cluster: Cluster) -> None:
    begun = found(stand_in, ClusterOptions()).options
    cluster.nodes = [node("three", "app"), node("two", "db-load")]
    with pytest.raises(UsageError, match="A node on which the session began takes no pods now: one and two"):
        found(stand_in, begun)


def told(environment: Any) -> Evidence:
    (evidence, *_) = evidence_of().values()
    return evidence.model_copy(update={"environment": environment})


def test_the_record_has_the_tools_of_the_pods(stand_in: StandIn) -> None:
    context = found(stand_in, ClusterOptions())
    java = {"vendor": "Eclipse Adoptium", "version": "25.0.3+9-LTS"}
    evidence = [
        told({"runtime": "jvm", "java": java, "database": {"version": "18.6"}}),
        told({"runtime": "native", "java": {"vendor": "x", "version": "1"}, "database": None}),
        told({"runtime": "jvm", "java": 7}),
        told(None),
    ]
    k6 = f"k6 {PINS.version('k6')} (image)"
    origin = Origin(
        commit=None, dirty=None, locks={}, python="", jdk="of this machine", k6="of this machine", measuring={}
    )
    journaled = Journaled(planned("compare"), "", SessionOptions(), origin=origin)
    source = provenance(context, journaled, evidence, {}, "")
    assert (source.jdk, source.k6, source.database) == ("Eclipse Adoptium 25.0.3+9-LTS", k6, "PostgreSQL 18.6")
    assert context.tools_elsewhere([told(None)]) == Tools("unknown", k6, "PostgreSQL unknown")


def test_a_name_of_a_context_becomes_a_name_of_a_host() -> None:
    context: Any = SimpleNamespace(api=SimpleNamespace(context=f"admin@arn:aws:eks/{'x' * 60}"))
    name = ClusterContext.__dict__["host_name"].func(context)
    assert name.startswith("kubernetes-admin-arn-aws-eks-x") and is_host(name)
