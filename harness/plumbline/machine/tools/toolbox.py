"""The toolbox with which tools are found: folders, pinned versions, and messages to the user."""

from __future__ import annotations

import fcntl
import io
import os
import platform
import time
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from plumbline.machine.host.paths import Paths
from .download import Pin, Pins, download, unpack_tar
from .running import CommandRunner, run

_MESSAGE_EVERY_S = 5.0


@dataclass(frozen=True)
class Toolbox:
    """Finds tools. `say` gets messages of one line: what is being fetched or built, and how far it is."""

    paths: Paths
    pins: Pins
    environ: Mapping[str, str]
    say: Callable[[str], None]
    run: CommandRunner = run
    now: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, paths: Paths, environ: Mapping[str, str], say: Callable[[str], None]) -> Toolbox:
        """Return the toolbox of this machine."""
        return cls(paths, Pins.of(environ, platform.machine()), environ, say)

    def fetch(self, tool: str, pin: Pin) -> Path:
        """Return the pinned file, downloaded unless it is in the cache. Raises UsageError."""
        last = self.now()

        def progress(done: int, total: int | None) -> None:
            nonlocal last
            if self.now() - last >= _MESSAGE_EVERY_S:
                last = self.now()
                of_total = f" of {total / 1e6:.0f}" if total else ""
                self.say(f"downloading {tool} {pin.version}: {done / 1e6:.0f}{of_total} MB")

        folder = self.paths.tools / "downloads"
        if not (folder / f"{pin.sha256[:16]}-{pin.file_name}").exists():
            self.say(f"downloading {tool} {pin.version} from {pin.url}")
        return download(pin, folder, progress)

    def programs(self, tool: str, pin: Pin, ending: str, without: Collection[str] = ()) -> Path:
        """Return the folder with the programs of a pinned jar: those of its one archive with that ending, unpacked
        `without` some members.

        The folder is in scratch, since root's cache is closed to the user that a server drops to. Raises UsageError.
        """
        jar = self.fetch(tool, pin)

        def inner_archive() -> IO[bytes]:
            with zipfile.ZipFile(jar) as archive:
                (name,) = (name for name in archive.namelist() if name.endswith(ending))
                return io.BytesIO(archive.read(name))

        tools = self.paths.make_scratch() / "tools"
        tools.mkdir(mode=0o711, exist_ok=True)
        tools.chmod(0o711)
        target = tools / f"{tool.lower()}-{pin.version}-{pin.sha256[:16]}"
        return unpack_tar(inner_archive, target, without=without)

    @contextmanager
    def alone(self, tool: str) -> Iterator[None]:
        """Hold a lock of this user's cache, so that two sessions don't build the same thing at once."""
        self.paths.tools.mkdir(parents=True, exist_ok=True)
        with (self.paths.tools / f".{tool}.lock").open("w") as lock:
            lock_or_wait(lock.fileno(), lambda: self.say(f"waiting for another bench of yours that makes {tool}"))
            yield

    def on_path(self, program: str) -> Path | None:
        """Return a program on PATH, with its links followed, or None."""
        for folder in self.environ.get("PATH", "").split(os.pathsep):
            candidate = Path(folder) / program
            if folder and candidate.is_file() and os.access(candidate, os.X_OK):
                return candidate.resolve()
        return None


def lock_or_wait(descriptor: int, say_waiting: Callable[[], None]) -> None:
    """Take the exclusive lock of an open file or folder; `say_waiting` is called first if another process has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say_waiting()
        fcntl.flock(descriptor, fcntl.LOCK_EX)
