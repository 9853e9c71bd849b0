"""Images of real programs of this host, under the names and paths of the official ones, which nobody has to fetch.

The libraries that a program is linked with are at the same paths as on the host.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterable
from pathlib import Path

from plumbline.machine.tools.postgres import PostgresBinaries
from plumbline.model.errors import UsageError
from plumbline.model.java import FOLDER, JAVA, USER
from .parts import ROOT

# What is under a JDK's home and no program needs to run.
_BESIDE_JAVA = ("jmods", "lib/src.zip", "man", "include", "demo")
_LIBRARY = re.compile(r"(/\S+) \(0x")
_ENTRY = Path(__file__).with_name("postgres-entry.sh")


def java_files(home: Path, artifact: str, folder: Path) -> dict[str, Path]:
    """An image of an application: Java, and the artifact as the harness packs it. `folder` takes what is unpacked."""
    subprocess.run([sys.executable, str(ROOT / "harness"), "ci", "pack", str(folder), artifact], check=True)
    (archive,) = folder.glob("*.tar")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    java = _below(home, leave_out=_BESIDE_JAVA)
    own = {str(JAVA.parents[1] / name): file for name, file in java.items()}
    application = {str(FOLDER / name): file for name, file in _below(folder / FOLDER.name).items()}
    # A JVM keeps no counters for a user without a name.
    users = folder / "passwd"
    users.write_text(f"plumbline:x:{USER}:{USER}::/:/usr/sbin/nologin\n", encoding="utf-8")
    linked = {"/etc/passwd": users, **_libraries(java.values(), home)}
    return {str(JAVA): home / "bin" / "java", **own, **application, **linked}


def harness_files() -> dict[str, Path]:
    """An image of the harness: this Python, and of its packages those that an observer loads."""
    told = "import sys, plumbline.measuring.cluster.observing; print(*sys.modules)"
    argv = [sys.executable, "-c", told]
    said = subprocess.run(argv, cwd=ROOT / "harness", capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in said.stdout.split()} - {"plumbline"}
    prefix, packages = Path(sys.base_prefix), Path(sysconfig.get_path("platlib"))
    version = f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
    library = _below(prefix / version, leave_out=("site-packages/", "test/", "tkinter/", "config-"))
    # A package, a module, or the libraries of a package.
    theirs = {
        name: file
        for name, file in _below(packages).items()
        if name.partition("/")[0].partition(".")[0] in loaded and ".dist-info/" not in name
    }
    own = _below(ROOT / "harness" / "plumbline")
    python = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    return {
        "/usr/local/bin/python3": python,
        **{f"/usr/local/{version}/{name}": file for name, file in library.items()},
        **{f"/harness/{name}": file for name, file in theirs.items()},
        **{f"/harness/plumbline/{name}": file for name, file in own.items()},
        **_libraries([python, *library.values()], Path("/harness")),
        **_libraries(theirs.values(), packages),
    }


def postgres_files(binaries: PostgresBinaries, folder: Path) -> dict[str, Path]:
    """An image of PostgreSQL, whose first program does what that of the official image is documented to do."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/psql"))
    if not found:
        raise UsageError("A database in a cluster needs psql.", "apt install postgresql-client")
    named = {"/usr/local/bin/psql": found[-1], **_programs("bash", "sh", "cat", "rm")}
    own = _below(binaries.home)
    users = folder / "passwd"
    users.write_text("postgres:x:999:999::/:/bin/bash\n", encoding="utf-8")
    linked = _libraries([*named.values(), *own.values()], binaries.home)
    installed = {f"/usr/local/{name}": file for name, file in own.items()}
    return {
        "/usr/local/bin/docker-entrypoint.sh": _ENTRY,
        "/etc/passwd": users,
        **named,
        **installed,
        **linked,
    }


def shell_files(*names: str) -> dict[str, Path]:
    """Those programs of a shell's, for an image of others."""
    named = _programs(*names)
    return {**named, **_libraries(named.values())}


def _programs(*names: str) -> dict[str, Path]:
    named = {}
    for name in names:
        program = shutil.which(name)
        assert program is not None, f"{name} is missing"
        named[f"/bin/{name}"] = Path(program)
    return named


def _below(folder: Path, leave_out: Iterable[str] = ()) -> dict[str, Path]:
    # Debian's JDK has folders that lie elsewhere.
    walked = (Path(place, name) for place, _, names in os.walk(folder, followlinks=True) for name in names)
    files = {path.relative_to(folder).as_posix(): path for path in walked if path.is_file()}
    return {name: file for name, file in files.items() if not name.startswith(tuple(leave_out))}


def _libraries(programs: Iterable[Path], home: Path | None = None) -> dict[str, Path]:
    """What those are linked with, besides what is in their own home."""
    linked: set[str] = set()
    for program in programs:
        if program.read_bytes()[:4] == b"\x7fELF":
            said = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
            linked |= set(_LIBRARY.findall(said.stdout))
    return {name: Path(name) for name in linked if home is None or not Path(name).is_relative_to(home)}
