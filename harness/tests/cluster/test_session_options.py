"""Options and subjects that no cluster can run are refused in one sentence, before anything is built or made."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.cli.run_command import command
from plumbline.measuring.run import session
from plumbline.measuring.run.journal import ClusterOptions
from plumbline.model.errors import UsageError
from tests.checkout import ROOT
from tests.cluster.stand_in import StandIn
from tests.cluster.test_preflight import Cluster


def refused(*words: str, kubeconfig: Path | None = None) -> UsageError:
    env = {"KUBECONFIG": str(kubeconfig)}
    ended = CliRunner(env=env).invoke(command, list(words), standalone_mode=False)
    assert isinstance(ended.exception, UsageError), ended.exception
    return ended.exception


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--resume 1 --on kubernetes", "--resume goes on with what was asked, and --on would change nothing."),
        ("--resume 1 --generators 2", "--resume goes on with what was asked, and --generators would change nothing."),
        (
            "--sandbox required --on kubernetes",
            "--sandbox holds programs of this host, and a cluster runs pods.",
        ),
        ("--generators 2", "--generators is for a cluster."),
        ("--images registry.example/x", "--images is for a cluster."),
        ("--on kubernetes --generators 0", "0 generators make no load."),
        (
            "--on kubernetes --generators 1001",
            "1,001 generators are more than one ConfigMap has segments for.",
        ),
    ],
)
def test_options_that_contradict_one_another_are_refused(words: str, said: str) -> None:
    refusal = refused(*words.split())
    assert refusal.problem == said and refusal.next_step


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "--suite native --only vertx-pg/jvm/pg+run-in=container",
            "vertx-pg/jvm/pg+run-in=container can't be put into a cluster: it has run-in=container,",
        ),
        (
            "--suite seed-000-mysql --only quarkus-rest-*",
            "it needs MySQL, of which there are no objects yet.",
        ),
        ("--suite compare --only vertx-pg/* --images UPPER", "'UPPER' is no registry that images lie in."),
    ],
)
def test_a_session_that_no_cluster_can_run_makes_and_builds_nothing(tmp_path: Path, words: str, said: str) -> None:
    running = ROOT / "results" / "local" / ".running"
    before = list(running.glob("*"))
    with StandIn(tmp_path, Cluster()) as stand_in:
        refusal = refused("--on", "kubernetes", *words.split(), kubeconfig=stand_in.kubeconfig)
        posted = {(method, path) for method, path in stand_in.asked if method != "GET"}
    assert said in refusal.problem and refusal.next_step
    assert {path.rpartition("/")[2] for _, path in posted} == {"selfsubjectaccessreviews"}
    assert list(running.glob("*")) == before


def test_a_session_keeps_the_cluster_that_it_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[ClusterOptions] = []

    def planned_session(*asked: object, cluster: ClusterOptions) -> None:
        kept.append(cluster)
        raise UsageError("That is enough.")

    monkeypatch.setattr(session, "planned_session", planned_session)
    with StandIn(tmp_path, Cluster()) as stand_in:
        refused("--on", "kubernetes", "--suite", "compare", "--only", "vertx-pg/*", kubeconfig=stand_in.kubeconfig)
    (cluster,) = kept
    assert (cluster.context, cluster.uid, cluster.nodes) == ("tests", "a-cluster", {"app": "one", "db": "two"})
