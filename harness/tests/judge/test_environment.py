"""R33 and R34: what was asked for is what runs, in every trial: image, flags, JDK, agent, container, profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from plumbline.model.evidence import Evidence
from plumbline.subjects.catalog.settings import SETTINGS
from plumbline.verdicts.judge.facts import SessionFacts
from plumbline.verdicts.judge.rules.r33_identity import _WORDS_OF
from plumbline.verdicts.judge.rules.r34_equal_resources import SETTINGS_OF_FLAGS
from tests.judge.damage import (
    damaged,
    each_measured,
    findings,
    first,
    measured,
    with_environment,
    with_fields,
)
from tests.judge.evidence import evidence, session
from tests.judge.planned import SUBJECTS


def test_a_stale_image() -> None:
    whole = session()
    number = first(whole, SUBJECTS[1])
    stale = damaged(whole, number, with_fields(artifact_sha256="e" * 64))
    found = findings(stale, number, "R33")[None]
    assert (found.outcome, "not among what was built" in found.reading) == ("invalid", True)
    found = findings(replace(stale, builds=()), number, "R33")[None]
    assert (found.outcome, "differs from this subject's other trials" in found.reading) == ("invalid", True)


def test_another_image_in_one_trial_of_a_cluster() -> None:
    usual, other = ({"application": f"registry.example/a@sha256:{digit * 64}"} for digit in "bc")
    whole = each_measured(session(), SUBJECTS[1], with_fields(images=usual))
    number = first(whole, SUBJECTS[1])
    assert findings(whole, number, "R33")[None].outcome == "pass"
    found = findings(damaged(whole, number, with_fields(images=other)), number, "R33")[None]
    reading = "The image of the application (sha256:cccccccccccc…) differs from this subject's other trials."
    assert (found.outcome, found.reading) == ("invalid", reading)


@pytest.mark.parametrize(
    ("after", "outcome", "words"),
    [
        ({"pool": {"configured": 20, "open": 20, "in_use": 7}, "thread": {"name": "other"}}, "pass", ""),
        ({"pool": {"configured": 100}}, "invalid", "said pool.configured 20 before the load, and 100 after it"),
        ({"settings": {"profile": "fast"}}, "invalid", "said settings "),
        ({"database": {"isolation": "serializable"}}, "invalid", "said database.isolation read committed before"),
        (None, "unknown", "did not say its settings after the load"),
    ],
)
def test_what_an_application_says_holds_to_the_end_of_the_load(
    after: dict[str, object] | None, outcome: str, words: str
) -> None:
    whole = session()
    number = first(whole, SUBJECTS[1])
    before = whole.trials[number].evidence.environment
    assert before is not None
    change = with_fields(environment_after=None if after is None else {**before, **after})
    found = findings(damaged(whole, number, change), number, "R33")[None]
    assert (found.outcome, words in found.reading) == (outcome, True)


def started_with(word: str) -> Callable[[Evidence], Evidence]:
    def change(trial_evidence: Evidence) -> Evidence:
        app = trial_evidence.processes[0]
        app = app.model_copy(update={"command_line": (*app.command_line, word)})
        return trial_evidence.model_copy(update={"processes": (app, *trial_evidence.processes[1:])})

    return change


def test_a_flag_in_one_trial_only() -> None:
    whole = session()
    number = first(whole, SUBJECTS[1])
    found = findings(damaged(whole, number, started_with("-Xint")), number, "R33")[None]
    assert (found.outcome, "-Xint" in found.reading) == ("invalid", True)


def test_a_sibling_may_differ_only_by_what_it_declares() -> None:
    plain, encrypted = "vertx-pg/jvm/pg", SUBJECTS[2]
    whole = session(subjects=(encrypted, SUBJECTS[0]))
    trials = dict(whole.trials)
    for number in measured(whole, SUBJECTS[0]):
        planned = trials[number].planned.model_copy(update={"subject": plain})
        base = evidence(planned.model_copy(update={"subject": encrypted}), whole.plan.sets)
        app = base.processes[0].model_copy(update={"environment": {**base.processes[0].environment, "DB_TLS": "off"}})
        base = base.model_copy(update={"processes": (app, *base.processes[1:])})
        base = base.model_copy(update={"environment": {**(base.environment or {}), "settings": {"db_tls": "off"}}})
        trials[number] = replace(trials[number], planned=planned, evidence=base)
    whole = replace(whole, trials=trials)
    number = first(whole, encrypted)
    assert findings(whole, number, "R33")[None].outcome == "pass"
    odd = each_measured(whole, encrypted, started_with("-XX:+UseCompactObjectHeaders"))
    found = findings(odd, number, "R33")[None]
    assert found.outcome == "invalid"
    assert "-XX:+UseCompactObjectHeaders differ from vertx-pg/jvm/pg, and no setting" in found.reading


@pytest.mark.parametrize(
    ("java", "outcome"),
    [
        ({"version": "25.0.3+9-LTS", "vendor": "Eclipse Adoptium", "vm": "OpenJDK"}, "pass"),
        ({"version": "25.0.1+8-LTS", "vendor": "Eclipse Adoptium", "vm": "OpenJDK"}, "invalid"),
        ({"version": "25.0.3+9-LTS", "vendor": "BellSoft", "vm": "OpenJDK"}, "invalid"),
        ({}, "unknown"),
    ],
)
def test_the_jdk_that_was_asked_for_is_the_one_that_runs(java: dict[str, str], outcome: str) -> None:
    whole = session()
    defaults = {**whole.plan.defaults, "jdk": "temurin-25.0.3"}
    whole = replace(whole, plan=whole.plan.model_copy(update={"defaults": defaults}))
    number = first(whole, SUBJECTS[0])
    assert findings(damaged(whole, number, with_environment(java=java)), number, "R33")[None].outcome == outcome


@pytest.mark.parametrize(
    ("framework", "outcome"),
    [
        ({"name": "quarkus", "version": "3.34.3"}, "pass"),
        ({"name": "quarkus", "version": "3.32.1"}, "invalid"),
        ({}, "unknown"),
    ],
)
def test_the_release_that_was_asked_for_is_the_one_that_runs(framework: dict[str, str], outcome: str) -> None:
    whole = session()
    defaults = {**whole.plan.defaults, "release": "3.34.3"}
    whole = replace(whole, plan=whole.plan.model_copy(update={"defaults": defaults}))
    whole = each_measured(whole, SUBJECTS[0], with_environment(framework=framework))
    assert findings(whole, first(whole, SUBJECTS[0]), "R33")[None].outcome == outcome


@pytest.mark.parametrize(
    ("declared", "flag", "outcome"),
    [
        ("agent", True, "pass"),
        ("agent", False, "invalid"),
        ("off", True, "invalid"),
        ("off", False, "pass"),
    ],
)
def test_an_agent_stands_beside_who_declares_it(declared: str, flag: bool, outcome: str) -> None:
    whole = session()
    defaults = {**whole.plan.defaults, "otel": declared}
    whole = replace(whole, plan=whole.plan.model_copy(update={"defaults": defaults}))

    def change(trial_evidence: Evidence) -> Evidence:
        words = ("-javaagent:/tools/agent.jar",) if flag else ()
        settings = {"otel": "agent"} if flag else {}
        processes = tuple(
            process.model_copy(update={"command_line": (*process.command_line, *words)})
            if process.role == "app"
            else process
            for process in trial_evidence.processes
        )
        said = with_environment(settings={"db_tls": "off", **settings})(trial_evidence)
        return said.model_copy(update={"processes": processes})

    whole = each_measured(whole, SUBJECTS[0], change)
    assert findings(whole, first(whole, SUBJECTS[0]), "R33")[None].outcome == outcome


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ("/opt/java/openjdk/bin/java", "pass"),
        ("/app/application", "pass"),
        ("/usr/lib/jvm/25/bin/java", "invalid"),
    ],
)
def test_what_is_declared_to_run_in_a_container_is_of_its_image(program: str, outcome: str) -> None:
    whole = session()
    defaults = {**whole.plan.defaults, "run-in": "container"}
    whole = replace(whole, plan=whole.plan.model_copy(update={"defaults": defaults}))

    def change(trial_evidence: Evidence) -> Evidence:
        app = trial_evidence.processes[0]
        app = app.model_copy(update={"command_line": (program, *app.command_line[1:])})
        return trial_evidence.model_copy(update={"processes": (app, *trial_evidence.processes[1:])})

    whole = each_measured(whole, SUBJECTS[0], change)
    found = findings(whole, first(whole, SUBJECTS[0]), "R33")[None]
    assert found.outcome == outcome
    assert outcome == "pass" or "/usr/lib/jvm/25/bin/java is of no image" in found.reading


def contained(whole: SessionFacts, **environ: str) -> SessionFacts:
    """The session with its first subject as a process and in a container, there with another build of Java."""
    trials = dict(whole.trials)
    for number in measured(whole, SUBJECTS[1]):
        planned = trials[number].planned.model_copy(update={"subject": f"{SUBJECTS[0]}+run-in=container"})
        trial_evidence = evidence(planned.model_copy(update={"subject": SUBJECTS[0]}), whole.plan.sets)
        app = trial_evidence.processes[0]
        line = ("/opt/java/openjdk/bin/java", *app.command_line[1:])
        app = app.model_copy(update={"command_line": line, "environment": {**app.environment, **environ}})
        java = {**(trial_evidence.environment or {})["java"], "version": "25.0.9+1"}
        trial_evidence = with_environment(java=java)(trial_evidence).model_copy(
            update={"processes": (app, *trial_evidence.processes[1:])}
        )
        trials[number] = replace(trials[number], planned=planned, evidence=trial_evidence)
    return replace(whole, trials=trials)


def test_a_container_differs_from_its_process_by_what_is_its_images() -> None:
    whole = contained(session(), LC_ALL="C.UTF-8")
    number = first(whole, SUBJECTS[1])
    assert whole.trials[number].planned.subject.endswith("+run-in=container")
    assert findings(whole, number, "R33")[None].outcome == "pass"
    assert findings(whole, number, "R34")[None].outcome == "pass"
    assert all(finding.outcome == "pass" for finding in findings(whole, number, "R14").values())
    found = findings(contained(session(), GOGC="50"), number, "R33")[None]
    assert (found.outcome, "GOGC=50 differ from quarkus-rest-orm/jvm/pg" in found.reading) == (
        "invalid",
        True,
    )


def test_an_agent_that_does_nothing_is_told() -> None:
    whole = session()
    defaults = {**whole.plan.defaults, "otel": "agent"}
    whole = replace(whole, plan=whole.plan.model_copy(update={"defaults": defaults}))
    found = findings(whole, first(whole, SUBJECTS[0]), "R33")[None]
    assert found.outcome == "invalid"


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("tuned", "pass"),
        ("parity", "invalid"),
        ("threads 200, autocommit false, to Hibernate false", "invalid"),
    ],
)
def test_a_tuned_file_that_nobody_read_is_told(said: str, outcome: str) -> None:
    whole = session()
    defaults = {**whole.plan.defaults, "profile": "tuned"}
    whole = replace(whole, plan=whole.plan.model_copy(update={"defaults": defaults}))
    number = first(whole, SUBJECTS[1])
    says = with_environment(settings={"db_tls": "off", "profile": said})
    found = findings(damaged(whole, number, says), number, "R33")[None]
    assert found.outcome == outcome
    assert outcome == "pass" or f"understood profile as {said} where tuned is declared" in found.reading


@pytest.mark.parametrize(("asked", "said"), [("out-of-the-box", "parity"), ("parity", "out-of-the-box")])
def test_a_value_under_its_older_name_is_the_same(asked: str, said: str) -> None:
    """This happens in older records, and with an application of an older commit beside an application of today."""
    whole = session()
    defaults = {**whole.plan.defaults, "profile": asked}
    whole = replace(whole, plan=whole.plan.model_copy(update={"defaults": defaults}))
    number = first(whole, SUBJECTS[1])
    says = with_environment(settings={"db_tls": "off", "profile": said})
    assert findings(damaged(whole, number, says), number, "R33")[None].outcome == "pass"


def test_a_setting_that_was_not_understood() -> None:
    whole = session()
    number = first(whole, SUBJECTS[2])
    found = findings(damaged(whole, number, with_environment(settings={"db_tls": "off"})), number, "R33")[None]
    assert (found.outcome, found.reading) == (
        "invalid",
        "The application understood db_tls as off where require is declared.",
    )


def test_the_referee_knows_what_each_setting_may_change() -> None:
    of_words = SETTINGS.keys() ^ _WORDS_OF.keys()
    assert not of_words, f"judge/rules/r33_identity.py, _WORDS_OF: add or remove {', '.join(sorted(of_words))}"
    of_flags = {name for name, setting in SETTINGS.items() if setting.of == "jvm"} - {*SETTINGS_OF_FLAGS}
    assert not of_flags, f"judge/rules/r34_equal_resources.py, SETTINGS_OF_FLAGS: add {', '.join(sorted(of_flags))}"
