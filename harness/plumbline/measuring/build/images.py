"""Builds the image of an artifact by a Containerfile for its kind; the digest of all inputs is in the image's name."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.tools.container import (
    ARTIFACT_LABEL,
    DIGEST_LABEL,
    JDK_LABEL,
    REVISION_LABEL,
    ContainerEngine,
    ContainerImage,
)
from plumbline.machine.tools.jdk import Jdk
from plumbline.model.record import Image
from plumbline.model.subject import Subject, file_slug, is_native
from .builder import BuildFailed, no_container, not_built
from .packs import pack
from .store import Artifact

REPOSITORY = "localhost/plumbline"
# This variable names another base image than Temurin's: a mirror's, or one made on a host that can fetch nothing.
BASE_VARIABLE = "PLUMBLINE_BASE_IMAGE"
# This variable does the same for native executables, in the place of Ubuntu's image.
NATIVE_BASE_VARIABLE = "PLUMBLINE_NATIVE_BASE_IMAGE"
_TEMURIN, _TEMURINS_IMAGE = "Eclipse Adoptium", "docker.io/library/eclipse-temurin"
# The default of BASE in apps/containers/jvm.Containerfile.
NEWEST = f"{_TEMURINS_IMAGE}:25-jre-noble"
# The default of BASE in apps/containers/native.Containerfile.
UBUNTU = "docker.io/library/ubuntu:24.04"
_LAST_LINES = 20
_BUILD = re.compile(r"(\d+(?:\.\d+)*)\+(\d+)")


def base_of(jdk: Jdk) -> str:
    """Return Temurin's image of this very JDK build, such as …:25.0.3_9-jre-noble; for another vendor's JDK, Temurin's
    newest image.

    https://hub.docker.com/_/eclipse-temurin
    """
    build = _BUILD.match(jdk.build)
    if build is None or jdk.vendor != _TEMURIN:
        return NEWEST
    return f"{_TEMURINS_IMAGE}:{build[1]}_{build[2]}-jre-noble"


@dataclass(frozen=True)
class Images:
    """Builds the images of artifacts. `recipes` is the folder of the Containerfiles; the files of a build lie below
    `scratch` while it runs.

    `engine` is this host's engine, or the reason why there is none. `revision` is the commit that artifacts are made
    of, where it is known; a label of the image states it.
    """

    engine: ContainerEngine | str
    recipes: Path
    scratch: Path
    logs: Path
    say: Callable[[str], None]
    revision: str | None = None

    def build(self, subject: Subject, artifact: Artifact, base: str) -> Image:
        """Return the image of a subject's artifact, found or built now, on top of the image `base`.

        Raises Unavailable without an engine or the base, and BuildFailed with its last lines and the log's name.
        """
        engine = self.engine
        if isinstance(engine, str):
            raise no_container(subject, engine)
        native = is_native(subject.packaging)
        recipe = self.recipes / f"{'native' if native else 'jvm'}.Containerfile"
        base_image = self._base_image(engine, subject, base)
        name = f"{REPOSITORY}:{_digest(artifact.build.sha256, recipe, base, base_image.sha256)}"
        image, wall_s = engine.image(name), 0.0
        reused = image is not None
        if image is None:
            self.say(f"building the image of {artifact.build.artifact} by {engine.version}")
            wall_s = self._build_image(engine, artifact, recipe, base, name)
            image = engine.image(name)
        if image is None:
            raise BuildFailed(f"{engine.program.name} built no image of {artifact.build.artifact}.")
        if not native and image.jdk is None:
            raise BuildFailed(
                f"The image {base} does not state its Java in JAVA_VERSION, so {JDK_LABEL} says nothing.",
                f"Name a base by {BASE_VARIABLE} that does, as Temurin's do.",
            )
        return Image(
            artifact=artifact.build.artifact,
            engine=engine.version,
            sha256=image.sha256,
            size_bytes=image.size_bytes,
            wall_s=round(wall_s, 3),
            reused=reused,
            base=base,
            jdk=image.jdk,
        )

    def _base_image(self, engine: ContainerEngine, subject: Subject, base: str) -> ContainerImage:
        """Return the base image: it is on this host, or is fetched now."""
        if (image := engine.image(base)) is not None:
            return image
        self.say(f"fetching the image {base}")
        why = engine.pull(base, lambda seconds: self.say(f"fetching the image {base}: {seconds:.0f} s so far"))
        image = engine.image(base)
        if image is None:
            raise no_container(
                subject,
                f"the image {base} is neither on this host nor to be fetched ({why or 'it came and is not there'}). "
                f"{NATIVE_BASE_VARIABLE if is_native(subject.packaging) else BASE_VARIABLE} names another one.",
            )
        return image

    def _build_image(self, engine: ContainerEngine, artifact: Artifact, recipe: Path, base: str, name: str) -> float:
        """Build the image, and return the seconds that this took."""
        artifact_id = artifact.build.artifact
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.logs.mkdir(parents=True, exist_ok=True)
        log = self.logs / f"image-{file_slug(artifact_id)}.log"
        labels = {
            ARTIFACT_LABEL: artifact_id,
            DIGEST_LABEL: artifact.build.sha256,
            REVISION_LABEL: self.revision,
        }
        context = Path(tempfile.mkdtemp(prefix="image-", dir=self.scratch))
        began_s = time.monotonic()
        try:
            pack(artifact, context).rename(context / "app.tar")
            result = engine.build(
                [
                    *("--file", str(recipe), "--tag", name, "--build-arg", f"BASE={base}"),
                    *(
                        word
                        for label, value in labels.items()
                        if value is not None
                        for word in ("--label", f"{label}={value}")
                    ),
                    str(context),
                ],
                lambda seconds: self.say(f"building the image of {artifact_id}: {seconds:.0f} s so far"),
            )
        finally:
            shutil.rmtree(context, ignore_errors=True)
        log.write_text(result.output, encoding="utf-8")
        if result.exit_code != 0:
            why = f"{engine.program.name} ended with {result.exit_code}"
            raise not_built(f"The image of {artifact_id}", why, log, _LAST_LINES)
        return time.monotonic() - began_s


def _digest(artifact_sha256: str, recipe: Path, base: str, base_sha256: str) -> str:
    """Return the digest of artifact, Containerfile and base image: a change in one of them makes another image."""
    parts = (artifact_sha256, hashlib.sha256(recipe.read_bytes()).hexdigest(), base, base_sha256)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
