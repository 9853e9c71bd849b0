"""Runs k6 for one phase: one process, one JSON file in, one JSON file out.

All cycles of a warm-up are one process as well: it starts once, and the running count of its requests, which
the warm-up curve is drawn from, goes on through the pauses.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from plumbline.launch.face import Process, Spawner, ending
from plumbline.model.plan import Phase, Scenario
from .failed import LoadFailed
from .params import CHECK_EVERY, TIMEOUT_S, LoadParams, Target, params_of
from .summary import LoadOutcome, parse

# k6's start and its handling of the summary; both take well under a second on an idle core.
SLACK_S = 20.0
# Between looks at whether the application still lives.
LOOK_S = 0.5
STOP_S = 3.0
TAIL_LINES = 10
LINE_CHARACTERS = 300

_SCRIPT_CODES = {104: "its options are invalid", 107: "the script threw", 108: "the script gave up"}
_OTHER_CODES = {
    105: "it was stopped by a signal",
    106: "its REST address was taken",
    109: "k6 itself crashed",
}


@dataclass(frozen=True)
class K6:
    """k6 on this machine: the binary, the folder of scenarios, and on how many CPUs it runs.

    One answer of `check_every` is compared with the golden body; a request may take `timeout_s`, and k6
    `slack_s` more than its phase. `sleep` waits the last pause of a warm-up, which k6 itself leaves out.
    """

    binary: Path
    scenarios: Path
    cpus: int
    spawner: Spawner
    sleep: Callable[[float], None] = time.sleep
    timeout_s: float = TIMEOUT_S
    slack_s: float = SLACK_S
    check_every: int = CHECK_EVERY

    def run(
        self,
        phase: Phase,
        scenario: Scenario,
        target: Target,
        *,
        folder: Path,
        rest_port: int,
        on_started: Callable[[int, str], None] = lambda pid, rest_address: None,
        stop: Callable[[], str | None] = lambda: None,
        requests: int | None = None,
    ) -> LoadOutcome:
        """Loads one phase and waits for its end, which `requests` make come by count. k6's files stand in `folder`,
        named after the phase.

        `on_started` is told k6's pid and its REST address; `stop` is asked twice a second, and a sentence
        from it ends the load. Raises LoadFailed.
        """
        summary = folder / f"{phase.name}.summary.json"
        params = params_of(phase, scenario, target, summary, self.timeout_s, self.check_every, requests)
        given = folder / f"{phase.name}.params.json"
        given.write_text(params.model_dump_json())
        log = folder / f"{phase.name}.k6.log"
        rest_address = f"127.0.0.1:{rest_port}"
        process = self.spawner.spawn(
            role="load",
            argv=self._argv(scenario.script, given, log.name, rest_address),
            cwd=folder,
            # HTTP/1.1 over TLS too: Go would take HTTP/2 where a server offers it.
            env={
                "HOME": str(folder),
                "GOGC": "400",
                "GOMAXPROCS": str(self.cpus),
                "GODEBUG": "http2client=0",
            },
            stdout=folder / f"{phase.name}.k6.out",
        )
        on_started(process.pid, rest_address)
        exit_code = self._wait(process, phase, log, stop)
        if exit_code != 0:
            raise _failure(exit_code, phase, _tail(log))
        outcome = _outcome(params, exit_code, log)
        if phase.pause_s > 0:
            self.sleep(phase.pause_s)
        return outcome

    def _argv(self, script: str, given: Path, log: str, rest_address: str) -> list[str]:
        return [
            str(self.binary),
            "run",
            "--quiet",
            "--no-color",
            "--no-usage-report",
            "--log-format=raw",
            # Below `error` stands a line for each failed request: a hundred thousand when an application
            # dies.
            f"--log-output=file={log},level=error",
            f"--address={rest_address}",
            f"--env=PLUMBLINE_LOAD={given}",
            str(self.scenarios / script),
        ]

    def _wait(self, process: Process, phase: Phase, log: Path, stop: Callable[[], str | None]) -> int:
        """k6's exit status."""
        limit_s = phase.expected_s + self.timeout_s + self.slack_s
        for _ in range(math.ceil(limit_s / LOOK_S)):
            exit_code = process.wait(LOOK_S)
            if exit_code is not None:
                return exit_code
            problem = stop()
            if problem is not None:
                process.terminate(STOP_S)
                raise LoadFailed("stopped", problem, _tail(log))
        process.terminate(STOP_S)
        problem = f"k6 did not end within {limit_s:.0f} s in the phase {phase.name}."
        raise LoadFailed("hung", problem, _tail(log))


def _outcome(params: LoadParams, exit_code: int, log: Path) -> LoadOutcome:
    messages = _tail(log)
    try:
        text = params.summary.read_text()
    except OSError as error:
        problem = f"k6 left no summary of the phase {params.phase}: {error.strerror}."
        raise LoadFailed("summary", problem, messages) from error
    return parse(text, params, exit_code, messages)


def _failure(exit_code: int, phase: Phase, tail: tuple[str, ...]) -> LoadFailed:
    if exit_code in _SCRIPT_CODES:
        said = f": {tail[0]}" if tail else "."
        return LoadFailed(
            "script", f"k6 refused the phase {phase.name}, {_SCRIPT_CODES[exit_code]}{said}", tail
        )
    reason = _OTHER_CODES.get(exit_code, ending(exit_code))
    return LoadFailed("died", f"k6 died in the phase {phase.name}: {reason}.", tail)


def _tail(log: Path) -> tuple[str, ...]:
    """The last distinct lines of a log, oldest first; empty when there is none."""
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return ()
    distinct = dict.fromkeys(line.strip()[:LINE_CHARACTERS] for line in lines if line.strip())
    return tuple(distinct)[-TAIL_LINES:]
