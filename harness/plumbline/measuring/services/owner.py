"""The owner of a database server of ours: the user that it runs as, and the folder that only this user can write.

    in the sandbox      the launcher's user and folder, which are gone with the session
    we are root         `plumbline` or `nobody`, and a folder in scratch
    else                our own user, and a folder in scratch

Only that user can work in that folder, so short programs beside the server do it as that user.
"""

from __future__ import annotations

import os
import pwd
import signal
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from plumbline.measuring.launch.interface import RunningProcess, Spawner
from plumbline.model.errors import CannotGoOn, UsageError
from .tls import TlsFiles, make_tls_keys, write_public_keys

# The server runs as the first of these users that exists.
_UNPRIVILEGED = ("plumbline", "nobody")
_PROGRAM_TIMEOUT_S = 60.0
_ENVIRON: Mapping[str, str] = {"PATH": "/usr/bin:/bin", "LANG": "C", "TZ": "UTC"}

# The content comes in the environment, which other users can't read, and the path as an argument, so that the script is
# always the same. A shell is on every host and every user may run it, which need not hold for an interpreter below our
# cache.
_WRITE = ("/bin/sh", "-c", 'umask 077 && rm -f -- "$1" && printf %s "$CONTENT" >"$1"', "write")


class OwnFolder:
    """A server's own folder. `given` is the sandbox's folder; without one `folder` is made, in scratch. `log` takes all
    output.
    """

    def __init__(self, server: str, spawner: Spawner, *, folder: Path, given: Path | None, log: Path) -> None:
        self.path = given or folder
        self._server, self._spawner, self._log, self._given = server, spawner, log, given

    def make(self) -> None:
        """Make the folder: other users pass through, and only its owner sees and writes the files in it."""
        self._log.touch()
        if self._given is None:
            self.path.mkdir(mode=0o711, exist_ok=True)
            self.path.chmod(0o711)
            if (owner := self._owner()) is not None:
                os.chown(self.path, owner.pw_uid, owner.pw_gid)

    def make_with_keys(self, public: Path) -> TlsFiles:
        """Make the folder, with the server's TLS key in it, and `public` with the files that others may read."""
        public.mkdir(mode=0o711, exist_ok=True)
        public.chmod(0o711)
        self.make()
        keys = make_tls_keys(datetime.now(UTC))
        return TlsFiles(*write_public_keys(keys, public / "tls"), self.write("server.key", keys.key.decode()))

    def spawn(
        self, argv: Sequence[str], env: Mapping[str, str] | None = None, *, stop_signal: int = signal.SIGTERM
    ) -> RunningProcess:
        """Start a program as the owner, on the database's CPUs."""
        owner = self._owner()
        return self._spawner.spawn(
            role="db",
            argv=list(argv),
            cwd=self.path,
            env={**_ENVIRON, **(env or {})},
            user=owner.pw_name if owner else None,
            stdout=self._log,
            stop_signal=stop_signal,
        )

    def write(self, name: str, content: str) -> Path:
        """Write a file for the owner alone, and return its path. Raises CannotGoOn."""
        path = self.path / name
        self.run([*_WRITE, str(path)], {"CONTENT": content})
        return path

    def run(self, argv: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        """Run a program as the owner, and wait for its end. Raises CannotGoOn when it fails."""
        process = self.spawn(argv, env)
        if process.wait(_PROGRAM_TIMEOUT_S) != 0:
            process.terminate(0)
            raise CannotGoOn(f"{self._server}'s folder {self.path} could not be prepared.", f"The log is {self._log}.")

    def _owner(self) -> pwd.struct_passwd | None:
        """Return the user that runs the server; None when it is our own, not root. Servers refuse root, or should."""
        if os.geteuid() != 0:
            return None
        for name in _UNPRIVILEGED:
            try:
                return pwd.getpwnam(name)
            except KeyError:
                continue
        raise UsageError(
            f"{self._server} refuses to run as root, and there is no user plumbline or nobody.",
            "Make one: `useradd --system plumbline`.",
        )
