"""What a session says by itself: its noise, and whether its equal sides were told apart."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from plumbline.archive.history.collect import series_of, sessions
from plumbline.archive.history.extract import Extract, extract
from plumbline.archive.history.noise import equal_sides_rate, noise_book
from plumbline.model.comparison import Answer, Comparison, ComparisonPlan, Contest, Design, SideSource
from plumbline.model.record import Record, Trial
from tests.history.nights import keep, night_of
from tests.judge.planned import SUBJECTS
from tests.record.sessions import record

ONE = SUBJECTS[0]
KEY = ("fruits@1", "closed", "throughput_per_s")


def with_trials(number: int, values: list[float], subject: str = ONE, suite: str = "aa") -> Record:
    """A session of one subject whose trials have these throughputs, in this order."""
    base = record()
    model_trial = next(trial for trial in base.trials if trial.subject == subject and trial.role == "measured")
    trials = tuple(
        model_trial.model_copy(
            update={"number": place, "block": place, "figures": {"closed": {"throughput_per_s": value}}}
        )
        for place, value in enumerate(values, start=1)
    )
    planned = next(trial for trial in base.plan.trials if trial.number == model_trial.number)
    plan = base.plan.model_copy(
        update={
            "suite": suite,
            "subjects": (subject,),
            "session": f"s{number:05}",
            "seed": number,
            "trials": tuple(
                planned.model_copy(update={"number": trial.number, "block": trial.block}) for trial in trials
            ),
        }
    )
    return base.model_copy(update={"plan": plan, "trials": trials})


def equal(number: int, draw: random.Random, blocks: int = 12) -> Record:
    return with_trials(number, [4000 * math.exp(draw.gauss(0, 0.02)) for _ in range(blocks)])


def test_a_session_of_equal_sides_is_asked_and_hardly_ever_tells_them_apart() -> None:
    """1,500 sessions at a level of 1 %: at most 27 flagged, 999 times in 1,000."""
    draw = random.Random(20261121)
    rate = equal_sides_rate([extract(equal(number, draw)) for number in range(1500)])
    assert rate is not None and rate.sessions == 1500
    assert len(rate.flagged) <= 27
    assert rate.low <= rate.rate <= rate.high < 0.03


def test_sides_that_are_not_equal_are_flagged() -> None:
    # As if the second trial of the first pair, the first of the next pair, and so on, were 10 % slower: A B B A.
    draw = random.Random(3)
    slow = {1, 2, 5, 6, 9, 10}
    values = [4000 * (0.9 if place in slow else 1.0) * math.exp(draw.gauss(0, 0.01)) for place in range(12)]
    rate = equal_sides_rate([extract(with_trials(1, values)), extract(equal(2, draw))])
    assert rate is not None and rate.flagged == ("s00001",)
    assert (rate.rate, rate.sessions) == (0.5, 2)


def test_a_difference_that_a_drift_could_turn_round_flags_no_session() -> None:
    draw = random.Random(3)
    slow = {1, 2, 5, 6, 9, 10}
    values = [4000 * (0.9 if place in slow else 1.0) * math.exp(draw.gauss(0, 0.01)) for place in range(12)]
    session = with_trials(1, values)
    for error, verdicts in ((0.001, {"faster", "slower"}), (0.5, {"inconclusive"})):
        rows = tuple(
            row if row.estimate is None else row.model_copy(update={"estimate": 0.0, "error": error})
            for row in session.steadiness
        )
        equal_sides = extract(session.model_copy(update={"steadiness": rows})).equal_sides
        assert equal_sides and set(equal_sides.values()) <= verdicts


@pytest.mark.parametrize("suite", ["smoke", "packagings"])
def test_other_suites_are_not_asked(suite: str) -> None:
    assert equal_sides_rate([extract(with_trials(1, [4000.0, 4010.0] * 6, suite=suite))]) is None


def test_too_few_trials_are_no_verdict() -> None:
    assert extract(with_trials(1, [4000.0, 4010.0, 4001.0, 3990.0])).equal_sides == {}


def test_invalid_trials_count_for_nothing() -> None:
    session = equal(1, random.Random(1))
    invalid = session.model_copy(
        update={"trials": tuple(trial.model_copy(update={"verdict": "invalid"}) for trial in session.trials)}
    )
    assert (extract(invalid).equal_sides, extract(invalid).scatter) == ({}, {})


@pytest.mark.parametrize("design", ["interleaved", "duet"])
def test_a_comparison_is_no_night_and_lends_its_noise_to_sessions_of_its_design(design: Design) -> None:
    draw = random.Random(20261121)
    base = record()
    model_trial = next(trial for trial in base.trials if trial.role == "measured")
    trials: list[Trial] = []
    for block in range(1, 201):
        for side in ("base", "head"):
            value = 4000 * (0.9 if side == "head" else 1) * math.exp(draw.gauss(0, 0.03))
            trials.append(
                model_trial.model_copy(
                    update={
                        "number": len(trials) + 1,
                        "block": block,
                        "side": side,
                        "subject": ONE,
                        "figures": {"closed": {"throughput_per_s": value}},
                    }
                )
            )
    source = SideSource(given="main", kind="ref", commit="0" * 40)
    comparison = ComparisonPlan(
        design=design,
        base=source,
        head=source,
        contests=(Contest(base=ONE, head=ONE),),
        looks=(26,),
        level=0.01,
        budget_s=60,
    )
    compared = base.model_copy(
        update={"plan": base.plan.model_copy(update={"comparison": comparison}), "trials": tuple(trials)}
    )
    extracted = extract(compared)
    assert extracted.values == {} and series_of([extracted]) == ()
    assert noise_book([extracted], base.host.name, "lab", duet=design != "duet") == {}
    noise = noise_book([extracted], base.host.name, "lab", duet=design == "duet")[KEY]
    assert noise.cv == pytest.approx(0.03, rel=0.16)
    assert noise.degrees == 199


@pytest.mark.parametrize("told_apart", [ONE, SUBJECTS[1]])
def test_a_difference_of_any_contest_of_equal_sides_counts(told_apart: str) -> None:
    answers = tuple(
        Answer(
            scenario="fruits@1", base_subject=subject, head_subject=subject, phase="closed", metric="throughput_per_s",
            better="higher", primary=True, pairs=6, words="",
            verdict="slower" if subject == told_apart else "equivalent",
        )
        for subject in SUBJECTS[:2]
    )  # fmt: skip
    comparison = Comparison(design="interleaved", pairs=(), answers=answers, ended="pairs", sentence="", fails=False)
    ran = tuple(artifact.model_copy(update={"side": side}) for artifact in record().ran for side in ("base", "head"))
    rate = equal_sides_rate([extract(record().model_copy(update={"comparison": comparison, "ran": ran}))])
    assert rate is not None and (rate.sessions, len(rate.flagged)) == (1, 1)


@pytest.mark.parametrize(("subjects_with_it", "degrees"), [(3, 2), (2, 1), (1, 0)])
def test_a_subject_without_a_figure_leaves_the_scatter_of_the_others(subjects_with_it: int, degrees: int) -> None:
    """A night of three subjects in two blocks; the programs without the figure may still have been warming up."""
    session = night_of(1, lambda subject, night: 1.0)
    without = session.plan.subjects[subjects_with_it:]
    trials = tuple(
        trial.model_copy(update={"figures": {}}) if trial.subject in without else trial for trial in session.trials
    )
    scatter = extract(session.model_copy(update={"trials": trials})).scatter
    found = scatter.get(KEY[0], {}).get(KEY[1], {}).get(KEY[2], [0.0, 0])
    assert found[1] == degrees


def test_a_figure_that_a_subject_lacks_in_one_block_leaves_the_other_blocks_or_the_other_subjects() -> None:
    session = night_of(1, lambda subject, night: 1.0)
    lacking = next(trial for trial in session.trials if trial.role == "measured")
    trials = tuple(
        trial.model_copy(update={"figures": {}}) if trial.number == lacking.number else trial
        for trial in session.trials
    )
    scatter = extract(session.model_copy(update={"trials": trials})).scatter
    assert scatter[KEY[0]][KEY[1]][KEY[2]][1] == 1


def test_made_up_sessions_teach_nothing_of_noise() -> None:
    session = equal(1, random.Random(1))
    made_up = session.model_copy(update={"plan": session.plan.model_copy(update={"simulated": True})})
    extracted = extract(made_up)
    assert (extracted.scatter, extracted.equal_sides) == ({}, {})


def test_noise_is_pooled_over_sessions_and_is_this_hosts_first(tmp_path: Path) -> None:
    for night in range(6):
        keep(tmp_path / "data", night_of(night, lambda subject, night: 1.0))
    extracts = sessions(tmp_path / "data", tmp_path / "cache")
    of_this_host = noise_book(extracts, "lab", "lab")[KEY]
    assert (of_this_host.sessions, of_this_host.degrees, of_this_host.where) == (6, 12, "this host (lab)")
    assert 0.001 < of_this_host.cv < 0.03
    assert noise_book(extracts, "another", "lab")[KEY].where == "hosts of class lab"
    assert noise_book(extracts, "lab", "small") == {}
    # The scatter that the cache returns is the same.
    assert noise_book(sessions(tmp_path / "data", tmp_path / "cache"), "lab", "lab")[KEY] == of_this_host


def test_a_history_of_one_pair_is_none() -> None:
    short = extract(with_trials(1, [4000.0, 4010.0]))
    assert short.scatter != {}
    assert noise_book([short], "lab", "lab") == {}


def test_extracts_stay_as_they_are_through_json() -> None:
    extracted = extract(equal(1, random.Random(1)))
    assert Extract.model_validate(extracted.model_dump(mode="json")) == extracted
