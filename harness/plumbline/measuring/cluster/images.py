"""The images of a trial's containers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from plumbline.machine.tools.download import Pins
from plumbline.measuring.build.images import REPOSITORY
from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject, image_name

_PREFIX = re.compile(r"[a-z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9._-]+)*")


@dataclass(frozen=True)
class ClusterImages:
    """An image for each role. `sources` has a JDK, which runs the six sources and the program that measures the network
    from their source files; `observer` has this harness.
    """

    application: str
    database: str
    load: str
    observer: str
    sources: str = "docker.io/library/eclipse-temurin:25-jdk-noble"


def images_of(subject: Subject, pins: Pins, prefix: str = REPOSITORY) -> ClusterImages:
    """Return the latest of the project's own images below `prefix`, which a release pushes, and the official images of
    the pinned versions.

    `localhost` can be pulled from nowhere: that image is loaded into the node, or another prefix names a registry.
    Raises UsageError for a prefix that names no registry.
    """
    if _PREFIX.fullmatch(prefix) is None:
        raise UsageError(
            f"{prefix!r} is no registry that images lie in.", "Give one such as registry.example/plumbline."
        )
    return ClusterImages(
        application=f"{prefix}/{image_name(subject.artifact_id)}:latest",
        database=f"docker.io/library/postgres:{pins.version('postgresql')}",
        load=f"docker.io/grafana/k6:{pins.version('k6')}",
        observer=f"{prefix}/observer:latest",
    )
