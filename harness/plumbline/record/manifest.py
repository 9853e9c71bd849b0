"""MANIFEST.sha256: every file of a record with its SHA-256, in the format of `sha256sum`, sorted by path.

`sha256sum --check MANIFEST.sha256` reads it without us.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from plumbline.model.errors import AnswerIsNo

NAME = "MANIFEST.sha256"

_LINE = re.compile(r"([0-9a-f]{64})  (record\.json|evidence/[0-9]{4,}\.json\.gz)")


def manifest_bytes(digests: Mapping[str, str]) -> bytes:
    """Return the manifest of path -> SHA-256 in hexadecimal."""
    return "".join(f"{digests[path]}  {path}\n" for path in sorted(digests)).encode("ascii")


def parse_manifest(content: bytes) -> dict[str, str]:
    """Return the mapping path -> SHA-256. Raises AnswerIsNo for a line of another form, or a path that no record has.

    Only the paths of a record match, so that none can lead out of the folder.
    """
    digests: dict[str, str] = {}
    for number, line in enumerate(content.decode("utf-8", errors="replace").split("\n")[:-1], start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise AnswerIsNo(f"{NAME}, line {number} is not a digest and a path of a record: '{line[:120]}'.")
        digests[match[2]] = match[1]
    if manifest_bytes(digests) != content:
        raise AnswerIsNo(f"{NAME} is not sorted, names a file twice, or lacks its last newline.")
    return digests


def digest_of(path: Path) -> str:
    """Return SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
