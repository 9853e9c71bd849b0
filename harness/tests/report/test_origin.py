"""A report says of hosts, orders, trials and doubts no more than the record holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.model.evidence import Evidence
from plumbline.model.plan import Network
from plumbline.model.record import Finding, Record
from plumbline.reporting.report import html, markdown, terminal
from plumbline.reporting.report.compose import compose
from plumbline.reporting.report.terminal_trial import trial_lines
from plumbline.verdicts.judge.rules import REQUIRED
from tests.record.comparisons import duet, slower
from tests.report.session import scenario, session


def of_cluster() -> tuple[Record, dict[int, Evidence]]:
    record, evidence = session()
    network: Network = "cluster"
    host = record.host.model_copy(update={"cpu_model": "", "memory_bytes": 0, "microcode": None})
    return record.model_copy(
        update={"host": host, "plan": record.plan.model_copy(update={"network": network})}
    ), evidence


def test_a_cluster_is_told_by_what_its_api_shows() -> None:
    view = compose(*of_cluster())
    facts = dict(view.provenance)
    assert view.host == "bench-2core: 2 CPUs"
    assert facts["CPU"] == "2 CPUs"
    assert "Memory" not in facts
    (caution,) = [text for text in view.trust.cautions if text.startswith("A small host")]
    assert "the application has CPU" not in caution
    usual = dict(compose(*session()).provenance)
    assert usual["CPU"].endswith(", 2 CPUs, microcode 0xa0011d1") and usual["Memory"] == "24.0 GiB"


@pytest.mark.parametrize(
    ("recorded", "order"),
    [
        (session(), "random within blocks, seed 424242, 5 blocks"),
        (
            session(subjects=["a/jvm/pg", "b/jvm/pg"], blocks=3),
            "two in turns (ABBA), the first at random, seed 424242, 3 blocks",
        ),
        # 32 pairs were planned, and six ran.
        (slower(), "two in turns (ABBA), the first at random, seed 1, 6 blocks"),
        (duet(), "two in turns (ABBA), the first at random, seed 1, 6 blocks"),
    ],
)
def test_the_order_is_that_of_the_trials_that_ran(recorded: tuple[Record, dict[int, Evidence]], order: str) -> None:
    facts = dict(compose(*recorded).provenance)
    assert facts["Order"] == order
    assert facts["Scale"] == "1, all of the suite's times and batches"


def test_a_rule_that_a_lab_needs_and_nobody_could_ask_is_a_reason() -> None:
    record, evidence = session(host_class="lab", invalid=False)
    rule = min(REQUIRED)
    unknown = Finding(rule=rule, outcome="unknown", reading="Nobody read it.")
    passed = tuple(
        trial.model_copy(update={"findings": (unknown,) if trial.number == 3 else (), "verdict": "advisory"})
        for trial in record.trials
    )
    doubted = record.model_copy(update={"trials": passed})
    (reason,) = compose(doubted, evidence).reasons
    assert (reason.rule, reason.outcome, reason.readings) == (rule, "unknown", ("Trial 3: Nobody read it.",))
    assert "no rule was in doubt" not in html.page(compose(doubted, evidence))
    assert f"In doubt: {rule};" in terminal.render(doubted, evidence, 100, False)
    small = doubted.model_copy(update={"host": doubted.host.model_copy(update={"host_class": "small"})})
    assert compose(small, evidence).reasons == ()


@pytest.mark.parametrize("role", ["discarded", "proof"])
def test_a_trial_of_another_role_is_not_said_to_count(role: str) -> None:
    record, evidence = session(invalid=False)
    trial = record.trials[2].model_copy(update={"role": role})
    lines = [*trial_lines(record, trial, evidence[3], Path("none"), 100)]
    assert lines[1] == f"Verdict: advisory, and in no figure: it is a {role} trial."
    counted = [*trial_lines(record, record.trials[2], evidence[3], Path("none"), 100)]
    assert counted[1] == "Verdict: advisory: it counts, and says less than a valid one."


def test_a_timeline_is_of_the_cpus_that_the_trial_had() -> None:
    limited = "vertx-pg/jvm/pg+cpus=1"
    record, evidence = session(subjects=[limited], invalid=False)
    sets = record.plan.sets.model_copy(update={"app": (0, 1)})
    roomier = record.model_copy(update={"plan": record.plan.model_copy(update={"sets": sets})})
    shown, alike = (compose(placed, evidence).scenarios[0].timelines[0].panels[1] for placed in (record, roomier))
    assert shown.title == "Application, of its CPUs"
    assert shown == alike


def test_what_limited_the_throughput_is_not_asked_where_nothing_saturates() -> None:
    whole = scenario()
    opened = whole.model_copy(update={"phases": tuple(phase for phase in whole.phases if phase.kind != "closed")})
    assert "What limited throughput" not in html.page(compose(*session(scenarios=[opened], invalid=False)))
    lab = html.page(compose(*session(host_class="lab", invalid=False)))
    assert "What limited throughput" in lab


def test_a_timeline_says_how_its_trial_was_chosen() -> None:
    assert "or by the time to the first response where no throughput was proven" in html.page(compose(*session()))


def test_a_report_names_one_command_that_measures_again() -> None:
    text = markdown.document(compose(*session()))
    assert "./bench run --suite smoke --blocks" not in text
    assert text.count("./bench reproduce results/local/") == 1
