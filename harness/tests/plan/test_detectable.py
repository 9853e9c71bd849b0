"""The differences that a plan says it could detect."""

from __future__ import annotations

import math
import random

import pytest

from plumbline.subjects.plan.detectable import Noise, by_metric, detectable, leading_noise, level_of_orders, most_orders
from plumbline.verdicts.stats.compare import LEVEL
from plumbline.verdicts.stats.families import follow_jointly
from plumbline.verdicts.stats.interim import LOOKS, course_level, detectable_in_course
from plumbline.verdicts.stats.ranking import ranking
from tests.judge.planned import plan, scenario


def noise(phase: str = "closed", metric: str = "throughput_per_s", cv: float = 0.02, sessions: int = 3) -> Noise:
    return Noise("fruits@1", phase, metric, cv, 20, sessions, "this host (lab)")


def book(*noises: Noise) -> dict[tuple[str, str, str], Noise]:
    return {(entry.scenario, entry.phase, entry.metric): entry for entry in noises}


def test_as_method_2_has_it_for_a_lab() -> None:
    assert detectable(8, "lab").change == pytest.approx(0.03, rel=0.06)
    assert detectable(13, "lab").change == pytest.approx(0.02, rel=0.06)
    assert detectable(6, "shared").change == pytest.approx(0.10, rel=0.06)


def test_too_few_for_a_verdict() -> None:
    assert detectable(2, "lab").change is None
    assert "no history of this host" in detectable(2, "lab").basis


def test_history_takes_the_place_of_what_is_assumed() -> None:
    power = detectable(13, "small", noise(cv=0.01))
    assert power.change == pytest.approx(0.02, rel=0.06)
    assert power.basis == "throughput_per_s of closed scattered by 1 % in 3 sessions on this host (lab)"
    assert "in 1 session on" in detectable(13, "small", noise(sessions=1)).basis


def test_looks_that_may_end_early_find_what_they_find() -> None:
    power = detectable(26, "lab", noise(cv=0.01), LOOKS)
    assert power.change == pytest.approx(math.expm1(detectable_in_course(math.sqrt(2) * 0.01, LOOKS)))
    power_of_three_looks = detectable(12, "lab", noise(cv=0.01), LOOKS[:3])
    assert power_of_three_looks.change == pytest.approx(
        math.expm1(detectable_in_course(math.sqrt(2) * 0.01, LOOKS[:3]))
    )
    assert detectable(6, "lab", noise(cv=0.01), (6,)).change == detectable(6, "lab", noise(cv=0.01)).change


def test_a_plan_is_measured_by_what_scatters_most_of_what_leads() -> None:
    noises = book(
        noise(),
        noise(metric="app_cpu_us_per_request", cv=0.03),
        noise("start", "first_response_ms", cv=0.2),
        noise("open@500", "app_cpu_us_per_request", cv=0.1),
    )
    assert leading_noise([scenario()], noises) == noise(metric="app_cpu_us_per_request", cv=0.03)
    assert leading_noise([scenario()], book(noise("open@500", "app_cpu_us_per_request"))) is not None
    assert leading_noise([scenario()], book(noise("open@7", "app_cpu_us_per_request"))) is None
    assert leading_noise([scenario()], {}) is None


@pytest.mark.parametrize("subjects", [2, 3, 6])
def test_what_a_plan_promises_to_find_is_found_among_all_subjects_of_a_class(subjects: int) -> None:
    blocks, orders = 4, math.comb(subjects, 2)
    change = detectable(blocks, "lab", noise(cv=0.02), level=LEVEL / most_orders([1, subjects])).change
    assert change is not None
    draw, jobs, found = random.Random(1), 400, 0
    for _ in range(jobs):
        contenders = {
            place: {block: [math.exp(draw.gauss(0, 0.02)) * (1 + change * (place == 0))] for block in range(blocks)}
            for place in range(subjects)
        }
        pair = ranking({str(place): values for place, values in contenders.items()}, "higher").between("0", "1")
        assert pair is not None and pair.comparison.level == pytest.approx(LEVEL / orders)
        found += pair.verdict == "faster"
    assert 0.92 <= found / jobs <= 0.98


def test_every_metric_with_a_history_is_listed_in_the_order_of_phases() -> None:
    noises = book(noise("open@500", "latency_p99_ms"), noise("start", "first_response_ms"), noise(), noise("open@9"))
    planned = plan().model_copy(update={"data_access": dict.fromkeys(plan().subjects, "sql")})
    powers = by_metric(planned, noises)
    assert [(metric_noise.phase, metric_noise.metric) for metric_noise, _ in powers] == [
        ("start", "first_response_ms"),
        ("closed", "throughput_per_s"),
        ("open@500", "latency_p99_ms"),
    ]
    level = level_of_orders(planned)
    assert level == pytest.approx(LEVEL / 3) and len(planned.subjects) == 3
    assert all(
        power.change == detectable(planned.detectable.trials, "lab", metric_noise, level=level).change
        for metric_noise, power in powers
    )


@pytest.mark.slow
@pytest.mark.parametrize("looks", [(6,), LOOKS[:2]])
def test_what_a_comparison_promises_to_find_is_found_among_all_leading_questions(looks: tuple[int, ...]) -> None:
    level, questions, jobs = course_level(looks), 9, 400
    # So much noise that no question ends early as equivalent.
    change = detectable(looks[-1], "lab", noise(cv=0.05), looks, level, questions).change
    assert change is not None
    draw, found = random.Random(3), 0
    for _ in range(jobs):
        values = {
            str(place): [draw.gauss(-math.log1p(change) * (place == 0), math.sqrt(2) * 0.05) for _ in range(looks[-1])]
            for place in range(questions)
        }
        last = follow_jointly(values, dict.fromkeys(values, looks), level)["0"].last
        assert last is not None
        found += last.verdict == "slower"
    assert 0.91 <= found / jobs <= 0.985
