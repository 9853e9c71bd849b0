"""Writes into the record how steady the phases of a session were, and reads the drift from it again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from plumbline.model.record import Steadiness
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.figures.proof import PhaseProof
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.judge.facts import ProofKey
from plumbline.verdicts.judge.steadiness import words
from plumbline.verdicts.stats.drift import Drift


def steadiness(proofs: Mapping[ProofKey, Mapping[str, PhaseProof]]) -> tuple[Steadiness, ...]:
    """Return the rows of a record: each metric that tells how steady a phase was, in the order of the session."""
    return tuple(
        row
        for key, phases in proofs.items()
        for proof in phases.values()
        if proof.measured_s > 0
        for row in _rows(key, proof)
    )


def drift_of(row: Steadiness) -> Drift | None:
    """Return the drift that a row was written from; None where the phase was too short to tell."""
    if row.estimate is None or row.error is None or row.degrees is None:
        return None
    return Drift(row.estimate, row.error, row.degrees, int(row.measured_s), row.processes)


def rows_of(
    rows: Iterable[Steadiness], subject: str, scenario: str, phase: str, side: str | None = None
) -> tuple[Steadiness, ...]:
    """Return the rows of a phase of a subject, one for each metric; none where the record says nothing of the phase."""
    wanted = (side, subject, scenario, phase)
    return tuple(row for row in rows if (row.side, row.subject, row.scenario, row.phase) == wanted)


def row_of(
    rows: Iterable[Steadiness], subject: str, scenario: str, phase: str, metric: str, side: str | None = None
) -> Steadiness | None:
    """Return the row that bounds the drift of a metric; None where it needs no proof, or the record has none."""
    proof_metric = METRICS[metric].proven_by
    return next((row for row in rows_of(rows, subject, scenario, phase, side) if row.metric == proof_metric), None)


def proofs_of(rows: Iterable[Steadiness], scenario: str) -> dict[tuple[str, str | None], dict[str, Steadiness]]:
    """Return the rows of a scenario that bound the drift of metrics: (phase, what proves a metric) -> by subject."""
    found: dict[tuple[str, str | None], dict[str, Steadiness]] = {}
    for row in rows:
        if row.side is None and row.scenario == scenario:
            found.setdefault((row.phase, row.metric), {}).setdefault(row.subject, row)
    return found


def _rows(key: ProofKey, proof: PhaseProof) -> Iterator[Steadiness]:
    side, subject, scenario = key
    for metric in proof.metrics:
        drifts = proof.drifts.get(metric)
        drift = None if drifts is None else drifts.drift
        yield Steadiness(
            side=side,
            subject=subject,
            scenario=scenario,
            phase=proof.phase,
            metric=metric,
            processes=0 if drifts is None else len(drifts.alone),
            measured_s=rounded(proof.measured_s),
            load_s=rounded(proof.load_s),
            estimate=None if drift is None else rounded(drift.estimate),
            error=None if drift is None else rounded(drift.error),
            degrees=None if drift is None else drift.degrees,
            bound=None if drift is None else rounded(drift.bound),
            proven=proof.holds(metric),
            more_s=None if drift is None else drift.more_s(proof.limit),
            words=words(proof, metric),
        )
