"""Hand outputs, a job summary (Markdown) and annotations to the workflow around a step; elsewhere, print plain text.

A runner of GitHub reads commands from everything that a step prints: `::name::…` where a line begins, `##[name]…`
anywhere. `guard_streams` takes that power from all that is printed, except our own annotations.
"""

from __future__ import annotations

import io
import os
import re
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

from plumbline.archive.record.markdown import escaped
from plumbline.model.text import printable

# The most that GitHub takes from one step.
SUMMARY_BYTES = 1024 * 1024
# Any letter but a visible one of ASCII may count as a blank before a command. Behind a visible one `::` is no command,
# and stays as it is: documents have it in addresses, SQL and Java.
_BEGINNING = re.compile(r"(?<=[\r\n])[^!-9;-~\r\n]*?:(?=:)|##(?=\[)")
_MAY_BEGIN = re.compile(r"[\r\n][^!-9;-~\r\n]*\Z|#{0,2}\Z")


def outputs(values: Mapping[str, str], environ: Mapping[str, str] | None = None) -> None:
    """Append outputs to `$GITHUB_OUTPUT`; print `key=value` lines to standard output if it is not set."""
    target = (os.environ if environ is None else environ).get("GITHUB_OUTPUT")
    if not target:
        for key, value in values.items():
            sys.stdout.write(f"{key}={value}\n")
        return
    rows = []
    for key, value in values.items():
        # The mark is drawn anew each time, so that no value can end itself and begin another value.
        end = f"end-{secrets.token_hex(16)}"
        rows.append(f"{key}<<{end}\n{value}\n{end}\n")
    with Path(target).open("a", encoding="utf-8") as file:
        file.write("".join(rows))


def summary(markdown: str, environ: Mapping[str, str] | None = None) -> None:
    """Append a text to the job summary, or print it to standard error. A text that is too long is cut at a line."""
    content = markdown.encode(errors="backslashreplace")
    if len(content) > SUMMARY_BYTES:
        cut = content[: SUMMARY_BYTES - 200].rpartition(b"\n")[0]
        content = cut + b"\n\nThe rest is in the artifact: a summary takes no more.\n"
    target = (os.environ if environ is None else environ).get("GITHUB_STEP_SUMMARY")
    if not target:
        sys.stderr.write(content.decode(errors="replace"))
        return
    with Path(target).open("ab") as file:
        file.write(content)


def annotate(level: str, message: str, file: str | None = None, line: int | None = None) -> None:
    """Print an annotation of ours, past the guard; in a log that is not read for commands it is a line like others."""
    sys.stdout.flush()
    sys.stdout.buffer.write(annotation(level, message, file, line).encode() + b"\n")
    sys.stdout.buffer.flush()


def guard_streams() -> None:
    """In a job of a forge, keep all later output from being read as a workflow command."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:
            stream.flush()
            encoding = stream.encoding
            setattr(sys, name, Guarded(stream.detach(), encoding, "backslashreplace", line_buffering=True))


class Guarded(io.TextIOWrapper):
    """A stream without workflow commands, however its text is cut into pieces: a space parts the letters that begin it.

    The space is visible, since culture-sensitive comparisons skip invisible letters.
    """

    _open = "\n"

    def write(self, text: str) -> int:
        """Write the text, with a space within each beginning of a command."""
        guarded = _BEGINNING.sub(r"\g<0> ", self._open + text)
        super().write(guarded[len(self._open) :])
        # What may be the first part of a beginning is looked at again before the next text.
        self._open = _MAY_BEGIN.findall(guarded)[0]
        return len(text)


def annotation(level: str, message: str, file: str | None = None, line: int | None = None) -> str:
    """Return a workflow command such as `::error file=bench.toml,line=3::…`, with everything in it escaped."""
    parts = [f"file={_escaped_property(file)}"] if file else []
    parts += [f"line={line}"] if line else []
    return f"::{level}{' ' if parts else ''}{','.join(parts)}::{_escaped_data(message)}"


def _escaped_data(text: str) -> str:
    return "%0A".join(printable(line).replace("%", "%25") for line in text.splitlines())


def _escaped_property(text: str) -> str:
    return _escaped_data(text).replace(":", "%3A").replace(",", "%2C")


LONGEST = 300


def plain(text: str, longest: int = LONGEST) -> str:
    """Return a text as one line of plain words: no markup, no mention, no link, no control or direction character."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return escaped(line if len(line) <= longest else line[: longest - 1] + "…")
