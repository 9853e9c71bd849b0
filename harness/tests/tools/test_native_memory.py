"""The memory that native-image needs follows from its bound, and is compared with what the host has available."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.machine.tools.native_image import HEAP_VARIABLE, native_memory
from plumbline.model.errors import UsageError

MEMINFO = "MemTotal:       24000000 kB\nMemFree:          100000 kB\nMemAvailable:    7340032 kB\n"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "meminfo").write_text(MEMINFO)
    return tmp_path


def test_what_is_available_counts_and_not_what_is_free(proc: Path) -> None:
    memory = native_memory({}, proc)
    assert memory.available_bytes == 7 * 2**30
    assert memory.lacking is None
    assert memory.needed_bytes > memory.heap_bytes


@pytest.mark.parametrize(("bound", "option"), [("4500m", "-J-Xmx4500m"), ("2g", "-J-Xmx2048m")])
def test_the_bound_is_what_the_variable_says(proc: Path, bound: str, option: str) -> None:
    assert native_memory({HEAP_VARIABLE: bound}, proc).options == option


def test_a_bound_above_what_is_available_says_what_to_do(proc: Path) -> None:
    memory = native_memory({HEAP_VARIABLE: "7g"}, proc)
    assert memory.said == ("native-image needs 8.0 GiB of memory, 7.0 GiB of it as heap, and 7.0 GiB are available")
    assert memory.lacking is not None and f"{HEAP_VARIABLE}=" in memory.lacking


@pytest.mark.parametrize("bound", ["5", "0g", "-1g", "5G", "5g -Ob", "5g\n", "9999999g"])
def test_a_bound_of_another_form_is_refused(proc: Path, bound: str) -> None:
    with pytest.raises(UsageError, match="no size of a heap"):
        native_memory({HEAP_VARIABLE: bound}, proc)
