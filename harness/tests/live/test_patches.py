"""Every change that the live faults make of the control's source still applies and compiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.measuring.run.context import Context
from plumbline.measuring.run.testbed import Testbed
from tests.faults import test_answers_under_load, test_hidden_faults, test_invented_faults, test_live_faults
from tests.faults.patched import Patch, patched

pytestmark = pytest.mark.slow

MODULES = (test_answers_under_load, test_hidden_faults, test_invented_faults, test_live_faults)
PATCHES = [
    pytest.param(patches, id=f"{module.__name__.rpartition('.')[2]}-{name}")
    for module in MODULES
    for name, value in vars(module).items()
    if (patches := value if isinstance(value, tuple) else (value,))
    and all(isinstance(patch, Patch) for patch in patches)
]


@pytest.mark.parametrize("patches", PATCHES)
def test_a_fault_still_compiles(patches: tuple[Patch, ...], context: Context, testbed: Testbed, tmp_path: Path) -> None:
    jar = context.job("control/jvm/pg").artifact.folder / "app.jar"
    assert list((patched(tmp_path, jar, patches, testbed.java) / "changed").rglob("*.class"))
