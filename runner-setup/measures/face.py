"""The face that all measures share. Standard library only: an install owned by root uses these files alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from .changes import Change

Verdict = Literal["fit", "unfit", "unknown", "n/a"]
NeededFor = Literal["lab", "any", "extra"]


@dataclass(frozen=True)
class Roots:
    """Where a measure reads. `scratch` is where sessions keep what they need while they run.

    `app_cpus` are the CPUs that the application gets, `housekeeping` those of the harness and the kernel's own work: no
    file of the machine says either, and they are empty when not known.
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
    """What was found: the verdict, a sentence with the value read, and the command that mends it, if there is one."""

    verdict: Verdict
    reading: str
    command: str | None


class Measure(Protocol):
    """One condition of the host: a module with these names.

    `WHY` says in one sentence what goes wrong without it, `SOURCE` where it is explained. `NEEDED_FOR` is `any` where
    nothing can be measured without it, `lab` where results would stay advisory, and `extra` where it is only told.
    """

    ID: str
    TITLE: str
    WHY: str
    NEEDED_FOR: NeededFor
    SOURCE: str

    def check(self, roots: Roots, /) -> Reading:
        """Reads, changes nothing, and needs no root. What can't be read is `unknown`, never `fit`."""

    def changes(self, roots: Roots, /) -> list[Change]:
        """What `bench-host apply` changes so that the condition is met; empty where a person has to see to it.

        Values and files that hold that already may be among it: a change that is there is not made again.
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
