"""Keeps warm starts warm in a session that has cold ones.

    cold trial of A -> page cache empty -> a start of B, thrown away -> warm trial of B

A cold trial empties the page cache of the whole machine, files of all other subjects included.
"""

from __future__ import annotations

from plumbline.catalog.settings import is_cold
from plumbline.model.plan import Plan, PlannedTrial
from .built import Contender


class WarmStarts:
    """Remembers who was started since the page cache was emptied; without a cold subject it asks nobody."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._has_cold = any(self._is_cold(trial) for trial in plan.trials)
        # Rehearsals of cold subjects emptied the cache as well.
        self._warm: set[Contender] = set()

    def needs_start(self, trial: PlannedTrial) -> bool:
        """Return whether the subject of the next trial has to be started once before it; ask once a trial."""
        if not self._has_cold:
            return False
        if self._is_cold(trial):
            self._warm.clear()
            return False
        known = trial.contender in self._warm
        self._warm.add(trial.contender)
        return not known

    def _is_cold(self, trial: PlannedTrial) -> bool:
        return is_cold({**self._plan.defaults, **self._plan.subject(trial.subject).settings})
