"""Finds native-image, of GraalVM or of Mandrel. Never downloaded: its licence is for people to accept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .jdk import OLDEST_FEATURE, installed_homes
from .native_memory import NativeMemory
from .running import CommandRunner

# builder -> the one command that installs it. https://sdkman.io/jdks lists both; their JDK is the one of the variants.
INSTALL = {
    "graalvm": f"sdk install java {OLDEST_FEATURE}.0.1-graalce",
    "mandrel": f"sdk install java {OLDEST_FEATURE}.0.1.r{OLDEST_FEATURE}-mandrel",
}

_FEATURE = re.compile(r"^native-image (\d+)", re.MULTILINE)
_DISTRIBUTION = re.compile(r"(Mandrel|GraalVM CE|Oracle GraalVM)[- ](\S+)")


@dataclass(frozen=True)
class NativeImage:
    """A native-image builder. `home` is its GRAALVM_HOME, `distribution` such as `Mandrel-25.0.1.0-Final`."""

    builder: str
    home: Path
    distribution: str

    def environment(self, memory: NativeMemory) -> dict[str, str]:
        """Return the environment of a build with this native-image, whatever stood there before.

        Frameworks run the native-image of GRAALVM_HOME; plugins that look at JAVA_HOME alone find it as well.
        """
        return {
            "GRAALVM_HOME": str(self.home),
            "JAVA_HOME": str(self.home),
            "NATIVE_IMAGE_OPTIONS": memory.options,
        }


def find_native_image(
    builder: str, environ: Mapping[str, str], run: CommandRunner, root: Path = Path("/")
) -> NativeImage | None:
    """Return the native-image of this builder in $GRAALVM_HOME, $JAVA_HOME, PATH or a usual folder; None without."""
    for home in dict.fromkeys(_homes(environ, root)):
        found = read_native_image(home, environ, run)
        if found is not None and found.builder == builder:
            return found
    return None


def read_native_image(home: Path, environ: Mapping[str, str], run: CommandRunner) -> NativeImage | None:
    """Return what the native-image of a folder says of itself; None when there is none, or of an older JDK."""
    program = home / "bin" / "native-image"
    if not program.is_file():
        return None
    try:
        ran = run([str(program), "--version"], cwd=home, env=environ, waiting=lambda _: None)
    except OSError:
        return None
    return parse_version(home, ran.output) if ran.exit_code == 0 else None


def parse_version(home: Path, said: str) -> NativeImage | None:
    """Parse the three lines of `native-image --version`; None for a release of Java that can't build the variants."""
    feature, distribution = _FEATURE.search(said), _DISTRIBUTION.search(said)
    if feature is None or distribution is None or int(feature[1]) < OLDEST_FEATURE:
        return None
    builder = "mandrel" if distribution[1] == "Mandrel" else "graalvm"
    return NativeImage(builder, home, distribution[0])


def _homes(environ: Mapping[str, str], root: Path) -> Iterator[Path]:
    for name in ("GRAALVM_HOME", "JAVA_HOME"):
        if environ.get(name):
            yield Path(environ[name])
    for folder in environ.get("PATH", "").split(":"):
        if folder and (Path(folder) / "native-image").exists():
            yield (Path(folder) / "native-image").resolve().parent.parent
    yield from installed_homes(environ, root)
