"""The samplers. To add one, copy a neighbour, name its columns in the model, list it."""

from __future__ import annotations

from ..targets import Roots
from .base import MakeSampler, Sampler
from .cpu import CpuSampler
from .database import DatabaseSampler
from .jvm import JvmSampler
from .load import LoadSampler
from .memory import MemorySampler, OutsideSampler, SwitchesSampler, ThrottlingSampler, WrittenSampler
from .vm import CpuSetsSampler, DiskSampler, NetworkSampler, OwnSampler, PressureSampler, VmSampler

# In the order of a tick: CPU times first and close together, samplers that wait for others late, our own cost last.
SAMPLERS: dict[str, MakeSampler] = {
    "cpusets": CpuSetsSampler,
    "cpu": CpuSampler,
    "outside": OutsideSampler,
    "memory": MemorySampler,
    "switches": SwitchesSampler,
    "throttling": ThrottlingSampler,
    "pressure": PressureSampler,
    "vm": VmSampler,
    "network": NetworkSampler,
    "disk": DiskSampler,
    "written": WrittenSampler,
    "jvm": JvmSampler,
    "load": LoadSampler,
    "database": DatabaseSampler,
    "sampler": OwnSampler,
}


def make_samplers(roots: Roots) -> tuple[Sampler, ...]:
    """Make one sampler of each kind, in the order in which a tick asks them."""
    return tuple(make(roots) for make in SAMPLERS.values())
