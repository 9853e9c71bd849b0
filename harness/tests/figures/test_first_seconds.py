"""The first ten seconds of load, by hand-made counts."""

from __future__ import annotations

import pytest

from plumbline.measuring.place.interface import PLACED_ROLES
from plumbline.model.evidence import Evidence, Series, Window
from plumbline.model.host import CpuSets
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.figures.compute import figures
from plumbline.verdicts.figures.steady import Loads
from tests.figures.test_compute import SCENARIO, SETS, closed_load, evidence


def requests_by_phase(phases: tuple[Phase, ...], trial_evidence: Evidence, sets: CpuSets = SETS) -> dict[str, float]:
    scenario = Scenario(**{**dict(SCENARIO), "phases": phases})
    metric = "first_10_s_requests"
    return {
        name: phase_figures[metric]
        for name, phase_figures in figures(trial_evidence, scenario, sets).items()
        if metric in phase_figures
    }


def counted(rate: float, *loads: tuple[float, float], offset_s: float = 0.4, gone: bool = False) -> Series:
    """Rows a second apart, `offset_s` after each whole second; the count grows only while there is load.

    A k6 that is `gone` when its load ends was asked for the last time by the row before. Nobody uses any CPU.
    """
    times = tuple(second + offset_s for second in range(70))
    until = {end: max(t_s for t_s in times if t_s <= end) if gone else end for _, end in loads}
    count = [sum(rate * max(0.0, min(t_s, until[end]) - start) for start, end in loads if t_s > start) for t_s in times]
    unused = dict.fromkeys(CPU_TIMES, (0.0,) * len(times))
    return Series(t_s=times, columns={**unused, "load.requests": tuple(count)})


CPU_TIMES = (
    *(f"set.{role}.{state}_us" for role in SCENARIO.roles for state in ("busy", "irq", "softirq")),
    *(f"cpu.{role}.{mode}_us" for role in PLACED_ROLES for mode in ("user", "system")),
)


CLOSED = Phase(kind="closed", name="closed", duration_s=10, connections=5)


@pytest.mark.parametrize("late_s", [0.0, -2e-15, 0.001])
def test_a_phase_of_ten_seconds_is_enough_however_its_ends_are_rounded(late_s: float) -> None:
    window = Window(phase="closed", kind="closed", start_s=3.0, end_s=13.0 + late_s)
    load = closed_load(completed=1000)
    trial_evidence = evidence(series=counted(100, (3.0, 13.0)), windows=(window,), load=(load,))
    assert requests_by_phase((CLOSED,), trial_evidence) == {"closed": 1000.0}


CYCLES = ((3.0, 8.0), (9.1, 14.1), (15.2, 20.2))
TAILS_S = (0.6, 0.7, 0.8)
"""Seconds between the last row of a cycle and its end."""


@pytest.mark.parametrize("cycles", [CYCLES[:2], CYCLES])
def test_a_k6_that_is_gone_at_the_end_of_its_load_takes_no_answers_with_it(cycles: Loads) -> None:
    window = Window(phase="warm-up", kind="warm-up", start_s=3.0, end_s=cycles[-1][1], cycles=cycles)
    warm_up = Phase(kind="warm-up", name="warm-up", duration_s=5, connections=5, cycles=3, least_cycles=2, pause_s=1)
    heard = counted(100, *cycles, gone=True)
    assert heard.columns["load.requests"][-1] == pytest.approx(500 * len(cycles) - 100 * sum(TAILS_S[: len(cycles)]))
    for load in ((), (closed_load(phase="warm-up", completed=500 * len(cycles)),)):
        trial_evidence = evidence(series=heard, windows=(window,), load=load)
        assert requests_by_phase((warm_up, CLOSED), trial_evidence) == {"warm-up": pytest.approx(1000.0)}


def test_a_phase_that_is_no_longer_than_ten_seconds_has_the_count_of_its_k6() -> None:
    window = Window(phase="closed", kind="closed", start_s=3.0, end_s=13.0)
    load = closed_load(requests=1013, completed=1008)
    trial_evidence = evidence(series=counted(100, (3.0, 13.0), gone=True), windows=(window,), load=(load,))
    assert requests_by_phase((CLOSED,), trial_evidence) == {"closed": 1008.0}


