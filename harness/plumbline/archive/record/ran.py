"""Find out what each subject ran, the artifact by its digest and the framework by its own word, and for how long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plumbline.model.evidence import Evidence
from plumbline.model.plan import Plan
from plumbline.model.record import Build, Ran

# Seconds of a trial around its rows: restore, start, and what is read after its end.
AROUND_ROWS_S = 5.0


def took_s(evidence: Evidence) -> float:
    """Return the seconds from the restore of the database to the end of the application."""
    return (evidence.series.t_s[-1] if evidence.series.t_s else 0.0) + AROUND_ROWS_S


def ran(plan: Plan, builds: Sequence[Build], evidence: Mapping[int, Evidence]) -> tuple[Ran, ...]:
    """Return an entry for each contender that ran one of these builds, by its first trial with a known environment."""
    artifacts = {build.sha256: build.artifact for build in builds}
    found = []
    for side, subject in plan.contenders:
        evidence_of_contender = [
            evidence[trial.number]
            for trial in plan.trials
            if trial.contender == (side, subject)
            and trial.number in evidence
            and evidence[trial.number].artifact_sha256 in artifacts
        ]
        if not evidence_of_contender:
            continue
        chosen = next(
            (trial_evidence for trial_evidence in evidence_of_contender if trial_evidence.environment),
            evidence_of_contender[0],
        )
        name, version = _framework(chosen)
        found.append(
            Ran(
                side=side,
                subject=subject,
                artifact=artifacts[chosen.artifact_sha256],
                sha256=chosen.artifact_sha256,
                framework=name,
                framework_version=version,
            )
        )
    return tuple(found)


def _framework(evidence: Evidence) -> tuple[str | None, str | None]:
    framework = (evidence.environment or {}).get("framework")
    name, version = (framework.get(key) if isinstance(framework, dict) else None for key in ("name", "version"))
    return (None if name is None else str(name)), (None if version is None else str(version))
