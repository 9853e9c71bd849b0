"""Hosts that hide a part of /proc or /sys: the error is one sentence, whichever file is hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.machine.host.facts import read_host_facts
from plumbline.machine.host.kernel import allowed_cpus, read_topology
from plumbline.model.errors import UsageError
from tests import machines


@pytest.mark.parametrize(
    "hidden", ["proc/self/status", "sys/devices/system/cpu/online", "proc/cpuinfo", "proc/meminfo"]
)
def test_a_hidden_file_is_named(tmp_path: Path, hidden: str) -> None:
    sys_root, proc = machines.DESKTOP.write(tmp_path)
    target = next(path for path in (sys_root, proc) if path.name == hidden.split("/")[0]) / hidden.split("/", 1)[1]
    target.unlink()
    with pytest.raises(UsageError, match=f"{target} can't be read: No such file"):
        read_host_facts(
            name="odd",
            topology=read_topology(sys_root, proc, allowed_cpus(proc)),
            proc=proc,
            etc=tmp_path,
            environ={},
            stated=None,
            components={},
            readings=(),
        )
