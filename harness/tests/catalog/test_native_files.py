"""Native images are told of files and features that their frameworks do not find by themselves."""

from __future__ import annotations

import json
from fnmatch import fnmatch
from pathlib import Path

import pytest

from plumbline.model.subject import is_native
from plumbline.subjects.catalog.variant import Variant
from tests.checkout import CATALOG

# The files that a framework names by itself when it builds an image; Quarkus names all of them.
NAMED = {"spring": ("application*",)}
# Spring's build writes metadata of its own into the folder of the artifact's name, over what stands there.
SUFFIX = {"spring": "-own"}
METADATA = "META-INF/native-image"
NATIVE = [
    one
    for one in CATALOG.variants.values()
    if any(map(is_native, one.spec.packaging)) and one.spec.framework != "quarkus"
]


def modules_of(variant: Variant) -> list[Path]:
    """The folder of a variant and those that it is built with."""
    return [variant.folder, *((variant.folder / path).resolve() for path in variant.spec.build.inputs)]


def unnamed(module: Path, framework: str = "") -> set[str]:
    """The files of a module's class path, on any engine, that neither its own metadata names nor the framework."""
    folder = f"{METADATA}/org.plumbline/{module.name}{SUFFIX.get(framework, '')}"
    metadata = module.glob(f"src/main/resources/{folder}/reachability-metadata.json")
    told = [json.loads(path.read_text(encoding="utf-8")).get("resources", []) for path in metadata]
    globs = [*NAMED.get(framework, ()), *(row["glob"] for rows in told for row in rows)]
    files = {
        path.relative_to(root).as_posix()
        for root in module.glob("src/*/resources")
        if root.parent.name != "test"
        for path in root.rglob("*")
        if path.is_file()
    }
    return {file for file in files if not file.startswith(METADATA) and not any(fnmatch(file, glob) for glob in globs)}


def test_a_file_without_metadata_is_found(tmp_path: Path) -> None:
    for engine, name in (("main", "application.properties"), ("pg", "engine.properties")):
        (tmp_path / "src" / engine / "resources").mkdir(parents=True)
        (tmp_path / "src" / engine / "resources" / name).touch()
    assert unnamed(tmp_path) == {"application.properties", "engine.properties"}
    assert unnamed(tmp_path, "spring") == {"engine.properties"}


def test_what_spring_writes_over_names_no_file(tmp_path: Path) -> None:
    resources = tmp_path / "src/main/resources"
    for folder, left in ((tmp_path.name, {"engine.properties"}), (f"{tmp_path.name}-own", set())):
        metadata = resources / METADATA / "org.plumbline" / folder / "reachability-metadata.json"
        metadata.parent.mkdir(parents=True)
        metadata.write_text('{"resources": [{"glob": "engine.properties"}]}', encoding="utf-8")
        (resources / "engine.properties").touch()
        assert unnamed(tmp_path, "spring") == left


@pytest.mark.parametrize("variant", NATIVE, ids=lambda one: one.id)
def test_every_file_is_named_in_the_metadata_of_its_module(variant: Variant) -> None:
    framework = variant.spec.framework
    assert {one.name: left for one in modules_of(variant) if (left := unnamed(one, framework))} == {}


@pytest.mark.parametrize(
    "variant", [one for one in NATIVE if one.spec.framework == "micronaut"], ids=lambda one: one.id
)
def test_micronauts_images_support_the_shared_arenas_of_netty(variant: Variant) -> None:
    """Without them an image stops to answer once it has freed a large buffer, as after a body of 10 MiB."""
    assert "<buildArg>-H:+SharedArenaSupport</buildArg>" in (variant.folder / "pom.xml").read_text(encoding="utf-8")
