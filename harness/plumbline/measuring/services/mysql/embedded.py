"""A MySQL server of our own on the pinned programs, in a folder of scratch; never as root.

initialise -> start -> schema and rows -> stop -> keep the data folder -> [copy it back -> sync -> start] x trials
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plumbline.machine.host.kernel import free_port
from plumbline.machine.tools.mysql import MysqlBinaries
from plumbline.measuring.launch.interface import RunningProcess
from plumbline.model.errors import CannotGoOn
from ..hosted import TRIES_FOR_A_PORT, OneProcess, port_was_taken
from ..owner import OwnFolder
from ..tls import TlsFiles
from .session import SETTINGS, TLS_SETTINGS, MysqlLogin, as_arguments

_ADMINISTRATOR = "plumbline_admin"
_INITIALISE_S = 180.0
_START_S = 90.0
# This setting decides whether the server's program starts at all, also before there is a data directory.
_SETTINGS_TO_INITIALISE = {name: SETTINGS[name] for name in ("innodb_use_native_aio",)}


class EmbeddedMysql(OneProcess):
    """A MySQL server of our own. `folder` is made here, `own` is the server's alone, `log` takes its output."""

    stops_within_s = 60.0

    def __init__(self, binaries: MysqlBinaries, own: OwnFolder, *, folder: Path, log: Path, password: str) -> None:
        self._binaries, self._own = binaries, own
        self._folder, self._log, self._password = folder, log, password
        self.data_folder = self._data = own.path / "data"
        self._template = own.path / "template"
        self.tls: TlsFiles | None = None
        self._port = self._log_start = 0

    @property
    def login(self) -> MysqlLogin:
        """The administrator's login; the port is another once somebody else took it while the server was down."""
        return MysqlLogin("127.0.0.1", self._port, _ADMINISTRATOR, self._password)

    def initialise(self) -> None:
        """Make an empty data directory with our administrator. Raises CannotGoOn with the server's first error."""
        self.tls = self._own.make_with_keys(self._folder)
        initialisation = self._spawn(["--initialize-insecure", *as_arguments(_SETTINGS_TO_INITIALISE)])
        if initialisation.wait(_INITIALISE_S) != 0:
            initialisation.terminate(0)
            raise CannotGoOn(
                f"MySQL's data directory could not be made: {self._first_error()}",
                f"The whole log is {self._log}.",
            )
        self._port = free_port()
        # Each statement on a line of its own; the text is ours, and the password is of letters, digits, - and _.
        init_file = self._own.write(
            "first.sql",
            f"CREATE USER '{_ADMINISTRATOR}'@'127.0.0.1' IDENTIFIED BY '{self._password}';\n"
            f"GRANT ALL ON *.* TO '{_ADMINISTRATOR}'@'127.0.0.1' WITH GRANT OPTION;\n",
        )
        self.start([f"--init-file={init_file}"])
        self._own.run(["/bin/rm", str(init_file)])

    def keep(self) -> None:
        """Stop the server, and keep its data folder as the template of every trial."""
        self.stop()
        self._own.run(["/bin/mv", str(self._data), str(self._template)])

    def restore(self) -> None:
        """Stop the server, and start it with a copy of the template. Raises CannotGoOn."""
        self.stop()
        self._own.run(["/bin/rm", "-rf", str(self._data)])
        self._own.run(["/bin/cp", "-a", str(self._template), str(self._data)])
        # Else the kernel writes the copy back half a minute later, beside the commits of a measured phase.
        self._own.run(["/bin/sync", "-f", str(self._data)])
        self.start()

    def start(self, arguments: Sequence[str] = ()) -> None:
        """Start the server. Raises CannotGoOn with the server's first error."""
        assert self.tls is not None
        files = {
            "ssl_ca": str(self.tls.authority),
            "ssl_cert": str(self.tls.certificate),
            "ssl_key": str(self.tls.key),
        }
        address = {
            "bind_address": "127.0.0.1",
            "socket": "mysql.sock",
            "pid_file": "mysql.pid",
            "mysqlx": "OFF",
        }
        settings = as_arguments({**SETTINGS, **TLS_SETTINGS, **files, **address})
        for _ in range(TRIES_FOR_A_PORT):
            self._process = self._spawn([*settings, f"--port={self._port}", *arguments])
            if self.answers_within(_START_S, self.login.answers):
                return
            self.stop()
            if not port_was_taken(self._output()):
                break
            self._port = free_port()
        raise CannotGoOn(f"MySQL did not start: {self._first_error()}", f"The whole log is {self._log}.")

    def _spawn(self, arguments: Sequence[str]) -> RunningProcess:
        home = self._binaries.home
        self._log_start = self._log.stat().st_size
        return self._own.spawn(
            [
                str(self._binaries.program),
                # The settings in /etc/my.cnf are not ours.
                "--no-defaults",
                f"--basedir={home}",
                f"--lc-messages-dir={home / 'share'}",
                f"--character-sets-dir={home / 'share' / 'charsets'}",
                f"--datadir={self._data}",
                # Not the host's temporary folder, which may be full, in memory, or closed to this user.
                f"--tmpdir={self._own.path}",
                *arguments,
            ]
        )

    def _first_error(self) -> str:
        """Return the log's first error, which names the cause; later lines, up to "Aborting", are its consequences."""
        lines = [line.strip() for line in self._output().splitlines() if line.strip()]
        return next((line for line in lines if "[ERROR]" in line), (lines or ["it said nothing."])[-1])

    def _output(self) -> str:
        """Return what the program that was started last has written to the log."""
        return self._log.read_bytes()[self._log_start :].decode(errors="replace")
