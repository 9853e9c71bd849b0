"""R34 and R35: resources, log level and provenance; and what stays of a trial that never started."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from plumbline.measuring.run.measure import failed_trial
from plumbline.model.evidence import Evidence, JvmInForce
from plumbline.verdicts.judge.referee import judge
from tests.judge.damage import (
    NUMBER,
    Change,
    as_native,
    both,
    damaged,
    each,
    each_measured,
    findings,
    first,
    in_packaging,
    measured,
    with_column,
    with_environment,
    with_fields,
)
from tests.judge.evidence import TIMES, session
from tests.judge.phase_faults import grown
from tests.judge.planned import CONTROL, SUBJECTS


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"processors": 32}, "sees 32 processors where its set has 4"),
        ({"heap_max_bytes": 2**27}, "heap differs from the other subjects' by 75 %"),
        ({"collectors": ["Copy", "MarkSweepCompact"]}, "Collector is Copy, MarkSweepCompact"),
        ({"java": {"version": "21.0.9", "vm": "OpenJDK 64-Bit Server VM"}}, "Java is 21.0.9"),
    ],
)
def test_unequal_resources(fields: dict[str, Any], words: str) -> None:
    whole = each_measured(session(), SUBJECTS[1], with_environment(**fields))
    found = findings(whole, first(whole, SUBJECTS[1]), "R34")[None]
    assert found.outcome == "invalid"
    assert words in found.reading
    assert findings(whole, first(whole, SUBJECTS[0]), "R34")[None].outcome == "pass"


def in_force(mode: str = "mixed mode, sharing", **flags: str) -> Change:
    """Evidence of a JVM with more flags in force than usual, or with another mode."""

    def change(evidence: Evidence) -> Evidence:
        assert evidence.jvm is not None
        return evidence.model_copy(update={"jvm": JvmInForce(mode=mode, flags={**evidence.jvm.flags, **flags})})

    return change


@pytest.mark.parametrize(
    ("phase", "change"),
    [
        ("closed", grown("app.written_bytes", 60_000)),
        ("closed", grown("vm.shared_pages", 50)),
        (None, with_environment(heap_max_bytes=(512 << 20) + (2 << 20))),
    ],
    ids=["written", "in memory", "heap"],
)
def test_what_all_subjects_do_is_no_difference(phase: str | None, change: Change) -> None:
    """Nor is a heap that is larger than the others' by less than a hundredth."""
    whole = session()
    for subject in (*SUBJECTS, CONTROL) if phase else SUBJECTS[:1]:
        whole = each(whole, subject, change)
    found = findings(whole, first(whole, SUBJECTS[0]), "R34")[phase]
    assert found.outcome == "pass", found.reading


def of_heap(size: int) -> dict[str, str]:
    return {"InitialHeapSize": str(size), "MaxHeapSize": str(size)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (in_force(**of_heap(700 << 20)), "ran with InitialHeapSize 734003200 where 536870912 is declared"),
        (
            in_force("interpreted mode, sharing"),
            "ran in interpreted mode, sharing: it did not compile as JVMs do",
        ),
        (in_force("mixed mode, emulated-client, sharing"), "it did not compile"),
        (in_force(AlwaysPreTouch="true"), "ran with AlwaysPreTouch true, and most others otherwise"),
        (in_force(MaxNewSize="100000000"), "ran with MaxNewSize 100000000, and most others otherwise"),
        (in_force(UseCompactObjectHeaders="true"), "ran with UseCompactObjectHeaders true"),
        (in_force(UseG1GC="false", UseSerialGC="true"), "ran with UseG1GC false where true is declared"),
        (in_force(SharedArchiveFile="/app.jsa"), "ran with SharedArchiveFile /app.jsa, and most others otherwise"),
        (in_force(A="1", B="2", C="3", D="4", E="5"), "A 1, B 2, C 3 and D 4 and 1 more, and most others"),
    ],
)
def test_a_jvm_that_runs_by_other_flags_whatever_it_says_itself(change: Change, words: str) -> None:
    whole = each_measured(session(), SUBJECTS[1], change)
    found = findings(whole, first(whole, SUBJECTS[1]), "R34")[None]
    assert found.outcome == "invalid"
    assert words in found.reading
    assert findings(whole, first(whole, SUBJECTS[0]), "R34")[None].outcome == "pass"


def test_flags_of_an_aot_cache_are_no_difference() -> None:
    # The last is what a JVM says beside each cache of JEP 514.
    change = in_force(
        AOTCache="/x/app.aot",
        SharedArchiveFile="/x",
        ErrorFile="/x",
        ReplayDataFile="/x",
        AllowArchivingWithJavaAgent="false",
    )
    whole = session()
    for subject in SUBJECTS[1:]:
        whole = in_packaging(each_measured(whole, subject, change), subject, "aot")
    for subject in SUBJECTS:
        assert findings(whole, first(session(), subject), "R34")[None].outcome == "pass"


def test_a_native_image_has_no_flags_of_a_jvm() -> None:
    change = both(with_environment(runtime="native"), with_fields(jvm=None))
    whole = each_measured(session(), SUBJECTS[1], change)
    number = first(whole, SUBJECTS[1])
    assert findings(whole, number, "R34")[None].outcome == "unknown"
    assert findings(as_native(whole, SUBJECTS[1]), number, "R34")[None].outcome == "pass"


