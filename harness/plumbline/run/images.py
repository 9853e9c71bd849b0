"""The images of subjects that run in a container, made before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from plumbline.build.images import BASE_VARIABLE, NATIVE_BASE_VARIABLE, UBUNTU, Images, base_of
from plumbline.build.store import Artifact
from plumbline.catalog.settings import in_container
from plumbline.model.record import Image
from plumbline.model.subject import Subject, is_native
from plumbline.tools.git import commit_of
from plumbline.tools.jdk import named_jdk

if TYPE_CHECKING:
    from .context import Context


def image_of(
    context: Context,
    subject: Subject,
    settings: Mapping[str, str],
    artifact: Artifact,
    commit: str | None = None,
) -> Image | None:
    """Return the image of a subject's artifact, by the Containerfile of this checkout; None for a subject that runs as
    a process.

    `commit` is the commit that the artifact was made of, None for the files of this checkout. Raises Unavailable
    without an engine or a base, BuildFailed, and UsageError if the setting `jdk` names no JDK of this host.
    """
    if not in_container(settings):
        return None
    images = Images(
        engine=context.container_engine,
        recipes=context.root / "apps" / "containers",
        scratch=context.paths.scratch,
        logs=context.paths.cache / "logs",
        say=context.say,
        revision=commit or _revision(context.root),
    )
    return images.build(subject, artifact, _base(context, subject, settings["jdk"]))


def _base(context: Context, subject: Subject, named_java: str) -> str:
    """Return the image that a subject's image stands on: one with its Java, or one for an executable."""
    if is_native(subject.packaging):
        return context.environ.get(NATIVE_BASE_VARIABLE) or UBUNTU
    if named_java == "auto":
        return context.environ.get(BASE_VARIABLE) or base_of(context.jdk)
    return base_of(named_jdk(named_java, context.environ))


def _revision(root: Path) -> str | None:
    """Return the commit of a checkout, marked where files differ from it; None without git."""
    commit, dirty = commit_of(root)
    return f"{commit}-dirty" if commit is not None and dirty else commit
