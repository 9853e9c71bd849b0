"""What a cluster lacks is said in one sentence before anything is made, and what it does not show stays unknown."""

from __future__ import annotations

import json
import re
import ssl
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from plumbline.cli.doctor_command import command
from plumbline.machine.host.kernel import free_port
from plumbline.measuring.cluster import kubeconfig
from plumbline.measuring.cluster.api import ApiRefused, open_api
from plumbline.measuring.cluster.preflight import examine_cluster, require_cluster
from plumbline.model.errors import UsageError
from plumbline.model.host import Condition
from tests.cluster.stand_in import Answer, StandIn


def node(
    name: str, role: str | None, cpus: str = "3", *, ready: str = "True", boot: str = "", **spec: Any
) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "labels": {} if role is None else {"plumbline.dev/role": role}},
        "spec": spec,
        "status": {
            "allocatable": {"cpu": cpus},
            "conditions": [{"type": "Ready", "status": ready}],
            "nodeInfo": {"kernelVersion": "6.1.0", "bootID": boot},
        },
    }


class Cluster:
    """The answers of the stand-in."""

    def __init__(self) -> None:
        self.nodes = [node("one", "app"), node("two", "db-load")]
        self.policies = {"one": "static", "two": "static"}
        self.policy_options: dict[str, str] = {}
        self.pods: list[Any] = []
        self.asked_for_pods: list[Any] = []
        self.uid = "a-cluster"
        self.forbidden: set[str] = set()

    def __call__(self, method: str, path: str, body: Any) -> Answer:
        if path == "/version":
            return 200, {"gitVersion": "v1.34.4"}
        if path == "/api/v1/nodes":
            return 200, {"items": self.nodes}
        if path == "/api/v1/pods":
            self.asked_for_pods.append(body)
            return 200, {"items": self.pods}
        if path == "/api/v1/namespaces/kube-system":
            return 200, {"metadata": {"uid": self.uid}}
        if path.endswith("/selfsubjectaccessreviews"):
            asked = body["spec"]["resourceAttributes"]
            part = f"/{asked['subresource']}" if asked["subresource"] else ""
            return 201, {"status": {"allowed": f"{asked['verb']} {asked['resource']}{part}" not in self.forbidden}}
        if match := re.fullmatch(r"/api/v1/nodes/(\w+)/proxy/configz", path):
            policy = self.policies.get(match[1])
            if policy is not None:
                options = {"cpuManagerPolicyOptions": self.policy_options}
                return 200, {"kubeletconfig": {"cpuManagerPolicy": policy, **options}}
        return 403, {"message": f"{path} is forbidden"}


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def conditions(stand_in: StandIn, generators: int = 1) -> dict[str, Condition]:
    return {condition.id: condition for condition in examine_cluster(stand_in.api(), generators)}


def test_a_cluster_that_has_all_is_fit_and_nothing_is_made(stand_in: StandIn) -> None:
    condition_of = conditions(stand_in, 2)
    assert {condition.verdict for condition in condition_of.values()} == {"fit"}
    assert condition_of["nodes"].reading == (
        "app: 1 with 3 CPUs left; db: 1 with 3 CPUs left; load: 1 with 3 CPUs left; "
        "taken are one for the application and two for the database"
    )
    require_cluster(condition_of.values())
    posted = {(method, path) for method, path in stand_in.asked if method != "GET"}
    assert posted == {("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")}


def pod_on(name: str, cpu: str) -> dict[str, Any]:
    return {"spec": {"nodeName": name, "containers": [{"resources": {"requests": {"cpu": cpu}}}]}}


def _labels_no_load(cluster: Cluster) -> None:
    cluster.nodes[1] = node("two", "db")


def _is_not_ready(cluster: Cluster) -> None:
    cluster.nodes[0] = node("one", "app", ready="Unknown")


def _is_cordoned(cluster: Cluster) -> None:
    cluster.nodes[0] = node("one", "app", unschedulable=True)


def _has_few_cpus(cluster: Cluster) -> None:
    cluster.pods = [pod_on("one", "2100m")]


