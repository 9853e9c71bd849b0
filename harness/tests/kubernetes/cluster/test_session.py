"""A user who has only the rights that a session asks for runs `./bench run --on kubernetes` in a real cluster:
the record verifies, a kill has a reason, and nothing is left.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from plumbline.archive.record.read import read_session
from plumbline.machine.tools.postgres import get_postgres
from plumbline.measuring.build.images import REPOSITORY
from plumbline.measuring.cluster.api import ApiSilent
from plumbline.measuring.cluster.application import NAME
from plumbline.measuring.cluster.names import ROLE_LABEL
from plumbline.measuring.cluster.pod import Object
from plumbline.measuring.cluster.preflight import OBSERVER_RIGHTS, RIGHTS
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from plumbline.model.subject import image_name
from tests.checkout import CATALOG
from tests.cluster.planned import PINS
from .cluster import Cluster
from .kept import cpu_time_us
from .node import NAME as NODE
from .node import RESERVED_CPU
from .parts import ROOT
from .programs_of_host import harness_files, java_files, postgres_files
from .test_trial import all_of
from .trial import GENERATORS, box, home_of_java
from .waiting import until

OBSERVER = f"{REPOSITORY}/observer:latest"
SUBJECT, OTHER, CONTROL = "vertx-pg/jvm/pg", "quarkus-rest-orm/jvm/pg", "control/jvm/pg"
ON_CLUSTER = ("run", "--on", "kubernetes:here", "--generators", str(GENERATORS), "--blocks", "1", "--json")
# Closed and open load, short.
WHOLE = (*ON_CLUSTER, "--suite", "smoke", "--only", f"{SUBJECT},{OTHER}")
# Ten seconds of load, to kill something in.
KILLED = (*ON_CLUSTER, "--suite", "glance", "--only", SUBJECT)


@dataclass(frozen=True)
class Ready:
    """The cluster with the images of a session, and the kubeconfig of the user that runs the session."""

    cluster: Cluster
    user: Path


@pytest.fixture(scope="module")
def ready(measuring: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Ready:
    for subject in (SUBJECT, OTHER, CONTROL):
        folder = tmp_path_factory.mktemp("image")
        image = f"{REPOSITORY}/{image_name(CATALOG.subject(subject).artifact_id)}:latest"
        measuring.node.load(image, java_files(home_of_java(), subject, folder))
    folder = tmp_path_factory.mktemp("database")
    image = f"docker.io/library/postgres:{PINS.version('postgresql')}"
    measuring.node.load(image, postgres_files(get_postgres(box()), folder))
    measuring.node.load(OBSERVER, harness_files())
    return Ready(measuring, measuring.user_who_may((*RIGHTS, *OBSERVER_RIGHTS), "session"))


@dataclass(frozen=True)
class Session:
    """A session that is over."""

    status: int
    said: str
    folder: Path
    record: Record
    evidence: dict[int, Evidence]


def bench(
    user: Path, words: tuple[str, ...], meanwhile: Callable[[], None] = lambda: None
) -> subprocess.CompletedProcess[str]:
    """Run the program as a user of the cluster, and call `meanwhile` while the program runs."""
    thread = threading.Thread(target=meanwhile)
    thread.start()
    ran = subprocess.run(
        [sys.executable, str(ROOT / "harness"), *words],
        env={**os.environ, "KUBECONFIG": str(user)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    thread.join()
    return ran


def run(ready: Ready, words: tuple[str, ...], meanwhile: Callable[[], None] = lambda: None) -> Session:
    """Run a session to its end, and call `meanwhile` while the session runs."""
    ran = bench(ready.user, words, meanwhile)
    assert ran.returncode in (0, 1), ran.stderr
    folder = Path(json.loads(ran.stdout)["record"]).parent
    record, evidence = read_session(folder)
    return Session(ran.returncode, ran.stderr, folder, record, dict(evidence))


def namespaces(cluster: Cluster) -> list[str]:
    listed = cluster.api.get("/api/v1/namespaces")["items"]
    return [
        namespace["metadata"]["name"] for namespace in listed if namespace["metadata"]["name"].startswith("plumbline-")
    ]


def under_load(cluster: Cluster) -> list[Object]:
    """Wait until the load of the running session has begun; return all pods of the session's namespace."""

    def look() -> list[Object] | None:
        for name in namespaces(cluster):
            load = cluster.api.pods(name, **{ROLE_LABEL: "load"})
            status = [f"/api/v1/namespaces/{name}/pods/{pod['metadata']['name']}:6565/proxy/v1/status" for pod in load]
            if len(load) == GENERATORS and all('"running":true' in cluster.api.text("GET", place) for place in status):
                return cluster.api.pods(name)
        return None

    return list(until("the load has begun", look, 300))


