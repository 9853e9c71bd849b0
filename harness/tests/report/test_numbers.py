"""Numbers for people, axes, and how far one subject is ahead of another."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from plumbline.model.record import Trial
from plumbline.reporting.report.charts.interval import interval_chart
from plumbline.reporting.report.charts.svg import Scale, from_zero, label, path, shortened, ticks
from plumbline.reporting.report.compose import compose
from plumbline.reporting.report.parts.curves import MOST_POINTS, thinned_pieces
from plumbline.reporting.report.parts.naming import (
    names,
    phase_in_words,
    plain_number,
    signed,
    unit_of,
    with_interval,
)
from plumbline.verdicts.judge.wording import sized
from tests.report.session import scenario, session


@pytest.mark.parametrize(
    ("mean", "half", "shown"),
    [
        (4873.2, 117.4, "4,870 ± 120"),
        (0.47412, 0.0218, "0.474 ± 0.022"),
        (687.0, 13.2, "687 ± 13"),
        (2.6181, 0.0961, "2.618 ± 0.096"),
        (12.0, 3400.0, "0 ± 3,400"),
        (99.996, 0.00996, "99.996 ± 0.010"),
    ],
)
def test_a_mean_has_the_digits_that_its_interval_supports(mean: float, half: float, shown: str) -> None:
    text = with_interval(mean, mean - half, mean + half).replace("\u00a0", " ")
    assert text == shown


def test_a_lopsided_interval_shows_its_ends_and_none_shows_three_digits() -> None:
    assert with_interval(10.0, 9.0, 14.0) == "10.0 (9.0 to 14.0)"
    assert with_interval(1234.5, None, None) == "1,234"
    assert with_interval(0.012345, None, None) == "0.0123"
    assert plain_number(0) == "0"


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (1.034, "+3.4 %"),
        (0.9, "\u221210 %"),
        (1.0001, "0.0 %"),
        (3.9, "+290 %"),
        (6.3, "6.3×"),
        (63.0, "63×"),
        (0.004, "\u221299.60 %"),
        (0.0004, "\u221299.96 %"),
        (0.00004, "under 0.0001×"),
    ],
)
def test_a_change_is_a_percentage_of_at_most_300_and_never_a_hundred_less(ratio: float, shown: str) -> None:
    assert signed(ratio) == shown


@pytest.mark.parametrize(
    ("change", "shown"), [(0.0051, "0.51 %"), (0.034, "3.4 %"), (2.9, "290 %"), (5.3, "a factor of 6.3")]
)
def test_a_difference_beyond_300_per_cent_is_a_factor(change: float, shown: str) -> None:
    assert sized(change) == shown


def test_one_connection_reads_as_one() -> None:
    plain = scenario()
    phases = tuple(phase.model_copy(update={"connections": phase.connections and 1}) for phase in plain.phases)
    alone = plain.model_copy(update={"phases": phases})
    assert phase_in_words(plain, "closed") == "at full load (100 connections)"
    assert phase_in_words(alone, "closed") == "at full load (1 connection)"


def test_what_has_no_digits_is_shown_as_it_is() -> None:
    assert plain_number(float("inf")) == "inf"
    assert with_interval(float("inf"), 1.0, float("inf")) == "inf (1.0 to inf)"


def test_long_times_are_shown_in_seconds_and_bytes_in_mebibytes() -> None:
    assert unit_of("ms", [12_000.0, 5.0]).symbol == "s"
    assert unit_of("ms", [9_000.0]).symbol == "ms"
    assert unit_of("bytes", []).per == 1024 * 1024


def test_axes_begin_at_zero_and_end_beyond_the_greatest_value() -> None:
    scale, rungs = from_zero([438.0, 12.0], 0, 100)
    assert (scale.low, rungs[0]) == (0, 0)
    assert scale.at(438.0) < 100
    assert rungs == [0, 100, 200, 300, 400]
    assert from_zero([-3.0, 5.0], 0, 100)[0].low == -3.0
    assert from_zero([], 0, 100)[0].high == 1.0


def test_ticks_are_round_and_logarithmic_axes_even() -> None:
    assert ticks(0, 1, 5) == [0, 0.25, 0.5, 0.75, 1]
    assert [label(value) for value in (0, 0.25, 2500, 0.004)] == ["0", "0.25", "2,500", "4e-03"]
    scale = Scale(1, 100, 0, 10, logarithmic=True)
    assert scale.at(10) == pytest.approx(5)


def test_a_path_is_written_in_steps_that_add_up() -> None:
    assert path([(1.04, 2), (2, 1.5), (4, 1.5)], "c") == '<path d="M1 2l1-0.5l2 0" class="c"/>'


def test_long_names_keep_both_ends() -> None:
    assert shortened("quarkus-rest-orm", 9) == "quar…-orm"


def test_lines_break_at_holes_and_are_thinned() -> None:
    assert thinned_pieces([(0, 1), (1, 1), (9, 2)]) == (((0, 1), (1, 1)), ((9, 2),))
    (long,) = thinned_pieces([(float(second), 5.0) for second in range(1000)])
    assert len(long) <= MOST_POINTS
    assert {value for _, value in long} == {5.0}


def test_names_leave_out_what_ids_may_leave_out() -> None:
    subjects = ["a/jvm/pg", "a/aot/pg", "b/jvm/mysql+db-tls=require", "c/native.mandrel/none"]
    plan = session(subjects=subjects, invalid=False)[0].plan
    assert [name.short for name in names(plan).values()] == [
        "a",
        "a aot",
        "b mysql +db-tls=require",
        "c native.mandrel",
        "control",
    ]


def test_the_difference_is_of_trials_paired_by_block() -> None:
    # Blocks differ ninefold, the subjects by 20 % in every one of them.
    first, second = "spring4-mvc-jpa/jvm/pg", "quarkus-rest-orm/jvm/pg"
    record, _ = session(subjects=[first, second], invalid=False, blocks=3, scenarios=[scenario(rates=())])
    costs = {(first, block): 100.0 * 3**block for block in (1, 2, 3)}
    costs |= {(second, block): 125.0 * 3**block + block for block in (1, 2, 3)}
    trials = tuple(
        trial.model_copy(update={"figures": {"start": {"first_response_ms": costs[trial.subject, trial.block]}}})
        for trial in record.trials
        if trial.role == "measured"
    )
    view = compose(record.model_copy(update={"trials": trials, "standings": ()}), {})
    ((group,),) = [claim.groups for claim in view.scenarios[0].claims]
    assert group.answer == "spring4-mvc-jpa leads"
    assert group.sentence == (
        "spring4-mvc-jpa leads; quarkus-rest-orm follows spring4-mvc-jpa with 25 % more (99 % interval 25 to 26 %)."
    )


def test_what_is_decided_is_told_before_what_is_not() -> None:
    first, second = "spring4-mvc-jpa/jvm/pg", "quarkus-rest-orm/jvm/pg"
    record, _ = session(subjects=[first, second], invalid=False, blocks=3, scenarios=[scenario(rates=())])

    def metrics_of(first_response: float, idle_memory: float) -> tuple[str, ...]:
        """The metrics in their order; the parameters say how many times as much `first` has, and 1 is undecided."""

        def value(times: float, trial: Trial) -> float:
            ahead = times if trial.subject == first else 1.0
            return 100.0 * ahead * (1 + 0.01 * ((trial.block + (trial.subject == first)) % 3))

        trials = tuple(
            trial.model_copy(
                update={
                    "figures": {
                        "start": {
                            "first_response_ms": value(first_response, trial),
                            "rss_idle_bytes": value(idle_memory, trial) * 1e6,
                        }
                    }
                }
            )
            for trial in record.trials
            if trial.role == "measured"
        )
        view = compose(record.model_copy(update={"trials": trials, "standings": ()}), {})
        return tuple(claim.metric for claim in view.scenarios[0].claims)

    assert metrics_of(1.0, 1.0) == ("first_response_ms", "rss_idle_bytes")
    assert metrics_of(3.0, 3.0) == ("first_response_ms", "rss_idle_bytes")
    assert metrics_of(1.0, 3.0) == ("rss_idle_bytes", "first_response_ms")


def test_the_verdict_word_and_the_steadiness_are_plain() -> None:
    view = compose(*session())
    assert (view.trust.verdict, view.trust.word) == ("advisory", "Advisory, 2 left out")
    assert view.scenarios[0].steady.startswith("Not proven steady: after 6 s of warm-up")
    assert compose(*session(host_class="lab", invalid=False)).trust.word == "Valid"


def test_percentiles_are_shown_only_where_every_trial_supports_them() -> None:
    slow, fast = compose(*session()).scenarios[0].latency
    # 100/s for 15 s are 1,500 samples: a hundred lie beyond p93; 12,000 support p99.
    assert {line.points[-1][0] for line in slow.lines} == {0.93}
    assert {line.points[-1][0] for line in fast.lines} == {0.99}


def test_an_interval_below_zero_runs_off_the_axis_instead_of_moving_it() -> None:
    record, _ = session(subjects=["a/jvm/pg"], invalid=False, blocks=1)
    table = compose(record, {}).scenarios[0].lead[0]
    row = replace(table.rows[0], mean=300.0, low=-160.0, high=760.0)
    wide, sure = (
        interval_chart("c1", replace(table, groups=(replace(table.groups[0], rows=(interval_row,)),), control=None))
        for interval_row in (row, replace(row, low=40.0))
    )
    assert "M22 27H" in wide
    assert (wide.count("v8"), sure.count("v8")) == (1, 2)
    assert "-" not in "".join(re.findall(r'<text[^>]*class="tick[^>]*>([^<]*)<', wide))


def test_a_single_subject_is_shown_by_its_figure() -> None:
    record, _ = session(subjects=["a/jvm/pg"], invalid=False)
    (group,) = compose(record, {}).scenarios[0].claims[0].groups
    assert (group.answer, group.sentence) == ("Only a was measured", "Only a was measured.")
    assert group.figure.endswith("µs")
