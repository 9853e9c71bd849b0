"""`./bench plan` says which differences could be detected, with a history and without a history."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.cli.plan_command import command
from plumbline.measuring.run.context import Context
from plumbline.model.errors import UsageError
from plumbline.subjects.plan.detectable import Noise, detectable

WHERE = "this host (bench-1)"
NOISES = (
    Noise("fruits@2", "closed", "app_cpu_us_per_request", 0.02, 24, 4, WHERE),
    Noise("fruits@2", "start", "first_response_ms", 0.05, 24, 4, WHERE),
    Noise("hello@1", "closed", "app_cpu_us_per_request", 0.09, 24, 4, WHERE),
)


def planned(monkeypatch: pytest.MonkeyPatch, noises: tuple[Noise, ...], *words: str) -> str:
    book = {(noise.scenario, noise.phase, noise.metric): noise for noise in noises}
    monkeypatch.setattr(Context, "noise", lambda context: book)
    ended = CliRunner().invoke(command, ["--suite", "smoke", *words], standalone_mode=False, catch_exceptions=False)
    return ended.output


def test_a_history_says_what_each_metric_could_show(monkeypatch: pytest.MonkeyPatch) -> None:
    output = planned(monkeypatch, NOISES, "--blocks", "12")
    found = "a difference of 4.2 %, or of up to 20 % more where a drift has to be excluded, would be found between two"
    assert f"Detectable with 12 trials: {found} subjects in 95 of 100 sessions" in output
    assert f"(app_cpu_us_per_request of closed scattered by 2 % in 4 sessions on {WHERE})" in output
    rows = [line.split() for line in output.splitlines() if "degrees of freedom" in line]
    change = detectable(12, "small", NOISES[1]).change
    assert change is not None
    assert [row[:5] for row in rows] == [
        ["fruits@2", "start", "first_response_ms", f"{change * 100:.0f}", "%"],
        ["fruits@2", "closed", "app_cpu_us_per_request", "4.2", "%"],
    ]


def test_too_few_blocks_allow_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    output = planned(monkeypatch, NOISES, "--blocks", "2")
    assert "so few trials a subject allow no verdict" in output
    assert output.count("no verdict   (scatter") == 2


def test_one_trial_and_one_degree_read_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = Noise("fruits@2", "closed", "app_cpu_us_per_request", 0.02, 1, 1, WHERE)
    output = planned(monkeypatch, (noise,), "--blocks", "1")
    assert "Detectable with 1 trial: so few" in output
    assert "1 degree of freedom," in output


def test_without_a_history_it_says_what_it_assumes(monkeypatch: pytest.MonkeyPatch) -> None:
    output = planned(monkeypatch, ())
    assert "no history of this host yet; assumes that trials scatter by 5 % as seen on small hosts" in output
    assert "degrees of freedom" not in output


def test_the_document_has_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads(planned(monkeypatch, NOISES, "--blocks", "12", "--json"))
    assert [(row["phase"], row["metric"], row["trials"]) for row in document["power"]] == [
        ("start", "first_response_ms", 12),
        ("closed", "app_cpu_us_per_request", 12),
    ]
    assert document["detectable"]["change"] == document["power"][1]["change"]


def test_a_history_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        CliRunner().invoke(
            command, ["--history", str(tmp_path / "none")], standalone_mode=False, catch_exceptions=False
        )
