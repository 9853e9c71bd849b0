"""What a person sees of a session while it runs."""

from __future__ import annotations

import pytest

from plumbline.cli.progress import TerminalProgress
from tests.judge.planned import plan


def test_a_trial_is_counted_among_those_that_are_expected(capsys: pytest.CaptureFixture[str]) -> None:
    trial = plan().trials[7]
    with TerminalProgress() as progress:
        progress.trial_began(trial, 4, 18, 720.0)
        progress.phase_began("closed")
        progress.trial_ended(trial, "first response 0.40 s", None)
        progress.trial_began(trial, 5, 18, 660.0)
        progress.trial_ended(trial, "", "in the phase start: it ended by itself")
    first, second = capsys.readouterr().err.splitlines()
    assert "  4/18  " in first and first.endswith("  first response 0.40 s  12 min left")
    assert "  5/18  " in second and second.endswith("  failed in the phase start: it ended by itself  11 min left")
