"""`./bench benchmark generators` merges what generators leave, and finds the one that was starved."""

from __future__ import annotations

import pytest
from benchmarks import generators

pytestmark = pytest.mark.slow


def test_the_starved_generator_is_found_and_all_requests_are_merged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    generators.main(["--generators", "20", "--seconds", "30"])
    output = capsys.readouterr().out
    assert f"{20 * 30 * 5_000:,} requests" in output
    assert output.splitlines()[-1].split() == ["refused", str(generators.STARVED)]


def test_without_a_starved_one_it_ends_with_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generators, "USED_UP", generators.USED)
    monkeypatch.setattr(generators, "LATE_MS", generators.ON_TIME_MS)
    assert generators.main(["--generators", "20", "--seconds", "30"]) == 1
    assert capsys.readouterr().out.rstrip().endswith("none")
