"""The interface by which a session reports what it does. The command line draws it; tests collect it."""

from __future__ import annotations

from typing import Protocol

from plumbline.model.plan import PlannedTrial


class Progress(Protocol):
    """Receives every step of a session; methods that a subclass does not override do nothing. All calls are cheap,
    since the machine is measuring.
    """

    def say(self, text: str) -> None:
        """Report a step outside of the trials: a build, the database, a rehearsal."""
        return

    def trial_began(self, trial: PlannedTrial, count: int, of: int, remaining_s: float) -> None:
        """Report that a trial starts: the `count`-th, where `of` trials are expected at the pace so far.

        `remaining_s` is the expected rest of the session, this trial included.
        """
        return

    def phase_began(self, name: str) -> None:
        """Report that the trial enters a phase."""
        return

    def trial_ended(self, trial: PlannedTrial, headline: str, problem: str | None) -> None:
        """Report that a trial ended: `headline` has its first figures in words, `problem` why it failed."""
        return
