"""Pressure stall information: how long work waited for CPU, IO or memory."""

from __future__ import annotations

from ..open_file import OpenFile, number_after
from ..roots import Roots
from .base import RoleFiles, Row, Tick

_RESOURCES = ("cpu", "io", "memory")
_OF_DATABASE = ("cpu", "io")


class PressureSampler:
    """Samples the pressure: `psi.{cpu,io,memory}.some_us` and `psi.{io,memory}.full_us` of the host,
    `db.psi.{cpu,io}.some_us`.
    """

    def __init__(self, roots: Roots) -> None:
        self._host = {name: OpenFile(roots.proc / "pressure" / name) for name in _RESOURCES}
        self._database = {name: RoleFiles(f"{name}.pressure") for name in _OF_DATABASE}

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

    def close(self) -> None:
        """Close all files."""
        for file in self._host.values():
            file.close()
        for files in self._database.values():
            files.close()


def _total(content: bytes | None, kind: bytes) -> int | None:
    start = -1 if content is None else content.find(kind)
    return None if content is None or start < 0 else number_after(content[start:], b"total=")
