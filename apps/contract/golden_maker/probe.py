"""One request and its answer, and the few shapes that most of them have."""

from __future__ import annotations

import json
from dataclasses import dataclass

TEXT = "text/plain"
JSON = "application/json"
PROBLEM = "application/problem+json"
TITLES = {400: "Bad Request", 404: "Not Found", 409: "Conflict", 413: "Content Too Large"}


@dataclass(frozen=True)
class Probe:
    """One request, and the answer that it has to get.

    `body` None: any body will do; `serves_on` (): every kind of variant; several of `status`: any of them.
    `part` is "read" or "write": the control has no writes. `request_bytes` sends that many bytes of JSON string
    instead of `request`. `varying` names keys of the answer whose values differ from request to request.
    """

    name: str
    workload: str
    part: str
    method: str
    path: str
    status: int | tuple[int, ...]
    media_type: str | None = None
    golden: str | None = None
    body: bytes | None = None
    request: str | None = None
    request_bytes: int | None = None
    serves_on: tuple[str, ...] = ()
    varying: tuple[str, ...] = ()


def quoted(text: str | None) -> str:
    """Return a text as a JSON string, or null."""
    return json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True)
class Maker:
    """Makes the probes of one workload."""

    workload: str

    def ok(
        self,
        name: str,
        path: str,
        body: str,
        *,
        media_type: str = JSON,
        golden: str | None = None,
        part: str = "read",
    ) -> Probe:
        """Return a GET that is answered 200 with that body."""
        kind = "txt" if media_type == TEXT else "json"
        file = golden or f"{name}.{kind}"
        return Probe(name, self.workload, part, "GET", path, 200, media_type, file, body.encode())

    def problem(self, name: str, path: str, status: int, detail: str, *, part: str = "read") -> Probe:
        """Return a GET that is answered by a problem."""
        return Probe(name, self.workload, part, "GET", path, status, PROBLEM, f"{name}.json", _problem(status, detail))

    def refused(
        self, name: str, path: str, request: str | None, status: int, detail: str, *, method: str = "POST"
    ) -> Probe:
        """Return a write that is answered by a problem."""
        return Probe(
            name,
            self.workload,
            "write",
            method,
            path,
            status,
            PROBLEM,
            f"{name}.json",
            _problem(status, detail),
            request,
        )

    def written(
        self,
        name: str,
        path: str,
        request: str,
        status: int,
        body: str,
        *,
        method: str = "POST",
        golden: str | None = None,
    ) -> Probe:
        """Return a write that is answered with that body."""
        file = golden or f"{name}.json"
        return Probe(name, self.workload, "write", method, path, status, JSON, file, body.encode(), request)

    def no_bodies(self, prefix: str, path: str, broken: str, *, method: str = "POST") -> tuple[Probe, ...]:
        """Return writes of bodies that are no JSON object, and of ten megabytes: 413 or 400, and the process lives."""
        shapes = (("broken", broken), ("array", f"[{broken}}}]"), ("null", "null"), ("empty", ""))
        refused = tuple(
            self.refused(f"{prefix}body-{shape}", path, request, 400, "The body must be a JSON object.", method=method)
            for shape, request in shapes
        )
        huge = Probe(
            f"{prefix}body-huge",
            self.workload,
            "write",
            method,
            path,
            (400, 413),
            request_bytes=10 * 1024 * 1024,
        )
        return (*refused, huge)


def _problem(status: int, detail: str) -> bytes:
    return f'{{"status":{status},"title":"{TITLES[status]}","detail":{quoted(detail)}}}'.encode()
