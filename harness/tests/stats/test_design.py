"""Designs: what is refused by name, what is only said."""

from __future__ import annotations

import pytest

from plumbline.model.errors import UsageError
from plumbline.verdicts.stats.design import examine

VALUES = [0.01, 0.012, -0.02, -0.019, 0.015, 0.013]
ABBA = ["AB", "BA"] * 3


def fresh(count: int = 6) -> list[tuple[str, str]]:
    return [(f"a{place}", f"b{place}") for place in range(count)]


def test_abba_of_fresh_processes_leaves_nothing_to_say() -> None:
    design = examine(VALUES, order=ABBA, process=fresh())
    assert (design.order, design.process, design.notes) == ("stated", "stated", ())


def test_unstated_is_said() -> None:
    design = examine(VALUES)
    assert (design.order, design.process) == ("unstated", "unstated")
    assert all("unstated" in note for note in design.notes) and len(design.notes) == 2


@pytest.mark.parametrize(
    ("order", "name"),
    [
        (["A"] * 6 + ["B"] * 6, "all A before all B"),
        (["B"] * 6 + ["A"] * 6, "all B before all A"),
        (["AAAAAA", "BBBBBB"], "all A before all B"),
        (["AB"] * 6, "never swapped"),
        (["AABB"] * 3, "not in pairs"),
    ],
)
def test_forbidden_orders_are_named(order: list[str], name: str) -> None:
    with pytest.raises(UsageError, match=name):
        examine(VALUES, order=order)


@pytest.mark.parametrize("order", [["AB"] * 5, ["AC"] * 6, ["AA"] * 6])
def test_an_order_of_other_trials(order: list[str]) -> None:
    with pytest.raises(UsageError, match="does not name 6 trials"):
        examine(VALUES, order=order)


def test_one_process_under_many_pairs() -> None:
    shared = [("a", f"b{place}") for place in range(6)]
    with pytest.raises(UsageError, match=r"one process under many pairs.*process a stands under 6"):
        examine(VALUES, process=shared)
    with pytest.raises(UsageError, match="one process under many pairs"):
        examine(VALUES, process=[("same", "same"), *fresh(5)])


def test_as_many_processes_as_pairs() -> None:
    with pytest.raises(UsageError, match="names 5 pairs, and there are 6"):
        examine(VALUES, process=fresh(5))


def test_an_order_effect_is_said_when_it_cancels_and_refused_when_not() -> None:
    values = [0.05, -0.05, 0.051, -0.049, 0.05, -0.051]
    (note,) = examine(values, order=ABBA, process=fresh()).notes
    assert note.startswith("The order matters: pairs taken as AB measure 10.6 % more than")
    uneven = ["AB", "AB", "AB", "AB", "BA", "BA"]
    with pytest.raises(UsageError, match="order effect in uneven orders"):
        examine([0.05, 0.051, 0.049, 0.05, -0.05, -0.05], order=uneven)
    (note,) = examine(VALUES, order=uneven, process=fresh()).notes
    assert "uneven" in note


def test_a_duet_must_swap_its_cpus() -> None:
    assert examine(VALUES, "duet", ABBA, fresh()).kind == "duet"
    with pytest.raises(UsageError, match="A had the first CPUs in every pair"):
        examine(VALUES, "duet", ["AB"] * 6)
