"""The build of a native image gets the names of files and features that its framework does not find by itself."""

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
# Spring's build writes its own metadata into the folder with the artifact's name, over the files that lie there.
SUFFIX = {"spring": "-own"}
METADATA = "META-INF/native-image"
NATIVE = [
    variant
    for variant in CATALOG.variants.values()
    if any(map(is_native, variant.spec.packaging)) and variant.spec.framework != "quarkus"
]


def modules_of(variant: Variant) -> list[Path]:
    """The folder of a variant and the folders that it is built with."""
    return [variant.folder, *((variant.folder / path).resolve() for path in variant.spec.build.inputs)]


def unnamed(module: Path, framework: str = "") -> set[str]:
    """The files of a module's class path, on any engine, that neither the module's metadata nor the framework names."""
    folder = f"{METADATA}/org.plumbline/{module.name}{SUFFIX.get(framework, '')}"
    metadata = module.glob(f"src/main/resources/{folder}/reachability-metadata.json")
    rows_of_files = [json.loads(path.read_text(encoding="utf-8")).get("resources", []) for path in metadata]
    globs = [*NAMED.get(framework, ()), *(row["glob"] for rows in rows_of_files for row in rows)]
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
    for folder, unnamed_files in ((tmp_path.name, {"engine.properties"}), (f"{tmp_path.name}-own", set())):
        metadata = resources / METADATA / "org.plumbline" / folder / "reachability-metadata.json"
        metadata.parent.mkdir(parents=True)
        metadata.write_text('{"resources": [{"glob": "engine.properties"}]}', encoding="utf-8")
        (resources / "engine.properties").touch()
        assert unnamed(tmp_path, "spring") == unnamed_files


@pytest.mark.parametrize("variant", NATIVE, ids=lambda variant: variant.id)
def test_every_file_is_named_in_the_metadata_of_its_module(variant: Variant) -> None:
    framework = variant.spec.framework
    assert {module.name: files for module in modules_of(variant) if (files := unnamed(module, framework))} == {}


@pytest.mark.parametrize(
    "variant", [variant for variant in NATIVE if variant.spec.framework == "micronaut"], ids=lambda variant: variant.id
)
def test_micronauts_images_support_the_shared_arenas_of_netty(variant: Variant) -> None:
    """Without shared arenas an image stops answering once it has freed a large buffer, as after a body of 10 MiB."""
    assert "<buildArg>-H:+SharedArenaSupport</buildArg>" in (variant.folder / "pom.xml").read_text(encoding="utf-8")
