"""Keeps the trials of one round together: each step begins, and each warm-up ends, at the same time."""

from __future__ import annotations

import threading
from typing import Protocol


class Meeting(Protocol):
    """The interface that a trial uses on its own thread."""

    def meet(self) -> bool:
        """Wait for the other side; return False if the other side ended early."""

    def all_say(self, mine: bool) -> bool:
        """Wait for the other side, and return whether both say yes; False if the other side ended early."""


class Alone:
    """The meeting of a trial that runs alone."""

    def meet(self) -> bool:
        """Return at once: there is nobody to wait for."""
        return True

    def all_say(self, mine: bool) -> bool:
        """Return the answer of the trial itself."""
        return mine


ALONE = Alone()


class Rendezvous:
    """A round of `places` trials, each with its own `Meeting`."""

    def __init__(self, places: int) -> None:
        self._barrier = threading.Barrier(places)
        self._answers = [False] * places

    def at(self, place: int) -> Meeting:
        """Return the meeting of the trial in that place, counted from 0."""
        return _Place(self._barrier, self._answers, place)

    def end(self) -> None:
        """Note that one of the trials ended early, so that nobody waits for it any more."""
        self._barrier.abort()


class _Place:
    def __init__(self, barrier: threading.Barrier, answers: list[bool], place: int) -> None:
        self._barrier, self._answers, self._place = barrier, answers, place

    def meet(self) -> bool:
        try:
            self._barrier.wait()
        except threading.BrokenBarrierError:
            return False
        return True

    def all_say(self, mine: bool) -> bool:
        self._answers[self._place] = mine
        if not self.meet():
            return False
        is_unanimous = all(self._answers)
        # No side may say anything new before both sides have read these answers.
        return self.meet() and is_unanimous
