"""A server of our own on the pinned programs, in a folder of scratch; never as root."""

from __future__ import annotations

import signal
from pathlib import Path

from plumbline.machine.host.kernel import free_port
from plumbline.machine.tools.postgres import PostgresBinaries
from plumbline.model.errors import CannotGoOn
from ..hosted import TRIES_FOR_A_PORT, port_was_taken
from ..owner import OwnFolder
from ..tls import TlsFiles
from .server import Login, Server
from .settings import HBA, INITDB_ARGS, SETTINGS, TLS_SETTINGS, configuration

_ADMINISTRATOR = "postgres"
_INITDB_S = 120.0
_START_S = 60.0


class EmbeddedServer(Server):
    """A PostgreSQL server of our own. `folder` is made here, `own` is the server's alone, `log` takes its output."""

    # A fast shutdown: sessions are ended, the data directory is left clean.
    stops_within_s = 15.0

    def __init__(self, binaries: PostgresBinaries, own: OwnFolder, *, folder: Path, log: Path, password: str) -> None:
        self._binaries, self._own = binaries, own
        self._folder, self._log, self._password = folder, log, password
        self.data_folder = self._data = own.path / "data"
        self._tls: TlsFiles | None = None

    def start(self) -> Login:
        """Start the server; the first call makes its data directory. Raises CannotGoOn with the log's last line."""
        if self._tls is None:
            self._tls = self._make_folder()
        for _ in range(TRIES_FOR_A_PORT):
            port = free_port()
            login = Login("127.0.0.1", port, _ADMINISTRATOR, self._password, self._tls.authority)
            log_start = self._log.stat().st_size
            self._process = self._own.spawn(
                [
                    *(str(self._binaries.program("postgres")), "-D", str(self._data), "-c", f"port={port}"),
                    *("-c", f"config_file={self._folder / 'postgresql.conf'}"),
                ],
                stop_signal=signal.SIGINT,
            )
            if self.answers_within(_START_S, login.answers):
                return login
            self.stop()
            output = self._log.read_bytes()[log_start:].decode(errors="replace")
            if not port_was_taken(output):
                break
        raise CannotGoOn(f"PostgreSQL did not start: {_last_line(output)}", f"The whole log is {self._log}.")

    def _make_folder(self) -> TlsFiles:
        tls = self._own.make_with_keys(self._folder)
        password = self._own.write("password", self._password + "\n")
        initdb = self._own.spawn(
            [
                *(str(self._binaries.program("initdb")), "-D", str(self._data)),
                *("--username", _ADMINISTRATOR, "--pwfile", str(password), *INITDB_ARGS.split()),
            ]
        )
        status = initdb.wait(_INITDB_S)
        if status != 0:
            initdb.terminate(0)
            output = self._log.read_text(encoding="utf-8", errors="replace")
            raise CannotGoOn(
                f"PostgreSQL's data directory could not be made: {_last_line(output)}",
                f"The whole log is {self._log}.",
            )
        self._own.run(["/bin/rm", str(password)])
        self._write_configuration(tls)
        return tls

    def _write_configuration(self, tls: TlsFiles) -> None:
        """Write the configuration beside the data directory, which only the server writes; there is no secret in it."""
        hba = self._folder / "pg_hba.conf"
        hba.write_text(HBA, encoding="utf-8")
        files = {
            "hba_file": str(hba),
            "ssl_cert_file": str(tls.certificate),
            "ssl_key_file": str(tls.key),
        }
        # No socket file: the folder's path may be too long for one, and the application uses the loopback as
        # well.
        address = {"listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
        text = configuration({**SETTINGS, **TLS_SETTINGS, **files, **address})
        (self._folder / "postgresql.conf").write_text(text, encoding="utf-8")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing."
