"""The probes of the contract (requests with golden answers, over one connection), and the operations of workloads."""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import socket
import struct
import tomllib
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.evidence import Probe
from plumbline.model.plan import Scenario
from plumbline.verdicts.contract.endpoint import Endpoint
from .budgets import NAMES

TIMEOUT_S = 10.0

# Where tcpi_bytes_received lies in struct tcp_info (include/uapi/linux/tcp.h), behind 8 bytes, 24 words and 3 counts.
_RECEIVED = struct.Struct("=128xQ")


class ProbeSpec(Frozen):
    """A probe of apps/contract/golden/probes.toml; `body` is the golden answer, None if any answer is right."""

    name: str
    workload: str
    part: Literal["read", "write"]
    method: str
    path: str
    status: tuple[int, ...]
    media_type: str | None = None
    golden: str | None = None
    request: str | None = None
    request_bytes: int | None = None
    varying: tuple[str, ...] = ()
    serves_on: tuple[str, ...] = ()
    body: bytes | None = None

    @property
    def content(self) -> bytes | None:
        """The body of the request."""
        if self.request_bytes is not None:
            return b'"' + b"x" * (self.request_bytes - 2) + b'"'
        return None if self.request is None else self.request.encode()


def read_probes(contract: Path) -> tuple[ProbeSpec, ...]:
    """Return all probes of the folder apps/contract, with their golden bodies."""
    golden = contract / "golden"
    rows = tomllib.loads((golden / "probes.toml").read_text(encoding="utf-8"))["probe"]
    return tuple(
        ProbeSpec(**row, body=(golden / row["golden"]).read_bytes() if row.get("golden") else None) for row in rows
    )


def probes_of_variant(
    probes: Iterable[ProbeSpec],
    *,
    serves_on: str,
    workloads: Collection[str],
    reads_only: Collection[str] = (),
) -> tuple[ProbeSpec, ...]:
    """Return the probes of some workloads for a variant that serves on this kind of thread.

    Probes that write are left out for the workloads in `reads_only`.
    """
    return tuple(
        probe
        for probe in probes
        if (not probe.serves_on or serves_on in probe.serves_on)
        and probe.workload in workloads
        and (probe.part == "read" or probe.workload not in reads_only)
    )


def send_probes(endpoint: Endpoint, probes: Iterable[ProbeSpec]) -> tuple[Probe, ...]:
    """Send probes over one connection (a new one when the server closes it) and compare each answer.

    Over TLS a probe that reads is sent beforehand: with its first answer a server also sends what concerns the
    connection itself.
    """
    connection = endpoint.connection(TIMEOUT_S)
    probes_to_send = tuple(probes)
    try:
        reading_probe = next((probe for probe in probes_to_send if probe.part == "read"), None)
        if endpoint.tls is not None and reading_probe is not None:
            _send(connection, reading_probe)
        return tuple(_send(connection, probe) for probe in probes_to_send)
    finally:
        connection.close()


def _send(connection: http.client.HTTPConnection, probe: ProbeSpec) -> Probe:
    body = probe.content
    headers = {} if body is None else {"Content-Type": "application/json"}
    try:
        before = 0 if connection.sock is None else _received_bytes(connection.sock)
        connection.request(probe.method, probe.path, body=body, headers=headers)
        # The connection drops its socket where the server closes.
        sock = connection.sock
        response = connection.getresponse()
        content = response.read()
        after = _received_bytes(sock)
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        problem = f"no answer: {type(error).__name__} {error}".strip()
        return Probe(name=probe.name, method=probe.method, path=probe.path, status=None, problem=problem)
    return compared_answer(probe, response.status, response.headers.get, content).model_copy(
        update={
            "protocol": {10: "HTTP/1.0", 11: "HTTP/1.1"}.get(response.version),
            "keep_alive": not response.will_close,
            "wire_bytes": None if before is None or after is None else after - before,
        }
    )


def compared_answer(probe: ProbeSpec, status: int, header: Callable[[str], str | None], content: bytes) -> Probe:
    """Return the answer to a probe, compared with the golden answer; the fields about its connection stay unknown."""
    content_type = header("Content-Type")
    media_type = content_type.partition(";")[0].strip().lower() if content_type else None
    encoding = header("Content-Encoding")
    # What varies from run to run by design would make the same answers look different.
    content = _without_keys(probe.varying, content) if probe.varying else content
    return Probe(
        name=probe.name,
        method=probe.method,
        path=probe.path,
        status=status,
        media_type=media_type,
        encoding=encoding,
        body_bytes=len(content),
        body_sha256=hashlib.sha256(content).hexdigest(),
        problem=_difference(probe, status, media_type, encoding, content),
    )


