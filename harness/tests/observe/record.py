"""Records a small tree of /proc for these tests: `python record.py OUT PID... [--hsperfdata FILE]`.

Only files that samplers and readers open, only of the named processes. What could identify the machine is left
out: of the environment only the declared names stay, of paths in the command line the last part, of JVM
counters no text.
"""

from __future__ import annotations

import argparse
import struct
from pathlib import Path

from plumbline.measuring.observe.readers.identity import DECLARED

HOST = (
    "stat",
    "vmstat",
    "loadavg",
    "meminfo",
    "diskstats",
    "net/netstat",
    "net/snmp",
    "net/dev",
    "pressure/cpu",
    "pressure/io",
    "pressure/memory",
)
OF_PROCESS = ("stat", "status", "comm", "smaps_rollup", "io")
OF_THREAD = ("stat", "status")


def copy(source: Path, target: Path, content: bytes | None = None) -> None:
    """Writes one file of the tree."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes() if content is None else content)


def record_process(proc: Path, out: Path, pid: int) -> None:
    """One process and all its threads."""
    for name in OF_PROCESS:
        copy(proc / str(pid) / name, out / str(pid) / name)
    words = (proc / str(pid) / "cmdline").read_bytes().split(b"\0")
    shortened = [b"/opt/" + word.rsplit(b"/", 1)[1] if word.startswith(b"/") else word for word in words]
    copy(proc, out / str(pid) / "cmdline", b"\0".join(shortened))
    variables = (proc / str(pid) / "environ").read_bytes().split(b"\0")
    declared_variables = [variable for variable in variables if variable.split(b"=")[0].decode() in DECLARED]
    copy(proc, out / str(pid) / "environ", b"\0".join([*declared_variables, b""]))
    for thread in (proc / str(pid) / "task").iterdir():
        for name in OF_THREAD:
            copy(thread / name, out / str(pid) / "task" / thread.name / name)


def without_texts(counters: bytes) -> bytes:
    """The JVM's counters with every vector of bytes set to zero."""
    blanked = bytearray(counters)
    start, entries = struct.unpack_from("<ii", counters, 24)
    for _ in range(entries):
        length, _, vector, kind, _, _, _, data = struct.unpack_from("<iiibbbbi", counters, start)
        if kind == ord("B"):
            blanked[start + data : start + data + vector] = bytes(vector)
        start += length
    return bytes(blanked)


def main() -> None:
    """Reads the command line and records."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("pids", type=int, nargs="+")
    parser.add_argument("--hsperfdata", type=Path)
    arguments = parser.parse_args()
    proc = Path("/proc")
    for name in HOST:
        copy(proc / name, arguments.out / "proc" / name)
    for pid in arguments.pids:
        record_process(proc, arguments.out / "proc", pid)
    if arguments.hsperfdata is not None:
        copy(proc, arguments.out / "hsperfdata", without_texts(arguments.hsperfdata.read_bytes()))


if __name__ == "__main__":
    main()
