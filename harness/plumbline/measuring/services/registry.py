"""Finds the database of a host by the word in bench.toml: embedded, container, or an address."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.tools.container import find_container_engine
from plumbline.machine.tools.mysql import get_mysql
from plumbline.machine.tools.postgres import get_postgres
from plumbline.machine.tools.toolbox import Toolbox
from plumbline.measuring.launch.interface import Spawner
from plumbline.model.errors import UsageError
from plumbline.model.subject import Engine
from .mysql.embedded import EmbeddedMysql
from .mysql.service import MysqlService
from .owner import OwnFolder
from .postgres.container import Container, ContainerServer
from .postgres.embedded import EmbeddedServer
from .postgres.given import ForeignServer
from .postgres.server import Server
from .postgres.service import PostgresService


@dataclass(frozen=True)
class DatabaseSetup:
    """The means that a database service may use.

    `folder` is in scratch and is made, `log` a file of the session, `session` an id. `cpus` are those of the database,
    `nodes` those whose memory alone it gets (none for all). `own` is the folder that the sandbox made for the server's
    user; None outside of it.
    """

    box: Toolbox
    spawner: Spawner
    session: str
    folder: Path
    log: Path
    cpus: tuple[int, ...]
    nodes: tuple[int, ...]
    own: Path | None = None

    def own_folder(self, server: str) -> OwnFolder:
        """Return the folder that only the user of the named server writes."""
        return OwnFolder(server, self.spawner, folder=self.folder / "own", given=self.own, log=self.log)

    @property
    def contract_sql(self) -> Path:
        """The folder of the contract's SQL."""
        return self.box.paths.checkout / "apps" / "contract" / "sql"

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment of the harness."""
        return self.box.environ


def _embedded_server(setup: DatabaseSetup) -> Server:
    return EmbeddedServer(
        get_postgres(setup.box),
        setup.own_folder("PostgreSQL"),
        folder=setup.folder,
        log=setup.log,
        password=secrets.token_urlsafe(18),
    )


def _container_server(setup: DatabaseSetup) -> Server:
    engine = find_container_engine(setup.environ, setup.box.run)
    if isinstance(engine, str):
        raise UsageError(
            f"bench.toml asks for the database in a container, and {engine}", 'Or say database = "embedded".'
        )
    return ContainerServer(
        Container(engine, setup.session, setup.box.pins.version("postgresql"), setup.cpus, setup.nodes),
        setup.spawner,
        folder=setup.folder,
        log=setup.log,
        password=secrets.token_urlsafe(18),
    )


PROVIDERS: Mapping[str, Callable[[DatabaseSetup], Server]] = {
    "embedded": _embedded_server,
    "container": _container_server,
}


def fetch_database(engine: Engine, word: str, box: Toolbox) -> None:
    """Fetch the programs of an engine's database, so that it starts without a network.

    `word` is `database = ...` of the host, which says where PostgreSQL is. Raises UsageError.
    """
    if engine == "mysql":
        get_mysql(box)
    elif word == "embedded":
        get_postgres(box)


def mysql_service(setup: DatabaseSetup) -> MysqlService:
    """Return the service of MySQL on the pinned programs, up while its context is entered. Raises UsageError."""
    server = EmbeddedMysql(
        get_mysql(setup.box),
        setup.own_folder("MySQL"),
        folder=setup.folder,
        log=setup.log,
        password=secrets.token_urlsafe(18),
    )
    return MysqlService(server, setup.contract_sql)


def database_service(word: str, setup: DatabaseSetup) -> PostgresService:
    """Return the PostgreSQL that `database = ...` of a host in bench.toml means; a context, up while entered.

    Raises UsageError when the word means nothing, or a tool for it is not to be had.
    """
    if "://" in word:
        server: Server = ForeignServer(word, setup.environ)
    elif word in PROVIDERS:
        server = PROVIDERS[word](setup)
    else:
        raise UsageError(f"'{word}' is no database.", f"Say {', '.join(PROVIDERS)} or postgresql://user@host:port.")
    return PostgresService(server, setup.contract_sql)
