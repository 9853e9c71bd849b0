"""Lists artifacts that were built elsewhere, each with the digests that it is known by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Given(Frozen):
    """The digest of what an artifact was built from, which names its place in the store, and of its bytes."""

    inputs_sha256: Digest
    sha256: Digest


_FILE = TypeAdapter(dict[str, Given])


def read_given(path: Path) -> dict[str, Given]:
    """Return the mapping artifact -> digests, out of a file that `./bench ci unpack` wrote. Raises UsageError."""
    try:
        return _FILE.validate_python(json.loads(path.read_bytes()))
    except (OSError, ValueError) as error:
        reason = "it is of another form" if isinstance(error, ValidationError) else str(error)
        raise UsageError(f"{path} names no artifacts: {reason}.", "Make it by `./bench ci unpack`.") from None


def given_bytes(artifacts: Mapping[str, Given]) -> bytes:
    """Return the content of the file, as it is written."""
    return json.dumps({name: one.model_dump() for name, one in sorted(artifacts.items())}, indent=1).encode()
