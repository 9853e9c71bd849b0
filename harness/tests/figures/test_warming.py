"""A warm-up until steady in a record: how long it took, and the decision computed again from its seconds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from plumbline.model.evidence import Series, Window
from plumbline.model.host import CpuSets
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.figures.compute import figures
from plumbline.verdicts.figures.steady import is_over
from tests.judge.evidence import evidence
from tests.judge.planned import plan

WARM_UP = Phase(kind="warm-up", name="warm-up", duration_s=5, connections=10, cycles=9, least_cycles=3, pause_s=1)
SETS = CpuSets(app=(0,), db=(1,), load=(1,), housekeeping=(1,))
ROWS = 40
RATE = 100


def loads(cycles: int) -> tuple[tuple[float, float], ...]:
    """Cycles of five seconds from 1.5 s on, with a second of rest between two cycles."""
    return tuple((1.5 + 6 * cycle, 6.5 + 6 * cycle) for cycle in range(cycles))


def series(cost_us: Callable[[int], float], compiled_us: float = 0.0) -> Series:
    """Counters of an application that answers RATE requests in each second, at a cost that changes by second."""
    spent = [0.0]
    for second in range(ROWS - 1):
        spent.append(spent[-1] + RATE * cost_us(second))
    return Series(
        t_s=tuple(float(second) for second in range(ROWS)),
        columns={
            "load.requests": tuple(float(RATE * second) for second in range(ROWS)),
            "cpu.app.user_us": tuple(spent),
            "cpu.app.system_us": (0.0,) * ROWS,
            "jvm.jit_us": tuple(compiled_us * second for second in range(ROWS)),
        },
    )


def level(second: int) -> float:
    return 500.0


def falls(second: int) -> float:
    return 5000.0 / (second + 1)


@pytest.mark.parametrize(
    ("cost_us", "compiled_us", "over"),
    [(level, 10_000, True), (falls, 10_000, False), (level, 600_000, False)],
)
def test_over_when_nothing_falls_and_the_compiler_rests(
    cost_us: Callable[[int], float], compiled_us: float, over: bool
) -> None:
    assert is_over(series(cost_us, compiled_us), loads(6)) is over


def test_a_native_image_has_no_compiler_to_wait_for() -> None:
    steady = series(level)
    columns = {name: values for name, values in steady.columns.items() if name != "jvm.jit_us"}
    assert is_over(steady.model_copy(update={"columns": columns}), loads(6))


def test_nothing_is_over_before_there_is_enough_to_see() -> None:
    assert not is_over(series(level), loads(1))


def scenario(most_cycles: int) -> Scenario:
    phase = WARM_UP.model_copy(update={"cycles": most_cycles})
    return plan().scenarios[0].model_copy(update={"phases": (phase,)})


# A warm-up that ended before its cap was judged to be over, by rows that a long trial does not keep.
@pytest.mark.parametrize(("cost_us", "cycles", "over"), [(level, 6, 1.0), (falls, 6, 0.0), (falls, 9, 1.0)])
def test_the_record_has_how_long_it_took_and_the_decision(
    cost_us: Callable[[int], float], cycles: int, over: float
) -> None:
    found = figures(
        evidence(plan().trials[0], SETS).model_copy(
            update={
                "windows": (Window(phase="warm-up", kind="warm-up", start_s=1.5, end_s=36.5, cycles=loads(6)),),
                "series": series(cost_us),
            }
        ),
        scenario(cycles),
        SETS,
    )
    assert (found["warm-up"]["warm_up_s"], found["warm-up"]["warm_up_over"]) == (30.0, over)
