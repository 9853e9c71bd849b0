"""Warm-up curves of trials that warmed up for different times."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.model.evidence import Evidence, Series, Window
from plumbline.reporting.report.compose import compose
from plumbline.reporting.report.view import Curves
from tests.report.session import session

COLD_PER_S, WARM_PER_S = 100.0, 1000.0


def curves_of(warm_ups_s: Sequence[float]) -> Curves:
    """The curves of a subject whose trials warmed up for these seconds, then took 20 s of closed load."""
    record, evidence = session(invalid=False, blocks=len(warm_ups_s))
    subject = record.plan.subjects[0]
    numbers = [trial.number for trial in record.trials if trial.subject == subject]
    for number, warm_up_s in zip(numbers, warm_ups_s, strict=True):
        evidence[number] = lasting(evidence[number], warm_up_s)
    whole = compose(record, {number: evidence[number] for number in numbers})
    return whole.scenarios[0].curves[0]


def lasting(evidence: Evidence, warm_up_s: float) -> Evidence:
    warm_up = Window(phase="warm-up", kind="warm-up", start_s=3.0, end_s=3.0 + warm_up_s)
    closed = Window(phase="closed", kind="closed", start_s=warm_up.end_s + 2, end_s=warm_up.end_s + 22)
    times = [float(second) for second in range(int(closed.end_s) + 4)]
    requests = [0.0]
    for t_s in times[1:]:
        requests.append(requests[-1] + (WARM_PER_S if t_s > closed.start_s else COLD_PER_S))
    series = Series(t_s=tuple(times), columns={"load.requests": tuple(requests)})
    return evidence.model_copy(update={"windows": (warm_up, closed), "series": series})


def test_the_axis_holds_the_longest_trial() -> None:
    curves = curves_of([30, 40, 30])
    assert [(band.label, band.start_s, band.end_s) for band in curves.bands] == [
        ("warm-up", 0, 40),
        ("closed", 42, 62),
    ]
    ends = [run.pieces[-1][-1][0] for run in curves.runs]
    assert len(ends) == 3 and max(ends) <= curves.bands[-1].end_s


def test_a_median_has_no_trial_that_is_in_another_phase() -> None:
    # In its second 34 the first trial had closed load, and the second still warmed up.
    curves = curves_of([30, 40])
    points = [point for piece in curves.median for point in piece]
    closed_s = curves.bands[1].start_s
    assert {rate for t_s, rate in points if t_s < closed_s} == {COLD_PER_S}
    assert {rate for t_s, rate in points if t_s >= closed_s} == {WARM_PER_S}
