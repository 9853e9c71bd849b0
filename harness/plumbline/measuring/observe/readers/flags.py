"""Read how a JVM really runs: its flags in force, by jcmd, and its mode, by its mapped counters.

A question costs a JVM of its own, 0.2 s of CPU time, and stops the other for a moment: it is asked outside of windows.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from plumbline.model.evidence import JvmInForce
from ..hsperfdata import HsperfData

# jcmd answers within a second, on a busy machine too.
ANSWER_TIMEOUT_S = 10.0

_MODE = "java.property.java.vm.info"
_FLAG = re.compile(r"-XX:(?:(?P<sign>[+-])(?P<switch>\w+)|(?P<name>\w+)=(?P<value>\S*))")


def in_force(jcmd: Path, pid: int, counters: Path | None) -> JvmInForce | None:
    """Return flags that are not at the JVM's defaults, whoever set them, and its mode; None without an answer.

    `counters` is the file of its mapped counters. A native image answers nothing.
    """
    if counters is None:
        return None
    try:
        mode = HsperfData.text_in(counters, _MODE)
        result = subprocess.run(
            [str(jcmd), str(pid), "VM.flags"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ANSWER_TIMEOUT_S,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    flags = flags_of(result.stdout)
    return JvmInForce(mode=mode, flags=flags) if flags and mode else None


def flags_of(text: str) -> dict[str, str]:
    """Return name -> value of each flag in the output of `jcmd PID VM.flags`; of switches `true` and `false`."""
    flags = {
        flag["switch"] or flag["name"]: str(flag["sign"] == "+").lower() if flag["switch"] else flag["value"]
        for flag in _FLAG.finditer(text)
    }
    return dict(sorted(flags.items()))
