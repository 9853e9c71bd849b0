"""Checks what an application does while its database goes away and comes back."""

from __future__ import annotations

import http.client
import json
import time

from plumbline.run.job import Job
from plumbline.run.testbed import Testbed
from .proxy import behind, proxied
from .serving import Serving, serving

# Contract: 503 within, 200 again within.
ANSWER_S = 5.0
BACK_S = 10.0
_GONE = "The database does not answer."
_PATH = "/fruits"


def gone_and_back(testbed: Testbed, job: Job) -> tuple[str, ...]:
    """Return what falls short, in sentences: 503 in time with the contract's problem, recovery without a restart."""
    with proxied(testbed) as proxy, serving(behind(testbed, proxy), job) as served:
        if (first := _ask(served))[0] != 200:
            return (f"GET {_PATH} is answered by {first[0]} while the database is there.",)
        proxy.shut()
        said = [sentence for _ in range(3) for sentence in _while_gone(served)]
        proxy.open_again()
        return (*dict.fromkeys(said), *_recovers(served))


def _while_gone(served: Serving) -> list[str]:
    status, body, took_s = _ask(served)
    said = []
    if status != 503:
        said.append(f"While the database is gone, GET {_PATH} is answered by {status}.")
    elif json.loads(body).get("detail") != _GONE:
        said.append(f"While the database is gone, the detail is not '{_GONE}'.")
    if took_s >= ANSWER_S:
        said.append(f"While the database is gone, an answer takes {took_s:.1f} s.")
    return said


def _recovers(served: Serving) -> tuple[str, ...]:
    until = time.monotonic() + BACK_S
    while _ask(served)[0] != 200:
        if time.monotonic() > until:
            return (f"It did not recover within {BACK_S:.0f} s of the database's return.",)
        time.sleep(0.1)
    return ()


def _ask(served: Serving) -> tuple[int, bytes, float]:
    """Return the status (0 for no answer), the body, and the seconds of an answer."""
    began = time.monotonic()
    try:
        status, body = served.ask("GET", _PATH)
    except (OSError, http.client.HTTPException) as error:
        status, body = 0, type(error).__name__.encode()
    return status, body, time.monotonic() - began
