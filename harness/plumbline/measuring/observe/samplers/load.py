"""Sample how many requests k6 has made, from its REST API: a throughput series without the cost of CSV output.

An application that makes its own load leaves a line a batch in a file; these are counted instead.
"""

from __future__ import annotations

import http.client
import json
from pathlib import Path

from plumbline.machine.host.foreign import open_regular
from ..targets import Roots
from .base import Row, RunningTotal, Tick

_PATH = "/v1/metrics/http_reqs"

# A k6 that has CPU answers in a few milliseconds; a starved one leaves a hole in the series.
ANSWER_TIMEOUT_S = 0.2
# A text that every line of a batch has, and no other line.
_BATCH = b'"query":'
# Batches of a second have far fewer bytes.
_READ_BYTES = 1 << 24


class LoadSampler:
    """Samples `load.requests`: the running count of k6's `http_reqs`, summed over the k6 processes of the trial."""

    def __init__(self, roots: Roots) -> None:
        self._connections: dict[tuple[int, str], http.client.HTTPConnection] = {}
        self._total = RunningTotal()
        self._batches = self._position = 0

    def sample(self, tick: Tick) -> Row:
        """Return the count; None while a k6 does not answer. Between two k6 processes it stands still."""
        if tick.targets.results is not None:
            return {"load.requests": self._count(tick.targets.results)}
        running = set(zip(tick.targets.roots_of("load"), tick.targets.load_addresses, strict=False))
        for ended in self._connections.keys() - running:
            self._connections.pop(ended).close()
        counts = {k6[0]: self._ask(k6) for k6 in sorted(running)}
        known = {process: count for process, count in counts.items() if count is not None}
        return {"load.requests": self._total.add(known) if len(known) == len(counts) else None}

    def close(self) -> None:
        """End the connections."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _count(self, results: Path) -> int | None:
        try:
            with open_regular(results) as file:
                file.seek(self._position)
                text = file.read(_READ_BYTES)
        except OSError:
            return None
        whole_lines = text[: text.rfind(b"\n") + 1]
        self._position += len(whole_lines)
        self._batches += whole_lines.count(_BATCH)
        return self._batches

    def _ask(self, k6: tuple[int, str]) -> int | None:
        connection = self._connections.get(k6)
        if connection is None:
            connection = http.client.HTTPConnection(k6[1], timeout=ANSWER_TIMEOUT_S)
            self._connections[k6] = connection
        try:
            connection.request("GET", _PATH)
            response = connection.getresponse()
            body = response.read()
            if response.status == http.client.NOT_FOUND:
                # k6 creates the metric with its first request.
                return 0
            count: float = json.loads(body)["data"]["attributes"]["sample"]["count"]
            return int(count)
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            connection.close()
            del self._connections[k6]
            return None
