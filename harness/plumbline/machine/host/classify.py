"""The class of a host: what its measurements are good for, by the measures of runner-setup/.

`small`: fewer than four cores, so that four roles cannot have one each. `lab`: every condition that a lab needs was
read and met, before the session and after it. `shared`: everything else, be it a virtual machine, a hosted runner, or
bare metal that nobody has prepared or that does not show how it is prepared.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from plumbline.model.errors import UsageError
from plumbline.model.host import Condition, HostClass, HostFacts, HostReading, Topology

# The folder is no part of the package: an install owned by root uses it without the harness.
_NAME = "plumbline_measures"


def load(folder: Path) -> ModuleType:
    """Return the package in `folder`: `MEASURES` and `face.Roots`. Raises UsageError when it is not there."""
    loaded = sys.modules.get(_NAME)
    if loaded is not None and loaded.__path__ == [str(folder)]:
        return loaded
    init = folder / "__init__.py"
    if not init.is_file():
        raise UsageError(f"{folder} is missing.", "Clone the whole repository.")
    for name in [name for name in sys.modules if name == _NAME or name.startswith(f"{_NAME}.")]:
        del sys.modules[name]
    spec = importlib.util.spec_from_file_location(_NAME, init, submodule_search_locations=[str(folder)])
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = package
    spec.loader.exec_module(package)
    return package


def condition(measure: Any, roots: Any) -> Condition:
    """Return the condition that a measure reads below `roots`."""
    reading = measure.check(roots)
    return Condition(
        id=measure.ID,
        title=measure.TITLE,
        why=measure.WHY,
        needed_for=measure.NEEDED_FOR,
        verdict=reading.verdict,
        reading=reading.reading,
        command=reading.command,
    )


# Application, database, load and housekeeping, a core each: SMT siblings share too much to count as two.
CORES_FOR_FOUR_SETS = 4

# Before the session and after it.
READINGS_OF_A_SESSION = 2

# A sentence that names more is not read to its end; `./bench doctor` has all.
_MOST_NAMED = 3

_ORDER: tuple[HostClass, ...] = ("small", "shared", "lab")


def classify(
    topology: Topology, readings: Sequence[HostReading], *, hosted: bool, stated: HostClass | None
) -> tuple[HostClass, str]:
    """Return the class of a host and the reason, in words. `hosted` says that the host is a hosted runner.

    A stated class holds only where it is lower than the class that the readings show.
    """
    shown, why = _shown_class(topology, readings, hosted)
    if stated is None or stated == shown:
        return shown, why
    if _ORDER.index(stated) < _ORDER.index(shown):
        return stated, f"stated in bench.toml; without that {shown}: {why}"
    return shown, f"{why} (bench.toml says {stated}, which the readings do not bear out)"


def unmet(readings: Sequence[HostReading]) -> list[Condition]:
    """Return the conditions that a lab needs and that a reading does not show to be met, each once, by its first such
    reading.

    A condition without a meaning on the host is met; a condition that could not be read is not.
    """
    by_id: dict[str, Condition] = {}
    for reading in readings:
        for host_condition in reading.conditions:
            if host_condition.needed_for != "extra" and host_condition.verdict in ("unfit", "unknown"):
                by_id.setdefault(host_condition.id, host_condition)
    return list(by_id.values())


def bears_out_its_class(host: HostFacts) -> bool:
    """Return whether the topology and the readings of a whole session show the class of their host, or a higher class.

    A cluster shows no topology, and is no lab.
    """
    if host.host_class == "lab" and len(host.readings) < READINGS_OF_A_SESSION:
        return False
    shown = _shown_class(host.topology, host.readings, hosted=False)[0] if host.topology.cpus else "shared"
    return _ORDER.index(host.host_class) <= _ORDER.index(shown)


def _shown_class(topology: Topology, readings: Sequence[HostReading], hosted: bool) -> tuple[HostClass, str]:
    cores = len({cpu.core for cpu in topology.cpus})
    if cores < CORES_FOR_FOUR_SETS:
        noun = "core" if cores == 1 else "cores"
        return "small", f"{cores} {noun}, and four sets need {CORES_FOR_FOUR_SETS}"
    if topology.hypervisor:
        return "shared", "a virtual machine: its neighbours are unknown"
    if hosted:
        return "shared", "a hosted runner: its neighbours are unknown"
    if not readings or not all(reading.conditions for reading in readings):
        return "shared", "its conditions were not read"
    lacking = unmet(readings)
    if lacking:
        first_conditions = "; ".join(host_condition.said for host_condition in lacking[:_MOST_NAMED])
        others = f"; and {len(lacking) - _MOST_NAMED} more" if len(lacking) > _MOST_NAMED else ""
        return (
            "shared",
            f"bare metal, but not every condition of a lab is read and met ({first_conditions}{others})",
        )
    return "lab", "bare metal, and every condition of a lab is read and met"
