"""The pinned Maven: the installed one when it is the same version, else out of Maven Central."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .download import unpack_tar
from .toolbox import Toolbox


@dataclass(frozen=True)
class Maven:
    """A Maven. `program` is `bin/mvn` of a Maven home."""

    program: Path
    version: str


def get_maven(box: Toolbox) -> Maven:
    """One version builds everywhere, so that a build differs by its inputs alone. Raises UsageError."""
    pin = box.pins.pin("maven")
    installed = box.on_path("mvn")
    if installed and maven_version(installed.parent.parent) == pin.version:
        return Maven(installed, pin.version)
    archive = box.fetch("Maven", pin)
    folder = unpack_tar(
        lambda: archive.open("rb"), box.paths.tools / f"maven-{pin.version}-{pin.sha256[:16]}"
    )
    return Maven(folder / f"apache-maven-{pin.version}" / "bin" / "mvn", pin.version)


def maven_version(home: Path) -> str | None:
    """Return the version of a Maven home, by the name of its core; None when it is no Maven home."""
    cores = sorted(home.glob("lib/maven-core-*.jar"))
    return cores[0].stem.removeprefix("maven-core-") if cores else None
