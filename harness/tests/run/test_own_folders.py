"""An application of another user neither writes k6's files nor another subject's AOT cache."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plumbline.measuring.run.opening import make_own_folders


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_only_their_owner_writes_them(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        private, aot = make_own_folders(tmp_path)
    finally:
        os.umask(before)
    assert [folder.stat().st_mode & 0o7777 for folder in (private, aot)] == [0o700, 0o755]
    assert make_own_folders(tmp_path) == (private, aot)
