"""Conditions of a host that measures: one file for each, and a list of all in the order in which they are shown.

Promises: `check` reads below the roots it is given, changes nothing, needs no root, and calls nothing fit that it could
not read. Refuses to know the harness: the standard library is enough, so that an install owned by root can use these
files alone.
"""

from __future__ import annotations

from . import (
    address_space,
    clocksource,
    cpusets,
    cstates,
    database_disk,
    database_writes,
    disk_space,
    four_sets,
    frequency,
    governor,
    hypervisor,
    interrupts,
    kernel_held,
    kernel_line,
    load,
    microcode,
    network,
    numa_balancing,
    open_files,
    package_managers,
    same_page_merging,
    smt,
    socket_buffers,
    swap,
    system_slice,
    time_sync,
    timers,
    transparent_huge_pages,
    turbo,
    watchdog,
)
from .face import Measure

MEASURES: tuple[Measure, ...] = (
    four_sets,
    hypervisor,
    cpusets,
    governor,
    frequency,
    turbo,
    smt,
    cstates,
    interrupts,
    system_slice,
    kernel_line,
    watchdog,
    load,
    package_managers,
    kernel_held,
    timers,
    swap,
    transparent_huge_pages,
    numa_balancing,
    same_page_merging,
    address_space,
    clocksource,
    time_sync,
    microcode,
    open_files,
    network,
    socket_buffers,
    disk_space,
    database_disk,
    database_writes,
)