@pytest.mark.parametrize(
    ("lacks", "said", "next_step"),
    [
        (_labels_no_load, "no node has the role load", "kubectl label node"),
        (_is_not_ready, r"no node of the role app is ready and takes pods \(one\)", "kubectl get nodes"),
        (_is_cordoned, r"no node of the role app is ready and takes pods \(one\)", "kubectl get nodes"),
        (_has_few_cpus, "no node of the role app has a CPU left", "kubectl label node"),
    ],
)
def test_too_few_nodes_are_refused_in_a_sentence(
    stand_in: StandIn, cluster: Cluster, lacks: Callable[[Cluster], None], said: str, next_step: str
) -> None:
    lacks(cluster)
    with pytest.raises(UsageError, match=f"The cluster can't run a session: {said}") as refused:
        require_cluster(conditions(stand_in).values())
    assert next_step in refused.value.next_step


def test_a_missing_right_is_named_by_its_verb_and_resource(stand_in: StandIn, cluster: Cluster) -> None:
    cluster.forbidden = {"create pods", "get pods/log", "create jobs"}
    with pytest.raises(UsageError) as refused:
        require_cluster(conditions(stand_in).values())
    assert "this user may not create pods, create jobs.batch, get pods/log." in refused.value.problem


def test_who_may_make_no_observers_is_told_so_and_measures_without_them(stand_in: StandIn, cluster: Cluster) -> None:
    cluster.forbidden = {"create daemonsets"}
    condition_of = conditions(stand_in)
    require_cluster(condition_of.values())
    observers = condition_of["observers"]
    assert (observers.verdict, observers.needed_for) == ("unfit", "extra")
    assert observers.reading == "this user may not create daemonsets.apps"


def test_who_may_not_list_nodes_is_told_so(stand_in: StandIn, cluster: Cluster) -> None:
    cluster.forbidden = {"list nodes", "list pods"}
    condition_of = conditions(stand_in)
    assert set(condition_of) == {"cluster", "rights", "observers"} and "list nodes" in condition_of["rights"].reading
    assert ("GET", "/api/v1/nodes") not in stand_in.asked


def test_without_the_static_policy_trials_are_advisory_and_no_session_is_refused(
    stand_in: StandIn, cluster: Cluster
) -> None:
    cluster.policies["two"] = "none"
    condition_of = conditions(stand_in)
    assert (condition_of["own-cpus"].verdict, condition_of["own-cpus"].needed_for) == ("unfit", "lab")
    assert condition_of["own-cpus"].reading == "the kubelet of two has the CPU manager policy none"
    require_cluster(condition_of.values())


def test_too_few_cpus_for_all_roles_are_shared_and_told(stand_in: StandIn, cluster: Cluster) -> None:
    cluster.nodes = [node("one", "app-db-load", "6"), node("two", None, "64")]
    cluster.pods = [pod_on("one", "1500m")]
    condition_of = conditions(stand_in, 3)
    said = "application, database and 3 generators don't all get CPUs: left are 4 on one"
    assert condition_of["own-cpus"].reading == said
    assert (condition_of["own-cpus"].verdict, condition_of["nodes"].verdict) == ("unfit", "fit")
    require_cluster(condition_of.values())


def test_a_kubelet_that_takes_no_pod_with_part_of_a_core_is_told(stand_in: StandIn, cluster: Cluster) -> None:
    cluster.policy_options = {"full-pcpus-only": "true"}
    own_cpus = conditions(stand_in)["own-cpus"]
    assert own_cpus.verdict == "unfit"
    assert "the kubelet of one has full-pcpus-only, and takes no pod with part of a core" in own_cpus.reading


def test_nodes_that_are_containers_of_one_machine_are_told(stand_in: StandIn, cluster: Cluster) -> None:
    cluster.nodes = [node("one", "app", boot="b"), node("two", "db-load", boot="b")]
    own_cpus = conditions(stand_in)["own-cpus"]
    assert (own_cpus.verdict, own_cpus.reading) == ("unfit", "one and two are one machine, and may get the same CPUs")


def test_a_kubelet_that_does_not_say_is_unknown(stand_in: StandIn, cluster: Cluster) -> None:
    del cluster.policies["one"]
    own_cpus = conditions(stand_in)["own-cpus"]
    assert (own_cpus.verdict, own_cpus.reading) == ("unknown", "the kubelet of one does not say (get nodes/proxy)")


