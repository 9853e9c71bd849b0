"""The store of artifacts: a folder for each, named by a digest, and so a fixed path for AOT caches.

An artifact that is built here lies under the digest of its inputs. An artifact that came in a pack lies under the
digest of its bytes: two builds of equal inputs may differ, and a comparison needs the builds of both sides.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.tools.download import file_sha256
from plumbline.model.errors import UsageError
from plumbline.model.record import Build
from plumbline.model.subject import file_slug

# Names that a build or an editor leaves beside a pom.xml; elsewhere a folder of such a name is a package of sources.
_OUTPUTS = frozenset({"target", "build", "out", "dependency-reduced-pom.xml"})
_OF_TOOLS = frozenset({".git", ".idea", ".vscode", ".settings", "__pycache__", "node_modules"})
# An editor's lock (a link to nothing), swap file, file of unsaved text and backup lie beside the file that is edited.
_OF_EDITORS = re.compile(r"\.#.*|\..*\.sw.|#.*#|.*~")

# One more variant in the module list of a Maven parent changes no artifact of the other variants.
_MODULE = re.compile(rb"\s*<module>[^<]*</module>")


def tree_sha256(path: Path) -> str:
    """Return SHA-256 over the sorted relative names and contents of a folder, or of a single file."""
    return _digest((name, file_sha256(file)) for name, file in _files(path, _nothing))


def inputs_sha256(paths: Iterable[Path], facts: Iterable[str]) -> str:
    """Return SHA-256 over source files and folders (without build outputs), and facts such as JDK and command."""
    rows = [(f"{path.name}/{name}", _source_sha256(file)) for path in paths for name, file in _files(path, not_sources)]
    return _digest([*rows, *(("fact", fact) for fact in facts)])


def not_sources(names: Iterable[str]) -> frozenset[str]:
    """Return those names in a folder of sources that are no sources: what a build writes and what tools leave."""
    names = frozenset(names)
    of_tools = names & (_OF_TOOLS | _OUTPUTS if "pom.xml" in names else _OF_TOOLS)
    return of_tools | {name for name in names if _OF_EDITORS.fullmatch(name)}


def _nothing(names: Iterable[str]) -> frozenset[str]:
    return frozenset()


def _source_sha256(file: Path) -> str:
    """Return SHA-256 of a source file; of a Maven parent without the list of its modules."""
    if file.name != "pom.xml":
        return file_sha256(file)
    return hashlib.sha256(_MODULE.sub(b"", file.read_bytes())).hexdigest()


def tree_size_bytes(path: Path) -> int:
    """Return the sum of the sizes of all files."""
    return sum(file.stat().st_size for _, file in _files(path, _nothing))


def _digest(rows: Iterable[tuple[str, str]]) -> str:
    digest = hashlib.sha256()
    for name, value in rows:
        digest.update(f"{value}  {name}\n".encode())
    return digest.hexdigest()


def _files(path: Path, skip: Callable[[Iterable[str]], frozenset[str]]) -> Iterator[tuple[str, Path]]:
    if path.is_file():
        yield path.name, path
        return
    for folder, names, files in os.walk(path):
        skipped = skip([*names, *files])
        names[:] = sorted(set(names) - skipped)
        for name in sorted(set(files) - skipped):
            file = Path(folder) / name
            yield file.relative_to(path).as_posix(), file


@dataclass(frozen=True)
class Artifact:
    """A built artifact: the folder it runs in, and how it was made."""

    folder: Path
    build: Build


class Store:
    """A folder of artifacts: `root`/<artifact>/<digest>/{app,build.json}. A folder appears whole, by one rename."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def _place(self, artifact: str, digest: str) -> Path:
        """Return the folder of an artifact, exactly two names below the root. Raises UsageError for any other path."""
        # A program that finds its own files by an address (Quarkus) would read a plus as a space.
        place = Path(file_slug(artifact).replace("+", "~")) / digest[:16]
        if len(place.parts) != 2 or {".", ".."} & set(place.parts) or place.is_absolute():
            raise UsageError(f"'{place}' is no place of an artifact.", "Names have no slashes and no dots alone.")
        return self.root / place

    def find(self, artifact: str, inputs: str) -> Artifact | None:
        """Return the artifact built from exactly these inputs, whose bytes are still those that were built."""
        stored = self._read(self._place(artifact, inputs))
        return stored if stored is not None and stored.build.inputs_sha256 == inputs else None

    def find_unpacked(self, artifact: str, sha256: str) -> Artifact | None:
        """Return the artifact that came in a pack with exactly these bytes."""
        stored = self._read(self._place(artifact, sha256))
        return stored if stored is not None and stored.build.sha256 == sha256 else None

    def _read(self, place: Path) -> Artifact | None:
        """Return the artifact in a folder, if its bytes are those that were built."""
        try:
            build = Build.model_validate(json.loads((place / "build.json").read_text()))
        except (OSError, ValueError):
            return None
        if tree_sha256(place / "app") != build.sha256:
            return None
        return Artifact(place / "app", build.model_copy(update={"reused": True}))

    def keep(
        self, output: Path, artifact: str, inputs: str, command: tuple[str, ...], wall_s: float, peak: int
    ) -> Artifact:
        """Copy a build's output into the store, and describe the build in build.json."""
        place = self._place(artifact, inputs)
        place.parent.mkdir(parents=True, exist_ok=True)
        new_folder = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
        try:
            app = new_folder / "app"
            if output.is_dir():
                shutil.copytree(output, app)
            else:
                app.mkdir()
                shutil.copy2(output, app / output.name)
            build = Build(
                artifact=artifact,
                command_line=command,
                wall_s=round(wall_s, 3),
                peak_memory_bytes=peak,
                size_bytes=tree_size_bytes(app),
                sha256=tree_sha256(app),
                inputs_sha256=inputs,
                reused=False,
            )
            (new_folder / "build.json").write_text(build.model_dump_json(indent=1) + "\n")
            new_folder.chmod(0o755)
            shutil.rmtree(place, ignore_errors=True)
            os.rename(new_folder, place)
        except BaseException:
            shutil.rmtree(new_folder, ignore_errors=True)
            raise
        return Artifact(place / "app", build)

    def put(self, folder: Path, build: Build) -> Artifact:
        """Move `folder`, whose `app` was built elsewhere, into the store; `find_unpacked` finds it."""
        place = self._place(build.artifact, build.sha256)
        place.parent.mkdir(parents=True, exist_ok=True)
        (folder / "build.json").write_text(build.model_dump_json(indent=1) + "\n")
        folder.chmod(0o755)
        shutil.rmtree(place, ignore_errors=True)
        os.rename(folder, place)
        return Artifact(place / "app", build)
