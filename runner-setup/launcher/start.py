"""The first program in every unit: takes its words from standard input, a socket, and becomes the program they name.

    in   {"argv": [...], "cwd": "", "env": {}, "cpus": [...]}
    out  {"pid": 4711, "started_at_s": 12.3}      CLOCK_MONOTONIC just before exec, with a pidfd of the process
         {"errno": 2, "step": "/usr/bin/java"}

It runs with the rights of the unit already, so nothing in the words can gain any.
"""

import errno
import json
import os
import socket
import sys
import time


def main() -> None:
    """Never returns when all goes well."""
    line = socket.socket(fileno=os.dup(0))
    words = json.loads(line.makefile("rb").readline())
    step = words["argv"][0]
    try:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        if words["cpus"]:
            step = "its CPUs"
            os.sched_setaffinity(0, words["cpus"])
        step = f"its folder {words['cwd']}"
        os.chdir(words["cwd"])
        step = words["argv"][0]
        # Asked beforehand: systemd-run keeps the other end open, so its closing could not tell of a failed exec.
        if not os.access(step, os.X_OK):
            raise PermissionError(errno.EACCES if os.path.exists(step) else errno.ENOENT, "")
        # A program may end before anybody could open a descriptor of it by its pid.
        me = os.pidfd_open(os.getpid())
        # exec closes both; Python's descriptors are not inherited.
        began = json.dumps({"pid": os.getpid(), "started_at_s": time.monotonic()})
        socket.send_fds(line, [began.encode() + b"\n"], [me])
        os.execvpe(words["argv"][0], words["argv"], words["env"])
    except OSError as error:
        line.sendall(json.dumps({"errno": error.errno, "step": step}).encode() + b"\n")
    sys.exit(127)


if __name__ == "__main__":
    main()
