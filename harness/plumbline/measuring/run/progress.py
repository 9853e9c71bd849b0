"""The interface by which a session reports what it does. The command line draws it; tests collect it."""

from __future__ import annotations

from typing import Protocol

from plumbline.model.plan import PlannedTrial


class Progress(Protocol):
    """Receives every step of a session; a subclass is silent where it writes nothing over. All calls are cheap, since
    the machine is measuring.
    """

    def say(self, text: str) -> None:
        """Tell of a step outside the trials: a build, the database, a rehearsal."""
        return

    def trial_began(self, trial: PlannedTrial, count: int, of: int, remaining_s: float) -> None:
        """Tell that a trial starts, the `count`-th `of` so many as are expected at the pace so far.

        `remaining_s` is the expected rest of the session, this trial included.
        """
        return

    def phase_began(self, name: str) -> None:
        """Tell that the trial enters a phase."""
        return

    def trial_ended(self, trial: PlannedTrial, headline: str, problem: str | None) -> None:
        """A trial ended with its first figures in words, or with the reason it failed."""
        return
