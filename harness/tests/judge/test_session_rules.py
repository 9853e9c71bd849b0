"""Rules that compare trials and subjects, or look at the design."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from plumbline.judge.facts import SessionFacts
from plumbline.judge.referee import judge
from plumbline.model.evidence import Evidence, HttpTlsUse, TlsUse
from plumbline.model.plan import PlannedTrial
from plumbline.run.failed_trial import failed_trial
from tests.judge.evidence import SUBJECTS, damaged, evidence, findings, measured, session, with_fields

NUMBER = 5


def environment(**fields: Any) -> Callable[[Evidence], Evidence]:
    return lambda found: found.model_copy(update={"environment": {**(found.environment or {}), **fields}})


def each(whole: SessionFacts, subject: str, change: Callable[[Evidence], Evidence]) -> SessionFacts:
    """All measured trials of a subject changed."""
    for number in measured(whole, subject):
        whole = damaged(whole, number, change)
    return whole


def first(whole: SessionFacts, subject: str) -> int:
    return measured(whole, subject)[0]


def test_another_cipher_is_told() -> None:
    whole = session(subjects=(SUBJECTS[2], "quarkus-rest-orm/jvm/pg"))
    tls = (TlsUse(version="TLSv1.3", cipher="TLS_CHACHA20_POLY1305_SHA256", connections=20),)
    number = first(whole, SUBJECTS[2])
    found = findings(damaged(whole, number, with_fields(tls=tls)), number, "R13")[None]
    assert found.outcome == "invalid"
    assert "Ciphers differ" in found.reading


def test_an_old_version_of_tls_is_told() -> None:
    whole = session()
    tls = (TlsUse(version="TLSv1.2", cipher="ECDHE-RSA-AES128-GCM-SHA256", connections=20),)
    whole = each(whole, SUBJECTS[2], with_fields(tls=tls))
    found = findings(whole, first(whole, SUBJECTS[2]), "R13")[None]
    assert found.outcome == "invalid"
    assert "TLSv1.3 is asked for" in found.reading


def test_plain_connections_where_encrypted_are_declared() -> None:
    whole = session()
    number = first(whole, SUBJECTS[2])
    change = with_fields(tls=(TlsUse(version=None, cipher=None, connections=20),))
    found = findings(damaged(whole, number, change), number, "R13")[None]
    assert found.outcome == "invalid"
    assert "20 connections to the database are plain where encrypted ones are declared" in found.reading


def over_tls(version: str | None, cipher: str | None) -> Callable[[Evidence], Evidence]:
    return with_fields(http_tls=HttpTlsUse(version=version, cipher=cipher))


@pytest.mark.parametrize(
    ("second", "outcome", "words"),
    [
        (over_tls("TLSv1.3", "TLS_AES_128_GCM_SHA256"), "pass", "HTTP is served over TLSv1.3"),
        (over_tls("TLSv1.3", "TLS_AES_256_GCM_SHA384"), "invalid", "Ciphers of HTTP differ"),
        (over_tls("TLSv1.2", "TLS_AES_128_GCM_SHA256"), "invalid", "HTTP is served over TLSv1.2"),
        (with_fields(), "unknown", "was not seen"),
    ],
)
def test_http_over_tls_is_as_declared_and_alike(
    second: Callable[[Evidence], Evidence], outcome: str, words: str
) -> None:
    whole = session()
    defaults = {**whole.plan.defaults, "http-tls": "on"}
    whole = replace(whole, plan=whole.plan.model_copy(update={"defaults": defaults}))
    for subject, change in zip(
        SUBJECTS, (over_tls("TLSv1.3", "TLS_AES_128_GCM_SHA256"), second), strict=False
    ):
        whole = each(whole, subject, change)
    found = findings(whole, first(whole, SUBJECTS[1]), "R13")[None]
    assert found.outcome == outcome
    assert words in found.reading


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("body_bytes", 12),
        ("body_sha256", "f" * 64),
        ("encoding", "gzip"),
        ("keep_alive", False),
        ("status", 204),
    ],
)
def test_a_subject_that_answers_otherwise(field: str, value: object) -> None:
    whole = session()

    def change(found: Evidence) -> Evidence:
        probes = (found.probes[0].model_copy(update={field: value}), *found.probes[1:])
        return found.model_copy(update={"probes": probes})

    whole = each(whole, SUBJECTS[1], change)
    found = findings(whole, first(whole, SUBJECTS[1]), "R16")[None]
    assert found.outcome == "invalid"
    assert f"GET /fruits: {field.replace('_', ' ')} is" in found.reading
    assert findings(whole, first(whole, SUBJECTS[0]), "R16")[None].outcome == "pass"


def test_an_answer_that_is_not_golden() -> None:
    whole = session()
    number = first(whole, SUBJECTS[0])

    def change(found: Evidence) -> Evidence:
        probes = (found.probes[0].model_copy(update={"problem": "byte 17 differs."}), *found.probes[1:])
        return found.model_copy(update={"probes": probes})

    found = findings(damaged(whole, number, change), number, "R16")[None]
    assert (found.outcome, found.reading) == (
        "invalid",
        "GET /fruits was answered wrongly: byte 17 differs.",
    )


def test_a_trial_that_sends_fewer_bytes() -> None:
    whole = session()
    number = first(whole, SUBJECTS[0])

    def change(found: Evidence) -> Evidence:
        loads = tuple(
            one.model_copy(update={"received_bytes": int(one.received_bytes * 0.95)}) for one in found.load
        )
        return found.model_copy(update={"load": loads})

    found = findings(damaged(whole, number, change), number, "R16")["closed"]
    assert found.outcome == "invalid"
    assert "5.0 % less" in found.reading


def test_a_thread_of_the_application_outside_its_set() -> None:
    whole = session()

    def change(found: Evidence) -> Evidence:
        rows = (found.affinity[0].model_copy(update={"outside": 2}), *found.affinity[1:])
        return found.model_copy(update={"affinity": rows})

    found = findings(damaged(whole, NUMBER, change), NUMBER, "R19")[None]
    assert found.outcome == "invalid"
    assert "2 threads of app (application) may run outside its set" in found.reading


def test_smt_siblings_and_nodes_count() -> None:
    whole = session()
    cpus = whole.host.topology.cpus
    siblings = tuple(cpu.model_copy(update={"core": cpu.number // 2 * 2 % 6}) for cpu in cpus)
    topology = whole.host.topology.model_copy(update={"cpus": siblings})
    host = whole.host.model_copy(update={"topology": topology})
    found = findings(replace(whole, host=host), NUMBER, "R19")[None]
    assert (found.outcome, found.reading) == (
        "invalid",
        "Application and load generator share cores by their SMT siblings.",
    )
    nodes = tuple(cpu.model_copy(update={"node": cpu.number % 2}) for cpu in cpus)
    topology = whole.host.topology.model_copy(update={"cpus": nodes})
    host = whole.host.model_copy(update={"topology": topology})
    found = findings(replace(whole, host=host), NUMBER, "R19")[None]
    assert (found.outcome, found.value) == ("invalid", 2)


def test_topology_that_is_not_recorded() -> None:
    whole = session()
    topology = whole.host.topology.model_copy(update={"cpus": ()})
    without = replace(whole, host=whole.host.model_copy(update={"topology": topology}))
    assert findings(without, NUMBER, "R28")[None].outcome == "unknown"
    assert findings(without, NUMBER, "R19")[None].outcome == "unknown"


def reordered(whole: SessionFacts, order: Callable[[list[PlannedTrial]], list[PlannedTrial]]) -> SessionFacts:
    trials = tuple(
        trial.model_copy(update={"number": number})
        for number, trial in enumerate(order(list(whole.plan.trials)), start=1)
    )
    return replace(whole, plan=whole.plan.model_copy(update={"trials": trials}))


def test_aaaabbbb_is_no_design() -> None:
    whole = reordered(
        session(),
        lambda trials: (
            [
                *trials[:2],
                *sorted(trials[2:-1], key=lambda trial: (trial.role, trial.subject)),
                trials[-1],
            ]
        ),
    )
    found = findings(whole, NUMBER, "R31")[None]
    assert (found.outcome, "Blocks are mixed" in found.reading) == ("invalid", True)


def test_nothing_thrown_away() -> None:
    found = findings(reordered(session(), lambda trials: trials[1:]), NUMBER, "R31")[None]
    assert (found.outcome, "thrown away" in found.reading) == ("invalid", True)


def test_unequal_counts() -> None:
    whole = reordered(session(), lambda trials: trials[:3] + trials[4:])
    found = findings(whole, NUMBER, "R31")[None]
    assert (found.outcome, "Not every block" in found.reading) == ("invalid", True)


def test_no_control_at_the_end() -> None:
    found = findings(reordered(session(), lambda trials: trials[:-1]), NUMBER, "R31")[None]
    assert (found.outcome, "control did not run" in found.reading) == ("invalid", True)


def test_few_trials_and_missing_ones_warn() -> None:
    found = findings(session(blocks=3), NUMBER, "R31")[None]
    assert (found.outcome, found.value) == ("warn", 3)
    whole = session()
    kept = {number: facts for number, facts in whole.trials.items() if number < 15}
    found = findings(replace(whole, trials=kept), NUMBER, "R31")[None]
    assert (found.outcome, found.reading) == ("warn", "5 trials of 19 planned left no evidence.")


def test_a_stale_image() -> None:
    whole = session()
    number = first(whole, SUBJECTS[1])
    stale = damaged(whole, number, with_fields(artifact_sha256="e" * 64))
    found = findings(stale, number, "R33")[None]
    assert (found.outcome, "not among what was built" in found.reading) == ("invalid", True)
    found = findings(replace(stale, builds=()), number, "R33")[None]
    assert (found.outcome, "differs from this subject's other trials" in found.reading) == ("invalid", True)


def started_with(word: str) -> Callable[[Evidence], Evidence]:
    def change(found: Evidence) -> Evidence:
        app = found.processes[0]
        app = app.model_copy(update={"command_line": (*app.command_line, word)})
        return found.model_copy(update={"processes": (app, *found.processes[1:])})

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
        app = base.processes[0].model_copy(
            update={"environment": {**base.processes[0].environment, "DB_TLS": "off"}}
        )
        base = base.model_copy(update={"processes": (app, *base.processes[1:])})
        base = base.model_copy(
            update={"environment": {**(base.environment or {}), "settings": {"db_tls": "off"}}}
        )
        trials[number] = replace(trials[number], planned=planned, evidence=base)
    whole = replace(whole, trials=trials)
    number = first(whole, encrypted)
    assert findings(whole, number, "R33")[None].outcome == "pass"
    odd = each(whole, encrypted, started_with("-XX:+UseCompactObjectHeaders"))
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
    assert findings(damaged(whole, number, environment(java=java)), number, "R33")[None].outcome == outcome


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

    def change(found: Evidence) -> Evidence:
        words = ("-javaagent:/tools/agent.jar",) if flag else ()
        seen = {"otel": "agent"} if flag else {}
        processes = tuple(
            one.model_copy(update={"command_line": (*one.command_line, *words)}) if one.role == "app" else one
            for one in found.processes
        )
        said = {**(found.environment or {}), "settings": {"db_tls": "off", **seen}}
        return found.model_copy(update={"processes": processes, "environment": said})

    whole = each(whole, SUBJECTS[0], change)
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

    def change(found: Evidence) -> Evidence:
        app = found.processes[0]
        app = app.model_copy(update={"command_line": (program, *app.command_line[1:])})
        return found.model_copy(update={"processes": (app, *found.processes[1:])})

    whole = each(whole, SUBJECTS[0], change)
    found = findings(whole, first(whole, SUBJECTS[0]), "R33")[None]
    assert found.outcome == outcome
    assert outcome == "pass" or "/usr/lib/jvm/25/bin/java is of no image" in found.reading


def contained(whole: SessionFacts, **environ: str) -> SessionFacts:
    """The session with its first subject and the same in a container, on another build of Java."""
    trials = dict(whole.trials)
    for number in measured(whole, SUBJECTS[1]):
        planned = trials[number].planned.model_copy(update={"subject": f"{SUBJECTS[0]}+run-in=container"})
        found = evidence(planned.model_copy(update={"subject": SUBJECTS[0]}), whole.plan.sets)
        app = found.processes[0]
        line = ("/opt/java/openjdk/bin/java", *app.command_line[1:])
        app = app.model_copy(update={"command_line": line, "environment": {**app.environment, **environ}})
        java = {**(found.environment or {})["java"], "version": "25.0.9+1"}
        said = {**(found.environment or {}), "java": java}
        found = found.model_copy(update={"processes": (app, *found.processes[1:]), "environment": said})
        trials[number] = replace(trials[number], planned=planned, evidence=found)
    return replace(whole, trials=trials)


def test_a_container_differs_from_its_process_by_what_is_its_images() -> None:
    whole = contained(session(), LC_ALL="C.UTF-8")
    number = first(whole, SUBJECTS[1])
    assert whole.trials[number].planned.subject.endswith("+run-in=container")
    assert findings(whole, number, "R33")[None].outcome == "pass"
    assert findings(whole, number, "R34")[None].outcome == "pass"
    assert all(one.outcome == "pass" for one in findings(whole, number, "R14").values())
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
        ("out-of-the-box", "invalid"),
        ("threads 200, autocommit false, to Hibernate false", "invalid"),
    ],
)
def test_a_tuned_file_that_nobody_read_is_told(said: str, outcome: str) -> None:
    whole = session()
    defaults = {**whole.plan.defaults, "profile": "tuned"}
    whole = replace(whole, plan=whole.plan.model_copy(update={"defaults": defaults}))
    number = first(whole, SUBJECTS[1])
    says = environment(settings={"db_tls": "off", "profile": said})
    found = findings(damaged(whole, number, says), number, "R33")[None]
    assert found.outcome == outcome
    assert outcome == "pass" or f"understood profile as {said} where tuned is declared" in found.reading


def test_a_setting_that_was_not_understood() -> None:
    whole = session()
    number = first(whole, SUBJECTS[2])
    found = findings(damaged(whole, number, environment(settings={"db_tls": "off"})), number, "R33")[None]
    assert (found.outcome, found.reading) == (
        "invalid",
        "The application understood db_tls as off where require is declared.",
    )


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
    whole = each(session(), SUBJECTS[1], environment(**fields))
    found = findings(whole, first(whole, SUBJECTS[1]), "R34")[None]
    assert found.outcome == "invalid"
    assert words in found.reading
    assert findings(whole, first(whole, SUBJECTS[0]), "R34")[None].outcome == "pass"


def test_a_pool_of_another_size() -> None:
    whole = each(session(), SUBJECTS[1], environment(pool={"configured": 50, "open": 50, "in_use": 1}))
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
        changed = environment(heap_max_bytes=2**27)(trials[number].evidence)
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
    said = {finding.rule: finding for finding in after[number] if finding.outcome == "invalid"}
    assert list(said) == ["R7"]
    assert "phase build): The build of spring4-mvc-jpa failed." in said["R7"].reading
    others = [other for other in after if other != number]
    assert all(finding.outcome != "invalid" for other in others for finding in after[other])
