"""The vocabulary of settings: named, typed choices at start that need no rebuild.

One vocabulary for all frameworks. A setting reaches the application as environment variables (`DB_TLS`) or as flags of
the JVM (`heap`); free-form flags do not exist. settings.toml lists them all.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from .reading import nearest


class Setting(Frozen):
    """A setting: its `values`, and whether a text is one of them. settings.toml explains the keys."""

    name: str
    about: str
    one_of: tuple[str, ...] = ()
    pattern: str | None = None
    values: str
    of: Literal["variant", "jvm", "testbed"] = "variant"

    @property
    def of_all(self) -> bool:
        """Whether every variant has this setting."""
        return self.of != "variant"

    def check(self, text: str) -> bool:
        """Return whether a text is a value of this setting."""
        return text in self.one_of if self.pattern is None else re.fullmatch(self.pattern, text) is not None


def _read_settings() -> dict[str, Setting]:
    tables = tomllib.loads(Path(__file__).with_name("settings.toml").read_text(encoding="utf-8"))
    return {
        name: Setting.model_validate({"name": name, "values": ", ".join(table.get("one_of", ())), **table})
        for name, table in tables.items()
    }


SETTINGS: dict[str, Setting] = _read_settings()

IN_CONTAINER = {"run-in": "container"}
COLD = {"page-cache": "cold"}

# Settings that no process of a native image can be given at its start. A native image takes the flags of its heap.
OF_JVM_ALONE = ("profile", *(name for name, setting in SETTINGS.items() if setting.of == "jvm" and name != "heap"))

ALL_CPUS = "all"
ALL_CPU_TIME, FULL_SPEED = "100", "full"


def cpus_asked_for(settings: Mapping[str, str]) -> int | None:
    """Return how many of its CPUs an application of these settings runs on; None for all of them."""
    cpus = settings.get("cpus", ALL_CPUS)
    return None if cpus == ALL_CPUS else int(cpus)


def in_container(settings: Mapping[str, str]) -> bool:
    """Return whether a subject of these settings runs in a container."""
    return IN_CONTAINER.items() <= settings.items()


def is_cold(settings: Mapping[str, str]) -> bool:
    """Return whether a subject of these settings starts with an empty page cache."""
    return COLD.items() <= settings.items()


def asks_for_conditions(settings: Mapping[str, str]) -> bool:
    """Return whether the settings ask for anything but the machine as it is."""
    limits = (settings["cpu-share"], settings["db-disk"]) != (ALL_CPU_TIME, FULL_SPEED)
    return limits or is_cold(settings) or cpus_asked_for(settings) is not None


def check_setting(name: str, value: str, where: str) -> None:
    """Raise UsageError for an unknown setting or a value that it does not take; `where` says where it stands."""
    if name not in SETTINGS:
        raise UsageError(f"{where}: unknown setting '{name}'.", nearest(name, SETTINGS))
    if not SETTINGS[name].check(value):
        raise UsageError(f"{where}: '{value}' is not a value of {name}.", f"It takes {SETTINGS[name].values}.")
