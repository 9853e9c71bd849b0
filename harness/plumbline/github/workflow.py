"""What a step hands to the workflow around it: outputs, a job summary, annotations. Elsewhere, plain text."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

# What GitHub takes of one step.
SUMMARY_BYTES = 1024 * 1024


def outputs(values: Mapping[str, str], environ: Mapping[str, str] | None = None) -> None:
    """Append to `$GITHUB_OUTPUT`; `key=value` lines on standard output where it is not set."""
    target = (os.environ if environ is None else environ).get("GITHUB_OUTPUT")
    if not target:
        for key, value in values.items():
            sys.stdout.write(f"{key}={value}\n")
        return
    rows = []
    for key, value in values.items():
        # Drawn anew, so that no value can end itself and begin another.
        end = f"end-{secrets.token_hex(16)}"
        rows.append(f"{key}<<{end}\n{value}\n{end}\n")
    with Path(target).open("a", encoding="utf-8") as file:
        file.write("".join(rows))


def summary(markdown: str, environ: Mapping[str, str] | None = None) -> None:
    """Append to the job summary; to standard error where there is none. Cut at a line when it is too long."""
    content = markdown.encode()
    if len(content) > SUMMARY_BYTES:
        cut = content[: SUMMARY_BYTES - 200].rpartition(b"\n")[0]
        content = cut + b"\n\nThe rest is in the artifact: a summary takes no more.\n"
    target = (os.environ if environ is None else environ).get("GITHUB_STEP_SUMMARY")
    if not target:
        sys.stderr.write(content.decode(errors="replace"))
        return
    with Path(target).open("ab") as file:
        file.write(content)


def annotation(level: str, message: str, file: str | None = None, line: int | None = None) -> str:
    """A workflow command such as `::error file=bench.toml,line=3::…`, with everything in it escaped."""
    parts = [f"file={_property(file)}"] if file else []
    parts += [f"line={line}"] if line else []
    return f"::{level}{' ' if parts else ''}{','.join(parts)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
