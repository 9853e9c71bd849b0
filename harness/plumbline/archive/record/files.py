"""Writes files whole or not at all, so that they survive a power cut, and reads plain files that others may have made.

Canonical JSON is here too, in which equal documents have equal bytes: keys sorted, UTF-8, no white space, one
newline at the end. A number without a fraction is written without one, all others in the shortest form that reads back
the same. Derived figures are rounded before they get here (`figures.series`), so that another order of additions on
another machine makes no difference.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic_core import from_json

from plumbline.model.errors import AnswerIsNo, CannotGoOn


def write_whole(path: Path, content: bytes) -> None:
    """Write under a temporary name, flush to the disk, rename. Raises CannotGoOn on a full or unwritable disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
        flush_folder(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise CannotGoOn(f"{path} could not be written: {error.strerror}.", "Make room there, and resume.") from error


def flush_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_plain(path: Path) -> bool:
    """Return whether a path names a file with bytes of its own: no link, no pipe, no folder."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def read_plain(path: Path, most: int) -> bytes:
    """Return the bytes of a plain file. Raises AnswerIsNo for any other, for more than `most` bytes, and for none.

    Never waits: a pipe is opened without anybody at its other end, and then refused.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            # Checked before Python opens the descriptor: Python refuses a folder, and then leaves the descriptor open.
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise AnswerIsNo(f"{path.name} is no plain file.")
            with open(descriptor, "rb", closefd=False) as file:
                content = file.read(most + 1)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise AnswerIsNo(f"{path.name} is missing.") from None
    except OSError as error:
        why = (
            "is no plain file" if os.path.lexists(path) and not is_plain(path) else f"cannot be read: {error.strerror}"
        )
        raise AnswerIsNo(f"{path.name} {why}.") from None
    if len(content) > most:
        raise AnswerIsNo(f"{path.name} has more bytes than the {most:,} that are the most that is kept.")
    return content


# No count has so many digits, and code that divides a number beyond all floats ends in an error.
_MOST_DIGITS = 99
_TOO_MANY = b"0" * (_MOST_DIGITS + 1)
_TO_ZEROS = bytes.maketrans(b"123456789", b"000000000")


def parsed(content: bytes) -> Any:
    """Return the JSON document of bytes. Raises ValueError for bytes that are none, or a number beyond all bounds."""
    # A text may have as many digits, for example a quoted log. The check of each number takes long, so it is rare.
    if _TOO_MANY in content.translate(_TO_ZEROS):
        return json.loads(content, parse_int=_bounded_int)
    try:
        # This takes less than half of the time.
        return from_json(content, cache_strings="keys")
    except ValueError:
        return json.loads(content)


def keepable(content: bytes) -> Any:
    """Return the JSON document that an application stated. Raises ValueError also if no record could hold it: it is
    nested too deep, or a number or a letter in it is beyond all bounds.
    """
    document = from_json(content)
    parsed(canonical_bytes({"stated": document}))
    return document


def _bounded_int(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("it holds a number that is beyond all bounds")
    return int(digits)


# Beyond this not every whole number has a float of its own.
_EXACT_BELOW = 2.0**53
_WHOLE_FLOAT = re.compile(rb"\.0[,}\]\n]")


def canonical_bytes(document: BaseModel | Mapping[str, object]) -> bytes:
    """Return the bytes of a document. Raises ValueError for NaN and infinity, which JSON does not have."""
    plain = document.model_dump(mode="json") if isinstance(document, BaseModel) else document
    return _json_bytes(_canonical_value(plain))


def is_canonical(content: bytes, document: object) -> bool:
    """Return whether bytes are the canonical bytes of their document. Raises as `canonical_bytes`."""
    # Most documents have no float that is a whole number, and then need no copy without such floats.
    if not _WHOLE_FLOAT.search(content) and content == _json_bytes(document):
        return True
    return content == _json_bytes(_canonical_value(document))


def _json_bytes(document: object) -> bytes:
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8") + b"\n"


def _canonical_value(value: object) -> object:
    # Most values are texts and whole numbers: they come first, since the check for a mapping takes longest.
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT_BELOW else value
    if isinstance(value, Mapping):
        return {key: _canonical_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        # Long lists hold numbers and texts: a check here takes a fraction of the time of a call for each item.
        return [
            item
            if type(item) in _WRITTEN_AS_THEY_ARE or (type(item) is float and not item.is_integer())
            else _canonical_value(item)
            for item in value
        ]
    return value


_WRITTEN_AS_THEY_ARE = frozenset((str, int, bool, type(None)))
