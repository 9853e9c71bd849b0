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
    """Turn the first of these signals into an orderly end; further signals change nothing meanwhile.

    Raises CannotGoOn, which says how to go on if the session `has_trials`.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        for ignored in _SIGNALS:
            signal.signal(ignored, signal.SIG_IGN)
        raise KeyboardInterrupt

    with _handled_by(interrupt):
        try:
            yield
        except KeyboardInterrupt:
            if has_trials():
                raise CannotGoOn(
                    "Interrupted; what was measured is kept.", f"Go on by `./bench {command} --resume {session}`."
                ) from None
            raise CannotGoOn(
                "Interrupted before the first trial ended; nothing is kept.",
                # Whichever that was, such as `./bench reproduce`.
                "Start again by the same command.",
            ) from None


def until_interrupted(goes_on: Callable[[], bool], sleep: Callable[[float], None] = time.sleep) -> bool:
    """Wait until one of these signals comes or `goes_on` says no. Return whether a signal came."""
    ended = False

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal ended
        ended = True

    with _handled_by(end):
        while not ended and goes_on():
            sleep(0.2)
    return ended


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    # A signal that was ignored before (by `nohup`, in a background job of a script) stays ignored.
    handled = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    handlers_before = {number: signal.signal(number, handler) for number in handled}
    try:
        yield
    finally:
        for number, handler_before in handlers_before.items():
            signal.signal(number, handler_before)
