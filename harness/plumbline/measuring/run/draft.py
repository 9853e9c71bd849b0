"""The evidence of a trial while the trial runs; fields that it did not reach stay empty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from plumbline.machine.host.kernel import utc_now
from plumbline.measuring.build.store import tree_sha256
from plumbline.measuring.load.k6 import K6_LOG
from plumbline.measuring.observe.readers.logs import self_reported_ms, summarise
from plumbline.measuring.observe.readers.probe import ClockWatch
from plumbline.model.evidence import (
    Affinity,
    Cpuset,
    DatabaseWork,
    Evidence,
    Failure,
    Freshness,
    HostBefore,
    HttpTlsUse,
    JvmInForce,
    LoadResult,
    LogSummary,
    Probe,
    Process,
    Series,
    SourcesWork,
    Start,
    Stray,
    ThreadUse,
    TlsUse,
    Window,
)
from plumbline.model.plan import Phase
from plumbline.verdicts.figures.steady import Loads, stretches
from .job import Job

# Clocks are read to a tenth of a millisecond.
_TIME_DIGITS = 4


class Halted(Exception):
    """Ends the trial or the measurement in flight; what was measured so far stays."""

    def __init__(self, phase: str, problem: str, tail: tuple[str, ...] = ()) -> None:
        super().__init__(problem)
        self.failure = Failure(phase=phase, problem=problem, tail=tail)


@dataclass
class Draft:
    """The evidence of a trial while the trial runs, with the fields of Evidence.

    `warming_log` has the lengths of the application's log, in bytes, when the warm-up begins and when it ends.
    """

    job: Job
    started_at: str = field(default_factory=utc_now)
    clock: ClockWatch = field(default_factory=ClockWatch)
    host_before: HostBefore | None = None
    start: Start | None = None
    environment: dict[str, Any] | None = None
    environment_after: dict[str, Any] | None = None
    probes: tuple[Probe, ...] = ()
    windows: list[Window] = field(default_factory=list)
    load: list[LoadResult] = field(default_factory=list)
    database: list[DatabaseWork] = field(default_factory=list)
    affinity: list[Affinity] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    series: Series = field(default_factory=Series)
    threads: tuple[ThreadUse, ...] = ()
    tls: tuple[TlsUse, ...] = ()
    http_tls: HttpTlsUse | None = None
    rss_after_bytes: int | None = None
    pss_after_bytes: int | None = None
    failure: Failure | None = None
    warming_log: tuple[int, int] = (0, 0)
    freshness: list[Freshness] = field(default_factory=list)
    sources: list[SourcesWork] = field(default_factory=list)
    jvm: JvmInForce | None = None
    found_before: tuple[Stray, ...] | None = None
    left_behind: tuple[Stray, ...] | None = None
    cpusets: dict[str, tuple[Cpuset, ...]] = field(default_factory=dict)
    images: dict[str, str] = field(default_factory=dict)

    def application_ended(self, exit_code: int | None, *, early: bool) -> None:
        """Note the exit code of the application's process, and whether it ended before it was told to (`early`)."""
        self.processes = [
            process.model_copy(update={"exit_code": exit_code, "ended_early": early})
            if process.role == "app"
            else process
            for process in self.processes
        ]

    def evidence(self, work: Path, database_settings: Mapping[str, str], *, k6_logs: Path) -> Evidence:
        """Return the evidence, with the application's log in `work` and those in `k6_logs` summed up in numbers."""
        start, pattern = self.start, self.job.variant.spec.started
        if start is not None and pattern is not None:
            start = start.model_copy(update={"self_reported_ms": self_reported_ms(work / "app.log", pattern)})
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return Evidence(
            trial=self.job.trial.number,
            subject=self.job.subject.id,
            scenario=self.job.scenario.id,
            clock_step_ms=self.clock.step_ms(),
            artifact_sha256=self._artifact_sha256(),
            database_settings=dict(database_settings),
            logs=self._logs(work, k6_logs),
            **{name: value for name, value in values.items() if name in Evidence.model_fields} | {"start": start},
        )

    def _artifact_sha256(self) -> str:
        """Return the digest of the artifact after the trial, since it may have been replaced; empty when it is gone.

        A container runs an image that was made from the build and is named by its own digest, so nothing is read again.
        """
        artifact = self.job.artifact
        if self.job.image is not None:
            return artifact.build.sha256
        return tree_sha256(artifact.folder) if artifact.folder.exists() else ""

    def _logs(self, work: Path, k6_logs: Path) -> dict[str, LogSummary]:
        files = {
            "app": work / "app.log",
            **{f"k6-{path.name.removesuffix(K6_LOG)}": path for path in sorted(k6_logs.glob(f"*{K6_LOG}"))},
        }
        summaries = {
            name: summarise(path, self.warming_log if name == "app" else (0, 0)) for name, path in files.items()
        }
        return {name: summary for name, summary in summaries.items() if summary is not None}


def window_of(phase: Phase, loads: Loads) -> Window:
    """Return the window of a phase with these loads, and the cycles of its load: until steady each of them is a cycle,
    else one load has all cycles as they are planned, where there are several or a pause follows."""
    window = Window(phase=phase.name, kind=phase.kind, start_s=loads[0][0], end_s=loads[-1][1])
    if phase.least_cycles is not None:
        return window.model_copy(update={"cycles": loads})
    planned = stretches(phase, window) if phase.cycles > 1 or phase.pause_s else []
    cycles = tuple((round(start_s, _TIME_DIGITS), round(end_s, _TIME_DIGITS)) for start_s, end_s in planned)
    return window.model_copy(update={"cycles": cycles})


def log_bytes(work: Path) -> int:
    """Return the present length of the application's log in bytes."""
    try:
        return (work / "app.log").lstat().st_size
    except OSError:
        return 0