def test_of_a_longer_load_the_rest_is_left_out() -> None:
    window = Window(phase="warm-up", kind="warm-up", start_s=3.0, end_s=33.0)
    trial_evidence = evidence(series=counted(100, (3.0, 33.0)), windows=(window,))
    warm_up = Phase(kind="warm-up", name="warm-up", duration_s=30, connections=5)
    assert requests_by_phase((warm_up, CLOSED), trial_evidence) == {"warm-up": pytest.approx(1000.0)}


def test_pauses_and_the_gap_between_phases_are_no_load() -> None:
    windows = (
        Window(phase="warm-up", kind="warm-up", start_s=3.0, end_s=12.0),
        Window(phase="closed", kind="closed", start_s=15.0, end_s=25.0),
    )
    loads = (3.0, 6.0), (8.0, 11.0), (15.0, 25.0)
    warm_up = Phase(kind="warm-up", name="warm-up", duration_s=3, cycles=2, pause_s=2, connections=5)
    trial_evidence = evidence(series=counted(100, *loads), windows=windows)
    assert requests_by_phase((warm_up, CLOSED), trial_evidence) == {"warm-up": pytest.approx(1000.0)}


def test_too_little_load_and_a_fixed_rate_have_no_such_figure() -> None:
    window = Window(phase="closed", kind="closed", start_s=3.0, end_s=9.0)
    trial_evidence = evidence(series=counted(100, (3.0, 9.0)), windows=(window,))
    assert requests_by_phase((CLOSED,), trial_evidence) == {}
    opened = Phase(kind="open", name="closed", duration_s=20, rate_per_s=100)
    whole = evidence(series=counted(100, (3.0, 23.0)), windows=(window.model_copy(update={"end_s": 23.0}),))
    assert requests_by_phase((opened,), whole) == {}


def used_by(series: Series, app_share: float, other_share: float) -> Series:
    """The application has CPU 1 of two; it uses `app_share` of that CPU, another program `other_share`."""
    seconds = [t_s - series.t_s[0] for t_s in series.t_s]
    per_s = {"set.app.busy_us": app_share + other_share, "cpu.app.user_us": app_share}
    columns = {name: tuple(share * 1e6 * second for second in seconds) for name, share in per_s.items()}
    return series.model_copy(update={"columns": {**series.columns, **columns}})


ON_TWO = CpuSets(app=(1,), db=(0,), load=(0,), housekeeping=(0,))


@pytest.mark.parametrize(("others", "counts"), [(0.09, True), (0.11, False)])
def test_what_was_answered_beside_a_neighbour_is_no_figure(others: float, counts: bool) -> None:
    window = Window(phase="warm-up", kind="warm-up", start_s=3.0, end_s=33.0)
    trial_evidence = evidence(series=used_by(counted(100, (3.0, 33.0)), 0.8, others), windows=(window,))
    warm_up = Phase(kind="warm-up", name="warm-up", duration_s=30, connections=5)
    expected = {"warm-up": pytest.approx(1000.0)} if counts else {}
    assert requests_by_phase((warm_up, CLOSED), trial_evidence, ON_TWO) == expected


@pytest.mark.parametrize("column", CPU_TIMES)
def test_nothing_is_a_figure_where_nobody_knows_of_a_neighbour(column: str) -> None:
    window = Window(phase="closed", kind="closed", start_s=3.0, end_s=13.0)
    series = counted(100, (3.0, 13.0))
    known_at_first = tuple(0.0 if t_s < 8 else None for t_s in series.t_s)
    unknown = series.model_copy(update={"columns": {**series.columns, column: known_at_first}})
    trial_evidence = evidence(series=unknown, windows=(window,))
    assert requests_by_phase((CLOSED,), trial_evidence) == {}


def test_a_neighbour_after_the_first_ten_seconds_takes_nothing_from_them() -> None:
    window = Window(phase="warm-up", kind="warm-up", start_s=3.0, end_s=33.0)
    series = used_by(counted(100, (3.0, 33.0)), 0.8, 0.0)
    busy = series.columns["set.app.busy_us"]
    later = tuple(
        value if value is None else value + 0.2e6 * max(0.0, t_s - 14.0)
        for t_s, value in zip(series.t_s, busy, strict=True)
    )
    series = series.model_copy(update={"columns": {**series.columns, "set.app.busy_us": later}})
    warm_up = Phase(kind="warm-up", name="warm-up", duration_s=30, connections=5)
    trial_evidence = evidence(series=series, windows=(window,))
    assert requests_by_phase((warm_up, CLOSED), trial_evidence, ON_TWO) == {"warm-up": pytest.approx(1000.0)}
