"""The order of trials: the properties that every session needs, for any numbers of subjects, scenarios and blocks."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from plumbline.subjects.plan.make import order_trials

NAMES = ["a", "b", "c", "d", "e"]


@given(st.integers(1, 5), st.integers(1, 3), st.integers(1, 12), st.integers(0, 2**32))
def test_every_session_is_balanced_and_framed_by_the_control(
    subjects: int, scenarios: int, blocks: int, seed: int
) -> None:
    names, loads = NAMES[:subjects], [f"s{n}@1" for n in range(scenarios)]
    trials = order_trials(names, loads, "control", blocks, seed)
    assert trials == order_trials(names, loads, "control", blocks, seed)
    assert [trial.number for trial in trials] == list(range(1, len(trials) + 1))
    assert trials[0].role == "discarded" and trials[0].subject == "control"
    assert trials[1].role == "control" and trials[-1].role == "control"
    assert sum(trial.role == "discarded" for trial in trials) == 1
    for block in range(1, blocks + 1):
        inside = Counter((t.subject, t.scenario) for t in trials if t.block == block and t.role == "measured")
        assert inside == {(name, load): 1 for name in names for load in loads}
    controls = Counter(trial.scenario for trial in trials if trial.role == "control")
    assert controls == dict.fromkeys(loads, 3 if blocks > 1 else 2)


@given(st.integers(0, 2**32))
def test_two_sides_alternate_abba(seed: int) -> None:
    trials = [t for t in order_trials(["a", "b"], ["s@1"], "control", 8, seed) if t.role == "measured"]
    sides = "".join(trial.subject for trial in trials)
    assert sides in ("abbaabbaabbaabba", "baabbaabbaabbaab")


def test_both_starts_and_many_orders_occur() -> None:
    starts = {order_trials(["a", "b"], ["s@1"], "c", 2, seed)[2].subject for seed in range(20)}
    assert starts == {"a", "b"}
    firsts = {tuple(t.subject for t in order_trials(NAMES, ["s@1"], "x", 1, seed)) for seed in range(50)}
    assert len(firsts) > 30


@given(st.integers(1, 12), st.integers(0, 2**32))
def test_who_lacks_a_scenario_has_no_trial_of_it_and_the_rest_stays_balanced(blocks: int, seed: int) -> None:
    cells = {("a", "s0@1"), ("b", "s0@1"), ("b", "s1@1"), ("c", "s1@1")}
    trials = order_trials(["a", "b", "c"], ["s0@1", "s1@1"], "control", blocks, seed, lambda *pair: pair in cells)
    for block in range(1, blocks + 1):
        inside = Counter((t.subject, t.scenario) for t in trials if t.block == block and t.role == "measured")
        assert inside == dict.fromkeys(cells, 1)
    assert {t.scenario for t in trials if t.role == "control"} == {"s0@1", "s1@1"}
