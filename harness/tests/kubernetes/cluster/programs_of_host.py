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

# Folders and files of a JDK's home that no program needs to run.
_BESIDE_JAVA = ("jmods", "lib/src.zip", "man", "include", "demo")
_LIBRARY = re.compile(r"(/\S+) \(0x")
_ENTRY = Path(__file__).with_name("postgres-entry.sh")


def java_files(home: Path, artifact: str, folder: Path) -> dict[str, Path]:
    """The files of an application's image: Java, and the artifact that the harness packs. `folder` takes its files."""
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
    """The files of an image of the harness: this Python, and those of its packages that an observer loads."""
    script = "import sys, plumbline.measuring.cluster.observing; print(*sys.modules)"
    argv = [sys.executable, "-c", script]
    output = subprocess.run(argv, cwd=ROOT / "harness", capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in output.stdout.split()} - {"plumbline"}
    prefix, packages = Path(sys.base_prefix), Path(sysconfig.get_path("platlib"))
    version = f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
    library = _below(prefix / version, leave_out=("site-packages/", "test/", "tkinter/", "config-"))
    # A package, a module, or the libraries of a package.
    packaged = {
        name: file
        for name, file in _below(packages).items()
        if name.partition("/")[0].partition(".")[0] in loaded and ".dist-info/" not in name
    }
    own = _below(ROOT / "harness" / "plumbline")
    python = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    return {
        "/usr/local/bin/python3": python,
        **{f"/usr/local/{version}/{name}": file for name, file in library.items()},
        **{f"/harness/{name}": file for name, file in packaged.items()},
        **{f"/harness/plumbline/{name}": file for name, file in own.items()},
        **_libraries([python, *library.values()], Path("/harness")),
        **_libraries(packaged.values(), packages),
    }


def postgres_files(binaries: PostgresBinaries, folder: Path) -> dict[str, Path]:
    """The files of an image of PostgreSQL. Its first program does what the official image's is documented to do."""
    psqls = sorted(Path("/usr/lib/postgresql").glob("*/bin/psql"))
    if not psqls:
        raise UsageError("A database in a cluster needs psql.", "apt install postgresql-client")
    programs = {"/usr/local/bin/psql": psqls[-1], **_programs("bash", "sh", "cat", "rm")}
    own = _below(binaries.home)
    users = folder / "passwd"
    users.write_text("postgres:x:999:999::/:/bin/bash\n", encoding="utf-8")
    linked = _libraries([*programs.values(), *own.values()], binaries.home)
    installed = {f"/usr/local/{name}": file for name, file in own.items()}
    return {
        "/usr/local/bin/docker-entrypoint.sh": _ENTRY,
        "/etc/passwd": users,
        **programs,
        **installed,
        **linked,
    }


def shell_files(*names: str) -> dict[str, Path]:
    """The files of these programs of a shell, to be added to another image."""
    programs = _programs(*names)
    return {**programs, **_libraries(programs.values())}


def _programs(*names: str) -> dict[str, Path]:
    programs = {}
    for name in names:
        program = shutil.which(name)
        assert program is not None, f"{name} is missing"
        programs[f"/bin/{name}"] = Path(program)
    return programs


def _below(folder: Path, leave_out: Iterable[str] = ()) -> dict[str, Path]:
    # Debian's JDK has links to folders elsewhere.
    walked = (Path(place, name) for place, _, names in os.walk(folder, followlinks=True) for name in names)
    files = {path.relative_to(folder).as_posix(): path for path in walked if path.is_file()}
    return {name: file for name, file in files.items() if not name.startswith(tuple(leave_out))}


def _libraries(programs: Iterable[Path], home: Path | None = None) -> dict[str, Path]:
    """The libraries that these programs are linked with, but for those in `home`."""
    linked: set[str] = set()
    for program in programs:
        if program.read_bytes()[:4] == b"\x7fELF":
            output = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
            linked |= set(_LIBRARY.findall(output.stdout))
    return {name: Path(name) for name in linked if home is None or not Path(name).is_relative_to(home)}
