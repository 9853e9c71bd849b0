"""R2 and R6: what the proofs at the end of a session say of the trials before them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plumbline.model.evidence import Evidence, Failure
from plumbline.model.host import HostClass
from plumbline.model.plan import Proof, Unproven
from plumbline.model.record import Finding, Outcome
from plumbline.subjects.plan.proofs import ALL_MEANS, proofs
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from plumbline.verdicts.judge.referee import judge
from tests.judge.damage import damaged, each_measured, findings, measured, with_load
from tests.judge.evidence import ANSWER_BYTES, evidence, session, work
from tests.judge.phase_faults import busier
from tests.judge.planned import CAPACITY, CONTROL, SUBJECTS

ALL: tuple[Proof, ...] = (
    "less application CPU",
    "more database CPU",
    "more load CPU",
    "twice the connections",
)
# What the throughput is multiplied with where the application is the limit and the load is enough.
GOOD: dict[Proof, float] = {
    "less application CPU": 0.76,
    "more database CPU": 1.0,
    "more load CPU": 1.0,
    "twice the connections": 1.0,
}


def proven(
    factors: dict[Proof, float], unproven: tuple[Unproven, ...] = (), host_class: HostClass = "lab"
) -> SessionFacts:
    """A clean session with proofs; in each proof the closed throughput is the usual one times its factor."""
    whole = session(host_class)
    plan = whole.plan
    trials, _ = proofs(["R2", "R6"], plan.trials, plan.scenarios, plan.sets, whole.host.topology, ALL_MEANS)
    chosen = [trial for trial in trials if trial.proof in factors]
    planned_proofs = {trial.proof for trial in trials}
    # On the lab host of these tests the load generator has one CPU: a proof that cannot be planned is added here.
    for proof in [proof for proof in factors if proof not in planned_proofs]:
        chosen += [
            trial.model_copy(update={"number": trial.number + 100, "proof": proof, "sets": None})
            for trial in trials
            if trial.proof == "twice the connections"
        ]
    planned = plan.model_copy(update={"trials": (*plan.trials, *chosen), "unproven": unproven})
    facts_by_number = {}
    for trial in chosen:
        assert trial.proof is not None
        trial_evidence = evidence(trial, plan.sets_of(trial))
        load = next(load_result for load_result in trial_evidence.load if load_result.phase == "closed")
        count = round(CAPACITY[trial.subject] * factors[trial.proof] * load.window_s)
        change = with_load("closed", completed=count, requests=count, received_bytes=count * ANSWER_BYTES)
        changed = change(trial_evidence)
        changed = changed.model_copy(update={"database": tuple(map(work, changed.load))})
        facts_by_number[trial.number] = TrialFacts(trial, planned.scenario_of(trial), changed)
    return replace(whole, plan=planned, proofs=facts_by_number)


def finding(whole: SessionFacts, rule: str, subject: str = SUBJECTS[0]) -> Finding:
    number = measured(whole, subject)[0]
    (found,) = findings(whole, number, rule).values()
    return found


def test_a_session_that_nobody_asked_to_prove_anything() -> None:
    for rule in ("R2", "R6"):
        assert finding(session(), rule).outcome == "n/a"


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_saturated_application_is_proven(subject: str) -> None:
    whole = proven(GOOD)
    assert [finding(whole, rule, subject).outcome for rule in ("R2", "R6")] == ["pass", "pass"]
    assert "the application is the limit" in finding(whole, "R2").reading


@pytest.mark.parametrize(
    ("proof", "factor", "rule", "words"),
    [
        ("less application CPU", 0.99, "R2", "something else is the limit"),
        ("less application CPU", 0.55, "R2", "more than the CPU explains"),
        ("more database CPU", 1.12, "R2", "the database is the limit"),
        ("more load CPU", 1.12, "R2", "the load generator is the limit"),
        ("twice the connections", 1.3, "R6", "the load is too little"),
    ],
)
@pytest.mark.parametrize(("host_class", "outcome"), [("lab", "invalid"), ("shared", "warn")])
def test_a_limit_elsewhere_is_named(
    proof: Proof, factor: float, rule: str, words: str, host_class: HostClass, outcome: Outcome
) -> None:
    found = finding(proven({**GOOD, proof: factor}, host_class=host_class), rule)
    assert found.outcome == outcome and words in found.reading


@pytest.mark.parametrize(("proof", "rule"), [("less application CPU", "R2"), ("twice the connections", "R6")])
def test_trials_that_scatter_leave_it_open(proof: Proof, rule: str) -> None:
    whole = proven(GOOD)
    for index, number in enumerate(measured(whole)):
        if whole.trials[number].planned.subject == SUBJECTS[0]:
            few = round(260_000 * (1 + 0.1 * (index % 2)))
            whole = replace(
                damaged(whole, number, with_load("closed", completed=few, requests=few)), proofs=whole.proofs
            )
    found = finding(whole, rule)
    assert found.outcome == "unknown" and "scatter too much" in found.reading


def test_what_the_host_cannot_lend_is_said_beside_what_was_proven() -> None:
    reason = "This host has no CPU to lend the database."
    lent = {proof: factor for proof, factor in GOOD.items() if not proof.startswith("more")}
    lacking = tuple(Unproven(proof=proof, reason=reason) for proof in ALL if proof.startswith("more"))
    found = finding(proven(lent, lacking), "R2")
    assert found.outcome == "pass" and found.reading.endswith(reason) and found.reading.count(reason) == 1


def test_without_its_first_half_nothing_is_proven() -> None:
    reason = "Without control groups CPU time can't be limited."
    less = Unproven(proof="less application CPU", reason=reason)
    other_factors: dict[Proof, float] = {
        proof: factor for proof, factor in GOOD.items() if proof != "less application CPU"
    }
    found = finding(proven(other_factors, (less,)), "R2")
    assert (found.outcome, found.reading) == ("unknown", reason)


def test_a_proof_that_failed_proves_nothing() -> None:
    whole = proven(GOOD)

    def failed(facts: TrialFacts) -> TrialFacts:
        failure = Failure(phase="closed", problem="The application ended by itself.")
        return replace(facts, evidence=facts.evidence.model_copy(update={"failure": failure}))

    def wrong(facts: TrialFacts) -> TrialFacts:
        return replace(facts, evidence=with_load("closed", failed=3)(facts.evidence))

    for change, words in ((failed, "did not reach its end"), (wrong, "had errors")):
        after = replace(whole, proofs={number: change(facts) for number, facts in whole.proofs.items()})
        for rule in ("R2", "R6"):
            found = finding(after, rule)
            assert found.outcome == "unknown" and words in found.reading
    gone = finding(replace(whole, proofs={}), "R6")
    assert gone.outcome == "unknown" and "is not there" in gone.reading


def judged(whole: SessionFacts, rule: str) -> Finding:
    """Return the finding of a rule on the subject's last trial, by a referee that asked all rules."""
    [found] = [found for found in judge(whole)[measured(whole)[-1]] if found.rule == rule]
    return found


