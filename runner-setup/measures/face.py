"""The interface that all measures share. Standard library only: an install owned by root uses these files alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from .changes import Change

Verdict = Literal["fit", "unfit", "unknown", "n/a"]
NeededFor = Literal["lab", "any", "extra"]


@dataclass(frozen=True)
class Roots:
    """The folders that a measure reads. `scratch` is the folder where sessions keep what they need while they run.

    `app_cpus` are the CPUs that the application gets, `housekeeping` those of the harness and the kernel's own work: no
    file of the machine names them, and they are empty if not known.
    """

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    etc: Path = Path("/etc")
    run: Path = Path("/run")
    var: Path = Path("/var")
    usr: Path = Path("/usr")
    scratch: Path = Path("/var/tmp")
    app_cpus: tuple[int, ...] = ()
    housekeeping: tuple[int, ...] = ()


class Reading(NamedTuple):
    """What a measure read: the verdict, a sentence with the value, and the command that mends it, if there is one."""

    verdict: Verdict
    reading: str
    command: str | None


class Measure(Protocol):
    """One condition of the host: a module with these names.

    `WHY` says in one sentence what goes wrong without the condition, `SOURCE` where it is explained. `NEEDED_FOR` is
    `any` if nothing can be measured without it, `lab` if results would stay advisory, `extra` if it is only reported.
    """

    ID: str
    TITLE: str
    WHY: str
    NEEDED_FOR: NeededFor
    SOURCE: str

    def check(self, roots: Roots, /) -> Reading:
        """Read the condition: changes nothing, and needs no root. If it can't be read it is `unknown`, never `fit`."""

    def changes(self, roots: Roots, /) -> list[Change]:
        """Return the changes by which `bench-host apply` meets the condition; none if a person has to see to it.

        Changes that the host has already may be among them: these are not made again.
        """


def fit(reading: str) -> Reading:
    """The condition is met."""
    return Reading("fit", reading, None)


def unfit(reading: str, command: str | None) -> Reading:
    """The condition is not met; `command` mends it, where a command can."""
    return Reading("unfit", reading, command)


def unknown(reading: str, command: str | None = None) -> Reading:
    """The condition could not be read."""
    return Reading("unknown", reading, command)


def not_applicable(reading: str, command: str | None = None) -> Reading:
    """The condition has no meaning on this host."""
    return Reading("n/a", reading, command)
