"""A server in a container of podman or docker, on the host's network, with the settings of the embedded one."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from plumbline.machine.host.kernel import free_port
from plumbline.machine.tools.container import SESSION_LABEL, ContainerEngine
from plumbline.measuring.launch.interface import Spawner
from plumbline.model.errors import CannotGoOn
from ..tls import TlsKeys, make_tls_keys, write_tls_keys
from .server import Login, Server
from .settings import HBA, INITDB_ARGS, SETTINGS, TLS_SETTINGS, as_arguments

# The first start may fetch the image.
_START_S = 600.0
_TLS_S = 10.0
# A server looks for files that are named without a folder in its data directory.
_CERTIFICATE, _KEY, _HBA = "server.pem", "server.key", "pg_hba.conf"


@dataclass(frozen=True)
class Container:
    """A server in a container.

    `cpus` are those of the database; empty means any. `nodes` are those whose memory alone it gets; empty means all.
    """

    engine: ContainerEngine
    session: str
    version: str
    cpus: tuple[int, ...] = ()
    nodes: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The container's name."""
        return f"plumbline-{self.session.lower()}"

    def run_words(self, port: int) -> list[str]:
        """Return the command line; the password comes in the environment, since command lines are seen by all."""
        keys = {"ssl_cert_file": _CERTIFICATE, "ssl_key_file": _KEY}
        # ssl itself is turned on once the keys are there.
        tls = {name: value for name, value in TLS_SETTINGS.items() if name != "ssl"}
        address = {"listen_addresses": "127.0.0.1", "port": str(port)}
        sets = {"--cpuset-cpus": self.cpus, "--cpuset-mems": self.nodes}
        set_options = [
            word for name, numbers in sets.items() if numbers for word in (name, ",".join(map(str, numbers)))
        ]
        return [
            *(*self.engine.command, "run", "--rm", "--name", self.name, "--label", f"{SESSION_LABEL}={self.session}"),
            *("--network", "host", *set_options, *self.engine.parent_words),
            *("--env", "POSTGRES_PASSWORD", "--env", "POSTGRES_INITDB_ARGS"),
            f"docker.io/library/postgres:{self.version}",
            *as_arguments({**SETTINGS, **tls, **keys, **address}),
        ]


class ContainerServer(Server):
    """A container that is removed at the end, its data with it."""

    stops_within_s = 15.0

    def __init__(
        self,
        container: Container,
        spawner: Spawner,
        *,
        folder: Path,
        log: Path,
        password: str,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._container, self._spawner = container, spawner
        self._folder, self._log, self._password = folder, log, password
        self._sleep = sleep
        self._pid: int | None = None

    @property
    def pids(self) -> tuple[int, ...]:
        """The postmaster's pid, as the engine reports it."""
        return () if self._pid is None else (self._pid,)

    def start(self) -> Login:
        """Start the container. Raises CannotGoOn with the engine's last line."""
        self._folder.mkdir(mode=0o711, exist_ok=True)
        self._log.touch()
        keys = make_tls_keys(datetime.now(UTC))
        files = write_tls_keys(keys, self._folder / "tls")
        port = free_port()
        login = Login("127.0.0.1", port, "postgres", self._password, files.authority)
        self._process = self._spawner.spawn(
            role="db",
            argv=self._container.run_words(port),
            cwd=self._folder,
            env={
                **self._container.engine.environ,
                "POSTGRES_PASSWORD": self._password,
                "POSTGRES_INITDB_ARGS": INITDB_ARGS,
            },
            user=None,
            stdout=self._log,
            stop_signal=signal.SIGINT,
        )
        if not self.answers_within(_START_S, login.answers):
            self.stop()
            raise CannotGoOn(
                f"PostgreSQL's container did not start: {self._last_message()}",
                f"The whole log is {self._log}.",
            )
        running = self._container.engine.running(self._container.name)
        if running is None:
            raise CannotGoOn(
                f"PostgreSQL's container has no process: {self._last_message()}", f"Its log is {self._log}."
            )
        self._pid, self.container = running.pid, running.id
        with psycopg.connect(login.conninfo(), autocommit=True) as session:
            self._secure(session, keys)
        return login

    def stop(self) -> None:
        """Stop the server: the engine's client hands SIGINT on, a fast shutdown; then remove the container."""
        if self._process is not None:
            super().stop()
            self._pid = self.container = None
            self._container.engine.remove(self._container.name)

    def _last_message(self) -> str:
        """Return the engine's own message, which advice may follow, else the server's last line."""
        lines = [line for line in self._log.read_text(errors="replace").splitlines() if line.strip()]
        prefixes = (f"{self._container.engine.program.name}:", "Error:")
        engine_lines = [line for line in lines if line.startswith(prefixes)]
        return (engine_lines or lines or ["it said nothing."])[-1]

    def _secure(self, session: psycopg.Connection[tuple[object, ...]], keys: TlsKeys) -> None:
        """Turn TLS on, and say who may log in. The server itself writes these files: then it owns them, whichever ids
        the engine maps.
        """
        for name, content in ((_CERTIFICATE, keys.certificate), (_KEY, keys.key), (_HBA, HBA.encode())):
            ((oid,),) = session.execute("SELECT lo_from_bytea(0, %s)", [content]).fetchall()
            session.execute("SELECT lo_export(%s, %s), lo_unlink(%s)", [oid, name, oid])
        session.execute(f"COPY (SELECT 1 WHERE false) TO PROGRAM 'chmod 600 {_KEY}'")
        session.execute("ALTER SYSTEM SET ssl = on")
        session.execute("SELECT pg_reload_conf()")
        for _ in range(int(_TLS_S * 10)):
            if session.execute("SHOW ssl").fetchall() == [("on",)]:
                return
            self._sleep(0.1)
        raise CannotGoOn("PostgreSQL's container did not turn TLS on.", f"Its log is {self._log}.")
