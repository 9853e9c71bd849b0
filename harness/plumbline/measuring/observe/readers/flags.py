"""Read how a JVM really runs: its flags in force, by jcmd, and its mode, by its counters.

A question costs a JVM of its own, 0.2 s of CPU time, and stops the other for a moment: it is asked outside of windows.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from plumbline.model.evidence import JvmInForce
from ..hsperfdata import HsperfData
from ..targets import Roots

# jcmd answers within a second, on a busy machine too. A JVM that does not answer it gives up after some eleven seconds,
# and takes away the file that it put into the JVM's folder. That is the artifact's: killed before, jcmd would leave the
# file there, and change the artifact.
ANSWER_TIMEOUT_S = 30.0

_MODE = "java.property.java.vm.info"
_FLAG = re.compile(r"-XX:(?:(?P<sign>[+-])(?P<switch>\w+)|(?P<name>\w+)=(?P<value>\S*))")


def in_force(roots: Roots, jcmd: Path, pid: int, counters: bytes | None) -> JvmInForce | None:
    """Return flags that are not at the JVM's defaults, whoever set them, and its mode; None without an answer.

    `counters` is what the file of its counters has. A native image answers nothing.
    """
    try:
        mode = None if counters is None else HsperfData.text_in(counters, _MODE)
    except ValueError:
        return None
    if not mode:
        return None
    # A JVM answers only to its own user.
    run = roots.run_beside or _output_of
    flags = flags_of(run(pid, (str(jcmd), str(pid), "VM.flags")) or "")
    return JvmInForce(mode=mode, flags=flags) if flags else None


def _output_of(_: int, argv: Sequence[str]) -> str | None:
    try:
        result = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ANSWER_TIMEOUT_S, check=True
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return result.stdout


def flags_of(text: str) -> dict[str, str]:
    """Return name -> value of each flag in the output of `jcmd PID VM.flags`; of switches `true` and `false`."""
    flags = {
        flag["switch"] or flag["name"]: str(flag["sign"] == "+").lower() if flag["switch"] else flag["value"]
        for flag in _FLAG.finditer(text)
    }
    return dict(sorted(flags.items()))
