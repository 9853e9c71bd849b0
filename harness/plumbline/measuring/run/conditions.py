"""Apply the settings that concern the machine: less CPU time, a slower disk for the database, an empty page cache.

The setting of fewer CPUs is applied when the application is started (`starting`); here it is only checked.

    restore -> impose -> start, load ... stop -> lift

A restore on a slow disk would only take longer, and a restore fills the page cache, so the conditions begin after it.
For a container the engine limits CPU time, from the container's start on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from plumbline.measuring.place.interface import Placement
from plumbline.subjects.catalog.settings import (
    ALL_CPU_TIME,
    FULL_SPEED,
    asks_for_conditions,
    cpus_asked_for,
    in_container,
    is_cold,
)
from .testbed import RemoteTestbed, Testbed, sets_of

_OUT_OF_SIGHT = "The files of a database that is not embedded are out of our sight, so writes can't be slowed."
# https://docs.kernel.org/admin-guide/sysctl/vm.html#drop-caches
_DROP_CACHES = Path("sys/vm/drop_caches")
_ALL_CACHES = "3\n"
_WHERE_POSSIBLE = "`sudo ./bench run` on a Linux host with control groups, an embedded database and a disk can."


def why_unavailable(
    placement: Placement, settings: Mapping[str, str], cpus: int, folder: Path | None, proc: Path
) -> str | None:
    """Return why this host can't give what the settings ask for, with what would help, in sentences; None if it can.

    `cpus` is the number of the application's CPUs here; `folder` is the database's folder, None if the harness can't
    see it; `proc` is where procfs is mounted.
    """
    if (problem := why_too_few_cpus(settings, cpus)) is not None:
        return problem
    if cpus_asked_for(settings) is not None and placement.name == "sandbox":
        return "The sandbox gives each role all of its CPUs, and none a part of them; a run without it does."
    reasons = []
    if _harness_limits_cpu_time(settings):
        reasons.append(placement.cannot_limit())
    if settings["db-disk"] != FULL_SPEED:
        reasons.append(_OUT_OF_SIGHT if folder is None else placement.cannot_slow(folder))
    if is_cold(settings):
        reasons.append(_cannot_empty_page_cache(proc))
    problems = [reason for reason in reasons if reason is not None]
    return f"{' '.join(problems)} {_WHERE_POSSIBLE}" if problems else None


def why_too_few_cpus(settings: Mapping[str, str], cpus: int) -> str | None:
    """Return in a sentence why an application of so many CPUs can't have those that it asks for; None if it can."""
    wanted = cpus_asked_for(settings)
    if wanted is None or wanted <= cpus:
        return None
    return f"The application has {cpus} of this host's CPUs, and cpus={wanted} asks for more: take a larger host."


def why_conditions_unavailable(testbed: Testbed | RemoteTestbed, settings: Mapping[str, str]) -> str | None:
    """Return why this host can't give the conditions that the settings ask for, in sentences; None if it can."""
    if isinstance(testbed, RemoteTestbed):
        return why_too_few_cpus(settings, len(testbed.sets.app))
    if not asks_for_conditions(settings):
        return None
    cpus, folder = len(testbed.sets.app), testbed.database.data_folder
    return why_unavailable(testbed.placement, settings, cpus, folder, testbed.roots.proc)


def limit_of(testbed: Testbed, settings: Mapping[str, str]) -> float | None:
    """Return the number of CPUs whose time the application may have on a testbed; None for no limit."""
    if settings["cpu-share"] != ALL_CPU_TIME:
        return int(settings["cpu-share"]) / 100 * len(sets_of(testbed, settings).app)
    return testbed.cpu_limit


def impose(testbed: Testbed, settings: Mapping[str, str]) -> None:
    """Apply the conditions before the application starts."""
    if _harness_limits_cpu_time(settings):
        testbed.placement.limit("app", limit_of(testbed, settings))
    folder = testbed.database.data_folder
    if settings["db-disk"] != FULL_SPEED and folder is not None:
        testbed.placement.slow("db", folder, int(settings["db-disk"]))
    if is_cold(settings):
        _empty_page_cache(testbed.roots.proc)


def lift(testbed: Testbed, settings: Mapping[str, str]) -> None:
    """Take the conditions away after the application has ended."""
    if _harness_limits_cpu_time(settings):
        testbed.placement.limit("app", None)
    folder = testbed.database.data_folder
    if settings["db-disk"] != FULL_SPEED and folder is not None:
        testbed.placement.slow("db", folder, None)


def _harness_limits_cpu_time(settings: Mapping[str, str]) -> bool:
    return settings["cpu-share"] != ALL_CPU_TIME and not in_container(settings)


def _cannot_empty_page_cache(proc: Path) -> str | None:
    """Return in a sentence why this process may not empty the page cache; None if it may."""
    file = proc / _DROP_CACHES
    return None if os.access(file, os.W_OK) else f"Only root may empty the page cache ({file})."


def _empty_page_cache(proc: Path) -> None:
    """Empty the page cache of the whole machine; pages that a running process has mapped stay. Raises OSError."""
    # Pages that wait to be written can't be dropped.
    os.sync()
    (proc / _DROP_CACHES).write_text(_ALL_CACHES, encoding="ascii")
