"""Make the command line and the environment that start a subject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.measuring.services.interface import DatabaseAddress
from plumbline.measuring.services.tls import HttpTls
from plumbline.model.subject import Engine
from .job import Agent

_COLLECTORS = {"g1": "-XX:+UseG1GC", "parallel": "-XX:+UseParallelGC", "serial": "-XX:+UseSerialGC"}
# The setting `db-tls` in the words of libpq, and of MySQL's drivers.
_SSL_MODES: Mapping[Engine, Mapping[str, str]] = {
    "pg": {"off": "disable", "require": "verify-ca"},
    "mysql": {"off": "DISABLED", "require": "VERIFY_CA"},
}

# Each framework reads its own variable. Quarkus has the contract's common settings in `prod`, so `tuned` adds to it.
_PROFILES: Mapping[str, Mapping[str, str]] = {
    "defaults": {
        "SPRING_PROFILES_ACTIVE": "defaults",
        "QUARKUS_PROFILE": "defaults",
        "MICRONAUT_ENVIRONMENTS": "defaults",
        "PROFILE": "defaults",
    },
    "tuned": {
        "SPRING_PROFILES_ACTIVE": "tuned",
        "QUARKUS_PROFILE": "prod,tuned",
        "MICRONAUT_ENVIRONMENTS": "tuned",
        "PROFILE": "tuned",
    },
}

# The timeout of the contract, for the setting `db-timeout`.
CONTRACT_TIMEOUT_MS = "3000"

# Stated only where they depart from the contract: setting -> variable and the contract's value.
_DEPARTURES = {
    "pool-warm-up": ("POOL_WARM_UP", "on"),
    "pool-initial": ("POOL_INITIAL", "max"),
    "r2dbc-loops": ("R2DBC_LOOPS", "driver"),
    "r2dbc-api": ("R2DBC_API", "auto"),
    "db-timeout": ("DB_TIMEOUT_MS", CONTRACT_TIMEOUT_MS),
    "pipelining": ("PIPELINING", "off"),
    "sql": ("SQL", "batch"),
    "sessions": ("SESSIONS", "one"),
    "remove": ("REMOVE", "query"),
    "spin": ("SPIN_US", "0"),
}


@dataclass(frozen=True)
class Command:
    """A command line, the folder it runs in and its whole environment."""

    argv: list[str]
    cwd: Path
    env: dict[str, str]


def jvm_flags(settings: Mapping[str, str], processors: int) -> list[str]:
    """Return the flags that decide results and that the JVM would else choose itself: heap, collector, processors."""
    return [
        *_heap(settings["heap"]),
        _COLLECTORS[settings["gc"]],
        f"-XX:ActiveProcessorCount={processors}",
    ]


def native_flags(settings: Mapping[str, str], processors: int) -> list[str]:
    """Return the flags that decide the results of a native image, as arguments of the program. The collector was chosen
    when the image was built.

    https://www.graalvm.org/latest/reference-manual/native-image/optimizations-and-performance/MemoryManagement/
    """
    return [*_heap(settings["heap"]), f"-XX:ActiveProcessorCount={processors}"]


def _heap(size: str) -> tuple[str, ...]:
    return () if size == "auto" else (f"-Xms{size}", f"-Xmx{size}")


def application_command(
    *,
    run: tuple[str, ...],
    folder: Path,
    java: Path,
    settings: Mapping[str, str],
    processors: int,
    port: int | None,
    database: DatabaseAddress,
    environ: Mapping[str, str],
    extra: tuple[str, ...] = (),
    sources: str | None = None,
    native: bool = False,
    engine: str = "pg",
    http_tls: HttpTls | None = None,
    agent: Agent | None = None,
    service: str = "application",
) -> Command:
    """Return the command that starts one process. `extra` are flags of the harness for a JVM (logs, and the AOT cache);
    `sources` is the address of the six sources that an order asks. For a `native` image the first word of `run` is the
    program in `folder`.
    """
    env = {
        "PATH": environ.get("PATH", "/usr/bin:/bin"),
        "HOME": environ.get("HOME", "/"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "HTTP_HOST": "127.0.0.1",
        "HTTP_PORT": str(port),
        "HTTP_TLS": settings["http-tls"],
        "DB_ENGINE": database.engine,
        "DB_HOST": database.host,
        "DB_PORT": str(database.port),
        "DB_NAME": database.name,
        "DB_USER": database.user,
        "DB_PASSWORD": database.password,
        "DB_TLS": settings["db-tls"],
        "DB_SSLMODE": _SSL_MODES[database.engine][settings["db-tls"]],
        "DB_POOL_SIZE": settings["pool"],
    }
    if settings["http-tls"] == "on" and http_tls is not None:
        env |= _over_tls(http_tls)
    if agent is not None:
        env |= agent.env(service)
        extra = (*agent.flags, *extra)
    env |= _PROFILES.get(settings["profile"], {})
    if settings["profile"] == "defaults":
        # The framework chooses the size itself; the harness only observes it.
        del env["DB_POOL_SIZE"]
    if settings["threads"] == "virtual":
        env |= {"THREADS": "virtual", "THREADS_VIRTUAL": "true"}
    env |= {
        variable: settings[name]
        for name, (variable, contract_value) in _DEPARTURES.items()
        if settings[name] != contract_value
    }
    if settings["pool-initial"] == "half":
        env["POOL_INITIAL_SIZE"] = str(max(1, int(settings["pool"]) // 2))
    if database.authority is not None:
        env["DB_CA"] = str(database.authority)
    if database.authority_store is not None and database.authority_store_password is not None:
        env["DB_CA_STORE"] = str(database.authority_store)
        env["DB_CA_STORE_PASSWORD"] = database.authority_store_password
    if sources is not None:
        env["STUB_URL"] = sources
    if port is None:
        # A program without a server gets no address to listen at.
        env = {name: value for name, value in env.items() if not name.startswith("HTTP_")}
    if engine == "none":
        # A program without a database gets no address of a database.
        env = {name: value for name, value in env.items() if not name.startswith("DB_")}
    if native:
        program, *arguments = run
        return Command([str(folder / program), *native_flags(settings, processors), *arguments], folder, env)
    return Command([str(java), *jvm_flags(settings, processors), *extra, *run], folder, env)


def _over_tls(http_tls: HttpTls) -> dict[str, str]:
    """Return the TLS settings as each framework reads them: PEM files or a store, a boolean or Quarkus' own word."""
    return {
        "HTTP_TLS_ENABLED": "true",
        "HTTP_PLAIN": "disabled",
        "HTTP_TLS_CERT": str(http_tls.files.certificate),
        "HTTP_TLS_KEY": str(http_tls.files.key),
        "HTTP_TLS_STORE": str(http_tls.store),
        "HTTP_TLS_STORE_PASSWORD": http_tls.password,
    }
