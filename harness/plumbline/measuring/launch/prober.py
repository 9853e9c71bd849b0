"""Find out when a starting application first answers.

t0  spawned
    refused, refused, ...     a fresh connection each time, half a millisecond apart
    503, 503, ...             connected, but the pool is not full yet
    200                       healthy_ms
    memory read               before anything was served
    first request: 200        first_response_ms
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from plumbline.model.errors import AnswerIsNo
from plumbline.verdicts.contract.endpoint import Endpoint, get_status

# With the time that a refused connection takes, this pause keeps polls less than a millisecond apart, at some 10 % of
# a CPU.
PAUSE_S = 0.0005


@dataclass(frozen=True)
class ProbedStart:
    """Milliseconds from the spawn.

    `resolution_ms` is how much earlier the first answers may have been possible: the time between the last
    poll that failed and the one that succeeded. Before the first poll of a path, that time begins with the spawn or
    with the answer of the path before.
    """

    healthy_ms: float
    first_response_ms: float
    resolution_ms: float
    rss_idle_bytes: int | None


@dataclass
class _Poll:
    """The answer 200 came at `answered_s`; the successful poll began `gap_s` after the poll before, or after the time
    since which the path was polled.
    """

    answered_s: float
    gap_s: float


def probe_start(
    *,
    endpoint: Endpoint,
    path_health: str,
    path_first: str,
    t0_s: float,
    deadline_s: float,
    process_alive: Callable[[], bool],
    read_rss: Callable[[], int | None],
) -> ProbedStart:
    """Poll until healthy, read the memory, and send the first request. `t0_s` is on the monotonic clock.

    Raises AnswerIsNo when the process ends, or when `deadline_s` after t0 an answer is still missing.
    """

    def poll(path: str, since_s: float) -> _Poll:
        return _poll_until_200(endpoint, path, since_s, t0_s + deadline_s, deadline_s, process_alive)

    healthy = poll(path_health, t0_s)
    rss_idle_bytes = read_rss()
    first = poll(path_first, healthy.answered_s)
    return ProbedStart(
        healthy_ms=1000 * (healthy.answered_s - t0_s),
        first_response_ms=1000 * (first.answered_s - t0_s),
        resolution_ms=1000 * max(healthy.gap_s, first.gap_s),
        rss_idle_bytes=rss_idle_bytes,
    )


def _poll_until_200(
    endpoint: Endpoint, path: str, since_s: float, end_s: float, deadline_s: float, process_alive: Callable[[], bool]
) -> _Poll:
    last_poll_s = since_s
    status: int | None = None
    while time.monotonic() < end_s:
        began_s = time.monotonic()
        gap_s = began_s - last_poll_s
        answer = get_status(endpoint, path, end_s=end_s, alive=process_alive)
        if answer == 200:
            return _Poll(time.monotonic(), gap_s)
        status = answer or status
        if not process_alive():
            raise AnswerIsNo(f"The application ended before it answered GET {path}.", "Its log says why.")
        last_poll_s = began_s
        time.sleep(PAUSE_S)
    last_result = "it refused connections or stayed silent" if status is None else f"the last status was {status}"
    raise AnswerIsNo(
        f"The application did not answer GET {path} with 200 within {deadline_s:g} s: {last_result}.",
        "Its log says more.",
    )
