"""Makes the evidence of a trial that could not even start, so that no trial vanishes."""

from __future__ import annotations

from datetime import UTC, datetime

from plumbline.model.evidence import Evidence, Failure, Series
from plumbline.model.plan import PlannedTrial


def failed_trial(trial: PlannedTrial, phase: str, problem: str) -> Evidence:
    """Evidence that holds only why the trial failed."""
    first, *tail = problem.splitlines()
    return Evidence(
        trial=trial.number,
        subject=trial.subject,
        scenario=trial.scenario,
        started_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        clock_step_ms=None,
        host_before=None,
        artifact_sha256="",
        processes=(),
        start=None,
        environment=None,
        environment_after=None,
        probes=(),
        windows=(),
        series=Series(),
        load=(),
        database=(),
        database_settings={},
        tls=(),
        threads=(),
        affinity=(),
        logs={},
        failure=Failure(
            phase=phase, problem=first, tail=tuple(line.strip() for line in tail if line.strip())
        ),
    )
