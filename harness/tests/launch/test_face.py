"""Exit statuses in words."""

from __future__ import annotations

import pytest

from plumbline.measuring.launch.interface import exit_in_words


@pytest.mark.parametrize(
    ("status", "words"),
    [(0, "exit status 0"), (137, "exit status 137"), (-9, "signal 9 (SIGKILL)"), (-63, "signal 63")],
)
def test_an_ending_in_words(status: int, words: str) -> None:
    assert exit_in_words(status) == words
