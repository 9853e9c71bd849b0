"""The first program in every unit: it reads its words from standard input, a socket, and becomes the program they name.

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
    """Become the program; never returns if all goes well."""
    connection = socket.socket(fileno=os.dup(0))
    words = json.loads(connection.makefile("rb").readline())
    step = words["argv"][0]
    try:
        null_device = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null_device, 0)
        os.close(null_device)
        if words["cpus"]:
            step = "its CPUs"
            os.sched_setaffinity(0, words["cpus"])
        step = f"its folder {words['cwd']}"
        os.chdir(words["cwd"])
        step = words["argv"][0]
        # Checked beforehand: systemd-run keeps the other end open, so a closed socket could not report a failed exec.
        if not os.access(step, os.X_OK):
            raise PermissionError(errno.EACCES if os.path.exists(step) else errno.ENOENT, "")
        # A program may end before the launcher could open a descriptor of it by its pid.
        own_pidfd = os.pidfd_open(os.getpid())
        # exec closes both; Python's descriptors are not inherited.
        answer = json.dumps({"pid": os.getpid(), "started_at_s": time.monotonic()})
        socket.send_fds(connection, [answer.encode() + b"\n"], [own_pidfd])
        os.execvpe(words["argv"][0], words["argv"], words["env"])
    except OSError as error:
        connection.sendall(json.dumps({"errno": error.errno, "step": step}).encode() + b"\n")
    sys.exit(127)


if __name__ == "__main__":
    main()
