"""`./bench history`, called as a command."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from plumbline.cli.history_command import command
from plumbline.model.errors import UsageError
from tests.cli.calling import ROOT
from tests.history.nights import keep, night_of
from tests.history.test_within import equal
from tests.judge.planned import SUBJECTS
from tests.record.comparisons import FAST, SLOW, comparison_plan, record_of


def run(*words: str | Path) -> int:
    status = command.main([str(word) for word in words], standalone_mode=False)
    assert isinstance(status, int)
    return status


def points(levels: Sequence[float], **fields: Any) -> list[dict[str, Any]]:
    draw = random.Random(1)
    return [{"t": index, "value": level * (1 + draw.gauss(0, 0.01)), **fields} for index, level in enumerate(levels)]


def written(folder: Path, document: Any) -> Path:
    path = folder / "series.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def test_a_step_of_given_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, {"series": points([100] * 50 + [97] * 40)})
    assert run("--series", path, "--json") == 1
    document = json.loads(capsys.readouterr().out)
    (change,) = document["changes"]
    assert change["series"] == "series" and abs(change["index"] - 50) <= 2 and change["t"] == change["index"]
    low, high = change["interval"]
    assert low < 0.97 < high and low < change["ratio"] < high
    assert [alert["state"] for alert in document["alerts"]] == ["open"]


def test_a_flat_series_is_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--series", written(tmp_path, {"series": points([100] * 60)})) == 0
    assert capsys.readouterr().out == "1 series of 60 sessions, 0 changes.\n"


def test_names_in_a_file_cannot_move_the_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    older, newer = ({"env": {"jdk": f"\x1b[2J{release}\udcff"}} for release in (25, 26))
    given = [*points([100] * 50, **older), *points([90] * 40, **newer)]
    assert run("--series", written(tmp_path, {"name": "\x1b]0;x\x07", "series": given})) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 3 and all(line.isprintable() for line in lines)


def test_environment_and_label(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calm = [{**point, "env": {"kernel": "6.12", "jdk": "25"}} for point in points([100] * 40)]
    after_kernel = [{**point, "env": {"kernel": "6.13", "jdk": "25"}} for point in points([90] * 40)]
    newer = [{**point, "env": {"kernel": "6.13", "jdk": "26"}} for point in points([80] * 40)]
    assert run("--series", written(tmp_path, {"series": calm + after_kernel + newer}), "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert [segment["points"] for segment in document["series"][0]["segments"]] == [40, 80]
    assert document["series"][0]["segments"][1]["differs"] == ["kernel"]
    assert [change["index"] for change in document["changes"]] == [80]
    assert document["changes"][0]["labels"] == [{"label": "jdk", "from": "25", "to": "26"}]


@pytest.mark.parametrize(
    "document",
    [
        "",
        "[]",
        "{}",
        '{"series": []}',
        '{"series": [{"t": 1, "value": NaN}]}',
        '{"series": [{"t": 1, "value": 1e999}]}',
        '{"series": [{"t": 1, "value": 0}]}',
        '{"series": [{"t": 1, "value": -5}]}',
        '{"series": [{"t": 1, "value": "5"}]}',
        '{"series": [{"t": 1, "value": true}]}',
        '{"series": [{"t": 1, "value": 5, "control": 0}]}',
        '{"series": [{"value": 5}]}',
        '{"series": [{"t": 1, "value": 5, "colour": "red"}]}',
        '{"series": [{"t": 1, "value": 1' + "0" * 400 + "}]}",
        "[" * 100_000,
    ],
)
def test_bad_series_are_one_sentence(document: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"series\.json") as caught:
        run("--series", written(tmp_path, document))
    assert caught.value.exit_status == 2
    assert "\n" not in str(caught.value)


def test_an_empty_series_says_how_many_points_are_needed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'series': 1 or more are needed, and there are 0"):
        run("--series", written(tmp_path, {"series": []}))


def test_extreme_values_get_an_answer(tmp_path: Path) -> None:
    extremes = [{"t": index, "value": 1e308, "control": 1e-308} for index in range(20)]
    assert run("--series", written(tmp_path, {"series": extremes})) == 0


def test_used_wrongly(tmp_path: Path) -> None:
    path = written(tmp_path, {"series": points([100] * 10)})
    for words in (
        (),
        (tmp_path, "--series", path),
        ("--series", path, "--update"),
        ("--series", path, "--verdict", "x"),
        ("--series", path, "--verdict", "x=fine"),
        ("--series", path, "--verdict", "abc=slower"),
        ("--series", tmp_path / "missing.json"),
        (tmp_path / "missing",),
        ("--series", path, "--metric", "throughput_per_s"),
        (tmp_path, "--metric", "throughput_per_s", "--update"),
        (tmp_path, "--metric", "throughput_per_s"),
        (tmp_path, "--only", "vertx-pg"),
    ):
        with pytest.raises(UsageError):
            run(*words)


def test_the_life_of_an_alert_is_kept_beside_the_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    data = tmp_path / "data"

    def scale(subject: str, night: int) -> float:
        return 0.95 if subject == SUBJECTS[1] and night >= 12 else 1.0

    for night in range(20):
        keep(data, night_of(night, scale))
    assert run(data, "--update", "--json") == 1
    (alert,) = json.loads(capsys.readouterr().out)["alerts"]
    assert alert["state"] == "open"
    keep(data, night_of(20, scale))
    assert run(data, "--verdict", f"{alert['id']}=slower", "--update", "--json") == 1
    (later,) = json.loads(capsys.readouterr().out)["alerts"]
    assert (later["id"], later["state"]) == (alert["id"], "confirmed")
    assert run(data) == 1
    assert "confirmed: compare says slower" in capsys.readouterr().out
    assert run(data, "--verdict", f"{alert['id']}=accepted", "--update") == 0
    assert run(data) == 0
    (data / "alerts.json").write_text("{", encoding="utf-8")
    with pytest.raises(UsageError, match=r"alerts\.json"):
        run(data)


def test_one_change_is_one_change_and_equal_sides_have_a_rate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for night in range(24):
        slower = 0.95 if night >= 14 else 1.0
        keep(tmp_path / "data", night_of(night, lambda subject, _: slower if subject == SUBJECTS[1] else 1.0))  # noqa: B023
    keep(tmp_path / "data", equal(1, random.Random(1)))
    assert run(tmp_path / "data") == 1
    output = capsys.readouterr().out
    assert "24 sessions, 1 change." in output
    sentence = "0 of 1 session called them faster or slower: 0 %, 95 % interval 0 % to 98 %; promised 1.0 %."
    assert f"Equal sides (A/A): {sentence}" in output
    assert run(tmp_path / "data", "--json") == 1
    assert json.loads(capsys.readouterr().out)["equal_sides"] == {
        "sessions": 1,
        "flagged": [],
        "rate": 0.0,
        "interval": [0.0, 0.975],
        "promised": 0.01,
    }


def test_where_each_stands_and_since_when(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    data = tmp_path / "data"
    for night in range(20):
        slower = 0.9 if night >= 12 else 1.0
        keep(data, night_of(night, lambda subject, _: slower if subject == SUBJECTS[1] else 1.0))  # noqa: B023
    (data / "torn").mkdir()
    (data / "torn" / "record.json").write_text("{", encoding="utf-8")
    history_words = (data, "--metric", "throughput_per_s")
    assert run(*history_words) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("Throughput, in /s: higher is better.")
    assert "Left out: 1 record that can't be read." in captured.err
    (row,) = re.findall(rf"{SUBJECTS[1].partition('/')[0]}\b.*", captured.out)
    assert re.search(r"  2026-01-13  0{8}  worse by 1\d\.\d %$", row)
    assert all(len(line) <= 100 for line in captured.out.splitlines())
    assert run(*history_words, "--only", SUBJECTS[1], "--scenario", "fruits", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    (group,) = document["groups"]
    (level,) = group["levels"]
    assert (level["subject"], level["sessions"]) == (SUBJECTS[1], 8)
    assert level["since"]["commit"] == f"{12:012x}{0:028x}"
    assert len(document["unreadable"]) == 1
    for words, nearest in (
        ((data, "--metric", "troughput_per_s"), "'throughput_per_s'"),
        ((*history_words, "--only", SUBJECTS[1].upper()), SUBJECTS[1]),
        ((*history_words, "--scenario", "fruit"), "'fruits'"),
    ):
        with pytest.raises(UsageError) as caught:
            run(*words)
        assert nearest in caught.value.next_step


@pytest.mark.parametrize(
    ("metric", "why"),
    [
        ("app_cpu_us_per_request", "the programs may still have been warming up (4 sessions)"),
        ("throughput_per_s", "on a small host it says too little of the application (4 sessions)"),
        ("first_10_s_requests", "it was not measured (4 sessions)"),
    ],
)
def test_a_metric_without_a_series_says_why_and_names_those_that_have_one(
    metric: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(UsageError) as caught:
        run(ROOT / "results" / "examples", "--metric", metric)
    assert why in caught.value.problem
    assert caught.value.next_step == "It has first_response_ms, rss_idle_bytes and rss_under_load_bytes."


def test_a_metric_is_missing_for_the_reasons_of_each_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    night = night_of(0, lambda subject, _: 1.0)
    trials = tuple(trial.model_copy(update={"verdict": "invalid"}) for trial in night.trials)
    keep(tmp_path / "data", night.model_copy(update={"trials": trials}))
    keep(tmp_path / "data", record_of(comparison_plan(FAST, SLOW))[0])
    with pytest.raises(UsageError) as caught:
        run(tmp_path / "data", "--metric", "throughput_per_s")
    for reason in ("its trials are invalid (1 session)", "comparisons are in no series (1 session)"):
        assert reason in caught.value.problem
    assert caught.value.next_step == "Name a folder with other sessions."


def test_a_record_that_can_not_be_read_is_left_out_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    for night in range(8):
        keep(data, night_of(night, lambda subject, _: 1.0))
    (data / "torn").mkdir()
    (data / "torn" / "record.json").write_text("{", encoding="utf-8")
    assert run(data, "--json") == 0
    captured = capsys.readouterr()
    assert [text.partition(": ")[0] for text in json.loads(captured.out)["unreadable"]] == [
        str(data / "torn" / "record.json")
    ]
    assert captured.err.startswith("Left out: 1 record that can't be read.")
    with pytest.raises(UsageError, match="torn"):
        run(data, "--update")
    with pytest.raises(UsageError, match="torn"):
        run(data / "torn")
