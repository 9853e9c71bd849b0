"""Builds the artifacts that the store does not have."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.tools.jdk import OLDEST_FEATURE
from plumbline.machine.tools.native_image import INSTALL, NativeImage, NativeMemory, native_memory
from plumbline.machine.tools.toolbox import lock_or_wait
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.subject import NATIVE, Subject, file_slug, is_native
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.settings import in_container
from plumbline.subjects.catalog.variant import Variant
from .command import TAIL_LINES, maven_command, run_logged, tail
from .native_output import read_native_output
from .store import Artifact, Store, inputs_sha256

# Lines that Maven prints around a failure; none of them tells the cause.
_FRAME = re.compile(
    r"\[(INFO|ERROR)\]( *| -+| BUILD FAILURE| Total time: .*| Finished at: .*| -> \[Help \d+\]| \[Help \d+\] http.*"
    r"| To see the full stack trace.*| Re-run Maven .*| For more information about .*| After correcting the problems.*"
    r"|   mvn <args> .*)"
)

# Silences the warnings that Maven 3 itself causes on JDK 25, and none of an application.
MAVEN_OPTS = "--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED"
# A person's own options of Maven, JVMs and frameworks: they would change artifacts, whose inputs they are not.
_OF_A_PERSON = re.compile(
    r"JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|JAVA_OPTS|MAVEN_ARGS|MAVEN_OPTS|(QUARKUS|MICRONAUT|SPRING)_.*"
)


class BuildFailed(AnswerIsNo):
    """The build of one artifact failed; other artifacts may still be built."""


class Unavailable(BuildFailed):
    """A subject can't be built or run on this host, which lacks a tool or a thing that a setting asks for; the message
    says what would help.
    """


def not_built(name: str, why: str, log: Path, line_count: int = TAIL_LINES) -> BuildFailed:
    """Return the error of a failed build: the last lines of its log that tell the cause, and the log's path."""
    last_lines = [line for line in tail(log, 2 * line_count) if not _FRAME.fullmatch(line)][-line_count:]
    lines = "\n".join(f"    {line}" for line in last_lines)
    return BuildFailed(f"{name} was not built: {why}.\n{lines}\n", f"The whole log is {log}.")


def unavailable(
    subject: Subject,
    settings: Mapping[str, str],
    native_image: Callable[[str], NativeImage | None],
    cannot_contain: Callable[[], str | None],
) -> Unavailable | None:
    """Return why a subject of these settings can't be built or run on this host (a tool is missing); None if it can.

    `cannot_contain` returns why no container can run on this host, or None if one can.
    """
    return _missing_native_image(subject, native_image) or _missing_engine(subject, settings, cannot_contain)


def no_container(subject: Subject, why: str) -> Unavailable:
    """Return the error of a subject that can't run in a container; `why` says what is missing and what mends it."""
    return Unavailable(f"{subject.id} is unavailable: {why}")


def _missing_engine(
    subject: Subject, settings: Mapping[str, str], cannot_contain: Callable[[], str | None]
) -> Unavailable | None:
    if not in_container(settings) or (why := cannot_contain()) is None:
        return None
    return no_container(subject, why)


def _missing_native_image(subject: Subject, native_image: Callable[[str], NativeImage | None]) -> Unavailable | None:
    if not is_native(subject.packaging):
        return None
    builder = subject.packaging.removeprefix(NATIVE)
    if builder not in INSTALL:
        return Unavailable(f"{subject.id} names no builder of native images. Known: {', '.join(INSTALL)}.")
    if native_image(builder) is not None:
        return None
    # The command stands in the problem itself, so that the record and the report show it as well.
    return Unavailable(
        f"{subject.id} is unavailable: there is no native-image of {builder} for JDK {OLDEST_FEATURE} on this host. "
        f"`{INSTALL[builder]}` installs it (https://sdkman.io); one that is elsewhere is named by GRAALVM_HOME."
    )


