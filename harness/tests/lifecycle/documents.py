"""Made-up documents of life-cycle measurements."""

from __future__ import annotations

from plumbline.measuring.lifecycle.figures import figures_of
from plumbline.model.host import CpuSets, HostFacts, Topology
from plumbline.model.lifecycle import Absent, Lifecycle, LifecycleProvenance, LifecycleRun

A, B = "a/jvm/none", "b/jvm/none"


def run(number: int, block: int, value: float | None, subject: str = A, problem: str | None = None) -> LifecycleRun:
    return LifecycleRun(
        number=number,
        block=block,
        subject=subject,
        step="compile",
        command_line=("mvn",),
        values={} if value is None else {"compile_s": value},
        log="logs/x.log",
        problem=problem,
    )


def document(*runs: LifecycleRun, absent: tuple[Absent, ...] = ()) -> Lifecycle:
    return Lifecycle(
        session="20261121T000000Z-here-abcdef",
        host=HostFacts(
            name="here", host_class="small", why_class="two CPUs", cpu_model="a CPU", microcode=None, cpus=2,
            memory_bytes=1, kernel="6", kernel_command_line="", operating_system="Linux", hypervisor=True,
            topology=Topology(cpus=(), hypervisor=True),
        ),
        sets=CpuSets(app=(1,), db=(0,), load=(0,), housekeeping=(0,)),
        placement="taskset",
        provenance=LifecycleProvenance(
            commit=None, dirty=None, locks={}, python="3", jdk="25", maven="3", k6="2", command_line=(),
            started_at="", ended_at="",
        ),
        seed=1, blocks=2, requests=150_000, subjects=(A, B), steps=("compile",), runs=runs, absent=absent,
        figures=figures_of((A, B), runs), whole=True,
    )  # fmt: skip
