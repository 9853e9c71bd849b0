"""The vocabulary of settings: named, typed choices at start that need no rebuild.

One vocabulary for all frameworks. A setting reaches the application as environment variables (`DB_TLS`) or as flags of
the JVM (`heap`); free-form flags do not exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from plumbline.model.errors import UsageError
from .reading import nearest


@dataclass(frozen=True)
class Setting:
    """A setting: `values` in words for messages, `check` whether a text is one of them.

    `of_jvm` settings are flags of the JVM and exist for every variant, and so do those `of_testbed`: what the machine
    gives to the application or to its database, and what it runs it in. The others a variant must name in its
    `variant.toml`.
    """

    name: str
    about: str
    values: str
    check: Callable[[str], bool]
    of_jvm: bool
    of_testbed: bool = False

    @property
    def of_all(self) -> bool:
        """Whether every variant has this setting."""
        return self.of_jvm or self.of_testbed


def _one_of(*values: str) -> Callable[[str], bool]:
    return lambda text: text in values


def _matches(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text) is not None


SETTINGS: dict[str, Setting] = {
    setting.name: setting
    for setting in (
        Setting(
            "db-tls",
            "plain connections to the database, or TLS 1.3 that checks the server",
            "off, require",
            _one_of("off", "require"),
            of_jvm=False,
        ),
        Setting(
            "http-tls",
            "plain HTTP/1.1, or HTTP/1.1 over TLS 1.3 with a certificate of the session",
            "off, on",
            _one_of("off", "on"),
            of_jvm=False,
        ),
        Setting(
            "threads",
            "requests run on platform threads or on virtual threads, if the framework has a switch",
            "platform, virtual",
            _one_of("platform", "virtual"),
            of_jvm=False,
        ),
        Setting(
            "profile",
            "the values of the framework's own starter, those that the contract sets for all, or those of its experts",
            "defaults, parity, tuned",
            _one_of("defaults", "parity", "tuned"),
            of_jvm=False,
        ),
        Setting(
            "pool",
            "connections of the pool; minimum and maximum are the same",
            "a number from 1 to 250",
            _matches(r"[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|250"),
            of_jvm=False,
        ),
        Setting(
            "db-timeout",
            "milliseconds that a request waits for a connection of the pool, and that a new one may take to open",
            "a number from 100 to 60000",
            _matches(r"[1-9][0-9]{2,3}|[1-5][0-9]{4}|60000"),
            of_jvm=False,
        ),
        Setting(
            "pool-warm-up",
            "whether the pool is filled before the port opens",
            "on, off",
            _one_of("on", "off"),
            of_jvm=False,
        ),
        Setting(
            "pool-initial",
            "connections that the pool opens first: all of them, or half of them (R2DBC)",
            "max, half",
            _one_of("max", "half"),
            of_jvm=False,
        ),
        Setting(
            "r2dbc-loops",
            "the driver chooses the event loops, or there is one per processor and connections go to them in turn",
            "driver, own",
            _one_of("driver", "own"),
            of_jvm=False,
        ),
        Setting(
            "r2dbc-api",
            "the interface of batches: Spring's client, or connections of the driver; auto is the usual one",
            "auto, client, connection",
            _one_of("auto", "client", "connection"),
            of_jvm=False,
        ),
        Setting(
            "sql",
            "an ORM reads fruits, their prices and the stores by a statement for each table, or by one that joins them",
            "batch, join",
            _one_of("batch", "join"),
            of_jvm=False,
        ),
        Setting(
            "second-level-cache",
            "whether an ORM keeps stores in the memory of the process, and so spares the database; the build decides",
            "off, on",
            _one_of("off", "on"),
            of_jvm=False,
        ),
        Setting(
            "sessions",
            "an order is read and written in one session of Hibernate Reactive, or orders and items in one each",
            "one, several",
            _one_of("one", "several"),
            of_jvm=False,
        ),
        Setting(
            "remove",
            "an item of an order is removed by a query, or as an entity by its session",
            "query, entity",
            _one_of("query", "entity"),
            of_jvm=False,
        ),
        Setting(
            "spin",
            "microseconds of CPU time that every request burns: a slowdown of a known size, to test the method",
            "a number from 0 to 99999",
            _matches(r"0|[1-9][0-9]{0,4}"),
            of_jvm=False,
        ),
        Setting(
            "heap",
            "heap of the JVM; minimum and maximum are the same",
            "mebibytes or gibibytes, such as 128m or 2g, or auto, which leaves it to the runtime",
            _matches(r"[1-9][0-9]*[mg]|auto"),
            of_jvm=True,
        ),
        Setting(
            "jdk",
            "the build of the JDK that runs the application; auto is the session's JDK, which builds everything",
            "auto, or a build on the host, such as temurin-25.0.3",
            _matches(r"[a-z0-9][a-z0-9.-]*"),
            of_jvm=True,
        ),
        Setting(
            "otel",
            "the OpenTelemetry agent; its spans go to the host's collector, or are dropped",
            "off, agent",
            _one_of("off", "agent"),
            of_jvm=True,
        ),
        Setting(
            "gc",
            "collector of the JVM",
            "g1, parallel, serial",
            _one_of("g1", "parallel", "serial"),
            of_jvm=True,
        ),
        Setting(
            "cpu-share",
            "the share of the time of its CPUs that the application may use, in per cent, by a quota",
            "a number from 5 to 100",
            _matches(r"[5-9]|[1-9][0-9]|100"),
            of_jvm=False,
            of_testbed=True,
        ),
        Setting(
            "cpus",
            "how many of its CPUs the application may run on; the others of its set stay idle",
            "all, or a number from 1 to 64",
            _matches(r"all|[1-9]|[1-5][0-9]|6[0-4]"),
            of_jvm=False,
            of_testbed=True,
        ),
        Setting(
            "run-in",
            "a process of the host, or a container with the image of the artifact, by podman or docker; same network",
            "process, container",
            _one_of("process", "container"),
            of_jvm=False,
            of_testbed=True,
        ),
        Setting(
            "page-cache",
            "the machine's page cache when the application starts: as earlier starts left it, or emptied (needs root)",
            "warm, cold",
            _one_of("warm", "cold"),
            of_jvm=False,
            of_testbed=True,
        ),
        Setting(
            "db-disk",
            "the database's disk at full speed, or limited to so many writes a second",
            "full, or a number from 10 to 9999",
            _matches(r"full|[1-9][0-9]{1,3}"),
            of_jvm=False,
            of_testbed=True,
        ),
    )
}


IN_CONTAINER = {"run-in": "container"}
COLD = {"page-cache": "cold"}

# What no process of a native image can be told at its start.
OF_JVM_ALONE = ("gc", "jdk", "otel", "profile")


ALL_CPUS = "all"


def cpus_asked_for(settings: Mapping[str, str]) -> int | None:
    """Return how many of its CPUs an application of these settings runs on; None for all of them."""
    asked = settings.get("cpus", ALL_CPUS)
    return None if asked == ALL_CPUS else int(asked)


def in_container(settings: Mapping[str, str]) -> bool:
    """Return whether a subject of these settings runs in a container."""
    return IN_CONTAINER.items() <= settings.items()


def is_cold(settings: Mapping[str, str]) -> bool:
    """Return whether a subject of these settings starts with an empty page cache."""
    return COLD.items() <= settings.items()


def check_setting(name: str, value: str, where: str) -> None:
    """Refuse an unknown setting or a value it does not take, naming `where` it stands."""
    if name not in SETTINGS:
        raise UsageError(f"{where}: unknown setting '{name}'.", nearest(name, SETTINGS))
    if not SETTINGS[name].check(value):
        raise UsageError(
            f"{where}: '{value}' is not a value of {name}.", f"It takes {SETTINGS[name].values}."
        )
