"""Runs the load of a program without a server, which makes its own load, without k6.

Commands go into a pipe, a line each; the program answers in a file, a line of JSON each (apps/domain,
companies/Console.java). A batch there is what a request is elsewhere.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from plumbline.archive.record.files import keepable
from plumbline.machine.host.foreign import open_regular
from plumbline.model.batch import Batch
from plumbline.model.evidence import QUANTILES, LoadResult, Probe
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.contract.probes import ProbeSpec, answer_of_program
from .summary import LoadFailed, LoadOutcome

COMMANDS, RESULTS = "commands", "results.jsonl"
# The pause between two looks at the results: a phase ends at most this much too late. A look costs microseconds.
LOOK_S = 0.005
# The pause between two checks that the program still lives.
ALIVE_EVERY_S = 0.5
# A phase ends with the batch that runs when its time is over, and no batch of the workloads takes a minute.
LONGEST_BATCH_S = 60.0
# A batch of the workloads takes tens of milliseconds, and leaves a line of some hundred bytes.
_MOST_BYTES = 1 << 24


class Program:
    """The two channels of a program in its `folder`, commands and results. `stop` says why to wait no longer, or None.

    Make this object before the program is started: the pipe has to be there.
    """

    def __init__(self, folder: Path, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._commands, self.results = folder / COMMANDS, folder / RESULTS
        os.mkfifo(self._commands)
        # Open for reading and writing: so opening waits for nobody, and the program never reads an end of file.
        self._pipe = os.open(self._commands, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._position = 0
        self._sleep = sleep

    @property
    def words(self) -> tuple[str, ...]:
        """The last words of the program's command line."""
        return str(self._commands), str(self.results)

    def close(self) -> None:
        """Close the pipe; the program may have put anything in its place."""
        os.close(self._pipe)

    def greeting(self, limit_s: float, stop: Callable[[], str | None]) -> dict[str, Any]:
        """Return the environment that the program states once its pool is full. Raises LoadFailed."""
        return self._answers_until("pid", limit_s, stop)[-1]

    def environment(self, limit_s: float, stop: Callable[[], str | None]) -> dict[str, Any]:
        """Return the environment that the program states now. Raises LoadFailed."""
        self._send("environment")
        return self._answers_until("pid", limit_s, stop)[-1]

    def first(self, batch: Batch, limit_s: float, stop: Callable[[], str | None]) -> None:
        """Run one batch, whatever its result is. Raises LoadFailed."""
        self._run_batches(batch, 0.0, limit_s, stop)

    def probe(self, spec: ProbeSpec, limit_s: float, stop: Callable[[], str | None]) -> Probe:
        """Run one batch and compare its answer with the golden one. Raises LoadFailed."""
        batch = Batch.asked_by(f"{spec.method} {spec.path}")
        if batch is None:
            raise ValueError(f"{spec.path} is no batch")
        rows, _ = self._run_batches(batch, 0.0, limit_s, stop)
        content = json.dumps(rows[0], separators=(",", ":"), ensure_ascii=False)
        return answer_of_program(spec, f"{batch.query} {batch.count}", content.encode())

    def run(self, phase: Phase, scenario: Scenario, stop: Callable[[], str | None]) -> LoadOutcome:
        """Run batch after batch for the time of a phase, or of each cycle of a warm-up. Raises LoadFailed."""
        batch = Batch.asked_by(scenario.operation)
        if batch is None or phase.rate_per_s is not None:
            problem = f"A program without a server has no load such as {phase.name} of {scenario.operation}."
            raise LoadFailed("script", problem)
        rows: list[dict[str, Any]] = []
        began_s = time.time()
        window_s = 0.0
        for _ in range(phase.cycles):
            results, took_ms = self._run_batches(batch, phase.duration_s, phase.duration_s + LONGEST_BATCH_S, stop)
            rows += results
            window_s += took_ms / 1000
            if phase.pause_s > 0:
                self._sleep(phase.pause_s)
                window_s += phase.pause_s
        window = (began_s * 1000, (began_s + window_s) * 1000)
        return LoadOutcome(result=result_of(phase, batch, rows, window_s), window=window)

    def _run_batches(
        self, batch: Batch, seconds: float, limit_s: float, stop: Callable[[], str | None]
    ) -> tuple[list[dict[str, Any]], float]:
        """Return the results of batches begun within `seconds`, and the milliseconds of all of them together."""
        self._send(f"run {batch.query} {batch.count} {seconds:.3f}")
        *rows, end = self._answers_until("batches", limit_s, stop)
        if end["batches"] != len(rows) or not rows:
            raise LoadFailed("summary", f"The program said {len(rows)} results of {end['batches']} batches.")
        return rows, float(end["millis"])

    def _send(self, line: str) -> None:
        os.write(self._pipe, f"{line}\n".encode())

    def _answers_until(self, last: str, limit_s: float, stop: Callable[[], str | None]) -> list[dict[str, Any]]:
        """Return the lines of JSON up to the line that has the key `last`."""
        answers: list[dict[str, Any]] = []
        begun_at = self._position
        now = time.monotonic()
        end_s, look_s = now + limit_s, now + ALIVE_EVERY_S
        while True:
            for line in self._lines(begun_at + _MOST_BYTES):
                row = _row(line)
                if "status" in row:
                    raise LoadFailed("script", f"The program refused what it was told: {row.get('detail')}")
                answers.append(row)
                if last in row:
                    return answers
            now = time.monotonic()
            if now > look_s and (problem := stop()) is not None:
                raise LoadFailed("stopped", problem)
            if now > end_s:
                raise LoadFailed("hung", f"The program gave no answer within {limit_s:.0f} s.")
            look_s = now + ALIVE_EVERY_S if now > look_s else look_s
            self._sleep(LOOK_S)

    def _lines(self, end: int) -> list[bytes]:
        """Return the new lines of the results that are whole. Raises LoadFailed if the results go on beyond `end`."""
        try:
            with open_regular(self.results) as file:
                file.seek(self._position)
                text = file.read(end + 1 - self._position)
        except OSError:
            return []
        if self._position + len(text) > end:
            raise LoadFailed("summary", f"The program's answers to one command have more than {_MOST_BYTES:,} bytes.")
        whole_lines = text[: text.rfind(b"\n") + 1]
        self._position += len(whole_lines)
        return whole_lines.splitlines()


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = keepable(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise LoadFailed("summary", f"The program said what is no JSON object: {line[:80]!r}.")
    return row


def result_of(phase: Phase, batch: Batch, rows: list[dict[str, Any]], window_s: float) -> LoadResult:
    """Return the load of a phase. A batch that did not read the rows that it must have read failed its check.

    Raises LoadFailed for a result that lacks something.
    """
    try:
        millis = np.array([row["millis"] for row in rows], dtype=float)
        readings = [(row["query"], row["count"], row["rows"], row["idSum"]) for row in rows]
        threads = np.array([row["threads"] for row in rows], dtype=float)
    except (KeyError, TypeError, ValueError) as error:
        raise LoadFailed("summary", f"A result of the program is garbled: {error!r}.") from error
    wanted = (batch.query, batch.count, batch.rows, batch.id_sum)
    wrong = [reading for reading in readings if reading != wanted]
    return LoadResult(
        phase=phase.name,
        executor="program",
        connections=1,
        window_s=window_s,
        requests=len(rows),
        completed=len(rows),
        failed=0,
        dropped=0,
        checks_passed=len(rows) - len(wrong),
        checks_failed=len(wrong),
        latency_mean_ms=float(millis.mean()),
        latency_min_ms=float(millis.min()),
        latency_max_ms=float(millis.max()),
        latency_ms=tuple(float(value) for value in np.quantile(millis, QUANTILES)),
        messages=tuple(f"A batch read {reading} instead of {wanted}." for reading in wrong[:1]),
        batch_threads=float(threads.mean()),
    )
