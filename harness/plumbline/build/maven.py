"""The Maven command of an artifact, composed here and never read from a file."""

from __future__ import annotations

from pathlib import Path

from plumbline.catalog.variant import Variant


def maven_command(maven: Path, variant: Variant) -> tuple[tuple[str, ...], Path]:
    """The command line and the folder it runs in.

    A module of the reactor is built with the siblings it needs (`-am`); tests of an application run in `bench test`,
    against the built artifact, not here.
    """
    common = (str(maven), "--batch-mode", "--no-transfer-progress", "-DskipTests", "-Dstyle.color=never")
    if variant.spec.build.tool == "maven":
        return (*common, "clean", "package"), variant.folder
    return (*common, "-pl", variant.folder.name, "-am", "clean", "package"), variant.folder.parent
