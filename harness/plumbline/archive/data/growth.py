"""Estimate how much a year adds to the data branch, from the suites that run by themselves and real sizes."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

from plumbline.archive.record.write import RECORD
from .entry import recorded
from .layout import POINTS

NIGHTS_A_YEAR = 365
# What the campaign of a tag and the comparisons of alerts add, as a share of the nights.
OTHERS_SHARE = 0.15
# A branch that stays below the soft limits of a hosting service, and is cloned in minutes.
MOST_BYTES_A_YEAR = 1_500_000_000
NEWEST = 20
# Recorded rows of five minutes take 21 to 24 kB on a host of two cores; a lab has more counters.
EVIDENCE_TRIAL_BYTES = 32_000.0
# A trial in record.json, packed: some 800 bytes with twenty rules, more with more of them.
RECORD_TRIAL_BYTES = 1500.0


@dataclass(frozen=True)
class BranchGrowth:
    """The growth of the data branch: bytes a year with `trial_bytes` for each trial, and the origin of that number.

    Every night also writes the points of github-action-benchmark anew, which take `points_bytes`.
    """

    trials_a_night: float
    trial_bytes: float
    basis: str
    points_bytes: float = 0.0

    @property
    def bytes_a_year(self) -> float:
        """The bytes of all nights, and a share for all that runs besides."""
        night_bytes = self.trials_a_night * self.trial_bytes + self.points_bytes
        return night_bytes * NIGHTS_A_YEAR * (1 + OTHERS_SHARE)

    @property
    def fits(self) -> bool:
        """Whether a year stays below the limit."""
        return self.bytes_a_year < MOST_BYTES_A_YEAR


def growth(data: Path | None, trials_a_night: float) -> BranchGrowth:
    """Return the growth by the bytes that a trial took in the newest sessions of a checkout, packed as git packs it.

    Without a session yet, a trial counts with a high estimate. Raises AnswerIsNo for a damaged index.
    """
    entries = () if data is None else recorded(data)
    newest = sorted(entries, key=lambda entry: entry.session)[-NEWEST:]
    trials = sum(entry.trials for entry in newest)
    if data is None or not trials:
        trial_bytes = EVIDENCE_TRIAL_BYTES + RECORD_TRIAL_BYTES
        return BranchGrowth(trials_a_night, trial_bytes, "no session yet: a high estimate")
    return BranchGrowth(
        trials_a_night,
        sum(entry.evidence_bytes + _packed(data / entry.path / RECORD) for entry in newest) / trials,
        f"the {trials} trials of the newest {len(newest)} sessions, with their part of the packed records",
        sum(_packed(path) for path in (data / POINTS).glob("*.json")),
    )


def _packed(path: Path) -> int:
    return len(zlib.compress(path.read_bytes()))
