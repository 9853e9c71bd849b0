"""Finds a JDK of 25 or newer, on PATH and beyond it, without running any; and Maven."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.model.errors import UsageError
from plumbline.model.java import jdk_name
from .download import unpack_tar
from .toolbox import Toolbox

# AOT caches in one step (JEP 514) and with method profiles (JEP 515) came with this release.
OLDEST_FEATURE = 25

_INSTALL = (
    f"Install JDK {OLDEST_FEATURE}, for example `apt install openjdk-{OLDEST_FEATURE}-jdk-headless`, "
    f"or Temurin {OLDEST_FEATURE} from https://adoptium.net, or name one by JAVA_HOME."
)
_LINE = re.compile(r'^(\w+)="?([^"\n]*)"?$', re.MULTILINE)


@dataclass(frozen=True)
class Jdk:
    """A JDK: `version` such as 25.0.3, `build` such as 25.0.3+9-LTS, `vendor` such as Eclipse Adoptium."""

    home: Path
    version: str
    vendor: str
    build: str

    @property
    def java(self) -> Path:
        """The path of the program `java`."""
        return self.home / "bin" / "java"

    @property
    def name(self) -> str:
        """The name of this JDK as the setting `jdk` has it: temurin-25.0.3."""
        return jdk_name(self.vendor, self.version)

    @property
    def feature(self) -> int:
        """The feature release: 25 of 25.0.3, 8 of 1.8.0_402, 0 where the text is no version."""
        parts = [int(part) for part in re.findall(r"\d+", self.version)] or [0]
        return parts[1] if parts[0] == 1 and len(parts) > 1 else parts[0]


def find_jdk(environ: Mapping[str, str], root: Path = Path("/")) -> Jdk:
    """Return the JDK of JAVA_HOME when it is new enough, else that of the `java` on PATH, else the oldest of the
    installed JDKs that is new enough.

    The oldest, since few people would compare by a release that is just out. Raises UsageError when there is none.
    """
    older: list[Jdk] = []
    for homes in (_of_java_home(environ), _of_path(environ), installed_homes(environ, root)):
        jdks = [jdk for home in homes if (jdk := read_jdk(home))]
        fit = [jdk for jdk in jdks if jdk.feature >= OLDEST_FEATURE]
        if fit:
            return min(fit, key=lambda jdk: jdk.feature)
        older += jdks
    if not older:
        raise UsageError("No JDK was found.", _INSTALL)
    newest = max(older, key=lambda jdk: jdk.feature)
    raise UsageError(
        f"No JDK {OLDEST_FEATURE} or newer was found; the newest is {newest.version} in {newest.home}.",
        _INSTALL,
    )


def named_jdk(name: str, environ: Mapping[str, str], root: Path = Path("/")) -> Jdk:
    """Return the JDK of this host with that name. Raises UsageError that lists the JDKs of the host."""
    homes = (*_of_java_home(environ), *_of_path(environ), *installed_homes(environ, root))
    found = [jdk for home in homes if (jdk := read_jdk(home)) and jdk.feature >= OLDEST_FEATURE]
    for jdk in found:
        if jdk.name == name:
            return jdk
    names = ", ".join(sorted({jdk.name for jdk in found})) or "none"
    raise UsageError(
        f"There is no JDK '{name}' on this host.",
        f"Of JDK {OLDEST_FEATURE} or newer there are: {names}. Unpack another one below /opt, or ask for one of these.",
    )


def read_jdk(home: Path) -> Jdk | None:
    """Return what a folder's `release` file says; None when the folder holds no JDK, or a runtime without compiler."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    facts: dict[str, str] = dict(_LINE.findall(text))
    if "JAVA_VERSION" not in facts or not all((home / "bin" / name).exists() for name in ("java", "javac")):
        return None
    version = facts["JAVA_VERSION"]
    return Jdk(home, version, facts.get("IMPLEMENTOR", "unknown"), facts.get("JAVA_RUNTIME_VERSION", version))


def _of_java_home(environ: Mapping[str, str]) -> Iterator[Path]:
    if environ.get("JAVA_HOME"):
        yield Path(environ["JAVA_HOME"])


def _of_path(environ: Mapping[str, str]) -> Iterator[Path]:
    for folder in environ.get("PATH", "").split(os.pathsep):
        if folder and (java := Path(folder) / "java").exists():
            yield java.resolve().parent.parent


def installed_homes(environ: Mapping[str, str], root: Path) -> Iterator[Path]:
    """Yield the folders in which JDKs are usually unpacked, those of SDKMAN and IDEs included."""
    folders = [root / "usr/lib/jvm", root / "opt"]
    if environ.get("HOME"):
        folders += [Path(environ["HOME"]) / ".sdkman/candidates/java", Path(environ["HOME"]) / ".jdks"]
    for folder in folders:
        try:
            yield from sorted(folder.iterdir())
        except OSError:
            continue


@dataclass(frozen=True)
class Maven:
    """A Maven. `program` is `bin/mvn` of a Maven home."""

    program: Path
    version: str


def get_maven(box: Toolbox) -> Maven:
    """Return Maven of the pinned version, so that a build differs by its inputs alone. Raises UsageError."""
    pin = box.pins.pin("maven")
    installed = box.on_path("mvn")
    if installed and maven_version(installed.parent.parent) == pin.version:
        return Maven(installed, pin.version)
    archive = box.fetch("Maven", pin)
    folder = unpack_tar(lambda: archive.open("rb"), box.paths.tools / f"maven-{pin.version}-{pin.sha256[:16]}")
    return Maven(folder / f"apache-maven-{pin.version}" / "bin" / "mvn", pin.version)


def maven_version(home: Path) -> str | None:
    """Return the version of a Maven home, by the name of its core; None when it is no Maven home."""
    cores = sorted(home.glob("lib/maven-core-*.jar"))
    return cores[0].stem.removeprefix("maven-core-") if cores else None