def _received_bytes(sock: socket.socket | None) -> int | None:
    """Return the bytes of payload that a connection has received; None for a closed connection, or an old kernel."""
    try:
        tcp_info = b"" if sock is None else sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.size)
    except OSError:
        return None
    return int(_RECEIVED.unpack(tcp_info)[0]) if len(tcp_info) == _RECEIVED.size else None


def answer_of_program(probe: ProbeSpec, command: str, content: bytes) -> Probe:
    """Return the answer of a program without a server to `command`, as a probe: it has only a body to compare."""
    content = _without_keys(probe.varying, content)
    return Probe(
        name=probe.name,
        method="RUN",
        path=command,
        status=None,
        body_bytes=len(content),
        body_sha256=hashlib.sha256(content).hexdigest(),
        problem=_body_difference(probe, content),
    )


def _difference(
    probe: ProbeSpec, status: int, media_type: str | None, encoding: str | None, content: bytes
) -> str | None:
    if status not in probe.status:
        return f"status {status} instead of {' or '.join(map(str, probe.status))}"
    if encoding is not None:
        return f"compressed as {encoding}"
    if probe.media_type is not None and media_type != probe.media_type:
        return f"media type {media_type} instead of {probe.media_type}"
    return _body_difference(probe, content)


def _body_difference(probe: ProbeSpec, content: bytes) -> str | None:
    if probe.body is not None and content != probe.body:
        first_difference = next((i for i, (a, b) in enumerate(zip(content, probe.body, strict=False)) if a != b), None)
        position = min(len(content), len(probe.body)) if first_difference is None else first_difference
        actual, expected = (
            text[max(0, position - 20) : position + 20].decode(errors="replace") for text in (content, probe.body)
        )
        return f"another body from byte {position}: {actual!r} instead of {expected!r}"
    return None


def _without_keys(keys: Collection[str], content: bytes) -> bytes:
    """Return a JSON object less some keys, each of which it must have; any other content stays as it is."""
    try:
        answer = json.loads(content)
    except ValueError:
        return content
    if not isinstance(answer, dict) or not answer.keys() >= set(keys):
        return content
    kept = {key: value for key, value in answer.items() if key not in keys}
    return json.dumps(kept, separators=(",", ":"), ensure_ascii=False).encode()


# The first request after the start, where it is not the operation itself: it is answered with 200 whatever the rows.
_FIRST = {"zipcode": "/zipcode/by_city?city=Nowhere", "companies": "/companies?limit=1", "orders": "/orders"}


def name_of(scenario: Scenario) -> str:
    """Return the value of {name} in the scenario's paths."""
    return NAMES.get(scenario.workload, "")


def path_of(scenario: Scenario) -> str:
    """Return the path of the scenario's operation, without the words in brackets that tell two operations apart."""
    return scenario.operation.split(" ")[1].replace("{name}", name_of(scenario))


def first_path_of(scenario: Scenario) -> str:
    """Return the path of the first request after the start."""
    return _FIRST.get(scenario.workload) or path_of(scenario)


def probe_by_key(scenario: Scenario, probes: Iterable[ProbeSpec]) -> ProbeSpec | None:
    """Return the first probe of one row, where the operation reads one row by another key each time; None elsewhere."""
    method, path = scenario.operation.split(" ")[:2]
    by_key = re.compile(r"[^/?]+".join(map(re.escape, re.split(r"\{\w+\}", path))))
    if method != "GET" or "{" not in path_of(scenario):
        return None
    for probe in probes:
        if (probe.workload, probe.method) == (scenario.workload, "GET") and by_key.fullmatch(probe.path):
            return probe if probe.body and not probe.varying else None
    return None


def golden_of(scenario: Scenario, probes: Iterable[ProbeSpec]) -> str | None:
    """Return the exact body of the operation's answer; None where answers differ, as those of POST do."""
    if not scenario.operation.startswith("GET "):
        return None
    for probe in probes:
        if (probe.method, probe.path) == ("GET", path_of(scenario)) and probe.body and not probe.varying:
            return probe.body.decode()
    return None
