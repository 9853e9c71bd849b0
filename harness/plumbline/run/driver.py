"""The driver of an application in a trial: over HTTP with k6, or of a program that has no server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from plumbline.launch.interface import RunningProcess
from plumbline.launch.prober import ProbedStart
from plumbline.load.summary import LoadOutcome
from plumbline.model.evidence import HttpTlsUse, Probe
from plumbline.model.plan import Phase

OnStarted = Callable[[tuple[int, ...], tuple[str, ...]], None]
"""Called when the load of a phase begins, with the pids of the load generator and their REST addresses, if any."""

Stop = Callable[[], str | None]
"""Says in a sentence why to wait no longer; None while everything lives."""


class Driver(Protocol):
    """A driver of one application in one trial."""

    @property
    def results(self) -> Path | None:
        """The file that has a line a batch, where the application makes its own load."""

    @property
    def http_tls(self) -> HttpTlsUse | None:
        """The parameters on which the handshake agreed, once `environment` was asked over TLS."""

    def start(self, extra: tuple[str, ...]) -> RunningProcess:
        """Spawn it. `extra` are flags of the harness for the JVM."""

    def await_answers(self, process: RunningProcess, stop: Stop) -> ProbedStart:
        """Wait until its pool is full, then ask for the first answer. Raises AnswerIsNo."""

    def environment(self, stop: Stop) -> dict[str, Any] | None:
        """Return the environment that the application states; None when it states none."""

    def probes(self, stop: Stop) -> tuple[Probe, ...]:
        """Return the probes of the trial's workload, answered."""

    def load(self, phase: Phase, on_started: OnStarted, stop: Stop) -> LoadOutcome:
        """Run one phase of load. Raises LoadFailed."""

    def close(self) -> None:
        """Close what was opened, after the end of the process."""
