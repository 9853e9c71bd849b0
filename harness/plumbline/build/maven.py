"""The Maven command of an artifact, composed here and never read from a file."""

from __future__ import annotations

from pathlib import Path

from plumbline.catalog.variant import Variant
from plumbline.model.subject import is_native

# Quarkus has a switch of its own; other frameworks bind their plugin in a profile of the variant's pom.
# https://quarkus.io/guides/building-native-image
_NATIVE = {"quarkus": ("-Dquarkus.native.enabled=true", "-Dquarkus.package.jar.enabled=false")}
_NATIVE_PROFILE = ("-Pnative",)
_COMMON = ("--batch-mode", "--no-transfer-progress", "-DskipTests", "-Dstyle.color=never")
NATIVE_GOALS = ("clean", "package")


def native_words(variant: Variant) -> tuple[str, ...]:
    """Return what makes Maven build the variant's native image instead of what runs on a JVM."""
    return _NATIVE.get(variant.spec.framework, _NATIVE_PROFILE)


def engine_words(variant: Variant, engine: str) -> tuple[str, ...]:
    """Return what makes Maven build for an engine; nothing for the first, which a pom builds by itself."""
    return () if engine == variant.spec.engines[0] else (f"-Dengine={engine}",)


def maven_command(maven: Path, variant: Variant, packaging: str, engine: str) -> tuple[tuple[str, ...], Path]:
    """Return the command line of a packaging that is built (not of one that is `like` another) and the folder it runs
    in.

    A module of the reactor is built with the siblings it needs (`-am`); tests of an application run in `bench test`,
    against the built artifact, not here. The first of a variant's engines is what its pom builds by itself.
    """
    common: tuple[str, ...] = (str(maven), *_COMMON, *engine_words(variant, engine))
    if is_native(packaging):
        common = (*common, *native_words(variant))
    if variant.spec.build.tool == "maven":
        return (*common, "clean", "package"), variant.folder
    return (*common, "-pl", variant.folder.name, "-am", "clean", "package"), variant.folder.parent