@dataclass(frozen=True)
class Builder:
    """Builds artifacts with one JDK and one Maven.

    `toolchain` names the JDK and Maven by version and is part of the inputs' digest; `say` receives a line when a build
    begins and one when it ends. `built_elsewhere` are artifacts that came in packs, each with the digest of its bytes;
    they alone are used, whatever sources the tree has.
    """

    catalog: Catalog
    store: Store
    logs: Path
    java_home: Path
    maven: Path
    toolchain: tuple[str, ...]
    environ: Mapping[str, str]
    say: Callable[[str], None]
    built_elsewhere: Mapping[str, str] | None = None
    native_image: Callable[[str], NativeImage | None] = lambda builder: None
    cannot_contain: Callable[[], str | None] = lambda: None
    native_memory: Callable[[], NativeMemory] = lambda: native_memory(os.environ, Path("/proc"))

    def unavailable(self, subject: Subject) -> Unavailable | None:
        """Return why a subject can't be built or run here; None where it can. A given artifact needs no build."""
        settings = self.catalog.settings_of(subject)
        if self.built_elsewhere is not None:
            return _missing_engine(subject, settings, self.cannot_contain)
        return unavailable(subject, settings, self.native_image, self.cannot_contain)

    def artifact_id(self, subject: Subject) -> str:
        """Return the id of the artifact that a subject runs: packagings that share an artifact are built once."""
        return self.catalog.artifact_of(subject).id

    def inputs(self, variant: Variant, artifact: str) -> str:
        """Return the digest of all that decides the artifact's bytes: sources, command, JDK and native-image."""
        paths = [variant.folder, *((variant.folder / path).resolve() for path in variant.spec.build.inputs)]
        subject = Subject.parse(artifact)
        command, _ = maven_command(Path("mvn"), variant, subject)
        native = self._native_image(subject.packaging)
        tools = (*self.toolchain, *((native.distribution,) if native else ()))
        return inputs_sha256(paths, [artifact, *tools, *command])

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every build, without a person's own options."""
        usual = {name: value for name, value in self.environ.items() if not _OF_A_PERSON.fullmatch(name)}
        # Maven's launcher would read more of a person's options from ~/.mavenrc.
        return {**usual, "JAVA_HOME": str(self.java_home), "MAVEN_OPTS": MAVEN_OPTS, "MAVEN_SKIP_RC": "1"}

    def build(self, subject: Subject, *, again: bool = False) -> Artifact:
        """Return the artifact of a subject, out of the store or built now (`again`: built even if the store has it).
        Only one process at a time builds in a folder of Maven's; another waits, and says so.

        Raises BuildFailed with the last lines and the log's name, and UsageError if sources changed meanwhile.
        """
        variant = self.catalog.variant(subject.variant)
        artifact = self.artifact_id(subject)
        if (missing := self.unavailable(subject)) is not None:
            raise missing
        if self.built_elsewhere is not None:
            return self._given_artifact(artifact)
        if not again and (stored := self.store.find(artifact, self.inputs(variant, artifact))):
            return stored
        if not os.access(variant.folder, os.W_OK):
            raise UsageError(f"The folder {variant.folder} is read-only.", "Clone to a place you may write to.")
        command, folder = maven_command(self.maven, variant, Subject.parse(artifact))
        with self._locked(folder):
            inputs = self.inputs(variant, artifact)
            # Whoever had the folder before may have built the same.
            if not again and (stored := self.store.find(artifact, inputs)):
                return stored
            return self._build(variant, artifact, inputs, command, folder)

    @contextmanager
    def _locked(self, folder: Path) -> Iterator[None]:
        """Lock a folder that Maven builds in, since a build removes and writes target/ of each of its modules."""
        # The folder itself: root and a user have caches of their own, and build in one checkout.
        lock = os.open(folder, os.O_RDONLY)
        try:
            lock_or_wait(lock, lambda: self.say(f"waiting for another build in {folder}"))
            yield
        finally:
            os.close(lock)

    def _build(self, variant: Variant, artifact: str, inputs: str, command: tuple[str, ...], folder: Path) -> Artifact:
        native = self.native_environment(artifact)
        self.say(f"building {artifact}")
        self.logs.mkdir(parents=True, exist_ok=True)
        log = self.logs / f"build-{file_slug(artifact)}.log"
        result = run_logged(command, folder, self.environment | native, log)
        spec = variant.packaging(Subject.parse(artifact).packaging)
        output = variant.folder / str(spec.output)
        if result.exit_code != 0 or not output.exists():
            why = f"Maven ended with {result.exit_code}" if result.exit_code else f"it left no {spec.output}"
            raise not_built(artifact, why, log)
        if self.inputs(variant, artifact) != inputs:
            raise UsageError(
                f"The sources of {artifact} changed while it was built, so nobody can say what was built.",
                "Build again while nobody edits; a build may write to target/ alone.",
            )
        peak = result.peak_memory_bytes
        if native:
            peak = read_native_output(log).peak_rss_bytes or peak
        built = self.store.keep(output, artifact, inputs, command, result.wall_s, peak)
        self.say(f"built {artifact} in {result.wall_s:.0f} s, {built.build.size_bytes / 1e6:.0f} MB")
        return built

    def native_environment(self, artifact: str) -> dict[str, str]:
        """Return the extra variables that the build of a native image needs; none for another artifact.

        Says first how much memory the build takes. Raises Unavailable where the host has less.
        """
        native = self._native_image(Subject.parse(artifact).packaging)
        if native is None:
            return {}
        memory = self.native_memory()
        if memory.lacking is not None:
            raise Unavailable(f"{artifact} is unavailable: {memory.said}.", memory.lacking)
        self.say(f"{artifact}: {memory.said}")
        return native.environment(memory)

    def _native_image(self, packaging: str) -> NativeImage | None:
        return self.native_image(packaging.removeprefix(NATIVE)) if is_native(packaging) else None

    def _given_artifact(self, artifact: str) -> Artifact:
        assert self.built_elsewhere is not None
        digest = self.built_elsewhere.get(artifact)
        if digest is None:
            raise BuildFailed(
                f"{artifact} was not built: it is not among the artifacts that were handed over.",
                "The log of the job that should have built it says why.",
            )
        stored = self.store.find_unpacked(artifact, digest)
        if stored is None:
            raise UsageError(
                f"{artifact} was handed over, but the store lacks its bytes.",
                "Put it there by `./bench ci unpack`.",
            )
        return stored
