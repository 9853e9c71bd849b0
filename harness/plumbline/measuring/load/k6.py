"""Runs k6 for one phase: one JSON file in and one out for each of its processes, of which there is nearly always one.

All cycles of a warm-up are one process as well: it starts once, and the running count of its requests, which
the warm-up curve is drawn from, goes on through the pauses.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.host.kernel import free_port
from plumbline.measuring.launch.interface import RunningProcess, Spawner, exit_in_words, last_words_in
from plumbline.model.plan import Phase, Scenario
from .params import CHECK_EVERY, COMPARED_MIN, TIMEOUT_S, LoadParams, Target, params_of
from .segments import MOST_A_PROCESS, processes_of, segment_options, start_all
from .summary import LoadFailed, LoadOutcome, merged, parse

# k6's start and its handling of the summary; both take well under a second on an idle core.
SLACK_S = 20.0
# The pause between two checks that the application still lives.
LOOK_S = 0.5
STOP_S = 3.0
# The end of the name of a k6 log, after the phase's name.
K6_LOG = ".k6.log"

_SCRIPT_CODES = {104: "its options are invalid", 107: "the script threw", 108: "the script gave up"}
_OTHER_CODES = {
    105: "it was stopped by a signal",
    106: "its REST address was taken",
    109: "k6 itself crashed",
}


@dataclass(frozen=True)
class _Part:
    """A k6 process of a phase, with its files."""

    process: RunningProcess
    rest_address: str
    params: LoadParams
    log: Path


@dataclass(frozen=True)
class K6:
    """k6 on this machine: the binary, the folder of scenarios, and the number of its CPUs.

    One answer of `check_every` is compared with the golden body, and at least `compared_min` of a phase; a request
    may take `timeout_s`, and k6 `slack_s` more than its phase. `sleep` waits the last pause of a warm-up, which k6
    itself leaves out. Beyond `most_a_process` arrivals a second a phase has several processes.
    """

    binary: Path
    scenarios: Path
    cpus: int
    spawner: Spawner
    sleep: Callable[[float], None] = time.sleep
    timeout_s: float = TIMEOUT_S
    slack_s: float = SLACK_S
    check_every: int = CHECK_EVERY
    compared_min: int = COMPARED_MIN
    most_a_process: int = MOST_A_PROCESS

    def run(
        self,
        phase: Phase,
        scenario: Scenario,
        target: Target,
        *,
        folder: Path,
        rest_port: int,
        on_started: Callable[[tuple[int, ...], tuple[str, ...]], None] = lambda pids, rest_addresses: None,
        stop: Callable[[], str | None] = lambda: None,
        requests: int | None = None,
    ) -> LoadOutcome:
        """Run the load of one phase, and wait for its end, which comes by count if `requests` is given. k6's files are
        in `folder`, named after the phase.

        `on_started` receives the pids and REST addresses of all k6 processes, the first at `rest_port`; `stop` is
        called twice a second, and a sentence from it ends the load. Raises LoadFailed.
        """
        count = processes_of(phase, self.cpus, self.most_a_process)
        parts: list[_Part] = []
        try:
            for index in range(count):
                name = phase.name if count == 1 else f"{phase.name}.{index + 1}"
                summary = folder / f"{name}.summary.json"
                params = params_of(
                    phase,
                    scenario,
                    target,
                    summary,
                    timeout_s=self.timeout_s,
                    check_every=self.check_every,
                    compared_min=self.compared_min,
                    requests=requests,
                    generators=count,
                )
                port = free_port() if index else rest_port
                parts.append(self._spawn(params, scenario.script, folder, name, port, segment_options(index, count)))
            addresses = tuple(part.rest_address for part in parts)
            on_started(tuple(part.process.pid for part in parts), addresses)
            if count > 1 and (problem := start_all(addresses, self.slack_s, stop)) is not None:
                raise LoadFailed("hung", problem, last_words_in(parts[0].log))
            self._wait(parts, phase, stop)
        except BaseException:
            for part in parts:
                if part.process.poll() is None:
                    part.process.terminate(STOP_S)
            raise
        outcome = merged([_outcome(part.params, 0, part.log) for part in parts])
        if phase.pause_s > 0:
            self.sleep(phase.pause_s)
        return outcome

    def _spawn(self, params: LoadParams, script: str, folder: Path, name: str, port: int, options: list[str]) -> _Part:
        params_file = folder / f"{name}.params.json"
        log = folder / f"{name}{K6_LOG}"
        rest_address = f"127.0.0.1:{port}"
        try:
            params_file.write_text(params.model_dump_json())
            process = self.spawner.spawn(
                role="load",
                argv=self._argv(script, params_file, log.name, rest_address, options),
                cwd=folder,
                # HTTP/1.1 over TLS too: Go would take HTTP/2 where a server offers it.
                env={
                    "HOME": str(folder),
                    "GOGC": "400",
                    # The heap of a thousand VUs would grow to more than a small host has.
                    "GOMEMLIMIT": "1GiB",
                    "GOMAXPROCS": str(self.cpus),
                    "GODEBUG": "http2client=0",
                },
                stdout=folder / f"{name}.k6.out",
            )
        except OSError as error:
            problem = f"A file for k6 in the phase {params.phase} can't be written: {error.strerror}."
            raise LoadFailed("script", problem) from error
        return _Part(process, rest_address, params, log)

    def _argv(self, script: str, params_file: Path, log: str, rest_address: str, options: list[str]) -> list[str]:
        return [
            str(self.binary),
            "run",
            "--quiet",
            "--no-color",
            "--no-usage-report",
            "--log-format=raw",
            # At lower levels k6 logs a line for each failed request: a hundred thousand when an application
            # dies.
            f"--log-output=file={log},level=error",
            f"--address={rest_address}",
            *options,
            f"--env=PLUMBLINE_LOAD={params_file}",
            str(self.scenarios / script),
        ]

    def _wait(self, parts: Sequence[_Part], phase: Phase, stop: Callable[[], str | None]) -> None:
        """Wait until every process has ended with exit code 0."""
        limit_s = phase.expected_s + self.timeout_s + self.slack_s
        running = list(parts)
        for _ in range(math.ceil(limit_s / LOOK_S)):
            running[0].process.wait(LOOK_S)
            for part in list(running):
                exit_code = part.process.poll()
                if exit_code is not None and exit_code != 0:
                    raise _failure(exit_code, phase, last_words_in(part.log))
                if exit_code == 0:
                    running.remove(part)
            if not running:
                return
            if (problem := stop()) is not None:
                raise LoadFailed("stopped", problem, last_words_in(running[0].log))
        problem = f"k6 did not end within {limit_s:.0f} s in the phase {phase.name}."
        raise LoadFailed("hung", problem, last_words_in(running[0].log))


def _outcome(params: LoadParams, exit_code: int, log: Path) -> LoadOutcome:
    messages = last_words_in(log)
    try:
        text = params.summary.read_text()
    except OSError as error:
        problem = f"k6 left no summary of the phase {params.phase}: {error.strerror}."
        raise LoadFailed("summary", problem, messages) from error
    return parse(text, params, exit_code, messages)


def _failure(exit_code: int, phase: Phase, tail: tuple[str, ...]) -> LoadFailed:
    if exit_code in _SCRIPT_CODES:
        detail = f": {tail[0]}" if tail else "."
        return LoadFailed("script", f"k6 refused the phase {phase.name}, {_SCRIPT_CODES[exit_code]}{detail}", tail)
    reason = _OTHER_CODES.get(exit_code, exit_in_words(exit_code))
    return LoadFailed("died", f"k6 died in the phase {phase.name}: {reason}.", tail)
