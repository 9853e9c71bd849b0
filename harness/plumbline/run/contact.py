"""How a trial speaks with what it measures: over HTTP with k6 beside it, or with a program that has no server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from plumbline.launch.face import Process
from plumbline.launch.prober import ProbedStart
from plumbline.load.summary import LoadOutcome
from plumbline.model.evidence import HttpTlsUse, Probe
from plumbline.model.plan import Phase

OnStarted = Callable[[tuple[int, ...], tuple[str, ...]], None]
"""Told when a phase's load begins: the pids of the load generator and their REST addresses; there may be none."""

Stop = Callable[[], str | None]
"""Why to wait no longer, in a sentence; None while everything lives."""


class Contact(Protocol):
    """One application in one trial."""

    @property
    def results(self) -> Path | None:
        """The file that has a line a batch, where the application makes its own load."""

    @property
    def http_tls(self) -> HttpTlsUse | None:
        """What the handshake agreed on, once `environment` was asked over TLS."""

    def start(self, extra: tuple[str, ...]) -> Process:
        """Spawn it. `extra` are flags of the harness for the JVM."""

    def await_answers(self, process: Process, stop: Stop) -> ProbedStart:
        """Wait until its pool is full, then ask for the first answer. Raises AnswerIsNo."""

    def environment(self, stop: Stop) -> dict[str, Any] | None:
        """What it says of itself; None when it doesn't."""

    def probes(self, stop: Stop) -> tuple[Probe, ...]:
        """The probes of the trial's workload, answered."""

    def load(self, phase: Phase, on_started: OnStarted, stop: Stop) -> LoadOutcome:
        """One phase of load. Raises LoadFailed."""

    def close(self) -> None:
        """Give back what was opened, after the end of the process."""
