"""Read how a process really runs: command line, the declared part of its environment, and memory, from /proc."""

from __future__ import annotations

from typing import Literal

from plumbline.model.evidence import Process
from ..open_file import number_after, read_once
from ..targets import Roots

# Variables that may decide a result, none of them secret: the contract's settings without the password, and
# those that steer the JVM and Go.
_VARIABLES = """
HTTP_HOST HTTP_PORT HTTP_TLS HTTP_TLS_ENABLED HTTP_PLAIN OTEL_EXPORTER_OTLP_ENDPOINT OTEL_LOGS_EXPORTER
OTEL_METRICS_EXPORTER OTEL_SERVICE_NAME OTEL_TRACES_EXPORTER POOL_INITIAL POOL_INITIAL_SIZE POOL_WARM_UP
PROFILE SPRING_PROFILES_ACTIVE QUARKUS_PROFILE MICRONAUT_ENVIRONMENTS PIPELINING REMOVE SESSIONS SQL R2DBC_API
R2DBC_LOOPS THREADS THREADS_VIRTUAL DB_ENGINE DB_HOST DB_PORT DB_NAME DB_USER
DB_TLS DB_SSLMODE DB_CA DB_POOL_SIZE DB_TIMEOUT_MS SPIN_US JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS
GODEBUG GOGC GOMAXPROCS GOMEMLIMIT LC_ALL TZ PLUMBLINE_SESSION
"""
DECLARED = frozenset(_VARIABLES.split())


def identify(roots: Roots, role: Literal["app", "db", "load"], pid: int) -> Process | None:
    """Return the process as it was started, from the kernel's files on it; None when it is gone."""
    command_line, environment = roots.of_process(pid, "cmdline"), roots.of_process(pid, "environ")
    if not command_line:
        return None
    pairs = (entry.partition("=") for entry in _words(environment or b""))
    return Process(
        role=role,
        pid=pid,
        command_line=tuple(_words(command_line)),
        environment={name: value for name, _, value in sorted(pairs) if name in DECLARED},
    )


def _words(content: bytes) -> list[str]:
    return content.rstrip(b"\0").decode(errors="replace").split("\0")


def rss_bytes(roots: Roots, pid: int) -> int | None:
    """Return resident pages by the kernel's own count, shared ones counted whole; None when the process is gone."""
    return _bytes(read_once(roots.proc / str(pid) / "status"), b"\nVmRSS:")


def pss_bytes(roots: Roots, pid: int) -> int | None:
    """Return resident pages, each divided by its number of users; None when the process is gone or not ours to read."""
    return _bytes(roots.of_process(pid, "smaps_rollup"), b"\nPss:")


def _bytes(content: bytes | None, label: bytes) -> int | None:
    kb = None if content is None else number_after(content, label)
    return None if kb is None else kb * 1024
