"""What decides results is stated on every command line, and nothing else differs between subjects."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from plumbline.measuring.observe.readers.identity import DECLARED
from plumbline.measuring.run.application import application_command, jvm_flags, native_flags
from plumbline.measuring.run.job import Agent
from plumbline.measuring.services.interface import DatabaseAddress
from plumbline.measuring.services.tls import HttpTls, TlsFiles
from tests.checkout import CATALOG

SETTINGS = dict(CATALOG.bench.defaults)
DATABASE = DatabaseAddress("127.0.0.1", 5433, "bench", "bench", "secret", Path("/ca.pem"))


def command(
    changed: Mapping[str, str] = {}, /, *, port: int | None = 8081, http_tls: HttpTls | None = None, **named: str
) -> tuple[list[str], dict[str, str]]:
    """The words and the variables of an application with changed settings, `named` where a name is an identifier."""
    application = application_command(
        run=("-jar", "app.jar"),
        folder=Path("/artifact"),
        java=Path("/jdk/bin/java"),
        settings={**SETTINGS, **changed, **named},
        processors=2,
        port=port,
        database=DATABASE,
        environ={"PATH": "/bin", "HOME": "/root", "JAVA_TOOL_OPTIONS": "-Xmx9g", "DB_HOST": "elsewhere"},
        extra=("-Xlog:gc",),
        http_tls=http_tls,
    )
    return application.argv, application.env


def test_heap_collector_and_processors_are_stated() -> None:
    assert jvm_flags(SETTINGS, 3) == ["-Xms512m", "-Xmx512m", "-XX:+UseG1GC", "-XX:ActiveProcessorCount=3"]
    argv, _ = command(gc="serial", heap="128m")
    assert argv[:5] == [
        "/jdk/bin/java",
        "-Xms128m",
        "-Xmx128m",
        "-XX:+UseSerialGC",
        "-XX:ActiveProcessorCount=2",
    ]
    assert argv[5:] == ["-Xlog:gc", "-jar", "app.jar"]


def test_a_heap_left_to_the_runtime_has_no_flag() -> None:
    assert jvm_flags({**SETTINGS, "heap": "auto"}, 3) == ["-XX:+UseG1GC", "-XX:ActiveProcessorCount=3"]
    assert native_flags({**SETTINGS, "heap": "auto"}, 3) == ["-XX:ActiveProcessorCount=3"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("profile", "tuned"),
        ("profile", "defaults"),
        ("pipelining", "on"),
        ("sql", "join"),
        ("sessions", "each"),
        ("remove", "statement"),
        ("threads", "virtual"),
        ("pool-initial", "half"),
        ("pool-warm-up", "off"),
        ("r2dbc-loops", "own"),
        ("db-tls", "require"),
        ("spin", "50"),
    ],
)
def test_each_variable_that_a_setting_changes_is_kept_with_the_evidence(setting: str, value: str) -> None:
    """R33 compares what the evidence keeps."""
    (_, plain), (_, changed) = command(), command({setting: value})
    names = {name for name, _ in plain.items() ^ changed.items()}
    assert names and names <= DECLARED


def test_nothing_of_the_users_environment_reaches_the_application() -> None:
    _, env = command()
    assert "JAVA_TOOL_OPTIONS" not in env
    assert env["DB_HOST"] == "127.0.0.1"


def test_tls_is_stated_in_both_vocabularies() -> None:
    _, plain = command()
    _, encrypted = command({"db-tls": "require"})
    assert (plain["DB_TLS"], plain["DB_SSLMODE"]) == ("off", "disable")
    assert (encrypted["DB_TLS"], encrypted["DB_SSLMODE"]) == ("require", "verify-ca")
    assert {name for name in plain if plain[name] != encrypted[name]} == {"DB_TLS", "DB_SSLMODE"}


def test_http_over_tls_has_its_files_and_is_said_in_every_frameworks_words() -> None:
    files = HttpTls(TlsFiles(Path("/ca.pem"), Path("/server.pem"), Path("/server.key")), Path("/server.p12"), "p")
    _, plain = command(http_tls=files)
    _, encrypted = command({"http-tls": "on"}, http_tls=files)
    assert plain["HTTP_TLS"] == "off" and not any(name.startswith("HTTP_TLS_") for name in plain)
    changed = {name: value for name, value in encrypted.items() if plain.get(name) != value}
    assert changed == {
        "HTTP_TLS": "on",
        "HTTP_TLS_ENABLED": "true",
        "HTTP_PLAIN": "disabled",
        "HTTP_TLS_CERT": "/server.pem",
        "HTTP_TLS_KEY": "/server.key",
        "HTTP_TLS_STORE": "/server.p12",
        "HTTP_TLS_STORE_PASSWORD": "p",
    }
    assert not any(name.startswith("HTTP_") for name in command(port=None, http_tls=files)[1])


def test_virtual_threads_are_stated_where_they_are_asked_for() -> None:
    assert "THREADS" not in command()[1]
    env = command(threads="virtual")[1]
    assert (env["THREADS"], env["THREADS_VIRTUAL"]) == ("virtual", "true")


def test_a_tuned_profile_is_said_in_each_frameworks_words() -> None:
    plain, tuned = command()[1], command(profile="tuned")[1]
    assert {name: value for name, value in tuned.items() if plain.get(name) != value} == {
        "SPRING_PROFILES_ACTIVE": "tuned",
        "QUARKUS_PROFILE": "prod,tuned",
        "MICRONAUT_ENVIRONMENTS": "tuned",
        "PROFILE": "tuned",
    }
    assert plain.keys() <= tuned.keys()


def test_the_pool_of_a_starter_is_stated_to_nobody() -> None:
    plain, own = (command(asked)[1] for asked in ({}, {"profile": "defaults"}))
    assert plain["DB_POOL_SIZE"] == "20" and "DB_POOL_SIZE" not in own
    assert {name for name, value in own.items() if value == "defaults"} == {
        "SPRING_PROFILES_ACTIVE",
        "QUARKUS_PROFILE",
        "MICRONAUT_ENVIRONMENTS",
        "PROFILE",
    }


def test_the_permutations_of_r2dbc_are_stated_where_they_depart() -> None:
    names = ("POOL_WARM_UP", "POOL_INITIAL", "POOL_INITIAL_SIZE", "R2DBC_LOOPS", "R2DBC_API")
    assert not set(names) & command()[1].keys()
    settings = {"pool-warm-up": "off", "pool-initial": "half", "r2dbc-loops": "own", "r2dbc-api": "client"}
    env = command(settings)[1]
    assert [env[name] for name in names] == ["off", "half", "10", "own", "client"]
    assert command({**settings, "pool": "1"})[1]["POOL_INITIAL_SIZE"] == "1"


@pytest.mark.parametrize(
    ("collector", "spans"),
    [
        (None, {"OTEL_TRACES_EXPORTER": "none"}),
        (
            "http://jaeger:4318",
            {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://jaeger:4318"},
        ),
    ],
)
def test_an_agent_is_a_flag_and_sends_spans_alone(collector: str | None, spans: dict[str, str]) -> None:
    application = application_command(
        run=("-jar", "app.jar"),
        folder=Path("/artifact"),
        java=Path("/jdk/bin/java"),
        settings=SETTINGS,
        processors=2,
        port=8081,
        database=DATABASE,
        environ={},
        extra=("-Xlog:gc",),
        agent=Agent(Path("/agent.jar"), collector),
        service="vertx-pg",
    )
    assert application.argv[-4:] == ["-javaagent:/agent.jar", "-Xlog:gc", "-jar", "app.jar"]
    assert {name: value for name, value in application.env.items() if name.startswith("OTEL_")} == {
        **spans,
        "OTEL_SERVICE_NAME": "vertx-pg",
        "OTEL_METRICS_EXPORTER": "none",
        "OTEL_LOGS_EXPORTER": "none",
    }
    assert not [name for name in command()[1] if name.startswith("OTEL_")]


def test_what_study_004_may_have_done_is_stated_where_it_is_asked_for() -> None:
    assert not {"SESSIONS", "REMOVE"} & command()[1].keys()
    env = command(sessions="several", remove="entity")[1]
    assert (env["SESSIONS"], env["REMOVE"]) == ("several", "entity")


def test_pipelining_is_stated_where_it_is_asked_for() -> None:
    assert "PIPELINING" not in command()[1]
    assert command(pipelining="on")[1]["PIPELINING"] == "on"


def test_another_timeout_than_the_contracts_is_stated() -> None:
    assert "DB_TIMEOUT_MS" not in command()[1]
    assert command({"db-timeout": "30000"})[1]["DB_TIMEOUT_MS"] == "30000"


def test_a_slowdown_is_stated_only_where_it_is_asked_for() -> None:
    assert "SPIN_US" not in command()[1]
    assert command(spin="40")[1]["SPIN_US"] == "40"


def test_a_program_without_a_server_is_told_of_no_port() -> None:
    _, env = command(port=None)
    assert not [name for name in env if name.startswith("HTTP_")]
    assert {name for name in command()[1] if name.startswith("HTTP_")} == {
        "HTTP_HOST",
        "HTTP_PORT",
        "HTTP_TLS",
    }
    assert env["DB_POOL_SIZE"] == "20"