def kill(cluster: Cluster, program: str, role: str) -> Callable[[], None]:
    """Return a function that kills a program of a role in mid-load."""

    def killing() -> None:
        chosen = next(pod for pod in under_load(cluster) if pod["metadata"]["labels"][ROLE_LABEL] == role)
        os.kill(min(all_of(program, chosen)), signal.SIGKILL)

    return killing


class Look(NamedTuple):
    """The microseconds of CPU that a control group had used at a moment between two others, in seconds since 1970."""

    after_s: float
    used_us: float
    before_s: float


class Watch:
    """The CPU time of each application of a session, by its pod's control group."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.looks: dict[str, list[Look]] = {}
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over.wait(0.2):
            for namespace in namespaces(self._cluster):
                for pod in self._cluster.api.pods(namespace, **{ROLE_LABEL: "app"}):
                    uid, after_s = pod["metadata"]["uid"], time.time()
                    if (used_us := cpu_time_us(uid)) is not None:
                        self.looks.setdefault(uid, []).append(Look(after_s, used_us, time.time()))


@pytest.fixture(scope="module")
def watch(ready: Ready) -> Watch:
    return Watch(ready.cluster)


@pytest.fixture(scope="module")
def whole(ready: Ready, watch: Watch) -> Iterator[Session]:
    with watch:
        session = run(ready, WHOLE)
    yield session


def test_every_trial_is_measured_and_judged(whole: Session) -> None:
    assert whole.record.plan.placement == "kubernetes"
    assert set(whole.record.plan.subjects) == {SUBJECT, OTHER}
    assert {trial.subject for trial in whole.record.trials} == {SUBJECT, OTHER, CONTROL}
    assert len(whole.evidence) == len(whole.record.plan.trials) >= 5
    for evidence in whole.evidence.values():
        assert evidence.failure is None, evidence.failure
        assert {load.executor for load in evidence.load} == {"constant-vus", "constant-arrival-rate"}
        assert all(load.failed == load.checks_failed == 0 < load.completed for load in evidence.load)
        assert all(probe.problem is None for probe in evidence.probes) and evidence.probes
        assert evidence.environment is not None and evidence.environment["processors"] == 1
    assert {trial.verdict for trial in whole.record.trials} == {"advisory"}, whole.said
    assert whole.status == 0


def test_what_the_api_does_not_show_is_unknown(whole: Session) -> None:
    for trial in whole.record.trials:
        outcomes = {finding.rule: finding.outcome for finding in trial.findings if finding.phase is None}
        assert {outcomes[rule] for rule in ("R25", "R33")} == {"unknown"}


def test_cpus_of_roles_and_stops_by_quotas_are_judged_from_the_kernel(
    whole: Session, record_property: Callable[[str, object], None]
) -> None:
    for evidence in whole.evidence.values():
        assert set(evidence.cpusets) == {NODE}
        phases = {window.phase for window in evidence.windows}
        cpu_numbers = {(row.phase, row.role): {cpu.number for cpu in row.cpus} for row in evidence.cpusets[NODE]}
        assert cpu_numbers.keys() == {(phase, role) for phase in phases for role in ("app", "db", "load")}
        # By the static manager: one CPU of the application's own, and all other roles share the rest.
        (app,) = {cpu for (_, role), cpus in cpu_numbers.items() if role == "app" for cpu in cpus}
        assert app != RESERVED_CPU
        assert not [key for key, cpus in cpu_numbers.items() if key[1] != "app" and app in cpus]
    judged = set()
    for trial in whole.record.trials:
        findings = {
            (finding.rule, finding.phase): finding for finding in trial.findings if finding.rule in ("R19", "R20")
        }
        finding_of_cpus = findings["R19", None]
        assert (finding_of_cpus.outcome, finding_of_cpus.reading) == ("warn", "Database and load generator share CPUs.")
        for (rule, phase), finding in findings.items():
            # On a busy machine a reading may be too late for a phase of three seconds.
            if rule == "R20" and finding.outcome != "unknown":
                assert finding.outcome == "pass", finding
                judged.add((trial.subject, str(phase).partition("@")[0]))
    assert {subject for subject, _ in judged} == {SUBJECT, OTHER, CONTROL}
    assert {phase for _, phase in judged} == {"closed", "open"}
    stopped = {
        role: [evidence.series.columns[f"{role}.throttled_us"][-1] for evidence in whole.evidence.values()]
        for role in ("app", "db", "load")
    }
    record_property("microseconds in each trial in which a quota stopped a role", str(stopped))


def test_figures_of_cpu_time_and_memory_come_from_observers(whole: Session) -> None:
    assert f"observed by their control groups and /proc: pods on {NODE}" in whole.said
    observed = set()
    for trial in whole.record.trials:
        for phase in ("closed", "open"):
            (figures_of_phase,) = (
                figures for name, figures in trial.figures.items() if name.partition("@")[0] == phase
            )
            # Some seconds of load never prove that a program is steady, so that its figures are called warming.
            value_of = {name.removeprefix("warming_"): value for name, value in figures_of_phase.items()}
            # On a busy machine a reading may be too late for a phase of three seconds, which then has no figure.
            if "app_cpu_us_per_request" not in value_of:
                continue
            observed.add((trial.subject, phase))
            for role in ("app", "db", "load"):
                assert 10 < value_of[f"{role}_cpu_us_per_request"] < 1e6, value_of
            # A JVM takes at least 30 MB; its heap is 512 MB, and it takes less than 2 GB in all.
            assert 30e6 < value_of["rss_under_load_bytes"] < 2e9
            assert value_of["heap_used_bytes"] < value_of["rss_under_load_bytes"]
            assert 0 < value_of["app_busy_share"] <= 1
    assert {subject for subject, _ in observed} == {SUBJECT, OTHER, CONTROL}
    assert {phase for _, phase in observed} == {"closed", "open"}
    for evidence in whole.evidence.values():
        assert {row.role for row in evidence.affinity} == {"app", "db", "load"}
        assert {row.outside for row in evidence.affinity} == {0}
        # By the static manager: one CPU of the application's own, and all other roles share the rest.
        (app,) = {row.allowed for row in evidence.affinity if row.role == "app"}
        assert len(app) == 1 and RESERVED_CPU not in app
        assert not [row for row in evidence.affinity if row.role != "app" and set(row.allowed) & set(app)]
        assert sum(use.cpu_us for use in evidence.threads) > 0


def test_cpu_time_of_the_application_is_that_of_its_control_group(
    whole: Session, watch: Watch, record_property: Callable[[str, object], None]
) -> None:
    compared = []
    for evidence in whole.evidence.values():
        # The trial's zero is within the second that follows.
        began_s = datetime.fromisoformat(evidence.started_at).timestamp()
        end_s = began_s + evidence.series.t_s[-1]
        (looks,) = (
            looks_of_pod
            for looks_of_pod in watch.looks.values()
            if began_s < looks_of_pod[0].after_s < end_s and len(looks_of_pod) > 9
        )
        user, system = (evidence.series.columns[f"cpu.app.{mode}_us"] for mode in ("user", "system"))
        rows = [
            (t_s, a + b)
            for t_s, a, b in zip(evidence.series.t_s, user, system, strict=True)
            if a is not None and b is not None
            # Only rows between the first look and the last one.
            if looks[0].before_s <= began_s + t_s and began_s + 1 + t_s <= looks[-1].after_s
        ]
        (first_s, first_us), (last_s, last_us) = rows[0], rows[-1]
        assert last_s - first_s > 6
        least = _at_least(looks, began_s + last_s) - _at_most(looks, began_s + 1 + first_s)
        most = _at_most(looks, began_s + 1 + last_s) - _at_least(looks, began_s + first_s)
        compared.append((least, last_us - first_us, most))
        assert 0 < least <= last_us - first_us <= most, compared
    record_property(
        "CPU time of applications in ms, by a control group at least, by an observer, at most",
        ", ".join(" ".join(f"{us / 1000:.0f}" for us in row) for row in compared),
    )


def _at_least(looks: list[Look], at_s: float) -> float:
    """The microseconds that the group had surely used by `at_s`."""
    return max(look.used_us for look in looks if look.before_s <= at_s)


def _at_most(looks: list[Look], at_s: float) -> float:
    """The microseconds that the group had used by `at_s` at the most."""
    return min(look.used_us for look in looks if look.after_s >= at_s)


def test_generators_begin_together(whole: Session, record_property: Callable[[str, object], None]) -> None:
    apart = [int(ms) for ms in re.findall(rf"{GENERATORS} generators began within ([0-9]+) ms", whole.said)]
    loads = sum(len(evidence.load) for evidence in whole.evidence.values())
    assert len(apart) == loads
    record_property("generators of a session began apart by", f"{min(apart)} to {max(apart)} ms")


def test_the_clock_of_the_only_node_is_that_of_this_host(
    whole: Session, record_property: Callable[[str, object], None]
) -> None:
    differences = re.findall(rf"clocks ahead of this host's: {NODE} (-?[0-9.]+) ± ([0-9.]+) ms", whole.said)
    assert len(differences) == sum(len(evidence.load) for evidence in whole.evidence.values())
    compared = [(float(ahead_ms), float(unsure_ms)) for ahead_ms, unsure_ms in differences]
    # Both are rounded to a tenth.
    assert all(abs(ahead_ms) <= unsure_ms + 0.1 for ahead_ms, unsure_ms in compared), compared
    unsure = sorted(unsure_ms for _, unsure_ms in compared)
    record_property("the clock of a node is known to", f"{unsure[0]} to {unsure[-1]} ms")


def test_its_record_verifies(whole: Session, ready: Ready) -> None:
    verified = bench(ready.user, ("verify", str(whole.folder)))
    assert verified.returncode == 0, verified.stderr + verified.stdout


def test_nothing_is_left(whole: Session, ready: Ready) -> None:
    assert namespaces(ready.cluster) == []


def failed_trial(session: Session) -> Evidence:
    """The only trial that failed; every trial of the plan was run."""
    assert len(session.evidence) == len(session.record.plan.trials)
    (failed,) = (evidence for evidence in session.evidence.values() if evidence.failure is not None)
    return failed


@pytest.mark.parametrize(
    ("program", "role", "said"),
    [
        ("k6", "load", r"The generator [12] of 2 .* ended in the phase .*: signal 9 \(SIGKILL\)"),
        ("java", "app", rf"The {NAME} ended by itself: signal 9 \(SIGKILL\)"),
        ("postgres", "db", r"The database ended by itself: signal 9 \(SIGKILL\)"),
    ],
    ids=["generator", "application", "database"],
)
def test_a_kill_in_mid_trial_ends_that_trial_with_a_reason(ready: Ready, program: str, role: str, said: str) -> None:
    session = run(ready, KILLED, kill(ready.cluster, program, role))
    failed = failed_trial(session)
    assert failed.failure is not None and re.match(said, failed.failure.problem), failed.failure
    # What observers saw until then stays.
    assert any(failed.series.columns["cpu.app.user_us"])
    assert session.status == 1
    assert namespaces(ready.cluster) == []


def all_well(session: Session) -> bool:
    """Whether every trial has all of its load."""
    return session.status == 0 and all(
        evidence.failure is None and evidence.load and all(load.completed > 0 for load in evidence.load)
        for evidence in session.evidence.values()
    )


def require_outlived(ready: Ready, killing: Callable[[], None]) -> None:
    """Run a session in which `killing` ends a part that no trial needs, and require that every trial is whole."""
    session = run(ready, KILLED, killing)
    assert all_well(session), session.said
    assert namespaces(ready.cluster) == []


def test_a_trial_outlives_the_kubelet(ready: Ready) -> None:
    cluster = ready.cluster

    def killing() -> None:
        under_load(cluster)
        cluster.kubelet.kill()
        until("the API notices", lambda: cluster.condition("Ready") == "Unknown")
        cluster.kubelet.start()
        until("the node is ready", cluster.node_is_ready)

    require_outlived(ready, killing)


def test_a_trial_outlives_the_api_server(ready: Ready) -> None:
    cluster = ready.cluster

    def killing() -> None:
        under_load(cluster)
        cluster.api_server.kill()
        with pytest.raises(ApiSilent):
            cluster.api.get("/version")
        cluster.api_server.start()

    require_outlived(ready, killing)


def test_a_session_that_lost_its_api_server_goes_on_by_resume(ready: Ready) -> None:
    cluster = ready.cluster

    def killing() -> None:
        under_load(cluster)
        cluster.api_server.kill()

    ended = bench(ready.user, KILLED, killing)
    cluster.api_server.start()
    # After a minute without an API the controllers look for the API only once in 30 to 60 s.
    until("the node stays ready", cluster.node_stays_ready, 180)
    assert ended.returncode == 3 and "has been silent for 60 s" in ended.stderr, ended.stderr
    (session_id,) = set(re.findall(r"--resume (\S+?)`", ended.stderr))
    session = run(ready, ("run", "--resume", session_id, "--json"))
    failure = failed_trial(session).failure
    assert failure is not None and "The cluster's API was silent for 60 s" in failure.problem
    assert session.status == 1 and session.record.provenance.resumed == 1
    assert namespaces(cluster) == []


def refused(ready: Ready, *words: str, user: Path | None = None) -> dict[str, Any]:
    """Run a session that is refused; return its sentence, and the namespaces that are left in the cluster."""
    ran = bench(user or ready.user, (*KILLED, *words))
    assert ran.returncode == 2, ran.stderr
    return {"said": ran.stderr, "left": namespaces(ready.cluster)}


def test_a_cluster_without_the_image_of_observers_is_measured_without_them(ready: Ready) -> None:
    ready.cluster.node.forget(OBSERVER)
    try:
        session = run(ready, KILLED)
    finally:
        ready.cluster.node.load(OBSERVER, harness_files())
    assert all_well(session), session.said
    sentence = f"no observers, so that CPU time and memory stay unknown: The image {OBSERVER} of the observer"
    assert sentence in session.said, session.said
    assert not any(evidence.series.columns for evidence in session.evidence.values())
    assert namespaces(ready.cluster) == []


def test_a_user_who_may_make_no_observers_measures_without_them(ready: Ready) -> None:
    session = run(replace(ready, user=ready.cluster.user_who_may(RIGHTS, "unobserved")), KILLED)
    assert all_well(session), session.said
    assert "The cluster refuses the DaemonSet observer: daemonsets.apps" in session.said, session.said
    assert namespaces(ready.cluster) == []


def test_a_missing_right_is_named_and_nothing_is_made(ready: Ready) -> None:
    lacking = [right for right in RIGHTS if right.words not in ("create pods", "get pods/log")]
    refusal = refused(ready, user=ready.cluster.user_who_may(lacking, "lacking"))
    assert "this user may not create pods, get pods/log." in refusal["said"] and refusal["left"] == []


def test_an_image_that_cannot_be_pulled_is_named_and_nothing_is_left(ready: Ready) -> None:
    refusal = refused(ready, "--images", "registry.invalid/plumbline")
    pattern = r"The image registry\.invalid/plumbline/\S+-jvm-pg:latest of the application can't be pulled: "
    assert re.search(pattern, refusal["said"]) and refusal["left"] == [], refusal
