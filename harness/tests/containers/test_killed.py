"""Sessions with a container: of a killed one neither processes nor containers stay, another ends with its answer."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from plumbline.run.workshop import Workshop
from plumbline.tools.container import ENGINE_VARIABLE, ContainerEngine
from tests.live.checkout import Checkout, make_checkout
from tests.live.killing import killed

BRIEF = """
[suites.brief]
about = "one subject, a second or two a phase"
subjects = ["quarkus-hello-rest/jvm/none+run-in=container"]
scenarios = ["hello"]
blocks = 2
budget = "5m"
phases = [
    { kind = "warm-up", time = "2s" },
    { kind = "open", time = "3s", rates = [100] },
]
"""
REMOVED_WITHIN_S = 30.0


@pytest.fixture(scope="module")
def checkout(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    made = make_checkout(tmp_path_factory.mktemp("clone") / "ours", BRIEF)
    return Checkout(made.root, {ENGINE_VARIABLE: workshop.environ[ENGINE_VARIABLE]})


def test_killed_under_load_nothing_of_it_stays(checkout: Checkout, containers: ContainerEngine) -> None:
    run = checkout.start("run", "--suite", "brief", "--seed", "7")
    run.until_process("java", "quarkus-run.jar")
    run.until_process("k6", "warm-up.params.json")
    assert len(containers.of_sessions()) == 1
    killed(run, checkout.session(), least=6, ports=0)
    end_s = time.monotonic() + REMOVED_WITHIN_S
    while containers.of_sessions():
        assert time.monotonic() < end_s, containers.of_sessions()
        time.sleep(0.1)


def test_a_comparison_with_the_process_ends_with_its_answer_and_verifies(
    checkout: Checkout, containers: ContainerEngine
) -> None:
    words = ("compare", "quarkus-hello-rest", "quarkus-hello-rest+run-in=container", "--suite", "brief")
    ended = checkout.bench(*words, "--budget", "1s", "--json")
    assert ended.status == 0, ended.err
    assert "No verdict on " in ended.document["sentence"]
    folder = Path(ended.document["record"]).parent
    record = json.loads((folder / "record.json").read_text())
    (image,) = record["images"]
    assert image["artifact"] == "quarkus-hello-rest/jvm/none" and image["size_bytes"] > 0
    pair = [trial for trial in record["trials"] if trial["role"] == "measured"]
    assert {trial["side"] for trial in pair} == {"base", "head"}
    found = [
        (trial["subject"], one["rule"], one["outcome"], one["reading"])
        for trial in pair
        for one in trial["findings"]
        if one["rule"] in ("R16", "R19", "R33", "R34") and one["outcome"] not in ("pass", "n/a")
    ]
    assert found == []
    verified = checkout.bench("verify", str(folder))
    assert verified.status == 0, verified.err
    assert containers.of_sessions() == ()
