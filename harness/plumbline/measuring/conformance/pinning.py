"""Count how often virtual threads are pinned while they serve, by the JDK's own flight recorder.

A virtual thread that waits hands its carrier to others. With a frame of native code on its stack, or within the
initialisation of a class, it can't, and the JDK has an event for each such wait. Since JDK 24 `synchronized` no longer
pins.
https://openjdk.org/jeps/444 https://openjdk.org/jeps/491
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from plumbline.model.errors import AnswerIsNo
from plumbline.verdicts.contract.budgets import QueryBudget
from .checks import REQUESTS, first_refusal
from .serving import Serving

EVENT = "jdk.VirtualThreadPinned"
_NAME = "pinned"
# A recording is written within seconds, on a busy machine too.
_ANSWER_S = 30.0


class Recording:
    """A flight recording of EVENT alone in a running JVM; a wait of any length is one event."""

    def __init__(self, java: Path, pid: int) -> None:
        self._tools, self._pid = java.parent, pid

    def start(self) -> None:
        """Begin to record. Raises AnswerIsNo when the JVM does not answer."""
        # The plus sign adds a setting to the empty set of settings, `none`.
        event_settings = (f"+{EVENT}#enabled=true", f"+{EVENT}#threshold=0ns")
        self._run_tool("jcmd", str(self._pid), "JFR.start", f"name={_NAME}", "settings=none", *event_settings)

    def stop(self) -> int:
        """End the recording, and return the number of events. Raises AnswerIsNo when the JVM does not answer."""
        with TemporaryDirectory() as folder:
            file = Path(folder, "pinned.jfr")
            # The JVM writes the file, as another user in the sandbox of a lab.
            Path(folder).chmod(0o777)
            self._run_tool("jcmd", str(self._pid), "JFR.stop", f"name={_NAME}", f"filename={file}")
            return events_in(self._run_tool("jfr", "print", "--json", "--events", EVENT, str(file)))

    def _run_tool(self, tool: str, *arguments: str) -> str:
        try:
            return subprocess.run(
                [str(self._tools / tool), *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_ANSWER_S,
                check=True,
            ).stdout
        except (OSError, subprocess.SubprocessError) as error:
            raise AnswerIsNo(f"{tool} gave no answer: {error}", "Its JDK has to be whole.") from error


def events_in(output: str) -> int:
    """Return the number of events in the output of `jfr print --json`."""
    return len(json.loads(output)["recording"]["events"])


def pinned(serving: Serving, budgets: Mapping[str, QueryBudget]) -> dict[str, float]:
    """Return how many waits of a request are pinned, by operation.

    Operations are those with statements that the subject serves. Waits are counted over REQUESTS requests of each,
    after as many others, which load all that is loaded once. Raises AnswerIsNo for a request that is refused.
    """
    recording = Recording(serving.job.java, serving.process.pid)
    waits_of_request: dict[str, float] = {}
    for operation, query_budget in budgets.items():
        if not serving.serves(operation):
            continue
        refusals = list(first_refusal(serving, operation, query_budget))
        recording.start()
        refusals += first_refusal(serving, operation, query_budget, REQUESTS)
        waits_of_request[operation] = recording.stop() / REQUESTS
        if refusals:
            raise AnswerIsNo(refusals[0], "./bench check-variant says what else falls short.")
    return waits_of_request
