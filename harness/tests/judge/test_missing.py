"""Missing evidence is unknown, never a pass; and all evidence that validates can be judged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plumbline.archive.record.trim import trimmed
from plumbline.model.evidence import Evidence
from plumbline.model.host import HostClass
from plumbline.verdicts.judge.facts import SessionFacts
from plumbline.verdicts.judge.referee import findings_of, judge
from plumbline.verdicts.judge.rules import RULES
from tests.judge.damage import Change, both, damaged, findings, measured, with_column
from tests.judge.evidence import TIMES, session
from tests.judge.hidden_faults import HIDDEN
from tests.judge.invented_faults import INVENTED
from tests.judge.phase_faults import CASES, frozen, in_microseconds
from tests.judge.planned import SUBJECTS

WHOLE: dict[HostClass, SessionFacts] = {host_class: session(host_class) for host_class in ("lab", "small")}
ABSENT: dict[str, Any] = {
    "environment": None,
    "database_settings": {},
    "host_before": None,
    "artifact_sha256": "",
    "logs": {},
    "clock_step_ms": None,
    "found_before": None,
    "left_behind": None,
    "jvm": None,
}
NEEDS = [(rule.id, need) for rule in RULES for need in rule.needs]


def without(need: str) -> Any:
    """Evidence without the part that a rule needs."""

    def change(evidence: Evidence) -> Evidence:
        for part in need.removeprefix("series:").split("|"):
            if need.startswith("series:"):
                evidence = with_column(part, None)(evidence)
            else:
                evidence = evidence.model_copy(update={part: ABSENT.get(part, ())})
        return evidence

    return change


@pytest.mark.parametrize("host_class", ["lab", "small"])
@pytest.mark.parametrize(("rule", "need"), NEEDS)
def test_a_rule_without_its_evidence_does_not_pass(rule: str, need: str, host_class: HostClass) -> None:
    whole = WHOLE[host_class]
    number = measured(whole, SUBJECTS[2])[2]  # all rules apply to this subject
    before = findings(whole, number, rule)
    after = findings(damaged(whole, number, without(need)), number, rule)
    changed = {phase for phase in after if after[phase] != before.get(phase)}
    for phase in changed:
        assert after[phase].outcome == "unknown", after[phase].reading
    # Where roles share CPUs, one set's columns stand for the other's.
    assert changed or host_class == "small", f"{rule} does not need {need}"


def holed(gone: Collection[str], from_s: float, to_s: float) -> Change:
    """Evidence in which some columns were not read for a while."""

    def change(evidence: Evidence) -> Evidence:
        columns = {
            name: tuple(
                None if name in gone and from_s <= t_s <= to_s else value
                for t_s, value in zip(evidence.series.t_s, rows, strict=True)
            )
            for name, rows in evidence.series.columns.items()
        }
        return evidence.model_copy(update={"series": evidence.series.model_copy(update={"columns": columns})})

    return change


columns = st.lists(st.sampled_from(sorted(WHOLE["lab"].trials[5].evidence.series.columns)), unique=True)


@given(columns, st.floats(0, 60), st.floats(0, 60))
def test_a_hole_never_makes_a_finding_better(gone: list[str], from_s: float, to_s: float) -> None:
    """Rows that were not read leave a finding as it was, or make it unknown; they never turn a fault into a pass."""
    whole = WHOLE["lab"]
    number = measured(whole)[2]
    after = damaged(whole, number, holed(gone, from_s, to_s))
    for rule in RULES:
        for finding in findings(after, number, rule.id).values():
            assert finding.outcome in ("pass", "unknown", "n/a"), finding


FAULTS = CASES | HIDDEN | INVENTED
# In the warm-up, at the edges of both measured phases, in the middle of each, and over most of each.
HOLES = ((5, 15), (16, 40), (20, 30), (36, 42), (60, 81.5), (80, 99), (84, 97))


@pytest.mark.parametrize("case", [case for case in FAULTS if FAULTS[case][3] != "pass"])
def test_a_hole_makes_no_faulty_trial_clean(case: str) -> None:
    """A rule that lost its evidence is unknown, or another rule of the trial is."""
    rule, phase, change, _, _ = FAULTS[case]
    number = measured(WHOLE["lab"])[1]
    faulty = damaged(WHOLE["lab"], number, change)
    rows, sound_rows = (whole.trials[number].evidence.series.columns for whole in (faulty, WHOLE["lab"]))
    for gone in ({name for name in rows if rows[name] != sound_rows.get(name)}, rows.keys()):
        for from_s, to_s in HOLES:
            after = damaged(faulty, number, holed(gone, from_s, to_s))
            if findings(after, number, rule)[phase].outcome in ("pass", "n/a"):
                others = {
                    finding.outcome for each in RULES for finding in findings_of(each, after.trials[number], after)
                }
                assert others - {"pass", "n/a"}, (from_s, to_s)


numbers = st.none() | st.floats(-1e12, 1e12)
words = st.text(max_size=5)
leaves = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-1, 1e9) | words
json_values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2)
)
KEYS = ("pool", "java", "settings", "processors", "heap_max_bytes", "collectors", "runtime")
TUPLES = ("probes", "load", "windows", "database", "tls", "affinity", "processes")


@st.composite
def odd_evidence(draw: st.DrawFn) -> dict[str, Any]:
    """A document that validates as evidence, with some parts replaced by anything of their type."""
    document = WHOLE["lab"].trials[5].evidence.model_dump(mode="json")
    for name in draw(st.lists(st.sampled_from(sorted(document["series"]["columns"])), max_size=6)):
        document["series"]["columns"][name] = draw(st.lists(numbers, max_size=60))
    if draw(st.booleans()):
        document["series"]["t_s"] = draw(st.lists(st.floats(-10, 100), max_size=60))
    for window in document["windows"]:
        if draw(st.booleans()):
            window["start_s"], window["end_s"] = draw(st.tuples(st.floats(-10, 100), st.floats(-10, 100)))
    for load in document["load"]:
        for name in draw(st.lists(st.sampled_from(sorted(load)), max_size=4)):
            if isinstance(load[name], bool) or name in ("phase", "executor", "messages", "statuses"):
                continue
            if name == "latency_ms":
                load[name] = draw(st.lists(st.floats(-1, 1e6), max_size=200))
            elif name in ("connections", "rate_per_s"):
                load[name] = draw(st.none() | st.integers(-3, 10**6))
            elif name.endswith("_ms"):
                load[name] = draw(st.none() | st.floats(-1, 1e9))
            elif name == "window_s":
                load[name] = draw(st.floats(-1, 1e6))
            else:
                load[name] = draw(st.integers(-3, 10**6))
    for name in draw(st.lists(st.sampled_from(["environment", "environment_after"]))):
        document[name] = draw(st.none() | st.dictionaries(words, json_values, max_size=3))
    if document["environment"] is not None and draw(st.booleans()):
        key = draw(st.sampled_from(KEYS))
        document["environment"][key] = draw(json_values)
    for name in draw(st.lists(st.sampled_from(TUPLES))):
        document[name] = document[name][: draw(st.integers(0, 2))]
    for name in draw(st.lists(st.sampled_from(["start", "host_before", "clock_step_ms", "failure"]))):
        document[name] = None
    return document


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(odd_evidence(), st.sampled_from(["lab", "small"]))
def test_whatever_validates_can_be_judged(document: dict[str, Any], host_class: HostClass) -> None:
    whole = session(host_class, blocks=1)
    after = damaged(whole, 5, lambda _: Evidence.model_validate(document))
    assert set(judge(after)) == set(whole.trials)


def test_a_stop_is_found_in_evidence_whose_columns_were_thinned() -> None:
    """A line through the seconds that were left out would spread the CPU time before and after a stop over it."""
    whole = session(blocks=1)
    number = measured(whole)[0]
    start_s, _ = TIMES["closed"]
    for place in range(60):
        from_s = start_s + 1.05 + place
        columns = ("cpu.load.user_us", "cpu.load.system_us", "load.requests")
        stopped = both(in_microseconds("load"), *(frozen(column, from_s, from_s + 2.2) for column in columns))
        gone = holed({"load.requests"}, from_s, from_s + 2.2)
        faulty = damaged(whole, number, both(stopped, gone))
        stored = {key: replace(facts, evidence=trimmed(facts.evidence)) for key, facts in faulty.trials.items()}
        found = findings(replace(faulty, trials=stored), number, "R4")["closed"]
        assert found.outcome != "pass", (from_s, found.reading)
