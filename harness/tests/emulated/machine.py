"""An emulated host: boots a box by software, runs commands in it as root, takes files in and out.

Nothing that a test does reaches the box: the machine writes to a layer of its own over the box. This layer survives
`restart` and is removed with the machine. The machine's only network is a loopback and QEMU's
user-mode network, closed to the outside.
"""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.machine.tools.running import die_with_us
from plumbline.model.errors import CannotGoOn
from .box import CACHE, Box

# Software emulation on a busy machine: a boot takes 25 s alone.
BOOTS_WITHIN_S = 600.0
_LOOK_S = 0.2
_BEYOND_S = 60.0


@dataclass(frozen=True)
class Ran:
    """The exit status of a command, -1 when it did not end in time, and what it printed (standard error included)."""

    status: int
    output: str

    def __bool__(self) -> bool:
        return self.status == 0


class Machine:
    """Up while entered. `folder` takes its layer, its sockets and `console.log`; `brought` is seen at /srv/brought."""

    def __init__(
        self,
        box: Box,
        folder: Path,
        *,
        brought: Path | None = None,
        cpus: int = 2,
        memory_mb: int = 3072,
        kernel_words: Sequence[str] = (),
    ) -> None:
        self._box, self._folder, self._brought = box, folder, brought
        self._cpus, self._memory_mb, self._words = cpus, memory_mb, tuple(kernel_words)
        self._layer = folder / "layer.qcow2"
        self._second = folder / "brought.img"
        self._process: subprocess.Popen[bytes] | None = None
        self._port: socket.socket | None = None

    def __enter__(self) -> Machine:
        layer = ("-F", "raw", "-b", str(self._box.disk), str(self._layer))
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", *layer], check=True)
        if self._brought is not None:
            words = ["-q", "-L", "brought", "-d", str(self._brought), str(self._second), "3G"]
            subprocess.run(["mkfs.ext4", *words], check=True)
        self._boot()
        return self

    def __exit__(self, *error: object) -> None:
        self._halt()
        for path in (self._layer, self._second):
            path.unlink(missing_ok=True)

    @property
    def console(self) -> str:
        """What the kernel and systemd printed since the first boot."""
        return (self._folder / "console.log").read_text(errors="replace")

    @property
    def python(self) -> str:
        """The Python interpreter of the project's environment in the emulated host."""
        return self.shell(f"ls -d {CACHE}/plumbline/env/*/bin/python").output.strip()

    def run(self, *argv: str, timeout_s: float = 300.0) -> Ran:
        """Run a command as root and wait for its end."""
        answer = self._ask({"run": list(argv), "timeout_s": timeout_s}, timeout_s + _BEYOND_S)
        return Ran(answer["status"], answer["output"])

    def shell(self, script: str, timeout_s: float = 300.0) -> Ran:
        """Run a script of the test's own by bash."""
        return self.run("bash", "-c", script, timeout_s=timeout_s)

    def check(self, *argv: str, timeout_s: float = 300.0) -> str:
        """Return what a command printed, which has to succeed. Raises AssertionError with the same text."""
        ran = self.run(*argv, timeout_s=timeout_s)
        assert ran, f"{' '.join(argv)} ended with {ran.status}:\n{ran.output}"
        return ran.output

    def put(self, path: str, content: bytes | str, mode: int = 0o644) -> None:
        """Write a file; its folder is made."""
        content = content.encode() if isinstance(content, str) else content
        self._ask({"put": path, "content": base64.b64encode(content).decode(), "mode": mode}, _BEYOND_S)

    def read(self, path: str) -> bytes | None:
        """Return the content of a file, None where there is no file."""
        content = self._ask({"read": path}, _BEYOND_S)["content"]
        return None if content is None else base64.b64decode(content)

    def restart(self, kernel_words: Sequence[str] | None = None) -> None:
        """Shut down and boot again on the same disk, with other words for the kernel if given."""
        if kernel_words is not None:
            self._words = tuple(kernel_words)
        self.run("systemctl", "poweroff", "--no-block")
        self._halt(grace_s=_BEYOND_S)
        self._boot()

    def restart_twice(self, within_s: float) -> None:
        """Shut down and boot, wait until the host reboots by itself, and boot again. Raises CannotGoOn."""
        self.run("systemctl", "poweroff", "--no-block")
        self._halt(grace_s=_BEYOND_S)
        process = self._start()
        try:
            # QEMU ends where a machine would begin anew.
            process.wait(within_s)
        except subprocess.TimeoutExpired:
            raise CannotGoOn(f"The emulated host did not reboot within {within_s:.0f} s.", "") from None
        self._boot()

    def _start(self) -> subprocess.Popen[bytes]:
        path = self._folder / "port"
        path.unlink(missing_ok=True)
        append = "root=/dev/vda rw console=ttyS0 systemd.show_status=no quiet"
        disks = [f"file={self._layer},format=qcow2,if=virtio,cache=unsafe"]
        if self._brought is not None:
            disks.append(f"file={self._second},format=raw,if=virtio,readonly=on")
        with (self._folder / "console.log").open("ab") as console:
            self._process = subprocess.Popen(
                [
                    *("qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-display", "none"),
                    *("-m", str(self._memory_mb), "-smp", str(self._cpus), "-no-reboot", "-serial", "stdio"),
                    *(
                        "-kernel",
                        str(self._box.folder / "vmlinuz"),
                        "-append",
                        " ".join((append, *self._words)),
                    ),
                    *("-initrd", str(self._box.folder / "initrd.img"), "-monitor", "none"),
                    *(word for disk in disks for word in ("-drive", disk)),
                    *("-nic", "user,restrict=on,model=virtio-net-pci", "-device", "virtio-serial-pci"),
                    *("-chardev", f"socket,id=port,path={path},server=on,wait=off"),
                    *("-device", "virtserialport,chardev=port,name=plumbline", "-device", "virtio-rng-pci"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                preexec_fn=die_with_us,
            )
        return self._process

    def _boot(self) -> None:
        self._start()
        self._port = self._connect(self._folder / "port", time.monotonic() + BOOTS_WITHIN_S)
        # The first answer comes once the agent runs; until then the port keeps the request.
        self.run("systemctl", "is-system-running", "--wait", timeout_s=BOOTS_WITHIN_S)
        if self._brought is not None:
            # On a busy machine the disk may come later than the boot waits for it.
            self.shell("mountpoint -q /srv/brought || mount /srv/brought")
            self.check("mountpoint", "/srv/brought")

    def _connect(self, path: Path, end_s: float) -> socket.socket:
        while time.monotonic() < end_s and self._process is not None and self._process.poll() is None:
            port = socket.socket(socket.AF_UNIX)
            try:
                port.connect(str(path))
                return port
            except OSError:
                port.close()
                time.sleep(_LOOK_S)
        raise CannotGoOn(f"The emulated host did not start: {self.console.strip()[-400:]}", "")

    def _ask(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        assert self._port is not None, "the machine is not up"
        self._port.settimeout(timeout_s)
        self._port.sendall(json.dumps(request).encode() + b"\n")
        received = bytearray()
        while not received.endswith(b"\n"):
            part = self._port.recv(1 << 16)
            if not part:
                raise CannotGoOn(f"The emulated host is gone: {self.console.strip()[-400:]}", "")
            received += part
        answer = json.loads(received)
        assert isinstance(answer, dict)
        return answer

    def _halt(self, grace_s: float = 0.0) -> None:
        if self._port is not None:
            self._port.close()
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(grace_s)
            self._process.kill()
            self._process.wait()
