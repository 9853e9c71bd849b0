"""What a native image needs told, since only a build that takes minutes would show that it was forgotten."""

from __future__ import annotations

import json
from fnmatch import fnmatch
from pathlib import Path

import pytest

from plumbline.catalog.variant import Variant
from plumbline.model.subject import is_native
from tests.checkout import CATALOG

# These name the files by themselves when they build an image.
NAMES_ITS_FILES = {"quarkus", "spring"}
RESOURCES = Path("src/main/resources")
METADATA = "META-INF/native-image"
NATIVE = [
    one
    for one in CATALOG.variants.values()
    if any(map(is_native, one.spec.packaging)) and one.spec.framework not in NAMES_ITS_FILES
]


def modules_of(variant: Variant) -> list[Path]:
    """The folder of a variant and those that it is built with, which have files for the class path."""
    folders = [variant.folder, *((variant.folder / path).resolve() for path in variant.spec.build.inputs)]
    return [folder for folder in folders if (folder / RESOURCES).is_dir()]


def unnamed(module: Path) -> set[str]:
    """The files of a module's class path that its own metadata does not name."""
    root = module / RESOURCES
    globs = [
        row["glob"]
        for path in root.glob(f"{METADATA}/org.plumbline/{module.name}/reachability-metadata.json")
        for row in json.loads(path.read_text(encoding="utf-8"))["resources"]
    ]
    files = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    return {
        file
        for file in files
        if not file.startswith(METADATA) and not any(fnmatch(file, glob) for glob in globs)
    }


def test_a_file_without_metadata_is_found(tmp_path: Path) -> None:
    (tmp_path / RESOURCES).mkdir(parents=True)
    (tmp_path / RESOURCES / "application.properties").touch()
    assert unnamed(tmp_path) == {"application.properties"}


@pytest.mark.parametrize("variant", NATIVE, ids=lambda one: one.id)
def test_every_file_is_named_in_the_metadata_of_its_module(variant: Variant) -> None:
    modules = modules_of(variant)
    assert modules
    assert {module.name: unnamed(module) for module in modules if unnamed(module)} == {}


@pytest.mark.parametrize(
    "variant", [one for one in NATIVE if one.spec.framework == "micronaut"], ids=lambda one: one.id
)
def test_micronauts_images_support_the_shared_arenas_of_netty(variant: Variant) -> None:
    """Without them an image stops to answer once it has freed a large buffer, as after a body of 10 MiB."""
    assert "<buildArg>-H:+SharedArenaSupport</buildArg>" in (variant.folder / "pom.xml").read_text(
        encoding="utf-8"
    )
