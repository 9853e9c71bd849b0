"""How hard rules are on each class of host, and which verdicts follow."""

from __future__ import annotations

import pytest

from plumbline.model.host import HostClass
from plumbline.model.record import Finding, Kind, Outcome
from plumbline.verdicts.judge.referee import judge, session_verdict, softened, trial_verdict
from plumbline.verdicts.judge.rule import broken, gravest, passed, unknown
from plumbline.verdicts.judge.rules import RULES
from tests.judge.damage import both, damaged, findings, in_batches, measured, with_column, with_load
from tests.judge.evidence import session
from tests.judge.phase_faults import grown


@pytest.mark.parametrize("host_class", ["lab", "shared", "small"])
@pytest.mark.parametrize("kind", ["capacity", "isolation", "correctness", "design"])
def test_only_capacity_and_isolation_are_softened_outside_labs(kind: Kind, host_class: HostClass) -> None:
    soft = host_class != "lab" and kind in ("capacity", "isolation")
    assert softened(broken("No."), kind, host_class).outcome == ("warn" if soft else "invalid")
    assert softened(passed("Yes."), kind, host_class).outcome == "pass"
    assert softened(unknown("What?"), kind, host_class).outcome == "unknown"


def test_kinds_are_those_of_the_method() -> None:
    kinds = {rule.id: rule.kind for rule in RULES}
    assert {id_ for id_, kind in kinds.items() if kind in ("capacity", "isolation")} == {
        "R1",
        "R2",
        "R3",
        "R4",
        "R5",
        "R6",
        "R11",
        "R12",
        "R18",
        "R21",
        "R22",
        "R23",
        "R25",
        "R26",
        "R27",
        "R29",
    }


@pytest.mark.parametrize(("host_class", "outcome"), [("lab", "invalid"), ("shared", "warn"), ("small", "warn")])
def test_an_idle_application_by_host(host_class: HostClass, outcome: Outcome) -> None:
    whole = session(host_class)
    number = measured(whole)[0]
    rested = damaged(whole, number, with_column("set.app.busy_us", lambda _, value: value / 2))
    rested = damaged(rested, number, with_column("set.app.idle_us", lambda t_s, value: value + t_s * 5e5))
    found = findings(rested, number, "R1")["closed"]
    assert found.outcome == outcome
    limit = "load generator and database" if host_class == "small" else "(load generator 3"
    assert limit in found.reading
    assert findings(in_batches(rested), number, "R1")["closed"].outcome == "warn"


@pytest.mark.parametrize("host_class", ["lab", "shared", "small"])
def test_an_error_is_an_error_everywhere(host_class: HostClass) -> None:
    whole = session(host_class)
    number = measured(whole)[0]
    after = judge(damaged(whole, number, with_load("closed", failed=1)))
    assert trial_verdict(after[number], host_class) == "invalid"


@pytest.mark.parametrize(
    ("host_class", "failed", "outcome"),
    [("lab", 0, "invalid"), ("shared", 0, "warn"), ("small", 0, "warn"), ("shared", 1, "invalid")],
)
def test_an_overflowing_queue_may_be_somebody_elses_outside_a_lab(
    host_class: HostClass, failed: int, outcome: Outcome
) -> None:
    whole = session(host_class)
    number = measured(whole)[0]
    change = both(grown("tcp.listen_overflows", 2), with_load("closed", timeouts=failed))
    found = findings(damaged(whole, number, change), number, "R7")["closed"]
    assert found.outcome == outcome and "The queue of new connections overflowed" in found.reading


def test_k6_on_two_cpus_is_judged_by_its_own_share() -> None:
    whole = session("small")
    number = measured(whole)[0]
    change = with_column("cpu.load.user_us", lambda _, value: value * 4)
    found = findings(damaged(whole, number, change), number, "R4")["closed"]
    assert found.outcome == "warn"
    assert "of its CPUs, which it shares" in found.reading


def test_a_thread_outside_the_applications_set_stays_invalid_on_two_cpus() -> None:
    whole = session("small")

    def outside(role: str) -> Finding:
        rows = tuple(
            row.model_copy(update={"outside": 1}) if row.role == role else row
            for row in whole.trials[1].evidence.affinity
        )
        return findings(damaged(whole, 1, lambda evidence: evidence.model_copy(update={"affinity": rows})), 1, "R19")[
            None
        ]

    assert outside("app").outcome == "invalid"
    assert outside("db").outcome == "warn"


def test_the_gravest_check_speaks() -> None:
    checks = [passed("Fine."), unknown("Who knows."), broken("Broken.", 2, "s", 1)]
    found = gravest("R0", "closed", checks)
    assert (found.outcome, found.reading, found.value, found.threshold) == ("invalid", "Broken.", 2, 1)
    assert gravest("R0", None, checks[:2]).outcome == "unknown"


def finding(outcome: Outcome, rule: str = "R7") -> Finding:
    return Finding(rule=rule, outcome=outcome, reading="So.")


@pytest.mark.parametrize(
    ("outcomes", "host_class", "verdict"),
    [
        (["pass", "n/a"], "lab", "valid"),
        (["pass"], "small", "advisory"),
        (["pass"], "shared", "advisory"),
        (["pass", "warn"], "lab", "advisory"),
        (["pass", "unknown"], "lab", "advisory"),
        (["warn", "unknown", "invalid"], "lab", "invalid"),
    ],
)
def test_verdicts(outcomes: list[Outcome], host_class: HostClass, verdict: str) -> None:
    assert trial_verdict([finding(outcome) for outcome in outcomes], host_class) == verdict


def test_unknown_of_a_rule_that_is_not_required_leaves_valid() -> None:
    assert trial_verdict([finding("unknown", "R0")], "lab") == "valid"


def test_a_session_is_as_good_as_its_worst_measured_trial() -> None:
    plan = session().plan
    good = {trial.number: "valid" for trial in plan.trials}
    assert session_verdict(good, plan) == "valid"  # type: ignore[arg-type]
    control = next(trial.number for trial in plan.trials if trial.role == "control")
    assert session_verdict({**good, 1: "invalid", control: "invalid"}, plan) == "valid"  # type: ignore[dict-item]
    measured_one = next(trial.number for trial in plan.trials if trial.role == "measured")
    assert session_verdict({**good, measured_one: "invalid"}, plan) == "invalid"  # type: ignore[dict-item]
    assert session_verdict({}, plan) == "invalid"
