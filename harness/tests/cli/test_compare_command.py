"""`./bench compare --pairs`: one document, exit statuses, and one sentence for each bad file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from plumbline.cli.compare_command import command
from plumbline.cli.compare_pairs import read_pairs
from plumbline.model.errors import UsageError

WOBBLE = (0.2, -0.3, 0.1, 0.0, -0.1, 0.1)


def file_of(folder: Path, head: float, scale: float = 1.0, **members: Any) -> Path:
    """Six pairs around 100 and `head`."""
    path = folder / "pairs.json"
    pairs = [[100 + scale * wobble, head - scale * wobble] for wobble in WOBBLE]
    path.write_text(json.dumps({"pairs": pairs, "better": "higher"} | members), encoding="utf-8")
    return path


def run(path: Path, *options: str) -> tuple[int, dict[str, Any]]:
    ended = CliRunner().invoke(
        command, ["--pairs", str(path), "--json", *options], standalone_mode=False, catch_exceptions=False
    )
    return ended.return_value, json.loads(ended.stdout)


@pytest.mark.parametrize(
    ("head", "scale", "better", "verdict", "words", "status"),
    [
        (96.9, 1, "higher", "slower", "slower", 1),
        (96.9, 1, "lower", "faster", "faster", 0),
        (103.1, 1, "lower", "slower", "slower", 1),
        (99.0, 1, "higher", "slower", "slower (within 2 %)", 0),
        (100.0, 1, "higher", "equivalent", "equivalent", 0),
        (99.0, 6, "higher", "inconclusive", "inconclusive", 0),
    ],
)
def test_verdicts(
    tmp_path: Path, head: float, scale: float, better: str, verdict: str, words: str, status: int
) -> None:
    ended, document = run(file_of(tmp_path, head, scale, better=better))
    assert (document["verdict"], document["words"], ended) == (verdict, words, status)
    low, high = document["interval"]
    assert low < document["ratio"] < high
    assert document["ratio"] == pytest.approx(head / 100, rel=0.01)
    assert document["mde"] > 0
    assert (document["further_pairs"] is not None) == (verdict == "inconclusive")


def test_unstated_design_is_said_and_a_stated_one_is_not(tmp_path: Path) -> None:
    _, document = run(file_of(tmp_path, 97))
    assert document["design"]["order"] == document["design"]["process"] == "unstated"
    assert "order of the trials is unstated" in document["reason"]
    process = [[f"a{place}", 100 + place] for place in range(6)]
    _, document = run(file_of(tmp_path, 97, order=["AB", "BA"] * 3, process=process))
    assert document["design"]["notes"] == []
    assert "unstated" not in document["reason"]


def test_looks(tmp_path: Path) -> None:
    _, document = run(file_of(tmp_path, 90, looks=[3, 6, 10]))
    assert (document["looks_taken"], document["pairs"], document["next_analysis"]) == ([3], 3, None)
    assert 0.003 < document["level"] < 0.01
    assert "Look 1 of 3 planned" in document["reason"]
    assert "3 pairs after that look are not read" in document["reason"]
    _, document = run(file_of(tmp_path, 99, scale=6, looks=[3, 6, 10]))
    assert (document["looks_taken"], document["pairs"], document["next_analysis"]) == ([3, 6], 6, 10)


def test_a_verdict_rests_on_pairs_in_both_orders(tmp_path: Path) -> None:
    order = ["AB"] * 3 + ["BA"] * 3
    assert run(file_of(tmp_path, 99, scale=6, looks=[3, 6], order=order))[1]["pairs"] == 6
    with pytest.raises(UsageError, match="'never swapped'"):
        run(file_of(tmp_path, 90, looks=[3, 6], order=order))


def test_a_one_sided_question_decides_the_status(tmp_path: Path) -> None:
    slower = file_of(tmp_path, 96.9)
    assert run(slower, "--not-slower-than", "5")[0] == 0
    ended, document = run(slower, "--not-slower-than", "1")
    assert (ended, document["not_slower_than"]) == (1, {"percent": 1.0, "answer": "no"})


def test_no_verdict_stops_the_looks_while_the_bound_is_undecided(tmp_path: Path) -> None:
    pairs = [[100, 95 + 2 * wobble] for wobble in (*WOBBLE, *WOBBLE[:4])]
    first = file_of(tmp_path, 0, pairs=pairs[:6], looks=[6, 10])
    ended, document = run(first, "--not-slower-than", "4.8")
    assert (ended, document["verdict"], document["next_analysis"]) == (0, "slower", 10)
    assert document["not_slower_than"]["answer"] == "undecided"
    both = file_of(tmp_path, 0, pairs=pairs, looks=[6, 10])
    assert run(both)[1]["looks_taken"] == [6]
    ended, document = run(both, "--not-slower-than", "4.8")
    assert (ended, document["verdict"], document["looks_taken"]) == (1, "slower", [6, 10])
    assert document["not_slower_than"]["answer"] == "no"


def test_words_for_people(tmp_path: Path) -> None:
    ended = CliRunner().invoke(command, ["--pairs", str(file_of(tmp_path, 96.9))], standalone_mode=False)
    assert ended.stdout.startswith("Head is slower: 3 % less (99 % interval 3 to 4 %), 6 pairs.\n")


def test_ratios_beyond_any_measurement_still_end_in_a_document(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text('{"pairs": [[1e300, 1e-300], [1e-300, 1e300], [1, 2]], "better": "higher"}', encoding="utf-8")
    assert run(path)[1]["verdict"] == "inconclusive"


GOOD = "[[1, 2], [2, 3], [3, 4], [4, 5]]"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "not valid JSON: .*line 1 column 2"),
        ("[]", "not a JSON object"),
        ("{}", "'pairs' is missing"),
        (
            '{"pairs": [[1, 2], [1, 2]], "better": "higher"}',
            "'pairs': 3 or more are needed, and there are 2. .*three or more pairs",
        ),
        ('{"pairs": [], "better": "higher"}', "'pairs': 3 or more are needed, and there are 0."),
        ('{"pairs": [[1, 2]], "better": "higher"}', "'pairs': 3 or more are needed, and there is 1."),
        ('{"pairs": [[1, 2], [1]], "better": "higher"}', "'pairs.1.1' is missing"),
        ('{"pairs": [[1, NaN]], "better": "higher"}', r"'pairs.0.1': .*finite number \(it is nan"),
        ('{"pairs": [[Infinity, 1]], "better": "higher"}', r"'pairs.0.0': .*finite number \(it is inf"),
        ('{"pairs": [[1, 0]], "better": "higher"}', r"'pairs.0.1': .*greater than 0 \(it is 0\)"),
        ('{"pairs": [[-3, 1]], "better": "higher"}', r"'pairs.0.0': .*greater than 0 \(it is -3\)"),
        ('{"pairs": [["9", 1]], "better": "higher"}', "'pairs.0.0': .*valid number .it is '9'"),
        ('{"pairs": [[true, 1]], "better": "higher"}', "'pairs.0.0': .*valid number .it is True"),
        ('{"pairs": [[1, null]], "better": "higher"}', "'pairs.0.1': .*valid number"),
        (f'{{"pairs": [[1{"0" * 400}, 1]], "better": "higher"}}', "'pairs.0.0': .*valid number .it is 10000"),
        (f'{{"pairs": {GOOD}}}', "'better' is missing"),
        (f'{{"pairs": {GOOD}, "better": "up"}}', "'better': .*it is 'up'"),
        (f'{{"pairs": {GOOD}, "better": "lower", "ordr": []}}', "unknown key 'ordr'"),
        (f'{{"pairs": {GOOD}, "better": "lower", "order": "AB"}}', "'order': .*it is 'AB'"),
        (f'{{"pairs": {GOOD}, "better": "lower", "process": [[1]]}}', "'process.0.1' is missing"),
        (
            f'{{"pairs": {GOOD}, "better": "lower", "prior": {{"variance": 1, "degrees": 3}}}}',
            "unknown key 'prior'",
        ),
        (f'{{"pairs": {GOOD}, "better": "lower", "looks": [4, 4]}}', "'looks': numbers of pairs must ascend"),
        (f'{{"pairs": {GOOD}, "better": "lower", "looks": [2]}}', "'looks': a look needs 3 to 1,000 pairs"),
        (f'{{"pairs": {GOOD}, "better": "lower", "looks": []}}', "'looks': 1 or more are needed, and there are 0."),
        (f'{{"pairs": {GOOD}, "better": "lower", "looks": [6, 10]}}', "the first look needs 6"),
        (f'{{"pairs": {GOOD}, "better": "lower", "design": "solo"}}', "'design': .*it is 'solo'"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=problem) as refused:
        read_pairs(path)
    assert "\n" not in str(refused.value) and refused.value.exit_status == 2


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_pairs(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Two sides are needed"),
        (["HEAD"], "Two sides are needed"),
        (["HEAD", "HEAD", "--budget", "20"], "no time with a unit"),
        (["HEAD", "HEAD", "--most-pairs", "7"], "7 is odd"),
        (["HEAD", "HEAD", "--most-pairs", "2"], "not in the range"),
        (["HEAD", "HEAD", "--all-pairs"], "--all-pairs goes with a number of pairs"),
        (["--resume", "--all-pairs"], "--all-pairs would change nothing"),
        (["HEAD", "HEAD", "--design", "parallel"], "'parallel' is not one of"),
        (["HEAD", "--pairs", "p.json"], "--pairs judges given numbers, and BASE would change nothing"),
        (
            ["--resume", "--budget", "5m"],
            "--resume goes on with what was asked, and --budget would change nothing",
        ),
        (["--pairs", "p.json", "--only", "a"], "--only would change nothing"),
        (["a", "b", "c"], "unexpected extra argument"),
    ],
)
def test_sides_that_are_asked_for_wrongly(words: list[str], said: str) -> None:
    with pytest.raises((UsageError, click.UsageError)) as caught:
        command.main(words, standalone_mode=False)
    assert said in str(caught.value)