def test_a_node_without_a_role_is_none_of_ours(stand_in: StandIn, cluster: Cluster) -> None:
    cluster.nodes.append(node("three", None, "64"))
    cluster.nodes.append(node("four", "application", "64"))
    condition_of = conditions(stand_in)
    assert "64" not in condition_of["nodes"].reading and condition_of["own-cpus"].verdict == "fit"


def test_where_no_cluster_answers_one_sentence_says_so(stand_in: StandIn) -> None:
    closed = f"https://127.0.0.1:{free_port()}"
    stand_in.cluster["server"] = closed
    stand_in.write()
    with pytest.raises(UsageError, match=f"No cluster answers at {closed}: .*[Rr]efused"):
        examine_cluster(stand_in.api())


def test_another_authority_is_not_spoken_to(stand_in: StandIn, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with StandIn(tmp_path / "other", Cluster()) as other:
        stand_in.cluster["server"] = other.address
        stand_in.write()
        with pytest.raises(UsageError, match=r"No cluster answers at \S+: certificate signature failure\."):
            examine_cluster(stand_in.api())
        assert other.asked == []


def test_a_token_and_a_program_that_gives_one_are_sent(stand_in: StandIn, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("of-a-file\n", encoding="utf-8")
    program = (
        "import json, os; assert json.loads(os.environ['KUBERNETES_EXEC_INFO'])['kind'] == 'ExecCredential';"
        "print(json.dumps({'status': {'token': os.environ['WHOSE']}}))"
    )
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": sys.executable,
        "args": ["-c", program],
        "env": [{"name": "WHOSE", "value": "of-a-program"}],
    }
    for user, token in (
        ({"token": "of-the-file-itself"}, "of-the-file-itself"),
        ({"tokenFile": "token"}, "of-a-file"),
        ({"exec": plugin}, "of-a-program"),
    ):
        stand_in.write(**user)
        stand_in.api().get("/version")
        assert stand_in.headers[-1] == f"Bearer {token}"
    stand_in.write(exec={**plugin, "args": ["-c", "raise SystemExit(1)"]})
    with pytest.raises(UsageError, match=r"which gives the credentials of this cluster's user, failed\."):
        stand_in.api()


def test_a_token_that_has_ended_is_renewed_and_the_request_made_once_more(tmp_path: Path) -> None:
    taken = ["first"]

    def answer(method: str, path: str, body: Any) -> Answer:
        return (200, {}) if opened.headers[-1] == f"Bearer {taken[0]}" else (401, {"message": "Unauthorized"})

    token = tmp_path / "token"
    token.write_text("first", encoding="utf-8")
    with StandIn(tmp_path, answer) as opened:
        opened.write(tokenFile="token")
        api = opened.api()
        api.get("/version")
        taken[0] = "second"
        token.write_text("second", encoding="utf-8")
        api.get("/version")
        assert opened.headers == ["Bearer first", "Bearer first", "Bearer second"]
        taken[0] = "of nobody"
        with pytest.raises(ApiRefused) as refused:
            api.get("/version")
        assert (refused.value.status, refused.value.sentence) == (401, "Unauthorized")
        assert len(opened.headers) == 5
        token.unlink()
        with pytest.raises(ApiRefused) as refused:
            api.get("/version")
        assert "can't be read" in refused.value.sentence and refused.value.status == 401


def test_so_many_requests_are_made_again_over_the_same_connections(tmp_path: Path) -> None:
    """All generators are asked, and started at once over connections that are there: no start waits for a handshake."""
    count = 80
    together = threading.Barrier(count, timeout=60)
    connections: set[threading.Thread] = set()

    def answer(method: str, path: str, body: Any) -> Answer:
        # A connection has a thread of its own in the stand-in.
        connections.add(threading.current_thread())
        together.wait()
        return 200, {}

    with StandIn(tmp_path, answer) as opened, ThreadPoolExecutor(count) as threads:
        api = opened.api()
        for _ in range(2):
            list(threads.map(api.get, ["/version"] * count))
    assert len(connections) == count


def test_a_program_that_gives_no_credentials_in_time_is_told(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kubeconfig, "_PROGRAM_S", 0.05)
    waits = {"command": sys.executable, "args": ["-c", "import time; time.sleep(600)"], "apiVersion": "v1"}
    stand_in.write(exec=waits)
    with pytest.raises(UsageError, match="which gives the credentials of this cluster's user, failed"):
        stand_in.api()


def test_an_authority_without_a_key_identifier_is_taken_by_every_python(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ssl.create_default_context

    def strict(**asked: Any) -> ssl.SSLContext:
        tls = made(**asked)
        tls.verify_flags |= ssl.VERIFY_X509_STRICT
        return tls

    monkeypatch.setattr(ssl, "create_default_context", strict)
    assert stand_in.api().get("/version") == {"gitVersion": "v1.34.4"}


def test_a_kubeconfig_that_leads_another_way_is_refused(stand_in: StandIn, tmp_path: Path) -> None:
    stand_in.write(**{**stand_in.user, "as": "somebody"})
    with pytest.raises(UsageError, match="has as, which this program does not know"):
        stand_in.api()
    stand_in.cluster |= {"proxy-url": "http://127.0.0.1:1", "tls-server-name": "x"}
    stand_in.write()
    with pytest.raises(UsageError, match=r"The context 'tests' of .* has proxy-url, tls-server-name, which"):
        stand_in.api()
    with pytest.raises(UsageError, match="KUBECONFIG names 2 files") as refused:
        open_api({"KUBECONFIG": f"{stand_in.kubeconfig}:{tmp_path}/other"})
    assert "kubectl config view --flatten" in refused.value.next_step


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (None, "There is no cluster to speak to: .*: No such file or directory."),
        ("a: [", "is no kubeconfig: it is no YAML."),
        ("[]", "is no whole kubeconfig"),
        ("{}", "has no current context."),
        ({"contexts": [], "current-context": "x"}, "has no context 'x'."),
        (
            {"contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}], "current-context": "x"},
            "no whole",
        ),
    ],
)
def test_a_kubeconfig_that_is_none_is_refused_in_a_sentence(tmp_path: Path, document: Any, said: str) -> None:
    file = tmp_path / "kubeconfig"
    if document is not None:
        file.write_text(document if isinstance(document, str) else yaml.safe_dump(document), encoding="utf-8")
    with pytest.raises(UsageError, match=said) as refused:
        open_api({"KUBECONFIG": str(file)})
    assert refused.value.next_step


def test_a_cluster_without_tls_or_with_any_certificate_is_refused(stand_in: StandIn) -> None:
    stand_in.cluster["insecure-skip-tls-verify"] = True  # type: ignore[assignment]
    stand_in.write()
    with pytest.raises(UsageError, match="would let anyone take"):
        stand_in.api()
    stand_in.cluster["server"] = "http://127.0.0.1:1"
    stand_in.write()
    with pytest.raises(UsageError, match="without TLS"):
        stand_in.api()


def test_the_doctor_examines_a_cluster(stand_in: StandIn, cluster: Cluster) -> None:
    cluster.policies["one"] = "none"
    env = {"KUBECONFIG": str(stand_in.kubeconfig)}
    ran = CliRunner(env=env).invoke(command, ["--on", "kubernetes:tests", "--json"], standalone_mode=False)
    document = json.loads(ran.stdout)
    assert (document["fit"], document["lab_ready"], ran.return_value) == (True, False, 0)
    assert {condition["id"]: condition["verdict"] for condition in document["conditions"]} == {
        "cluster": "fit",
        "rights": "fit",
        "observers": "fit",
        "nodes": "fit",
        "own-cpus": "unfit",
    }
    cluster.nodes = []
    ran = CliRunner(env=env).invoke(command, ["--on", "kubernetes"], standalone_mode=False)
    assert ran.return_value == 1 and "no node has the role app" in ran.stdout
    ran = CliRunner(env=env).invoke(command, ["--on", "kubernetes:test"], standalone_mode=False)
    assert "has no context 'test'. Did you mean 'tests'?" in str(ran.exception)
    ran = CliRunner(env=env).invoke(command, ["--on", "docker"], standalone_mode=False)
    assert "'docker' is no place to measure on" in str(ran.exception)
