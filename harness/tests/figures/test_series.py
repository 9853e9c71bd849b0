"""Growth of counters and rows of gauges inside windows, on hand-made rows with exact numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.model.evidence import Series, Window
from plumbline.verdicts.figures import series as in_window


def window(start_s: float, end_s: float) -> Window:
    return Window(phase="closed", kind="closed", start_s=start_s, end_s=end_s)


SERIES = Series(
    t_s=(0.0, 1.0, 2.0, 3.0, 4.0),
    columns={
        "work.us": (0.0, 100.0, 300.0, 600.0, 1000.0),
        "rest.us": (0.0, 900.0, 1700.0, 2400.0, 3000.0),
        "holed.us": (0.0, None, 200.0, None, 400.0),
        "app.rss_bytes": (10.0, 20.0, None, 40.0, 50.0),
        "never.read": (None, None, None, None, None),
    },
)


def test_increase_between_rows_and_at_interpolated_edges() -> None:
    assert in_window.increase(SERIES, "work.us", window(1.0, 3.0)) == 500.0
    assert in_window.increase(SERIES, "work.us", window(0.5, 3.5)) == 800.0 - 50.0
    assert in_window.increase(SERIES, "holed.us", window(1.0, 3.0)) == 200.0


@pytest.mark.parametrize("edges", [(-0.1, 2.0), (1.0, 4.1)])
def test_a_window_beyond_the_rows_is_not_covered(edges: tuple[float, float]) -> None:
    assert in_window.increase(SERIES, "work.us", window(*edges)) is None
    assert in_window.rate_per_s(SERIES, "work.us", window(*edges)) is None


def test_unknown_and_unread_columns_have_no_increase() -> None:
    assert in_window.increase(SERIES, "no.such", window(1.0, 2.0)) is None
    assert in_window.increase(SERIES, "never.read", window(1.0, 2.0)) is None
    assert in_window.total_increase(SERIES, ["work.us", "no.such"], window(1.0, 2.0)) is None
    assert in_window.total_increase(SERIES, [], window(1.0, 2.0)) is None


def test_an_edge_inside_a_hole_is_not_interpolated() -> None:
    holed = Series(t_s=(0.0, 1.0, 4.5, 5.5), columns={"c": (0.0, 1.0, 5.0, 6.0)})
    assert in_window.increase(holed, "c", window(2.0, 5.0)) is None
    assert in_window.increase(holed, "c", window(0.5, 5.0)) == 5.0


def test_rates_and_shares() -> None:
    assert in_window.rate_per_s(SERIES, "work.us", window(1.0, 3.0)) == 250.0
    assert in_window.share(SERIES, ["work.us"], ["work.us", "rest.us"], window(1.0, 3.0)) == 0.25
    assert in_window.cpu_share(SERIES, ["work.us"], 2, window(1.0, 3.0)) == 500.0 / 4e6
    assert in_window.share(SERIES, ["work.us"], ["never.read"], window(1.0, 3.0)) is None


def test_an_empty_window_has_no_rate() -> None:
    assert in_window.rate_per_s(SERIES, "work.us", window(2.0, 2.0)) is None
    assert in_window.cpu_share(SERIES, ["work.us"], 1, window(2.0, 2.0)) is None


def test_gauges_are_their_rows_inside() -> None:
    assert in_window.rows_inside(SERIES, "app.rss_bytes", window(1.0, 3.0)) == [20.0, 40.0]
    assert in_window.mean(SERIES, "app.rss_bytes", window(1.0, 3.0)) == 30.0
    assert in_window.mean(SERIES, "app.rss_bytes", window(1.2, 2.8)) is None


def test_per_second_is_the_growth_between_rows_inside() -> None:
    assert in_window.per_second(SERIES, "work.us", window(0.5, 4.0)) == [200.0, 300.0, 400.0]
    assert in_window.per_second(SERIES, "holed.us", window(0.0, 4.0)) == [100.0, 100.0]


@given(
    steps=st.lists(st.integers(0, 10**6), min_size=3, max_size=30),
    cut=st.floats(0.0, 1.0),
)
def test_two_windows_that_touch_grow_as_much_as_the_one_they_make(steps: list[int], cut: float) -> None:
    total, column = 0, [0.0]
    for step in steps:
        total += step
        column.append(float(total))
    series = Series(t_s=tuple(float(t) for t in range(len(column))), columns={"c": tuple(column)})
    end_s = float(len(steps))
    middle_s = cut * end_s
    left = in_window.increase(series, "c", window(0.0, middle_s))
    right = in_window.increase(series, "c", window(middle_s, end_s))
    assert left is not None and right is not None
    assert left + right == pytest.approx(total, abs=1e-6)
