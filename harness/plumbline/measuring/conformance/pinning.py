"""Count how often virtual threads are pinned while they serve, as the JDK's own flight recorder tells it.

A virtual thread that waits hands its carrier to others. It can't with a frame of native code on its stack or within the
initialisation of a class, and the JDK has an event for each such wait. Since JDK 24 `synchronized` pins no more.
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
from .checks import REQUESTS, ask_for
from .serving import Serving

EVENT = "jdk.VirtualThreadPinned"
_NAME = "pinned"
# A recording is written within seconds, on a busy machine too.
_ANSWER_S = 30.0


class Recording:
    """A recording of that event alone in a running JVM; a wait of any length is one event."""

    def __init__(self, java: Path, pid: int) -> None:
        self._tools, self._pid = java.parent, pid

    def start(self) -> None:
        """Begin to record. Raises AnswerIsNo when the JVM does not answer."""
        # The sign adds a setting to none at all.
        wanted = (f"+{EVENT}#enabled=true", f"+{EVENT}#threshold=0ns")
        self._ask("jcmd", str(self._pid), "JFR.start", f"name={_NAME}", "settings=none", *wanted)

    def stop(self) -> int:
        """End it, and return the number of events. Raises AnswerIsNo when the JVM does not answer."""
        with TemporaryDirectory() as folder:
            file = Path(folder, "pinned.jfr")
            # The JVM writes the file, as another user in the sandbox of a lab.
            Path(folder).chmod(0o777)
            self._ask("jcmd", str(self._pid), "JFR.stop", f"name={_NAME}", f"filename={file}")
            return events_in(self._ask("jfr", "print", "--json", "--events", EVENT, str(file)))

    def _ask(self, tool: str, *words: str) -> str:
        try:
            return subprocess.run(
                [str(self._tools / tool), *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_ANSWER_S,
                check=True,
            ).stdout
        except (OSError, subprocess.SubprocessError) as error:
            raise AnswerIsNo(f"{tool} gave no answer: {error}", "Its JDK has to be whole.") from error


def events_in(printed: str) -> int:
    """Return the number of events in what `jfr print --json` says."""
    return len(json.loads(printed)["recording"]["events"])


def pinned(serving: Serving, budgets: Mapping[str, QueryBudget]) -> dict[str, float]:
    """Return how many waits of a request are pinned, by operation.

    Operations are those with statements that the subject serves. They are counted over as many requests as have their
    statements counted, after as many others, which load what is loaded once. Raises AnswerIsNo for a request that is
    refused.
    """
    recording = Recording(serving.job.java, serving.process.pid)
    found: dict[str, float] = {}
    for operation, wanted in budgets.items():
        if not serving.serves(operation):
            continue
        refused = list(ask_for(serving, operation, wanted))
        recording.start()
        refused += ask_for(serving, operation, wanted, REQUESTS)
        found[operation] = recording.stop() / REQUESTS
        if refused:
            raise AnswerIsNo(refused[0], "./bench check-variant says what else falls short.")
    return found
