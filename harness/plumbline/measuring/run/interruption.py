"""Ctrl-C, SIGTERM and a closed terminal end a session alike: cleanly, keeping what was measured."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from plumbline.model.errors import CannotGoOn

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible(session: str, has_trials: Callable[[], bool], command: str = "run") -> Iterator[None]:
    """Turn the first of these signals into an orderly end; more of them change nothing while that goes on.

    Raises CannotGoOn, which says how to go on when `has_trials`.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        for other in _SIGNALS:
            signal.signal(other, signal.SIG_IGN)
        raise KeyboardInterrupt

    # What was ignored before us (`nohup`, a background job of a script) stays so.
    heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in heeded}
    try:
        yield
    except KeyboardInterrupt:
        if has_trials():
            raise CannotGoOn(
                "Interrupted; what was measured is kept.", f"Go on by `./bench {command} --resume {session}`."
            ) from None
        raise CannotGoOn(
            "Interrupted before the first trial ended; nothing is kept.",
            f"Start again by `./bench {command}`.",
        ) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def until_interrupted(goes_on: Callable[[], bool], sleep: Callable[[float], None] = time.sleep) -> None:
    """Wait until one of these signals comes or `goes_on` says no."""
    ended = False

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal ended
        ended = True

    before = {number: signal.signal(number, end) for number in _SIGNALS}
    try:
        while not ended and goes_on():
            sleep(0.2)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
