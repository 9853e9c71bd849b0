"""Rules in a comparison: what the design of a comparison changes in them, and which faults it must not have."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from plumbline.model.comparison import Design
from plumbline.model.evidence import Evidence
from plumbline.model.host import Cpu
from plumbline.model.plan import Plan, PlannedTrial, vus_of
from plumbline.model.record import Finding
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from tests.judge.damage import Change, findings, with_column
from tests.judge.planned import build_of, host, provenance
from tests.record.comparisons import FAST, PLACES, SLOW, comparison_plan, evidence_of


def finding(plan: Plan, rule: str, number: int = 2, cpus: tuple[Cpu, ...] | None = None) -> Finding:
    evidence, host_facts = evidence_of(plan), host(plan.host_class)
    topology = host_facts.topology if cpus is None else host_facts.topology.model_copy(update={"cpus": cpus})
    facts = SessionFacts(
        plan=plan,
        host=host_facts.model_copy(update={"topology": topology}),
        trials={trial.number: TrialFacts(trial, plan.scenarios[0], evidence[trial.number]) for trial in plan.trials},
        provenance=provenance(),
        builds=tuple(build_of(subject) for subject in (*plan.subjects, plan.control)),
    )
    return next(iter(findings(facts, number, rule).values()))


def without(number: int) -> Callable[[tuple[PlannedTrial, ...]], tuple[PlannedTrial, ...]]:
    return lambda trials: tuple(trial for trial in trials if trial.block != number)


def never_swapped(trials: tuple[PlannedTrial, ...]) -> tuple[PlannedTrial, ...]:
    ordered = sorted(trials, key=lambda trial: (trial.block, trial.side or ""))
    return tuple(trial.model_copy(update={"number": place}) for place, trial in enumerate(ordered, start=1))


def test_a_comparison_has_its_design() -> None:
    found = finding(comparison_plan(FAST, SLOW), "R31")
    assert found.outcome == "pass" and "6 pairs in ABBA order" in found.reading


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without(3), "Pairs are missing between others"),
        (without(0), "not thrown away"),
        (never_swapped, "did not take turns"),
    ],
)
def test_a_broken_design_is_named(
    change: Callable[[tuple[PlannedTrial, ...]], tuple[PlannedTrial, ...]], words: str
) -> None:
    plan = comparison_plan(FAST, SLOW)
    found = finding(plan.model_copy(update={"trials": change(plan.trials)}), "R31", number=4)
    assert found.outcome == "invalid" and words in found.reading


def test_a_duet_gives_each_side_a_place() -> None:
    plan = comparison_plan(FAST, SLOW, design="duet")
    assert finding(plan, "R31").outcome == "pass"
    crowded = tuple(trial.model_copy(update={"sets": PLACES[0]}) for trial in plan.trials)
    found = finding(plan.model_copy(update={"trials": crowded}), "R31")
    assert found.outcome == "invalid" and "a place of its own" in found.reading


def test_places_of_a_duet_share_no_cpu() -> None:
    plan = comparison_plan(FAST, SLOW, design="duet")
    assert "no CPU and no core in common" in finding(plan, "R19").reading
    shared = PLACES[1].model_copy(update={"app": (0,), "db": (1,)})
    trials = tuple(
        trial.model_copy(update={"sets": shared}) if trial.sets == PLACES[1] else trial for trial in plan.trials
    )
    found = finding(plan.model_copy(update={"trials": trials}), "R19")
    assert found.outcome == "warn" and "share CPUs" in found.reading


def test_places_of_a_duet_share_no_core() -> None:
    plan = comparison_plan(FAST, SLOW, design="duet")
    one_core = tuple(cpu.model_copy(update={"core": 0}) for cpu in host(plan.host_class).topology.cpus)
    found = finding(plan, "R19", cpus=one_core)
    assert found.outcome == "warn" and "share cores by their SMT siblings" in found.reading


def test_places_of_a_duet_share_no_core_that_nobody_knows() -> None:
    found = finding(comparison_plan(FAST, SLOW, design="duet"), "R19", cpus=())
    assert found.outcome == "unknown" and "not recorded" in found.reading


@pytest.mark.parametrize("rule", ["R1", "R5", "R32"])
def test_what_a_duet_is_not_asked(rule: str) -> None:
    assert finding(comparison_plan(FAST, SLOW, design="duet"), rule).outcome == "n/a"


def test_an_interleaved_comparison_is_asked_for_saturation() -> None:
    assert finding(comparison_plan(FAST, SLOW), "R1").outcome == "pass"
    assert finding(comparison_plan(FAST, SLOW), "R32").outcome == "n/a"


def without_prices(side: str | None) -> Callable[[Evidence], Evidence]:
    """The trials of the head send one statement less."""

    def change(evidence: Evidence) -> Evidence:
        if side != "head":
            return evidence
        return evidence.model_copy(
            update={
                "database": tuple(
                    work.model_copy(
                        update={
                            "statements": tuple(row for row in work.statements if "store_fruit_prices" not in row.query)
                        }
                    )
                    for work in evidence.database
                )
            }
        )

    return change


@pytest.mark.parametrize("design", ["interleaved", "duet"])
def test_a_side_that_asks_for_other_work_is_refused_by_the_control_that_was_thrown_away(design: Design) -> None:
    plan = comparison_plan(FAST, FAST, refs=True, design=design)
    evidence = evidence_of(plan)
    facts = SessionFacts(
        plan=plan,
        host=host(plan.host_class),
        trials={
            trial.number: TrialFacts(trial, plan.scenarios[0], without_prices(trial.side)(evidence[trial.number]))
            for trial in plan.trials
        },
    )
    for trial in plan.trials:
        found = next(iter(findings(facts, trial.number, "R14").values()))
        expected = "invalid" if trial.side == "head" else "pass"
        assert found.outcome == expected, (trial.side, found.reading)


def grown_once(column: str, more: float, from_s: float) -> Change:
    """A counter that grows by so much more at a moment."""
    return with_column(column, lambda t_s, value: value + more * (t_s > from_s))


@pytest.mark.parametrize(("design", "outcome"), [("interleaved", "warn"), ("duet", "pass")])
def test_the_kernel_counts_the_connections_of_both_sides_of_a_duet(design: Design, outcome: str) -> None:
    """Each side opened a connection for each of its clients."""
    plan = comparison_plan(FAST, SLOW, design=design)
    trials = {}
    for trial in plan.trials:
        evidence = evidence_of(plan)[trial.number]
        (window,) = (window for window in evidence.windows if window.kind == "open")
        (load,) = (load for load in evidence.load if load.phase == window.phase)
        clients = vus_of(load.rate_per_s or 0, load.window_s)
        reused = 1 - clients / load.requests
        loads = tuple(each.model_copy(update={"reused": reused}) if each is load else each for each in evidence.load)
        opened = grown_once("tcp.passive_opens", 2 * clients, window.start_s + 1)
        told = evidence.model_copy(update={"load": loads})
        trials[trial.number] = TrialFacts(trial, plan.scenarios[0], opened(told))
    facts = SessionFacts(plan=plan, host=host(plan.host_class), trials=trials)
    found = findings(facts, 2, "R16")
    assert [finding.outcome for phase, finding in found.items() if phase and phase.startswith("open")] == [outcome]


def test_a_pair_of_an_interleaved_comparison_ran_in_the_order_of_the_plan() -> None:
    plan = comparison_plan(FAST, SLOW)
    evidence = evidence_of(plan)
    late = {**evidence, 4: evidence[4].model_copy(update={"started_at": "2026-09-01T09:00:00Z"})}
    for given, outcome in ((evidence, "pass"), (late, "invalid")):
        facts = SessionFacts(
            plan=plan,
            host=host(plan.host_class),
            trials={trial.number: TrialFacts(trial, plan.scenarios[0], given[trial.number]) for trial in plan.trials},
        )
        assert findings(facts, 2, "R31")[None].outcome == outcome
