"""Sessions with a container: no process of a killed session stays, and another session ends with its answer."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from plumbline.machine.tools.container import ENGINE_VARIABLE, ContainerEngine
from plumbline.measuring.run.context import Context
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


@pytest.fixture(scope="module")
def checkout(context: Context, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    plain = make_checkout(tmp_path_factory.mktemp("clone") / "ours", BRIEF)
    return Checkout(plain.root, {ENGINE_VARIABLE: context.environ[ENGINE_VARIABLE]})


def test_killed_under_load_no_process_of_it_stays_and_the_next_session_removes_its_container(
    checkout: Checkout, containers: ContainerEngine
) -> None:
    words = ("run", "--suite", "brief", "--seed", "7")
    run = checkout.start(*words)
    try:
        # The rehearsal has a container without load, and the control has load without a container.
        run.until(lambda: bool(run.pids("k6", "params.json")) and len(containers.of_sessions()) == 1)
        killed(run, checkout.session(), least=6, ports=0)
    finally:
        run.process.kill()
    # The process that would have told the engine died too: what is left is the engine's entry.
    (left,) = containers.of_sessions()
    following = checkout.start(*words)
    try:
        following.until(lambda: left not in containers.of_sessions())
    finally:
        following.process.send_signal(signal.SIGINT)
        stderr = following.ended().err
    assert f"removing the container {left} that a dead session left behind" in stderr
    assert containers.of_sessions() == ()


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
    departures = [
        (trial["subject"], finding["rule"], finding["outcome"], finding["reading"])
        for trial in pair
        for finding in trial["findings"]
        if finding["rule"] in ("R16", "R19", "R33", "R34") and finding["outcome"] not in ("pass", "n/a")
    ]
    assert departures == []
    verified = checkout.bench("verify", str(folder))
    assert verified.status == 0, verified.err
    assert containers.of_sessions() == ()
