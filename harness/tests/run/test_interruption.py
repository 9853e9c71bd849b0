"""Ctrl-C, SIGTERM and SIGHUP end a session alike, and say how to go on."""

from __future__ import annotations

import os
import signal
import time

import pytest

from plumbline.measuring.run.interruption import interruptible, until_interrupted
from plumbline.model.errors import CannotGoOn


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("begun", [True, False])
def test_each_signal_becomes_an_orderly_end(number: signal.Signals, begun: bool) -> None:
    before = signal.getsignal(number)
    closed = []
    with pytest.raises(CannotGoOn) as caught, interruptible("the-session", lambda: begun):
        try:
            os.kill(os.getpid(), number)
            time.sleep(5)
        finally:
            # A second signal while things are being closed must not tear that down.
            os.kill(os.getpid(), number)
            closed.append(True)
    assert closed == [True]
    assert ("--resume the-session" in str(caught.value)) is begun
    # It was begun by any of several commands.
    assert begun or caught.value.next_step == "Start again by the same command."
    assert signal.getsignal(number) is before


def test_waiting_ends_with_a_signal_or_when_there_is_nothing_to_wait_for() -> None:
    assert not until_interrupted(lambda: False)
    calls = []

    def goes_on() -> bool:
        calls.append(1)
        os.kill(os.getpid(), signal.SIGTERM)
        return True

    assert until_interrupted(goes_on)
    assert calls == [1]


def test_a_signal_that_nohup_ignored_stays_ignored() -> None:
    handler_before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        asked = []

        def goes_on() -> bool:
            os.kill(os.getpid(), signal.SIGHUP)
            asked.append(1)
            return len(asked) < 3

        assert not until_interrupted(goes_on, sleep=lambda _: None)
        assert len(asked) == 3
    finally:
        signal.signal(signal.SIGHUP, handler_before)
