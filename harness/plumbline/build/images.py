"""The image of an artifact: made by the Containerfile of its family, named by the digest of all that decides it."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from plumbline.model.record import Image
from plumbline.model.subject import Subject, is_native
from plumbline.tools.container import ARTIFACT_LABEL, ContainerEngine
from plumbline.tools.jdk import Jdk
from .builder import BuildFailed, no_container, not_built
from .packs import pack, slug
from .store import Artifact

REPOSITORY = "localhost/plumbline"
_TEMURIN = "Eclipse Adoptium"
_LAST_LINES = 20
_BUILD = re.compile(r"(\d+(?:\.\d+)*)\+(\d+)")


def jre_tag(jdk: Jdk) -> str | None:
    """The tag of Temurin's image that has this very build, such as 25.0.3_9-jre-noble; None of another vendor's.

    https://hub.docker.com/_/eclipse-temurin
    """
    build = _BUILD.match(jdk.build)
    return None if build is None or jdk.vendor != _TEMURIN else f"{build[1]}_{build[2]}-jre-noble"


@dataclass(frozen=True)
class Images:
    """`recipes` is the folder of the Containerfiles; what a build needs lies below `scratch` while it lasts.

    `engine` is that of this host, or why it has none.
    """

    engine: ContainerEngine | str
    recipes: Path
    scratch: Path
    logs: Path
    say: Callable[[str], None]

    def build(self, subject: Subject, artifact: Artifact, jre: str | None) -> Image:
        """The image of a subject's artifact, there already or built now; `jre` as `jre_tag` gives it.

        Raises Unavailable without an engine, and BuildFailed with its last lines and the log's name.
        """
        engine = self.engine
        if isinstance(engine, str):
            raise no_container(subject, engine)
        recipe = self.recipes / f"{'native' if is_native(subject.packaging) else 'jvm'}.Containerfile"
        base = () if jre is None or is_native(subject.packaging) else (f"JRE={jre}",)
        name = f"{REPOSITORY}:{_digest(artifact.build.sha256, recipe, *base)}"
        found, wall_s = engine.image(name), 0.0
        reused = found is not None
        if found is None:
            self.say(f"building the image of {artifact.build.artifact} by {engine.version}")
            wall_s = self._build(engine, artifact, recipe, base, name)
            found = engine.image(name)
        if found is None:
            raise BuildFailed(f"{engine.program.name} built no image of {artifact.build.artifact}.")
        return Image(
            artifact=artifact.build.artifact,
            engine=engine.version,
            sha256=found.sha256,
            size_bytes=found.size_bytes,
            wall_s=round(wall_s, 3),
            reused=reused,
        )

    def _build(
        self, engine: ContainerEngine, artifact: Artifact, recipe: Path, base: tuple[str, ...], name: str
    ) -> float:
        """Seconds that it took."""
        its = artifact.build.artifact
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.logs.mkdir(parents=True, exist_ok=True)
        log = self.logs / f"image-{slug(its)}.log"
        context = Path(tempfile.mkdtemp(prefix="image-", dir=self.scratch))
        began_s = time.monotonic()
        try:
            pack(artifact, context).rename(context / "app.tar")
            ran = engine.build(
                [
                    *("--file", str(recipe), "--tag", name, "--label", f"{ARTIFACT_LABEL}={its}"),
                    *(word for one in base for word in ("--build-arg", one)),
                    str(context),
                ],
                lambda seconds: self.say(f"building the image of {its}: {seconds:.0f} s so far"),
            )
        finally:
            shutil.rmtree(context, ignore_errors=True)
        log.write_text(ran.output, encoding="utf-8")
        if ran.exit_code != 0:
            why = f"{engine.program.name} ended with {ran.exit_code}"
            raise not_built(f"The image of {its}", why, log, _LAST_LINES)
        return time.monotonic() - began_s


def _digest(artifact_sha256: str, recipe: Path, *base: str) -> str:
    """Of the artifact, the Containerfile and what it stands on: another of them is another image."""
    parts = (artifact_sha256, hashlib.sha256(recipe.read_bytes()).hexdigest(), *base)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
