"""Figures come from the blocks that count, with the usual interval, and the report says what is missing."""

from __future__ import annotations

import pytest

from plumbline.measuring.lifecycle.figures import figures_of
from plumbline.measuring.lifecycle.session import DISCARDED, order_runs
from plumbline.model.lifecycle import Absent
from plumbline.reporting.report.lifecycle_view import (
    amount,
    lifecycle_markdown,
    lifecycle_view,
    render_lifecycle,
)
from plumbline.verdicts.stats.interval import t_interval
from .documents import A, B, document, run


def test_the_block_that_is_thrown_away_does_not_count() -> None:
    (figure,) = figures_of((A,), [run(1, DISCARDED, 90.0), run(2, 1, 4.0), run(3, 2, 5.0)])
    expected = t_interval([4.0, 5.0])
    assert (figure.mean, figure.runs, figure.failed_runs) == (4.5, 2, 0)
    assert expected.low is not None and figure.low == pytest.approx(expected.low)


def test_a_failed_run_is_counted_and_never_averaged() -> None:
    (figure,) = figures_of((A,), [run(1, 1, 4.0), run(2, 2, None, problem="no")])
    assert (figure.mean, figure.low, figure.runs, figure.failed_runs) == (4.0, None, 1, 1)
    (nothing,) = figures_of((A,), [run(1, 1, None, problem="no")])
    assert (nothing.mean, nothing.runs, nothing.failed_runs) == (None, 0, 1)


def test_every_subject_is_once_in_a_block_and_the_order_is_its_seeds() -> None:
    steps = {A: ("compile", "dev"), B: ("compile",)}
    rows = list(order_runs([A, B], steps, 20, 7))
    assert rows == list(order_runs([A, B], steps, 20, 7))
    assert len(rows) == 21 * 3
    firsts = {next(subject for block, subject, _ in rows if block == number) for number in range(21)}
    assert firsts == {A, B}
    for block, subject, step in rows:
        if (subject, step) == (A, "dev"):
            assert rows[rows.index((block, A, "compile")) + 1] == (block, A, "dev")


@pytest.mark.parametrize(
    ("metric", "mean", "half", "text"),
    [
        ("compile_s", 4.5, 0.25, "4.50 s ± 0.25"),
        ("first_response_ms", 1428.4, None, "1,428 ms"),
        ("rss_after_load_bytes", 346 * 2**20, 2**20, "346.0 MiB ± 1.0"),
    ],
)
def test_amounts_have_their_units(metric: str, mean: float, half: float | None, text: str) -> None:
    assert amount(metric, mean, half) == text


def test_a_report_says_what_there_is_not_and_what_failed() -> None:
    absent = Absent(subject=B, step="dev", kind="none", why="it has <b>no</b> mode\x1b[31m")
    view = lifecycle_view(document(run(1, 1, 4.0), run(2, 1, None, B, "it | broke"), absent=(absent,)))
    (row,) = view.rows
    assert row.cells == ("4.00 s", "failed")
    text = lifecycle_markdown(view)
    assert "<b>" not in text and "\x1b" not in text and r"it \| broke" in text
    terminal = render_lifecycle(view, 100, colour=False)
    assert "4.00 s" in terminal and "\x1b" not in terminal


@pytest.mark.parametrize(
    ("blocks", "lead", "note"),
    [
        (1, "one run of each step after one", "no intervals"),
        (3, "3 runs of each step after one", "Means with 95 %"),
    ],
)
def test_a_report_of_one_run_promises_no_interval(blocks: int, lead: str, note: str) -> None:
    view = lifecycle_view(document(run(1, 1, 4.0)).model_copy(update={"blocks": blocks}))
    assert lead in view.lead and note in view.notes[0]


def test_an_interrupted_session_says_how_far_it_came() -> None:
    interrupted = document(run(1, DISCARDED, 9.0), run(2, 1, 4.0)).model_copy(update={"blocks": 5, "whole": False})
    assert lifecycle_view(interrupted).lead == (
        "Life cycle of 2 subjects, interrupted in block 1 of 5: the runs that ended count."
    )
