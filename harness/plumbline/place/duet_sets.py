"""The CPUs of a duet: two places alike, so that both sides of a comparison run at once, and swap in each pair.

    2 cores    each place has one; the harness runs on both
    3 cores    the harness has the first, each place one of the others
    4 and more the harness has the first, each place half of the rest, an odd one stays idle

A place of one CPU holds application, database and load together: what one side costs then never slows the other down.
With more the application has the upper half of the place to itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.model.errors import UsageError
from plumbline.model.host import CpuSets, Topology
from .sets import Core, cores_of


def duet_sets(topology: Topology) -> tuple[CpuSets, CpuSets]:
    """Return the two places. Raises UsageError when there is only one CPU."""
    cores = list(cores_of(topology))
    if len(cores) == 1:
        cores = [Core((number,), cores[0].node, cores[0].cache) for number in cores[0].cpus]
    if len(cores) < 2:
        raise UsageError(
            "This process may use only one CPU, and the two sides of a duet need one each.",
            "Allow it a second CPU.",
        )
    rest = cores if len(cores) == 2 else cores[1:]
    housekeeping = _cpus(cores if len(cores) == 2 else cores[:1])
    half = len(rest) // 2
    return _place(_cpus(rest[:half]), housekeeping), _place(_cpus(rest[half : 2 * half]), housekeeping)


def _cpus(cores: Sequence[Core]) -> tuple[int, ...]:
    return tuple(sorted(cpu for core in cores for cpu in core.cpus))


def _place(cpus: tuple[int, ...], housekeeping: tuple[int, ...]) -> CpuSets:
    half = len(cpus) // 2
    others = cpus[:half] or cpus
    return CpuSets(app=cpus[half:], db=others, load=others, housekeeping=housekeeping)
