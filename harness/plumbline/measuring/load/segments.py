"""Several k6 processes for one phase: each runs an execution segment of it, and all begin at the same moment.

One process can't start any number of arrivals: its own bookkeeping runs on one thread. Beyond `MOST_A_PROCESS` a phase
is cut into parts, whose arrivals, VUs and iteration numbers k6 itself divides.
https://grafana.com/docs/k6/latest/using-k6/k6-options/reference/#execution-segment
"""

from __future__ import annotations

import http.client
import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any

from plumbline.model.plan import Phase

# Four CPUs at 5,000 arrivals a second each; beyond this, k6 begins to drop arrivals.
MOST_A_PROCESS = 20_000
# k6's status of a process that is ready and waits for its start: its VUs are made.
_PAUSED_BEFORE_RUN = 4
_LOOK_S = 0.05
_ANSWER_S = 2.0

AskK6 = Callable[[str, str, str | None], Any]
"""Sends address, method and body to a k6's REST interface, and returns the answer. Raises OSError or ValueError."""


def processes_of(phase: Phase, cpus: int, most_a_process: int = MOST_A_PROCESS) -> int:
    """Return how many k6 processes a phase takes, at most one a CPU; closed load is one in any case."""
    if phase.kind != "open" or phase.rate_per_s is None:
        return 1
    return max(1, min(cpus, math.ceil(phase.rate_per_s / most_a_process)))


def segment_options(index: int, count: int) -> list[str]:
    """Return the options that give the process `index` of `count` its part; none where it has the whole phase."""
    if count == 1:
        return []
    return [
        f"--execution-segment={segment_of(index, count)}",
        f"--execution-segment-sequence={sequence_of(count)}",
        "--paused",
    ]


def segment_of(index: int, count: int) -> str:
    """Return the part of the process `index` of `count` in k6's words: `1/3:2/3`."""
    ends = _ends(count)
    return f"{ends[index]}:{ends[index + 1]}"


def sequence_of(count: int) -> str:
    """Return the ends of all parts, by which k6 divides what can't be divided evenly: `0,1/3,2/3,1`."""
    return ",".join(_ends(count))


def _ends(count: int) -> list[str]:
    return ["0", *(f"{part}/{count}" for part in range(1, count)), "1"]


def ask_k6(address: str, method: str, body: str | None) -> Any:
    """Ask k6 for its status, or change the status, over a connection of its own."""
    connection = http.client.HTTPConnection(address, timeout=_ANSWER_S)
    try:
        connection.request(method, "/v1/status", body, {"Content-Type": "application/json"})
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def wait_for_all(
    addresses: Sequence[str], within_s: float, stop: Callable[[], str | None], ask: AskK6 = ask_k6
) -> str | None:
    """Wait until each process is ready to be started. Return why one never was, in a sentence, or None."""
    end_s = time.monotonic() + within_s
    for address in addresses:
        while _status(address, ask) != _PAUSED_BEFORE_RUN:
            if (problem := stop()) is not None:
                return problem
            if time.monotonic() > end_s:
                return f"One of {len(addresses)} k6 processes was not ready within {within_s:.0f} s."
            time.sleep(_LOOK_S)
    return None


def start_all(
    addresses: Sequence[str], within_s: float, stop: Callable[[], str | None], ask: AskK6 = ask_k6
) -> str | None:
    """Start all waiting processes at one moment, once each is ready. Return why this failed, in a sentence, or None."""
    if (problem := wait_for_all(addresses, within_s, stop, ask)) is not None:
        return problem
    together = Barrier(len(addresses), timeout=within_s)

    def at_once(request: Callable[[str, AskK6], object], address: str) -> object:
        together.wait()
        return request(address, ask)

    with ThreadPoolExecutor(len(addresses)) as threads:
        # By the first request a cluster's API has a connection for each process: no start waits for a handshake.
        for request in (_status, _resume):
            answers = list(threads.map(partial(at_once, request), addresses))
    return None if all(answers) else f"One of {len(addresses)} k6 processes could not be started."


def _status(address: str, ask: AskK6) -> object:
    try:
        return ask(address, "GET", None)["data"]["attributes"]["status"]
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return None


def _resume(address: str, ask: AskK6) -> bool:
    request = {"data": {"type": "status", "id": "default", "attributes": {"paused": False}}}
    try:
        return bool(ask(address, "PATCH", json.dumps(request))["data"]["attributes"]["paused"] is False)
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return False