def test_a_pool_that_is_not_full_when_the_application_calls_itself_healthy() -> None:
    def late(t_s: float, full: float) -> float:
        return full if t_s >= TIMES["warm-up"][0] else 1.0

    whole = each_measured(session(), SUBJECTS[1], with_column("db.connections", late))
    found = findings(whole, first(whole, SUBJECTS[1]), "R10")
    reading = "The application called itself healthy with 1 of 20 connections open."
    assert (found[None].outcome, found[None].reading) == ("invalid", reading)
    assert found["closed"].outcome == "pass"
    by_itself = with_environment(settings={"db_tls": "off", "pool_warm_up": "off"})
    whole = each_measured(whole, SUBJECTS[1], by_itself)
    assert findings(whole, first(whole, SUBJECTS[1]), "R10")[None].outcome == "pass"


def test_a_pool_of_another_size() -> None:
    whole = each_measured(session(), SUBJECTS[1], with_environment(pool={"configured": 50, "open": 50, "in_use": 1}))
    number = first(whole, SUBJECTS[1])
    assert findings(whole, number, "R10")[None].outcome == "invalid"
    found = findings(whole, number, "R34")[None]
    assert (found.outcome, "Pool is 50, most others have 20" in found.reading) == ("invalid", True)


def test_a_declared_difference_is_none() -> None:
    small = "quarkus-rest-orm/jvm/pg+heap=128m"
    whole = session()
    trials = dict(whole.trials)
    for number in measured(whole, SUBJECTS[0]):
        planned = trials[number].planned.model_copy(update={"subject": small})
        changed = both(with_environment(heap_max_bytes=2**27), in_force(**of_heap(2**27)))(trials[number].evidence)
        trials[number] = replace(trials[number], planned=planned, evidence=changed)
    whole = replace(whole, trials=trials)
    assert findings(whole, first(whole, SUBJECTS[0]), "R34")[None].outcome == "pass"


def test_debug_logging() -> None:
    whole = session()
    log = {"app": whole.trials[NUMBER].evidence.logs["app"].model_copy(update={"bytes": 9_000_000})}
    found = findings(damaged(whole, NUMBER, with_fields(logs=log)), NUMBER, "R34")[None]
    assert (found.outcome, "bytes of log a request" in found.reading) == ("invalid", True)


def test_provenance() -> None:
    whole = session()
    assert whole.provenance is not None
    dirty = replace(whole, provenance=whole.provenance.model_copy(update={"dirty": True}))
    assert findings(dirty, NUMBER, "R35")[None].outcome == "warn"
    found = findings(replace(whole, provenance=None), NUMBER, "R35")[None]
    assert found.outcome == "unknown"
    undated = replace(whole, host=whole.host.model_copy(update={"microcode": None}))
    assert findings(undated, NUMBER, "R35")[None].reading == "Not recorded: microcode."


def test_a_trial_that_never_started_is_invalid_and_says_why() -> None:
    whole = session()
    number = first(whole, SUBJECTS[1])
    planned = whole.trials[number].planned
    empty = failed_trial(planned, "build", "The build of spring4-mvc-jpa failed.")
    after = judge(damaged(whole, number, lambda _: empty))
    invalid = {finding.rule: finding for finding in after[number] if finding.outcome == "invalid"}
    assert list(invalid) == ["R7"]
    assert "phase build): The build of spring4-mvc-jpa failed." in invalid["R7"].reading
    others = [other for other in after if other != number]
    assert all(finding.outcome != "invalid" for other in others for finding in after[other])


ONE = SUBJECTS[1]


def answering(digest: str) -> Change:
    def change(evidence: Evidence) -> Evidence:
        probes = (evidence.probes[0].model_copy(update={"body_sha256": digest}), *evidence.probes[1:])
        return evidence.model_copy(update={"probes": probes})

    return change


def with_an_index(evidence: Evidence) -> Evidence:
    told = [
        work.model_copy(update={"settings": tuple({**settings, "index": "one more"} for settings in work.settings)})
        for work in evidence.database
    ]
    return evidence.model_copy(update={"database": tuple(told)})


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("R34", in_force(UseCompactObjectHeaders="true")),
        ("R34", with_environment(collectors=["Copy", "MarkSweepCompact"])),
        ("R34", with_environment(heap_max_bytes=2**27)),
        ("R34", with_an_index),
        ("R16", answering("f" * 64)),
    ],
)
def test_of_one_subject_and_the_control_the_control_decides(rule: str, change: Change) -> None:
    """The subject has five trials, and the control four."""
    whole = each_measured(session(subjects=(ONE,)), ONE, change)
    assert len(measured(whole, ONE)) > sum(trial.subject == CONTROL for trial in whole.plan.trials)
    assert findings(whole, first(whole, ONE), rule)[None].outcome == "invalid"
    controls = [trial.number for trial in whole.plan.trials if trial.subject == CONTROL]
    assert {findings(whole, number, rule)[None].outcome for number in controls} == {"pass"}
