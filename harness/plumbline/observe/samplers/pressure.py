"""Pressure stall information: how long work waited for CPU, IO or memory."""

from __future__ import annotations

from ..open_file import OpenFile, number_after
from ..roots import Roots
from .base import HoldsFiles, RoleFiles, Row, Tick

_RESOURCES = ("cpu", "io", "memory")
_OF_DATABASE = ("cpu", "io")


class PressureSampler(HoldsFiles):
    """Samples `psi.{cpu,io,memory}.some_us`, `psi.{io,memory}.full_us`, `db.psi.{cpu,io}.some_us`."""

    def __init__(self, roots: Roots) -> None:
        super().__init__(roots)
        self._host = {name: self.hold(OpenFile(roots.proc / "pressure" / name)) for name in _RESOURCES}
        self._database = {name: self.hold(RoleFiles(f"{name}.pressure")) for name in _OF_DATABASE}

    def sample(self, tick: Tick) -> Row:
        """Return microseconds; None on kernels without PSI, and for the database on cgroup v1."""
        row: dict[str, float | None] = {}
        for name, file in self._host.items():
            content = file.read()
            row[f"psi.{name}.some_us"] = _total(content, b"some ")
            if name != "cpu":
                row[f"psi.{name}.full_us"] = _total(content, b"full ")
        for name, files in self._database.items():
            row[f"db.psi.{name}.some_us"] = _total(files.read("db", tick), b"some ")
        return row


def _total(content: bytes | None, kind: bytes) -> int | None:
    start = -1 if content is None else content.find(kind)
    return None if content is None or start < 0 else number_after(content[start:], b"total=")
