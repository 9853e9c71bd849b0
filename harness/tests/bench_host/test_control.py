"""How the control scatters: read from the record of a comparison that a checkout made."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean, stdev
from typing import NoReturn

import pytest
from bench_host.control import CONTROL, WORDS, scatter, scatter_of
from bench_host.refused import Refused

from plumbline.cli import compare_command
from plumbline.measuring.run.sides import Wish
from plumbline.subjects.catalog.catalog import read_catalog
from plumbline.subjects.plan.compare import planned_looks
from plumbline.verdicts.figures.proof import LEAST_MEASURED_S

ROOT = Path(__file__).resolve().parents[3]


def trial(
    value: float,
    *,
    subject: str = "control/jvm/pg",
    role: str = "measured",
    verdict: str = "valid",
    scenario: str = "fruits@1",
) -> object:
    figures = {"closed": {"app_cpu_us_per_request": value}, "start": {"first_response_ms": 1.0}}
    return {"subject": subject, "role": role, "scenario": scenario, "verdict": verdict, "figures": figures}


def test_its_trials_are_long_enough_to_be_proven_steady() -> None:
    bench = read_catalog(ROOT).bench
    scale = float(WORDS[WORDS.index("--scale") + 1])
    assert bench.compare_suite is not None
    (full_load,) = (phase for phase in bench.suites[bench.compare_suite].phases if phase.kind == "closed")
    assert full_load.time * scale >= LEAST_MEASURED_S


def test_only_trials_of_the_control_that_count() -> None:
    record = {
        "trials": [
            trial(500.0, role="discarded"),
            trial(100.0),
            trial(102.0),
            trial(101.0),
            trial(900.0, verdict="invalid"),
            trial(50.0, subject="vertx-pg/jvm/pg"),
            trial(30.0, scenario="hello@1"),
            trial(31.0, scenario="hello@1"),
        ]
    }
    found = scatter_of(record, "r")
    assert (found.scenario, found.phase, found.trials) == ("fruits@1", "closed", 3)
    assert found.cv == pytest.approx(stdev([100, 102, 101]) / mean([100, 102, 101]), abs=1e-6)


def test_one_trial_scatters_not_at_all() -> None:
    with pytest.raises(Refused, match="Fewer than two"):
        scatter_of({"trials": [trial(100.0)]}, "r")


def test_records_of_sessions_have_what_it_reads() -> None:
    records = sorted((ROOT / "results/examples").rglob("record.json"))
    found = []
    for path in records:
        try:
            found.append(scatter_of(json.loads(path.read_bytes()), str(path)))
        except Refused:
            continue
    assert found and all(0 < control.cv < 1 for control in found)


def checkout(folder: Path, script: str) -> Path:
    folder.mkdir()
    (folder / "bench").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "bench").chmod(0o755)
    return folder


def test_it_asks_the_checkout(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    record.write_text(json.dumps({"trials": [trial(100.0), trial(104.0)]}))
    script = f'echo "$@" >{tmp_path}/asked; echo \'{{"record": "{record}"}}\''
    assert scatter(checkout(tmp_path / "checkout", script)).trials == 2
    assert tuple((tmp_path / "asked").read_text().split()) == WORDS


class Asked(Exception):
    """Ends a comparison before it begins."""


def test_these_words_ask_for_twenty_trials_of_the_control(monkeypatch: pytest.MonkeyPatch) -> None:
    wishes: list[Wish] = []

    def asked(base: str, head: str, wish: Wish, *rest: object) -> NoReturn:
        assert base == head == CONTROL
        wishes.append(wish)
        raise Asked

    monkeypatch.setattr(compare_command, "_new", asked)
    program, *words = WORDS
    assert program == "compare"
    with pytest.raises(Asked):
        compare_command.command.main(words, standalone_mode=False)
    [wish] = wishes
    looks, _ = planned_looks(wish.most_pairs, once=wish.all_pairs)
    assert [2 * pairs for pairs in looks] == [20]


@pytest.mark.parametrize("script", ["exit 2", "echo nonsense", "echo '{}'"])
def test_a_checkout_that_does_not_measure_is_one_sentence(tmp_path: Path, script: str) -> None:
    with pytest.raises(Refused, match="was not measured"):
        scatter(checkout(tmp_path / "checkout", script))


def test_a_checkout_says_itself_why_it_does_not_measure(tmp_path: Path) -> None:
    answer = json.dumps({"error": "Another run measures.", "next_step": "Wait.", "exit": 3})
    with pytest.raises(Refused, match=r"^The control was not measured: Another run measures\. Wait\.$"):
        scatter(checkout(tmp_path / "checkout", f"echo '{answer}'; exit 3"))


def test_no_checkout(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="Name a checkout"):
        scatter(tmp_path)
