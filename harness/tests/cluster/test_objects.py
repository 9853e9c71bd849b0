"""The objects of a trial are what the API takes, with the least rights, and say what a trial on one host says."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

import jsonschema
import kubernetes_validate
import pytest
import yaml

from plumbline.measuring.cluster.images import images_of
from plumbline.measuring.cluster.load_request import (
    MOST_GENERATORS,
    beyond_one_host,
    generators_of,
    load_request,
)
from plumbline.measuring.cluster.names import dns_label, label_value
from plumbline.measuring.cluster.objects import as_yaml, cluster_objects, namespace_of
from plumbline.measuring.cluster.passwords import ClusterPasswords, drawn_passwords
from plumbline.measuring.cluster.pod import CLUSTER_ROLES, affinity, node_value, tolerations
from plumbline.measuring.load.params import LoadParams
from plumbline.measuring.services.postgres.settings import SETTINGS
from plumbline.model.errors import UsageError
from plumbline.model.plan import Phase, Plan
from plumbline.reporting.github.workflow import Guarded
from tests.checkout import CATALOG, ROOT
from tests.cluster.planned import FILES, PASSWORDS, PINS, SESSION, SETS, at_rate, objects, one, planned, pods
from tests.kubernetes.schemas import VERSIONS, schema_of_test_run

FRUITS = planned("compare", "vertx-pg/*")
ORDERS = planned("seed-004", "quarkus-rest-orm/*", scenarios=("orders",))
HELLO = planned("seed-003", "micronaut-hello/jvm/none", scenarios=("hello",))
PLANS = {"fruits": FRUITS, "orders": ORDERS, "hello": HELLO}
DNS_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def every_kind() -> Iterator[tuple[str, dict[str, Any]]]:
    for plan_name, plan in PLANS.items():
        for manifest in objects(plan, generators=3):
            yield f"{plan_name}: {manifest['kind']} {manifest['metadata']['name']}", manifest


EVERY = dict(every_kind())


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", EVERY)
def test_the_api_takes_it(name: str, version: str) -> None:
    kubernetes_validate.validate(EVERY[name], version, strict=True)


@pytest.mark.slow
def test_the_operator_takes_its_test_run() -> None:
    document = one(objects(at_rate(FRUITS, 12_000), load="k6-operator"), "TestRun")
    for pod in ("runner", "starter"):
        # The one field that is younger than the release whose schema Go brings.
        assert document["spec"][pod].pop("containerSecurityContext")["capabilities"] == {"drop": ["ALL"]}
    jsonschema.validate(document, schema_of_test_run())
    assert document["spec"]["parallelism"] == 3
    assert document["spec"]["paused"] == "true"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "spec": {**document["spec"], "pause": "true"}}, schema_of_test_run())


def test_the_operators_starter_runs_where_generators_do_and_needs_no_cpu_that_they_leave() -> None:
    starter = one(objects(at_rate(FRUITS, 12_000), load="k6-operator"), "TestRun")["spec"]["starter"]
    assert starter["affinity"] == affinity("load")
    assert starter["tolerations"] == tolerations()
    # Where the object says nothing, the operator's own request holds: 0.05 CPUs, and at most 0.1.
    assert set(starter["resources"]["requests"]) == set(starter["resources"]["limits"]) == {"memory"}


def test_a_trial_has_its_parts() -> None:
    kinds = {
        manifest["metadata"]["name"]: manifest["kind"] for manifest in objects(FRUITS) if manifest["kind"] != "Service"
    }
    assert kinds == {
        namespace_of(FRUITS): "Namespace",
        "within": "NetworkPolicy",
        "reached": "NetworkPolicy",
        "passwords": "Secret",
        "rows": "ConfigMap",
        "database": "Pod",
        "application": "Pod",
        "k6": "ConfigMap",
        "load-closed": "Job",
    }
    assert {manifest["metadata"]["name"] for manifest in objects(FRUITS) if manifest["kind"] == "Service"} == {
        "database",
        "application",
        "load",
    }
    assert "sources" in {manifest["metadata"]["name"] for manifest in objects(ORDERS) if manifest["kind"] == "Pod"}
    assert {manifest["metadata"]["name"] for manifest in objects(HELLO) if manifest["kind"] == "Pod"} == {"application"}


def test_all_of_it_is_labelled_and_in_the_namespace_of_the_session() -> None:
    manifests = objects(FRUITS)
    trial = next(trial for trial in FRUITS.trials if trial.role == "measured")
    for manifest in manifests:
        labels = manifest["metadata"]["labels"]
        assert labels["plumbline.dev/session"] == SESSION
        assert labels["plumbline.dev/trial"] == str(trial.number)
        if manifest["kind"] != "Namespace":
            assert manifest["metadata"]["namespace"] == namespace_of(FRUITS)
    assert one(manifests, "Pod", "application")["metadata"]["annotations"] == {
        "plumbline.dev/subject": "vertx-pg/jvm/pg"
    }
    job = one(manifests, "Job")
    template = job["spec"]["template"]["metadata"]["labels"]
    assert template == job["metadata"]["labels"] == one(manifests, "Service", "load")["spec"]["selector"]
    for name in ("application", "database"):
        assert (
            one(manifests, "Service", name)["spec"]["selector"].items()
            <= one(manifests, "Pod", name)["metadata"]["labels"].items()
        )


@pytest.mark.parametrize("plan_name", PLANS)
def test_each_pod_is_guaranteed_whole_cpus(plan_name: str) -> None:
    manifests = objects(PLANS[plan_name])
    cpus = {}
    for pod in pods(manifests):
        (container,) = pod["containers"]
        resources = container["resources"]
        assert resources["limits"] == resources["requests"]
        assert set(resources["limits"]) == {"cpu", "memory"}
        cpus[container["name"]] = int(resources["limits"]["cpu"])
    # The six sources have one of the database's CPUs.
    expected = {"application": 3, "database": 1 if "sources" in cpus else 2, "k6": 1, "sources": 1}
    assert cpus == {name: count for name, count in expected.items() if name in cpus}


def test_the_six_sources_take_no_cpu_beyond_that_of_the_database() -> None:
    one_each = ORDERS.model_copy(update={"sets": SETS.model_copy(update={"db": (3,)})})
    specs = {name: one(objects(one_each), "Pod", name)["spec"] for name in ("database", "sources")}
    requests = {name: spec["containers"][0]["resources"]["requests"] for name, spec in specs.items()}
    assert requests["database"]["cpu"] == "1" and "cpu" not in requests["sources"]


def test_a_heap_of_k6_ends_below_the_limit_of_its_container() -> None:
    (container,) = one(objects(FRUITS), "Job")["spec"]["template"]["spec"]["containers"]
    (heap,) = (variable["value"] for variable in container["env"] if variable["name"] == "GOMEMLIMIT")
    limit = container["resources"]["limits"]["memory"]
    assert heap.endswith("MiB") and limit.endswith("Mi")
    assert 0.8 * int(limit[:-2]) < int(heap[:-3]) < 0.9 * int(limit[:-2])


def test_the_latest_image_of_a_registry_is_pulled_anew_and_others_are_not() -> None:
    request = load_request(FRUITS, CATALOG)
    images = images_of(request.subject, PINS, "registry.example/plumbline")
    made = cluster_objects(request, CATALOG, FILES, images, PASSWORDS)
    policies = {pod["containers"][0]["name"]: pod["containers"][0]["imagePullPolicy"] for pod in pods(made)}
    assert policies == {"application": "Always", "database": "IfNotPresent", "k6": "IfNotPresent"}
    # An image of this host is in no registry: it was loaded into the node.
    assert one(objects(FRUITS), "Pod", "application")["spec"]["containers"][0]["imagePullPolicy"] == "IfNotPresent"


@pytest.mark.parametrize("plan_name", PLANS)
def test_each_pod_has_the_least_rights(plan_name: str) -> None:
    manifests = objects(PLANS[plan_name])
    assert one(manifests, "Namespace")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    for pod in pods(manifests):
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False
        assert pod["restartPolicy"] == "Never"
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not pod.keys() & {"hostNetwork", "hostPID", "hostIPC", "serviceAccountName"}
        assert all(volume.keys() & {"configMap", "emptyDir", "projected"} for volume in pod["volumes"])
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
                "readOnlyRootFilesystem": True,
            }


def test_roles_go_to_nodes_of_their_name_and_a_node_may_have_several() -> None:
    assert node_value("load", "app", "db") == "app-db-load" and node_value("db") == "db"
    for role in CLUSTER_ROLES:
        terms = affinity(role)["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        ((expression,),) = (term["matchExpressions"] for term in terms["nodeSelectorTerms"])
        other_roles = [other for other in CLUSTER_ROLES if other != role]
        assert set(expression["values"]) == {
            role,
            node_value(role, other_roles[0]),
            node_value(role, other_roles[1]),
            node_value(*CLUSTER_ROLES),
        }


def test_the_database_is_the_one_of_a_session() -> None:
    manifests = objects(planned("seed-000", "quarkus-rest-reactive/jvm/pg", scenarios=("zipcode-fresh",)))
    (container,) = one(manifests, "Pod", "database")["spec"]["containers"]
    assert {f"{name}={value}" for name, value in SETTINGS.items()} <= set(container["args"])
    rows = one(manifests, "ConfigMap", "rows")["data"]
    sql = ROOT / "apps" / "contract" / "sql"
    assert rows["1-schema.sql"] == (sql / "pg" / "schema.sql").read_text(encoding="utf-8")
    assert rows["4-prepare.sql"] == (sql / "prepare" / "zipcode-empty.sql").read_text(encoding="utf-8")
    secret = one(manifests, "Secret")["stringData"]
    assert "LOGIN PASSWORD 'of-the-application'" in secret["5-application.sql"]
    assert "SUPERUSER" not in secret["5-application.sql"]
    # Scripts that make rows come before the script of the rights to them, and statistics come last.
    assert max(rows) > "5-application.sql" > sorted(rows)[-2]


def test_the_application_is_told_what_a_trial_tells_it_and_its_password_by_the_secret() -> None:
    (container,) = one(objects(FRUITS), "Pod", "application")["spec"]["containers"]
    environment = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert environment["HTTP_HOST"] == "0.0.0.0" and environment["DB_HOST"] == "database"
    assert environment["DB_PASSWORD"] is None and environment["DB_USER"] == "plumbline"
    assert not environment.keys() & {"HOME", "PATH"}
    assert container["command"][0] == "/opt/java/openjdk/bin/java"
    assert {"-Xms512m", "-XX:+UseG1GC", "-XX:ActiveProcessorCount=3"} <= set(container["command"])
    assert "of-the" not in json.dumps([manifest for manifest in objects(FRUITS) if manifest["kind"] != "Secret"])
    (without_database,) = one(objects(HELLO), "Pod", "application")["spec"]["containers"]
    assert not any(variable["name"].startswith("DB_") for variable in without_database["env"])
    (with_sources,) = one(objects(ORDERS), "Pod", "application")["spec"]["containers"]
    assert {"name": "STUB_URL", "value": "http://sources:8090/5"} in with_sources["env"]


@pytest.mark.parametrize("count", [1, 3, 7, 100])
def test_segments_cover_all_of_the_load(count: int) -> None:
    manifests = objects(at_rate(FRUITS, 200_000), generators=count, phase="open@200000")
    job = one(manifests, "Job")["spec"]
    assert (job["completionMode"], job["completions"], job["parallelism"]) == ("Indexed", count, count)
    assert job["backoffLimit"] == 0
    data = one(manifests, "ConfigMap", _job_name(manifests))["data"]
    texts = [json.loads(data[f"segment-{index}.json"])["executionSegment"] for index in range(count)]
    ends = [[Fraction(end) for end in text.split(":")] for text in texts]
    assert ends[0][0] == 0 and ends[-1][1] == 1
    assert all(segment[1] == following[0] for segment, following in pairwise(ends))
    assert {end - begin for begin, end in ends} == {Fraction(1, count)}
    (container,) = job["template"]["spec"]["containers"]
    assert "--paused" in container["args"]
    (sequence,) = [word for word in container["args"] if word.startswith("--execution-segment-sequence=")]
    assert [Fraction(end) for end in sequence.partition("=")[2].split(",")] == [
        ends[0][0],
        *(end for _, end in ends),
    ]


def test_each_generator_reads_the_segment_of_its_index() -> None:
    manifests = objects(at_rate(FRUITS, 12_000))
    (container,) = one(manifests, "Job")["spec"]["template"]["spec"]["containers"]
    (mount,) = [mount for mount in container["volumeMounts"] if "subPathExpr" in mount]
    keys = {key for key in one(manifests, "ConfigMap", _job_name(manifests))["data"] if key != "params.json"}
    assert keys == {mount["subPathExpr"].replace("$(JOB_COMPLETION_INDEX)", str(index)) for index in range(3)}
    assert f"--config={mount['mountPath']}" in container["args"]


def test_scripts_lie_in_the_cluster_as_in_the_repository() -> None:
    manifests = objects(FRUITS)
    data = one(manifests, "ConfigMap", "k6")["data"]
    (volume,) = [
        volume for volume in one(manifests, "Job")["spec"]["template"]["spec"]["volumes"] if volume["name"] == "scripts"
    ]
    mounted = {item["path"]: data[item["key"]] for item in volume["configMap"]["items"]}
    files = {
        path.relative_to(ROOT / "k6").as_posix(): path.read_text(encoding="utf-8")
        for folder in ("lib", "scenarios")
        for path in (ROOT / "k6" / folder).glob("*.ts")
    }
    assert mounted == files


def test_parameters_are_those_of_the_phase_and_vus_suffice_for_each_generator() -> None:
    manifests = objects(at_rate(FRUITS, 1_000_000))
    params = LoadParams.model_validate_json(one(manifests, "ConfigMap", _job_name(manifests))["data"]["params.json"])
    count = one(manifests, "Job")["spec"]["completions"]
    assert count == 200
    assert (params.base_url, params.rate_per_s) == ("http://application:8080", 1_000_000)
    assert params.summary.name == "stdout"
    # Each generator has as many VUs as one process has at 5,000 requests a second.
    assert params.vus == 200 * 1000


@pytest.mark.parametrize(
    ("rate", "count"), [(None, 1), (1, 1), (5_000, 1), (5_001, 2), (200_000, 40), (1_000_000, 200)]
)
def test_the_rate_says_how_many_generators(rate: int | None, count: int) -> None:
    kind: Literal["closed", "open"] = "closed" if rate is None else "open"
    assert generators_of(Phase(kind=kind, name="x", rate_per_s=rate, connections=20)) == count


def test_a_ramp_goes_on_beyond_what_one_host_can_prove() -> None:
    plan = planned("seed-003", "micronaut-hello/jvm/none", scenarios=("hello-ramp",))
    with pytest.raises(UsageError, match="has no load 'open@80000'"):
        load_request(plan, CATALOG, phase="open@80000")
    request = load_request(beyond_one_host(plan, CATALOG), CATALOG, phase="open@80000")
    assert request.generators == 16
    usual = planned("compare", "vertx-pg/*")
    assert beyond_one_host(usual, CATALOG) == usual


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"generators": 0}, "0 generators make no load. Say --generators 1"),
        ({"generators": -3}, "-3 generators make no load."),
        ({"generators": MOST_GENERATORS + 1}, "Take at most 1,000."),
        ({"generators": 999}, "connections of closed can't be divided over 999 generators."),
        ({"load": "jmeter"}, "'jmeter' is no way to run load in a cluster. Known: job, k6-operator."),
        ({"trial": 4000}, "The plan has no trial 4000."),
        ({"phase": "opened"}, "has no load 'opened'."),
        ({"phase": "start"}, "has no load 'start'."),
        ({"phase": "open@40%"}, "so it has no number yet."),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)) as refused:
        objects(FRUITS, **asked)
    assert refused.value.next_step


def with_setting(setting: str) -> Plan:
    """A plan whose trials have this setting."""
    plan = planned("compare", "vertx-pg/*")
    trials = tuple(
        trial.model_copy(update={"subject": f"{trial.subject}+{setting}"} if trial.role == "measured" else {})
        for trial in plan.trials
    )
    return plan.model_copy(update={"trials": trials})


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (planned("nightly", "vertx-pg/jvm/pg+db-tls=require"), "has db-tls=require"),
        (planned("native", "vertx-pg/jvm/pg+page-cache=cold"), "has page-cache=cold"),
        (planned("native", "vertx-pg/aot/pg"), "needs an AOT cache"),
        (
            planned("native", "vertx-pg/jvm/pg+run-in=container"),
            "has run-in=container, which needs the engine",
        ),
        (with_setting("jdk=temurin-25.0.3"), "has jdk=temurin-25.0.3, which needs the JDKs of a host"),
        (with_setting("cpus=4"), "has 3 of this host's CPUs, and cpus=4 asks for more"),
        (planned("seed-001", "standalone-jdbc/*"), "is a program without a server"),
    ],
)
def test_a_subject_that_needs_its_host_is_refused(plan: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        objects(plan)


def test_each_native_packaging_has_an_image_of_its_own() -> None:
    images = {
        images_of(CATALOG.subject(f"vertx-pg/{packaging}/pg"), PINS).application
        for packaging in ("jvm", "native.mandrel", "native.graalvm")
    }
    assert len(images) == 3 and all("/vertx-pg-" in image for image in images)


def test_images_of_all_subjects_have_names_that_a_registry_takes() -> None:
    subjects = [*CATALOG.subjects_of_suites(), CATALOG.subject("quarkus-rest-orm/jvm/pg+release=3.34.3")]
    images = {subject.artifact_id: images_of(subject, PINS).application for subject in subjects}
    # The names of a repository and its tag, as the distribution specification of OCI has them.
    part = "[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*"
    for name in images.values():
        assert re.fullmatch(f"{part}(/{part})*:latest", name), name
    assert len(set(images.values())) == len(images) > 50


@pytest.mark.slow
def test_names_of_all_subjects_and_phases_of_all_suites_are_names() -> None:
    made_of = 0
    for suite in CATALOG.bench.suites:
        plan = planned(suite)
        for trial in plan.trials:
            scenario = plan.scenario_of(trial)
            for phase in scenario.phases:
                try:
                    manifests = objects(plan, trial=trial.number, phase=phase.name)
                except UsageError:
                    continue
                made_of += 1
                for manifest in manifests:
                    assert DNS_LABEL.fullmatch(manifest["metadata"]["name"]), manifest["metadata"]["name"]
                    for value in manifest["metadata"]["labels"].values():
                        assert label_value(value) == value
    assert made_of > 100


@pytest.mark.parametrize(
    "text",
    [
        "open@80%",
        "open@80",
        "x" * 200,
        "a\nb: c",
        "../../etc",
        "$(rm -rf)",
        "ÄÖ",
        "",
        "-",
        "a--",
        "UPPER",
        "a.b",
    ],
)
def test_any_text_becomes_a_name(text: str) -> None:
    assert DNS_LABEL.fullmatch(dns_label(text))
    assert len(dns_label(text, 20)) <= 20


def test_texts_that_differ_get_names_that_differ() -> None:
    texts = ["open@80%", "open@80", "open-80", "open-80-", "x" * 200, "x" * 201]
    assert len({dns_label(text) for text in texts}) == len(texts)


def test_what_is_hostile_reaches_no_name() -> None:
    hostile = "open@1\n---\nkind: ClusterRoleBinding"
    phase = Phase(kind="open", name=hostile, duration_s=1, rate_per_s=10)
    scenario = FRUITS.scenarios[0].model_copy(update={"phases": (phase,), "script": "fruits.ts"})
    plan = FRUITS.model_copy(update={"scenarios": (scenario,)})
    text = as_yaml(objects(plan))
    assert {manifest["kind"] for manifest in yaml.safe_load_all(text)} == {
        manifest["kind"] for manifest in objects(at_rate(FRUITS, 10))
    }
    with pytest.raises(UsageError, match="is no script of k6/scenarios"):
        objects(plan.model_copy(update={"scenarios": (scenario.model_copy(update={"script": "../../../etc/passwd"}),)}))
    with pytest.raises(UsageError, match="can't be a label of Kubernetes"):
        objects(plan.model_copy(update={"session": "a b\nc"}))
    with pytest.raises(ValueError, match="a password has"):
        ClusterPasswords("of-the-administrator", "'; DROP TABLE fruits; --")


@pytest.mark.parametrize("plan_name", PLANS)
def test_yaml_reads_back_as_the_same_objects(plan_name: str) -> None:
    manifests = objects(PLANS[plan_name], generators=2)
    assert list(yaml.safe_load_all(as_yaml(manifests))) == manifests
    printed = io.BytesIO()
    with Guarded(printed, "utf-8", newline="") as stream:
        stream.write(as_yaml(manifests))
        stream.flush()
        assert list(yaml.safe_load_all(printed.getvalue())) == manifests


def test_passwords_are_drawn_anew_and_fit() -> None:
    assert drawn_passwords() != drawn_passwords()


def test_the_same_plan_gives_the_same_objects() -> None:
    assert as_yaml(objects(ORDERS)) == as_yaml(objects(ORDERS))
    request = load_request(FRUITS, CATALOG)
    assert (request.phase.name, request.generators, request.load) == ("closed", 1, "job")


def _job_name(manifests: list[dict[str, Any]]) -> str:
    name: str = one(manifests, "Job")["metadata"]["name"]
    return name
