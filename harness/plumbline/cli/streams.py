"""The standard streams of a command: there is one under each number, and a command outlives who reads them."""

from __future__ import annotations

import io
import os
import sys
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def prepare_streams() -> None:
    """Open the null device for standard streams that were closed, so that no other file takes their numbers, and let
    the output streams outlive their readers.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8", closefd=False))
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:
            buffer = io.BufferedWriter(_Outliving(stream.fileno(), "w", closefd=False))
            # PYTHONUNBUFFERED asks that a reader sees at once what is written.
            by_line = stream.line_buffering or stream.write_through
            # A terminal may have another encoding than UTF-8: a letter that it lacks ends no command.
            errors = "backslashreplace" if stream.errors == "strict" else stream.errors
            text = io.TextIOWrapper(buffer, stream.encoding, errors, line_buffering=by_line)
            setattr(sys, name, text)


def discard(stream: IO[Any]) -> None:
    """Send all further output of a stream to the null device."""
    null_device = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null_device, stream.fileno())
    os.close(null_device)


class _Outliving(io.FileIO):
    """An output stream that goes to the null device once nobody reads it.

    A command that ended at a closed pipe would give the status of an answer that it does not have.
    """

    def write(self, content: ReadableBuffer) -> int:
        """Write the bytes, to the null device if the pipe has no reader any longer."""
        try:
            return super().write(content)
        except BrokenPipeError:
            discard(self)
            return super().write(content)
