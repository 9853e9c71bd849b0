"""A session by `./bench run --on kubernetes` in a real cluster: its record verifies, and kills have a reason."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from plumbline.build.images import REPOSITORY
from plumbline.cluster.application import NAME
from plumbline.cluster.names import ROLE_LABEL
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from plumbline.record.read import read_session
from plumbline.tools.postgres import get_postgres
from tests.cluster.planned import PINS
from .cluster import Cluster
from .parts import ROOT
from .programs_of_host import java_files, postgres_files
from .test_trial import all_of
from .trial import GENERATORS, box, home_of_java
from .waiting import until

SUBJECT = "vertx-pg/jvm/pg"
CONTROL = "control/jvm/pg"
ASKED = (
    *("run", "--on", "kubernetes:here", "--generators", str(GENERATORS)),
    *("--suite", "compare", "--only", SUBJECT, "--scenario", "fruits", "--blocks", "1", "--scale", "0.05"),
)


@pytest.fixture(scope="module")
def ready(measuring: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    """The cluster with the images of a session: the subject's, the control's, and the database's."""
    for subject in (SUBJECT, CONTROL):
        folder = tmp_path_factory.mktemp("image")
        image = f"{REPOSITORY}/{subject.partition('/')[0]}:jvm"
        measuring.node.load(image, java_files(home_of_java(), subject, folder))
    folder = tmp_path_factory.mktemp("database")
    image = f"docker.io/library/postgres:{PINS.version('postgresql')}"
    measuring.node.load(image, postgres_files(get_postgres(box()), folder))
    return measuring


@dataclass(frozen=True)
class Session:
    """A session that is over."""

    status: int
    said: str
    folder: Path
    record: Record
    evidence: dict[int, Evidence]


def run(cluster: Cluster, meanwhile: Callable[[], None] = lambda: None) -> Session:
    """Run a session, and do something while it runs."""
    doing = threading.Thread(target=meanwhile)
    doing.start()
    ran = subprocess.run(
        [sys.executable, str(ROOT / "harness"), *ASKED, "--json"],
        env={**os.environ, "KUBECONFIG": str(cluster.configuration)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    doing.join()
    assert ran.returncode in (0, 1), ran.stderr
    folder = Path(json.loads(ran.stdout)["record"]).parent
    record, evidence = read_session(folder)
    return Session(ran.returncode, ran.stderr, folder, record, dict(evidence))


def namespaces(cluster: Cluster) -> list[str]:
    found = cluster.api.get("/api/v1/namespaces")["items"]
    return [one["metadata"]["name"] for one in found if one["metadata"]["name"].startswith("plumbline-")]


def under_load(cluster: Cluster) -> list[dict[str, object]]:
    """The pods of the session once its load has begun, by its namespace's only job."""

    def look() -> list[dict[str, object]] | None:
        for name in namespaces(cluster):
            load = cluster.api.pods(name, **{ROLE_LABEL: "load"})
            status = [
                f"/api/v1/namespaces/{name}/pods/{one['metadata']['name']}:6565/proxy/v1/status"
                for one in load
            ]
            if len(load) == GENERATORS and all(
                '"running":true' in cluster.api.text("GET", place) for place in status
            ):
                return cluster.api.pods(name)
        return None

    return list(until("the load has begun", look, 300))


def kill(cluster: Cluster, program: str, role: str) -> Callable[[], None]:
    """What kills a program of a role in mid-load."""

    def killing() -> None:
        pods = under_load(cluster)
        chosen = next(pod for pod in pods if pod["metadata"]["labels"][ROLE_LABEL] == role)  # type: ignore[index]
        os.kill(min(all_of(program, chosen)), signal.SIGKILL)

    return killing


@pytest.fixture(scope="module")
def whole(ready: Cluster) -> Iterator[Session]:
    yield run(ready)


def test_every_trial_is_measured_and_judged(whole: Session) -> None:
    assert whole.record.plan.placement == "kubernetes" and whole.record.plan.subjects == (SUBJECT,)
    assert len(whole.evidence) == len(whole.record.plan.trials) >= 3
    for one in whole.evidence.values():
        assert one.failure is None, one.failure
        assert one.load and all(load.failed == load.checks_failed == 0 < load.completed for load in one.load)
        assert all(probe.problem is None for probe in one.probes) and one.probes
        assert one.environment is not None and one.environment["processors"] == 1
    assert {trial.verdict for trial in whole.record.trials} == {"advisory"}, whole.said


def test_what_the_api_does_not_show_is_unknown(whole: Session) -> None:
    for trial in whole.record.trials:
        found = {finding.rule: finding.outcome for finding in trial.findings}
        assert {found[rule] for rule in ("R19", "R25", "R33")} == {"unknown"}


def test_its_record_verifies(whole: Session) -> None:
    verified = subprocess.run(
        [sys.executable, str(ROOT / "harness"), "verify", str(whole.folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stderr + verified.stdout


def test_nothing_is_left(whole: Session, ready: Cluster) -> None:
    until("no namespace of a session is left", lambda: not namespaces(ready), 120)


@pytest.mark.parametrize(
    ("program", "role", "said"),
    [
        ("k6", "load", r"The generator [12] of 2 .* ended in the phase .*: signal 9 \(SIGKILL\)"),
        ("java", "app", rf"The {NAME} ended by itself: signal 9 \(SIGKILL\)"),
        ("postgres", "db", r"The database ended by itself: signal 9 \(SIGKILL\)"),
    ],
)
def test_a_kill_in_mid_trial_ends_that_trial_with_a_reason(
    ready: Cluster, program: str, role: str, said: str
) -> None:
    session = run(ready, kill(ready, program, role))
    failed = [one.failure for one in session.evidence.values() if one.failure is not None]
    assert len(session.evidence) == len(session.record.plan.trials)
    assert len(failed) == 1 and re.match(said, failed[0].problem), failed
    assert session.status == 1