def test_a_proof_that_another_rule_refuses_refuses_no_clean_trial() -> None:
    whole = proven({**GOOD, "less application CPU": 0.99})
    assert judged(whole, "R2").outcome == "invalid"
    proof = next(
        facts
        for facts in whole.proofs.values()
        if (facts.planned.proof, facts.planned.subject) == ("less application CPU", SUBJECTS[0])
    )
    disturbed = replace(proof, evidence=busier("app", 0.08, 4)(proof.evidence))
    found = judged(replace(whole, proofs={**whole.proofs, proof.planned.number: disturbed}), "R2")
    assert found.outcome == "unknown" and "the proof does not count" in found.reading


def test_a_trial_that_another_rule_refuses_is_no_usual_trial() -> None:
    whole = proven({**GOOD, "less application CPU": 0.99})
    slow = with_load("closed", completed=160_000, requests=160_000, failed=500)
    after = replace(damaged(whole, measured(whole)[0], slow), proofs=whole.proofs)
    assert judged(after, "R2").outcome == "invalid"


def test_a_proof_counts_where_each_trial_of_the_subject_is_refused() -> None:
    whole = proven({**GOOD, "less application CPU": 0.99})
    refused = each_measured(whole, SUBJECTS[0], with_load("closed", failed=500))
    assert judged(replace(refused, proofs=whole.proofs), "R2").outcome == "invalid"


def test_proofs_change_no_other_finding_and_are_judged_themselves() -> None:
    plain, whole = session(), proven(GOOD)
    before, after = judge(plain), judge(whole)
    for number in plain.trials:
        for earlier, later in zip(before[number], after[number], strict=True):
            assert earlier == later or earlier.rule in ("R2", "R6")
    for number in whole.proofs:
        outcomes = {finding.rule: finding.outcome for finding in after[number]}
        assert {outcomes[rule] for rule in ("R1", "R2", "R6", "R12", "R20", "R33")} == {"n/a"}
        assert outcomes["R7"] == outcomes["R16"] == outcomes["R19"] == "pass"


def test_an_error_in_a_proof_is_found_there_and_nowhere_else() -> None:
    whole = proven(GOOD)
    number, facts = next(iter(whole.proofs.items()))

    def broken(trial_evidence: Evidence) -> Evidence:
        return with_load("closed", failed=2)(trial_evidence)

    spoilt = replace(facts, evidence=broken(facts.evidence))
    after = judge(replace(whole, proofs={**whole.proofs, number: spoilt}))
    assert {finding.outcome for finding in after[number] if finding.rule == "R7"} >= {"invalid"}
    assert all(
        finding.outcome != "invalid" for trial in whole.trials for finding in after[trial] if finding.rule == "R7"
    )


def test_the_control_is_not_proven() -> None:
    whole = proven(GOOD)
    number = next(trial.number for trial in whole.plan.trials if trial.role == "control")
    for finding in judge(whole)[number]:
        if finding.rule in ("R2", "R6"):
            assert (finding.outcome, whole.trials[number].planned.subject) == ("n/a", CONTROL)
