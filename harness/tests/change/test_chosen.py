"""The part of an effect that one comparison asks about: each chosen subject under each scenario, within a budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from plumbline.subjects.change.affected import LEAST_PAIRS, PAIR_S, Affected, Effect, chosen

ONE = PAIR_S * LEAST_PAIRS
CELLS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "+x=1"]), st.sampled_from("pqr")))


def effect(*cells: tuple[str, str]) -> Effect:
    return Effect(tuple(Affected(subject, scenario, ("why",)) for subject, scenario in dict.fromkeys(cells)), ())


def test_scenarios_of_the_suite_come_first_and_plain_subjects_too() -> None:
    full_effect = effect(
        ("a/jvm/pg+x=1", "q"), ("a/jvm/pg", "p"), ("a/jvm/pg", "q"), ("b/jvm/pg", "q"), ("c/jvm/pg", "p")
    )
    choice = chosen(full_effect, full_effect.subjects, ("q",), 2 * ONE)
    assert choice.subjects == ("a/jvm/pg", "b/jvm/pg") and choice.scenarios == ("q",)
    assert choice.left_out == ("a/jvm/pg+x=1", "c/jvm/pg")


def test_what_the_suite_has_not_is_asked_under_a_scenario_of_its_own() -> None:
    full_effect = effect(("a/jvm/none", "p"), ("a/jvm/none", "q"), ("b/jvm/none", "q"))
    choice = chosen(full_effect, full_effect.subjects, ("fruits",), 5 * ONE)
    assert (choice.subjects, choice.scenarios) == (("a/jvm/none",), ("p",))


def test_a_subject_that_one_side_lacks_is_not_asked_about() -> None:
    choice = chosen(effect(("a/jvm/pg", "p")), (), ("p",), ONE)
    assert choice.subjects == choice.scenarios == ()


@given(CELLS, st.lists(st.sampled_from("pqr"), unique=True), st.integers(1, 6))
def test_each_subject_has_each_scenario_and_all_fits(
    rows: list[tuple[str, str, str]], suite: list[str], fits: int
) -> None:
    cells = {(f"{name}/jvm/pg{settings}", scenario): None for name, settings, scenario in rows}
    full_effect = effect(*cells)
    choice = chosen(full_effect, full_effect.subjects, suite, fits * ONE)
    assert bool(choice.subjects) == bool(cells)
    assert all((subject, scenario) in cells for subject in choice.subjects for scenario in choice.scenarios)
    assert len(choice.subjects) * len(choice.scenarios) <= fits
    assert {*choice.subjects, *choice.left_out} == set(full_effect.subjects)
