"""The images of subjects that run in a container, made before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from plumbline.build.images import Images, jre_tag
from plumbline.build.store import Artifact
from plumbline.catalog.settings import in_container
from plumbline.model.record import Image
from plumbline.model.subject import Subject
from plumbline.tools.jdk import named_jdk

if TYPE_CHECKING:
    from .workshop import Workshop


def image_of(
    workshop: Workshop, subject: Subject, settings: Mapping[str, str], artifact: Artifact
) -> Image | None:
    """The image of a subject's artifact by the Containerfile of this checkout; None of one that runs as a process.

    Raises Unavailable without an engine, BuildFailed, and UsageError where the setting `jdk` names none of this host.
    """
    if not in_container(settings):
        return None
    named = settings["jdk"]
    jdk = workshop.jdk if named == "auto" else named_jdk(named, workshop.environ)
    images = Images(
        engine=workshop.container_engine,
        recipes=workshop.root / "apps" / "containers",
        scratch=workshop.paths.scratch,
        logs=workshop.paths.cache / "logs",
        say=workshop.say,
    )
    return images.build(subject, artifact, jre_tag(jdk))
