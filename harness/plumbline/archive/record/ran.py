"""Find out what each subject ran, the artifact by its digest and the framework by its own word, and how long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plumbline.model.evidence import Evidence
from plumbline.model.plan import Plan
from plumbline.model.record import Build, Ran

# Around the rows of a trial: restore, start, and what is read after its end.
AROUND_ROWS_S = 5.0


def took_s(evidence: Evidence) -> float:
    """Return seconds from the restore of the database to the end of the application."""
    return (evidence.series.t_s[-1] if evidence.series.t_s else 0.0) + AROUND_ROWS_S


def ran(plan: Plan, builds: Sequence[Build], evidence: Mapping[int, Evidence]) -> tuple[Ran, ...]:
    """Return an entry for each contender that ran an artifact of these builds, by the first trial that says most."""
    artifacts = {build.sha256: build.artifact for build in builds}
    found = []
    for side, subject in plan.contenders:
        its = [
            evidence[trial.number]
            for trial in plan.trials
            if trial.contender == (side, subject)
            and trial.number in evidence
            and evidence[trial.number].artifact_sha256 in artifacts
        ]
        if not its:
            continue
        chosen = next((one for one in its if one.environment), its[0])
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
    said = (evidence.environment or {}).get("framework")
    name, version = (said.get(key) if isinstance(said, dict) else None for key in ("name", "version"))
    return (None if name is None else str(name)), (None if version is None else str(version))
