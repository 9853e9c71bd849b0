"""The conversation with a program without a server, whose part is played by a thread."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from plumbline.measuring.load.program import Program, result_of
from plumbline.measuring.load.summary import LoadFailed
from plumbline.model.batch import Batch
from plumbline.model.evidence import QUANTILES
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.contract.probes import ProbeSpec

ONE = Batch(query="one", count=10)
CLOSED = Phase(kind="closed", name="closed", duration_s=0.1, connections=1)
Play = Callable[[str], list[str]]


def row(millis: float = 20.0, **changes: Any) -> dict[str, Any]:
    defaults = {"query": "one", "count": 10, "rows": 10, "idSum": ONE.id_sum, "threads": 2, "millis": millis}
    return defaults | changes


def faithful(line: str) -> list[str]:
    """Answer each command with two batches, whose times are those of a real program."""
    if line == "environment":
        return ['{"pid":7}']
    rows = [json.dumps(row(millis)) for millis in (20.0, 40.0)]
    return [*rows, '{"batches":2,"millis":61.5}']


def scenario(operation: str = "GET /benchmark?query=one&count=10") -> Scenario:
    return Scenario(
        name="companies-t1",
        version=1,
        workload="companies",
        script="companies.ts",
        operation=operation,
        uses_database=True,
        phases=(CLOSED,),
    )


def alive() -> str | None:
    return None


@contextmanager
def playing(program: Program, play: Play) -> Iterator[list[str]]:
    """A thread reads the pipe, as the process would, and writes what `play` answers; yields the commands."""
    received: list[str] = []
    commands, results = (Path(word) for word in program.words)

    def run() -> None:
        with commands.open() as lines, results.open("w") as out:
            for line in lines:
                if line == "stop\n":
                    return
                received.append(line.rstrip("\n"))
                for answer in play(received[-1]):
                    out.write(answer + "\n")
                out.flush()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield received
    finally:
        with commands.open("w") as out:
            out.write("stop\n")
        thread.join()
        program.close()


def test_a_phase_is_its_batches(tmp_path: Path) -> None:
    program = Program(tmp_path)
    with playing(program, faithful) as commands:
        outcome = program.run(CLOSED, scenario(), alive)
    load = outcome.result
    assert commands == ["run one 10 0.100"]
    assert (load.executor, load.connections, load.requests, load.completed) == ("program", 1, 2, 2)
    assert (load.checks_passed, load.checks_failed, load.failed) == (2, 0, 0)
    assert (load.latency_mean_ms, load.latency_min_ms, load.latency_max_ms) == (30.0, 20.0, 40.0)
    assert len(load.latency_ms) == len(QUANTILES) and load.latency_ms[50] == 30.0
    assert load.batch_threads == 2.0
    assert load.window_s == pytest.approx(0.0615)
    assert {path.name for path in tmp_path.iterdir()} == {"commands", "results.jsonl"}
    assert outcome.window[1] - outcome.window[0] == pytest.approx(61.5, abs=0.01)


def test_a_pipe_in_place_of_the_results_is_not_waited_for(tmp_path: Path) -> None:
    program = Program(tmp_path)
    os.mkfifo(program.results)
    with pytest.raises(LoadFailed, match="no answer within 0 s"):
        program.greeting(0.0, alive)
    Path(program.words[0]).unlink()
    program.close()


@pytest.mark.parametrize("line", ["{}\n", " "])
def test_answers_without_an_end_are_not_read(tmp_path: Path, line: str) -> None:
    program = Program(tmp_path)
    program.results.write_text(line * ((1 << 24) + 1))
    with pytest.raises(LoadFailed, match="more than 16,777,216 bytes"):
        program.greeting(60.0, alive)
    program.close()


def test_a_warm_up_rests_between_its_cycles(tmp_path: Path) -> None:
    rests: list[float] = []

    def sleep(seconds: float) -> None:
        if seconds == 2.0:
            rests.append(seconds)

    program = Program(tmp_path, sleep=sleep)
    phase = Phase(kind="warm-up", name="warm-up", duration_s=0.1, connections=1, cycles=3, pause_s=2.0)
    with playing(program, faithful) as commands:
        load = program.run(phase, scenario(), alive).result
    assert commands == ["run one 10 0.100"] * 3 and rests == [2.0] * 3
    assert load.requests == 6 and load.window_s == pytest.approx(3 * 2.0615)


def test_the_environment_and_the_greeting(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.results.write_text('{"pid":6}\n')
    assert program.greeting(1, alive) == {"pid": 6}
    program.results.unlink()
    new_folder = tmp_path / "again"
    new_folder.mkdir()
    program.close()
    program = Program(new_folder)
    with playing(program, faithful):
        assert program.environment(5, alive) == {"pid": 7}


def test_a_probe_is_compared_without_what_varies(tmp_path: Path) -> None:
    golden = json.dumps(
        {key: value for key, value in row().items() if key not in ("threads", "millis")}, separators=(",", ":")
    )
    spec = ProbeSpec(
        name="batch-one",
        workload="companies",
        part="read",
        method="GET",
        path="/benchmark?query=one&count=10",
        status=(200,),
        varying=("threads", "millis"),
        body=golden.encode(),
    )
    program = Program(tmp_path)
    with playing(program, faithful) as commands:
        good = program.probe(spec, 5, alive)
        bad = program.probe(spec.model_copy(update={"body": b"{}"}), 5, alive)
    assert commands == ["run one 10 0.000"] * 2
    assert (good.name, good.method, good.path, good.status) == ("batch-one", "RUN", "one 10", None)
    assert good.problem is None and good.body_bytes == len(golden)
    assert bad.problem is not None and "another body" in bad.problem


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (
            ['{"status":400,"detail":"The query must be one."}'],
            "refused what it was told: The query must be one.",
        ),
        (["Exception in thread main"], "no JSON object"),
        (["[1]"], "no JSON object"),
        (['{"pid":' + "[" * 100_000], "no JSON object"),
        ([json.dumps(row()), '{"batches":2,"millis":20}'], "1 results of 2 batches"),
        (['{"batches":0,"millis":0}'], "0 results of 0 batches"),
        (['{"query":"one"}', '{"batches":1,"millis":20}'], "garbled"),
        (['{"query":"one","millis":"soon"}', '{"batches":1,"millis":20}'], "garbled"),
    ],
)
def test_an_answer_that_is_none(tmp_path: Path, answers: list[str], words: str) -> None:
    program = Program(tmp_path)
    with playing(program, lambda line: answers), pytest.raises(LoadFailed, match=words):
        program.run(CLOSED, scenario(), alive)


def test_a_program_that_ends_is_not_waited_for(tmp_path: Path) -> None:
    program = Program(tmp_path)
    try:
        with pytest.raises(LoadFailed, match="it is gone") as caught:
            program.run(CLOSED, scenario(), lambda: "it is gone")
    finally:
        program.close()
    assert caught.value.why == "stopped"


def test_a_program_that_is_silent_is_not_waited_for_ever(tmp_path: Path) -> None:
    program = Program(tmp_path)
    try:
        with pytest.raises(LoadFailed, match="no answer within") as caught:
            program.greeting(0.05, alive)
    finally:
        program.close()
    assert caught.value.why == "hung"


def test_what_a_program_can_not_do(tmp_path: Path) -> None:
    program = Program(tmp_path)
    rate = Phase(kind="open", name="open@20", duration_s=1, rate_per_s=20)
    try:
        with pytest.raises(LoadFailed, match=r"no load such as open@20"):
            program.run(rate, scenario(), alive)
        with pytest.raises(LoadFailed, match=r"of GET /companies/\{id\}"):
            program.run(CLOSED, scenario("GET /companies/{id}"), alive)
    finally:
        program.close()


@pytest.mark.parametrize("changes", [{"rows": 9}, {"idSum": 1}, {"query": "hundred"}, {"count": 11}])
def test_a_batch_that_read_something_else_fails_its_check(changes: dict[str, Any]) -> None:
    load = result_of(CLOSED, ONE, [row(), row(**changes)], 1.0)
    assert (load.checks_passed, load.checks_failed) == (1, 1)
    assert "instead of ('one', 10, 10," in load.messages[0]


def test_what_batches_must_read() -> None:
    """Compared with the golden answers of the contract, which another program made."""
    golden = Path(__file__).resolve().parents[3] / "apps" / "contract" / "golden"
    for name, batch in (
        ("batch-one", Batch(query="one", count=2000)),
        ("batch-hundred", Batch(query="hundred", count=50)),
        ("batch-sleep", Batch(query="sleep", count=2)),
    ):
        answer = json.loads((golden / f"{name}.json").read_text())
        assert (batch.rows, batch.id_sum) == (answer["rows"], answer["idSum"])


@pytest.mark.parametrize(
    "operation",
    [
        "GET /fruits",
        "GET /benchmark?query=two&count=1",
        "GET /benchmark?query=one&count=0",
        "POST /benchmark?query=one&count=1",
    ],
)
def test_no_batch(operation: str) -> None:
    assert Batch.asked_by(operation) is None
