"""Read the output of a native-image build: time and peak memory.

Its format: https://www.graalvm.org/latest/reference-manual/native-image/overview/BuildOutput/
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_PEAK = re.compile(r"Peak RSS: (?P<number>[0-9.]+)(?P<unit>[kMGT]?i?B)")
_TOOK = re.compile(r"^Finished generating '.*' in (?:(?P<minutes>[0-9]+)m )?(?P<seconds>[0-9.]+)s\.", re.MULTILINE)
# Older releases of native-image print decimal units, newer ones binary units; both round to two decimals.
_BYTES = {
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "kiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}


@dataclass(frozen=True)
class NativeOutput:
    """Seconds of the image's generation, and peak resident memory of the builder; None if not reported."""

    generate_s: float | None
    peak_rss_bytes: int | None


def read_native_output(log: Path) -> NativeOutput:
    """Read the time and memory of a build from its log."""
    return parse_native_output(log.read_text(encoding="utf-8", errors="replace"))


def parse_native_output(text: str) -> NativeOutput:
    """Read the time and memory of a build from the text of its log; of several images, those of the last."""
    duration = _last_match(_TOOK, text)
    return NativeOutput(
        generate_s=None if duration is None else 60 * int(duration["minutes"] or 0) + float(duration["seconds"]),
        peak_rss_bytes=_bytes(_last_match(_PEAK, text)),
    )


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return max(pattern.finditer(text), key=lambda match: match.start(), default=None)


def _bytes(match: re.Match[str] | None) -> int | None:
    return (
        None if match is None or match["unit"] not in _BYTES else round(float(match["number"]) * _BYTES[match["unit"]])
    )
