"""What decides results is stated on every command line, and nothing else differs between subjects."""

from __future__ import annotations

from pathlib import Path

from plumbline.run.application import application_command, jvm_flags, native_flags
from plumbline.services.face import DatabaseAddress

SETTINGS = {"heap": "512m", "gc": "g1", "pool": "20", "db-tls": "off", "spin": "0"}
DATABASE = DatabaseAddress("127.0.0.1", 5433, "bench", "bench", "secret", Path("/ca.pem"))


def command(port: int | None = 8081, **changed: str) -> tuple[list[str], dict[str, str]]:
    made = application_command(
        run=("-jar", "app.jar"),
        folder=Path("/artifact"),
        java=Path("/jdk/bin/java"),
        settings={**SETTINGS, **changed},
        processors=2,
        port=port,
        database=DATABASE,
        environ={"PATH": "/bin", "HOME": "/root", "JAVA_TOOL_OPTIONS": "-Xmx9g", "DB_HOST": "elsewhere"},
        extra=("-Xlog:gc",),
    )
    return made.argv, made.env


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


def test_nothing_of_the_users_environment_reaches_the_application() -> None:
    _, env = command()
    assert "JAVA_TOOL_OPTIONS" not in env
    assert env["DB_HOST"] == "127.0.0.1"


def test_tls_is_stated_in_both_vocabularies() -> None:
    _, plain = command()
    _, encrypted = command(**{"db-tls": "require"})
    assert (plain["DB_TLS"], plain["DB_SSLMODE"]) == ("off", "disable")
    assert (encrypted["DB_TLS"], encrypted["DB_SSLMODE"]) == ("require", "verify-ca")
    assert {name for name in plain if plain[name] != encrypted[name]} == {"DB_TLS", "DB_SSLMODE"}


def test_a_slowdown_is_stated_only_where_it_is_asked_for() -> None:
    assert "SPIN_US" not in command()[1]
    assert command(spin="40")[1]["SPIN_US"] == "40"


def test_a_program_without_a_server_is_told_of_no_port() -> None:
    _, env = command(port=None)
    assert not [name for name in env if name.startswith("HTTP_")]
    assert {name for name in command()[1] if name.startswith("HTTP_")} == {"HTTP_HOST", "HTTP_PORT"}
    assert env["DB_POOL_SIZE"] == "20"
