"""Canonical JSON: the same document is the same bytes.

Keys sorted, UTF-8, no white space, one newline at the end. A number without a fraction is written without
one, all others in the shortest form that reads back the same. Derived figures are rounded before they get
here (`figures.rounding`), so that another order of additions on another machine does not show.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from pydantic import BaseModel

# Beyond this not every whole number has a float of its own.
_EXACT_BELOW = 2.0**53
_WHOLE_FLOAT = re.compile(rb"\.0[,}\]\n]")


def canonical_bytes(document: BaseModel | Mapping[str, object]) -> bytes:
    """Return the bytes of a document. Raises ValueError for NaN and infinity, which JSON does not have."""
    plain = document.model_dump(mode="json") if isinstance(document, BaseModel) else document
    return _dumped(_plain(plain))


def is_canonical(content: bytes, document: object) -> bool:
    """Return whether bytes are the canonical ones of their document. Raises as `canonical_bytes`."""
    # Most documents have no float that is a whole number, and then need no copy without them.
    if not _WHOLE_FLOAT.search(content) and content == _dumped(document):
        return True
    return content == _dumped(_plain(document))


def _dumped(document: object) -> bytes:
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8") + b"\n"


def _plain(value: object) -> object:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT_BELOW else value
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
