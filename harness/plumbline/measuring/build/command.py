"""Runs one build command, Maven's, and measures it: wall time and the peak memory of its processes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.tools.running import die_with_us
from plumbline.model.subject import AOT_OF_FRAMEWORK, Subject, is_native
from plumbline.subjects.catalog.variant import Variant

TAIL_LINES = 15
# The signals that tell a command to end, each of which Python raises as an interruption.
_END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class CommandResult:
    """The result of a command. `peak_memory_bytes` is the largest resident size of one of its processes."""

    exit_code: int
    wall_s: float
    peak_memory_bytes: int


def run_logged(argv: Sequence[str], cwd: Path, env: Mapping[str, str], log: Path) -> CommandResult:
    """Run `argv` with its output in `log`. An interruption ends the command and every process that it started."""
    began = time.monotonic()
    process = None
    # A signal between the fork and `try` would leave the command behind, so signals wait until the process is known.
    former_mask = signal.pthread_sigmask(signal.SIG_BLOCK, _END_SIGNALS)

    def set_up() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, former_mask)
        die_with_us()

    try:
        with log.open("wb") as out:
            process = subprocess.Popen(
                list(argv), cwd=cwd, env=dict(env), stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                start_new_session=True, preexec_fn=set_up,
            )  # fmt: skip
        signal.pthread_sigmask(signal.SIG_SETMASK, former_mask)
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former_mask)
    process.returncode = os.waitstatus_to_exitcode(status)
    return CommandResult(process.returncode, time.monotonic() - began, usage.ru_maxrss * 1024)


def tail(log: Path, lines: int = TAIL_LINES) -> tuple[str, ...]:
    """Return the last lines of a log that are not blank."""
    with log.open(encoding="utf-8", errors="replace") as file:
        return tuple(deque((line.rstrip() for line in file if line.strip()), maxlen=lines))


# Quarkus has a switch of its own; other frameworks bind their plugin in a profile of the variant's pom.
# https://quarkus.io/guides/building-native-image
_NATIVE = {"quarkus": ("-Dquarkus.native.enabled=true", "-Dquarkus.package.jar.enabled=false")}
_NATIVE_PROFILE = ("-Pnative",)
# The framework's own work at build time is bound in another profile of the variant's pom.
_AOT_PROFILE = ("-Paot",)
_COMMON = ("--batch-mode", "--no-transfer-progress", "-DskipTests", "-Dstyle.color=never")
NATIVE_GOALS = ("clean", "package")


def native_arguments(variant: Variant) -> tuple[str, ...]:
    """Return the arguments that make Maven build the variant's native image instead of its JVM package."""
    return _NATIVE.get(variant.spec.framework, _NATIVE_PROFILE)


def engine_arguments(variant: Variant, engine: str) -> tuple[str, ...]:
    """Return the arguments that make Maven build for an engine; none for the first, which is the pom's default."""
    return () if engine == variant.spec.engines[0] else (f"-Dengine={engine}",)


def release_arguments(variant: Variant, settings: Mapping[str, str]) -> tuple[str, ...]:
    """Return the arguments that make Maven build with another release of the framework than the pom has."""
    return (f"-D{variant.spec.build.release}={settings['release']}",) if "release" in settings else ()


def maven_command(maven: Path, variant: Variant, artifact: Subject) -> tuple[tuple[str, ...], Path]:
    """Return the command line that builds an artifact (its packaging is not `like` another) and the folder it runs in.

    A module of the reactor is built with the siblings it needs (`-am`); tests of an application run in `bench test`,
    against the built artifact, not here. By default a pom builds for the first of its variant's engines.
    """
    common: tuple[str, ...] = (str(maven), *_COMMON, *engine_arguments(variant, artifact.engine))
    common = (*common, *release_arguments(variant, artifact.settings))
    if is_native(artifact.packaging):
        common = (*common, *native_arguments(variant))
    if artifact.packaging == AOT_OF_FRAMEWORK:
        common = (*common, *_AOT_PROFILE)
    if variant.spec.build.tool == "maven":
        return (*common, "clean", "package"), variant.folder
    return (*common, "-pl", variant.folder.name, "-am", "clean", "package"), variant.folder.parent
