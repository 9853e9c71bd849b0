"""Runs in the emulated host, as root: does what the test asks for over a virtio port, one request a line.

    {"run": ["systemctl", "is-system-running"], "timeout_s": 60}  -> {"status": 0, "output": "running\\n"}
    {"put": "/etc/some/file", "content": "<base64>", "mode": 420}  -> {}
    {"read": "/etc/some/file"}                                     -> {"content": "<base64>" | null}

Status -1: the command did not end in time, and was killed with all that it started. Standard library only.
"""

import base64
import json
import os
import signal
import subprocess
import time
from typing import Any

PORT = "/dev/virtio-ports/plumbline"


def run(argv: list[str], timeout_s: float) -> dict[str, Any]:
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=timeout_s)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        status = -1
    return {"status": status, "output": output.decode(errors="replace")}


def put(path: str, content: bytes, mode: int) -> dict[str, Any]:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
    return {}


def read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return {"content": base64.b64encode(file.read()).decode()}
    except OSError:
        return {"content": None}


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    try:
        if "run" in asked:
            return run(asked["run"], asked["timeout_s"])
        if "put" in asked:
            return put(asked["put"], base64.b64decode(asked["content"]), asked["mode"])
        return read(asked["read"])
    except OSError as error:
        return {"status": 127, "output": f"{error}\n"}


def pause() -> bytes:
    """A read answers nothing while nobody listens on the other side."""
    time.sleep(0.1)
    return b""


def main() -> None:
    # A port can be opened once.
    with open(PORT, "r+b", buffering=0) as port:
        waiting = b""
        while True:
            waiting += port.read(1 << 16) or pause()
            *asked, waiting = waiting.split(b"\n")
            for line in filter(None, asked):
                words = json.dumps(answer(json.loads(line))).encode() + b"\n"
                while words:
                    words = words[port.write(words) :]


if __name__ == "__main__":
    main()
