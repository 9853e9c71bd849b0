"""Finds native-image, of GraalVM or of Mandrel. Never downloaded: its licence is for people to accept.

Its memory is checked before it begins, and its heap bounded while it runs. Without a bound it takes as large a heap as
the host has memory free at that moment, up to 32 GB, so that a build depends on what else runs:
https://www.graalvm.org/latest/reference-manual/native-image/overview/BuildOutput/#build-resources
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.host.facts import available_memory_bytes
from plumbline.model.errors import UsageError
from .jdk import OLDEST_FEATURE, installed_homes
from .running import CommandRunner

HEAP_VARIABLE = "PLUMBLINE_NATIVE_HEAP"
_HEAP = "5g"
_HEAP_FORM = re.compile(r"([1-9][0-9]{0,5})([mg])")
_UNITS = {"m": 2**20, "g": 2**30}
# What the builder needs besides its heap: classes, compiled code, threads, and the linker at the end.
_BESIDE_BYTES = 2**30


@dataclass(frozen=True)
class NativeMemory:
    """The memory for the build of a native image. `heap_bytes` bounds the heap of native-image, `available_bytes` is
    what the host can give without swapping.
    """

    heap_bytes: int
    available_bytes: int

    @property
    def needed_bytes(self) -> int:
        """The heap, and what native-image needs besides it."""
        return self.heap_bytes + _BESIDE_BYTES

    @property
    def options(self) -> str:
        """The value of the variable NATIVE_IMAGE_OPTIONS, whichever plugin calls native-image."""
        return f"-J-Xmx{self.heap_bytes // 2**20}m"

    @property
    def said(self) -> str:
        """The memory that native-image needs and the memory that is available, as one clause."""
        return (
            f"native-image needs {_gib(self.needed_bytes)} of memory, {_gib(self.heap_bytes)} of it as heap, and "
            f"{_gib(self.available_bytes)} are available"
        )

    @property
    def lacking(self) -> str | None:
        """What to do where the host has less than is needed; None where it has enough."""
        if self.available_bytes >= self.needed_bytes:
            return None
        return f"Close what takes memory, or bound the heap lower: {HEAP_VARIABLE}=4g, for example."


def native_memory(environ: Mapping[str, str], proc: Path) -> NativeMemory:
    """Return the bound of this environment and the memory of this host at this moment. Raises UsageError."""
    text = environ.get(HEAP_VARIABLE) or _HEAP
    form = _HEAP_FORM.fullmatch(text)
    if form is None:
        raise UsageError(
            f"{HEAP_VARIABLE} is '{text[:40]}', which is no size of a heap.",
            "Write 5g or 4500m, for example.",
        )
    return NativeMemory(int(form[1]) * _UNITS[form[2]], available_memory_bytes(proc))


def _gib(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"


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
    """Return the native-image of this builder in $GRAALVM_HOME, $JAVA_HOME, PATH or a usual folder, or None."""
    for home in dict.fromkeys(_homes(environ, root)):
        native_image = read_native_image(home, environ, run)
        if native_image is not None and native_image.builder == builder:
            return native_image
    return None


def read_native_image(home: Path, environ: Mapping[str, str], run: CommandRunner) -> NativeImage | None:
    """Return what the native-image of a folder says of itself; None when there is none, or of an older JDK."""
    program = home / "bin" / "native-image"
    if not program.is_file():
        return None
    try:
        result = run([str(program), "--version"], cwd=home, env=environ, waiting=lambda _: None)
    except OSError:
        return None
    return parse_version(home, result.output) if result.exit_code == 0 else None


def parse_version(home: Path, output: str) -> NativeImage | None:
    """Parse the three lines of `native-image --version`; None for a release of Java that can't build the variants."""
    feature, distribution = _FEATURE.search(output), _DISTRIBUTION.search(output)
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
