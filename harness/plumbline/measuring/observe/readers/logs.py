"""Reads a log: its size and errors in numbers, and the start time that a framework reports in it."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from plumbline.machine.host.foreign import heads_of_lines, open_regular
from plumbline.model.evidence import LogSummary

FIRST_ERROR_CHARACTERS = 300
# A framework reports its start within so many lines, and characters of a line: the pattern may be anybody's, and a
# search for it takes longer the more it is given.
_LINES_OF_START, _LINE_OF_START = 1000, 400

# The first word of a line that names a level decides: Logback, JBoss LogManager and Log4j write ERROR,
# java.util.logging SEVERE, PostgreSQL `ERROR:`, `FATAL:` and `PANIC:`, k6 `level=error`.
_LEVEL = re.compile(
    rb"\b(?:TRACE|DEBUG|FINEST|FINER|FINE|CONFIG|INFO|NOTICE|LOG|WARN|WARNING|(ERROR|FATAL|SEVERE|PANIC))\b"
    rb"|\blevel=(?:(error|fatal)\b|[a-z]+)"
)

# Beyond this many bytes a line is message, and its words are no levels.
_LEVEL_WITHIN = 120
# Beyond this many bytes nothing of a line is looked at.
_HEAD_BYTES = 1 << 16

# The head of a Java stack trace, or a log line that carries one: a qualified class whose name ends in
# Exception, Error or Throwable, followed by its message or nothing. Frames ("at …") and causes of the same
# trace do not count again.
_EXCEPTION = re.compile(rb"(?:^|[\s(\[\"])(?:[a-z_]\w*\.)+(?:[A-Z][\w$]*)?(?:Exception|Error|Throwable)(?::|\s|$)")
_CONTINUATION = re.compile(rb"^\s*(?:at |Caused by: |Suppressed: |\.\.\. \d+ )")


def summarise(path: Path, warming: tuple[int, int] = (0, 0)) -> LogSummary | None:
    """Return the counts of lines, of lines of level error or worse, and of Java exceptions; None when there is no such
    file, or if it can't be read.

    `first_error` is the first line that counts as either. Lines that begin between the two byte offsets of `warming`
    were written during the warm-up. A log is read line by line, whatever its size.
    """
    size = lines = errors = exceptions = while_warming = 0
    first_error: str | None = None
    try:
        with open_regular(path) as log:
            for line, length in heads_of_lines(log, _HEAD_BYTES):
                is_warming = warming[0] <= size < warming[1]
                size += length
                lines += 1
                level = _LEVEL.search(line, 0, _LEVEL_WITHIN)
                is_error = level is not None and level.lastindex is not None
                is_exception = not _CONTINUATION.match(line) and _EXCEPTION.search(line) is not None
                errors += is_error
                exceptions += is_exception
                while_warming += is_warming * (is_error + is_exception)
                if first_error is None and (is_error or is_exception):
                    first_error = line.decode(errors="replace").strip()[:FIRST_ERROR_CHARACTERS]
    except OSError:
        return None
    return LogSummary(
        bytes=size,
        lines=lines,
        errors=errors,
        exceptions=exceptions,
        first_error=first_error,
        while_warming=while_warming,
    )


def self_reported_ms(path: Path, started: str) -> float | None:
    """Return the start time that the framework reports in its log, in ms, by the group `seconds` or `milliseconds` of
    `started`.

    None when there is no such line, or no log.
    """
    pattern = re.compile(started)
    name, factor = ("seconds", 1000) if "seconds" in pattern.groupindex else ("milliseconds", 1)
    try:
        with open_regular(path) as log:
            for line, _ in islice(heads_of_lines(log, _HEAD_BYTES), _LINES_OF_START):
                if match := pattern.search(line.decode(errors="replace"), 0, _LINE_OF_START):
                    return round(float(match[name]) * factor, 3)
    except OSError:
        return None
    return None
