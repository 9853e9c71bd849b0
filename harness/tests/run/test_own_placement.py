"""A second testbed beside the first knows the whole host, though the harness is on few of its CPUs by then."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from plumbline.measuring.run.context import Context
from plumbline.model.host import Topology


def test_a_second_testbed_has_the_topology_of_the_first() -> None:
    nowhere = Path("/nowhere")
    context = Context(nowhere, cast(Any, None), cast(Any, None), {}, print, proc=nowhere, sys=nowhere)
    topology = context.__dict__["topology"] = Topology(cpus=(), hypervisor=False)
    beside = context.with_own_placement()
    assert beside is not context and beside.topology is topology
