"""Packs an artifact into one file that travels between jobs, and unpacks it into a store; no job trusts the file.

    <slug>.tar: build.json, app/…       plain files and folders, the same bytes every time

A received file is checked before and after it is unpacked: it has only plain files below `app/`, bounded in number and
size, and in the end the digest over all of them must be the one that the building job stated.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.record import Build
from plumbline.model.subject import ID_PART, file_slug
from .store import Artifact, Store, tree_sha256

SUFFIX = ".tar"
# Suffixes of a file in the place of a pack, which says why there is no pack.
UNAVAILABLE = ".unavailable.txt"
FAILED = ".failed.txt"
MOST_FILES = 20_000
MOST_BYTES = 2 * 2**30
# All packs of a run lie together on the disk of the host that measures.
MOST_BYTES_TOGETHER = 4 * MOST_BYTES
_BUILD_BYTES = 64 * 1024

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Packed(Build):
    """A build as a pack states it; each field that becomes part of a path must match the pattern of such a part."""

    artifact: Annotated[
        str,
        Field(pattern=rf"^{ID_PART}/{ID_PART}/[a-z0-9]+(\+release=[0-9][0-9a-z.-]*)?$"),
    ]
    sha256: Digest
    inputs_sha256: Digest


def pack(artifact: Artifact, out: Path) -> Path:
    """Write an artifact of a store as a pack below `out`."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{file_slug(artifact.build.artifact)}{SUFFIX}"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        content = artifact.build.model_dump_json(indent=1).encode()
        tar.addfile(_entry("build.json", len(content), 0o644), io.BytesIO(content))
        for file in sorted(artifact.folder.rglob("*")):
            if file.is_file():
                name = f"app/{file.relative_to(artifact.folder).as_posix()}"
                mode = 0o755 if file.stat().st_mode & 0o100 else 0o644
                with file.open("rb") as opened:
                    tar.addfile(_entry(name, file.stat().st_size, mode), opened)
    return path


def read_build(path: Path) -> Build:
    """Read the build that a pack states. Raises AnswerIsNo."""
    try:
        with tarfile.open(path, "r:") as tar:
            first_member = tar.next()
            opened = (
                None if first_member is None or first_member.name != "build.json" else tar.extractfile(first_member)
            )
            content = b"" if opened is None else opened.read(_BUILD_BYTES + 1)
        build = _Packed.model_validate(json.loads(content))
    except (tarfile.TarError, OSError, ValueError):
        raise AnswerIsNo(f"{path.name} is no pack of an artifact.") from None
    if file_slug(build.artifact) + SUFFIX != path.name:
        raise AnswerIsNo(f"{path.name} says that it is {build.artifact[:80]}.")
    return build


def digest_of(path: Path) -> str:
    """Return the digest over a pack's content, computed anew. Raises AnswerIsNo when the pack states another digest."""
    build = read_build(path)
    with tempfile.TemporaryDirectory(prefix="plumbline-pack-") as folder:
        _require_digest(path, _extract(path, Path(folder)), build.sha256)
    return build.sha256


def unpack(path: Path, digest: str, store: Store) -> str:
    """Put a pack into the store if its bytes have this digest; return the artifact's id. Raises AnswerIsNo."""
    build = read_build(path)
    store.root.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".unpack-", dir=store.root))
    try:
        _require_digest(path, _extract(path, folder), digest)
        _require_digest(path, build.sha256, digest)
        store.put(folder, build)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return build.artifact


def _require_digest(path: Path, digest: str, wanted_digest: str) -> None:
    if digest != wanted_digest:
        raise AnswerIsNo(f"{path.name} has the digest {digest[:12]}…, and {wanted_digest[:12]}… was built.")


def _extract(path: Path, into: Path) -> str:
    """Unpack below `into`/app, and return the digest over the files there."""
    (into / "app").mkdir()
    files = total = 0
    try:
        with tarfile.open(path, "r:") as tar:
            for member in tar:
                files, total = files + 1, total + max(0, member.size)
                if files > MOST_FILES or total > MOST_BYTES:
                    raise AnswerIsNo(f"{path.name} holds too much.")
                parts = PurePosixPath(member.name).parts
                inside = parts[:1] == ("app",) and len(parts) > 1 and ".." not in parts
                if not member.isreg() or not member.name.isprintable() or not (inside or member.name == "build.json"):
                    raise AnswerIsNo(f"{path.name} holds '{member.name[:80]}', which no pack does.")
                if not inside:
                    continue
                target = into.joinpath(*parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                opened = tar.extractfile(member)
                assert opened is not None
                # Never overwrite a file or follow a link: the folder has neither, since all its files are made here.
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
                mode = 0o755 if member.mode & 0o100 else 0o644
                with os.fdopen(os.open(target, flags, mode), "wb") as file:
                    shutil.copyfileobj(opened, file)
    except (tarfile.TarError, OSError, EOFError) as error:
        raise AnswerIsNo(f"{path.name} is no intact pack ({error}).") from None
    return tree_sha256(into / "app")


def _entry(name: str, size: int, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = size, mode, 0
    return entry


_FILE = TypeAdapter(dict[str, Digest])


def read_digests(path: Path) -> dict[str, str]:
    """Return the mapping artifact -> digest of its bytes, out of a file of `./bench ci unpack`. Raises UsageError."""
    try:
        return _FILE.validate_python(json.loads(path.read_bytes()))
    except (OSError, ValueError) as error:
        reason = "it is of another form" if isinstance(error, ValidationError) else str(error)
        raise UsageError(f"{path} names no artifacts: {reason}.", "Make it by `./bench ci unpack`.") from None


def digests_bytes(artifacts: Mapping[str, str]) -> bytes:
    """Return the content of the file that `read_digests` reads."""
    return json.dumps(dict(sorted(artifacts.items())), indent=1).encode()
