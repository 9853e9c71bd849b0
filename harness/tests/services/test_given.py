"""A server that is given by its address: the embedded server plays this role."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import psycopg
import pytest

from plumbline.measuring.services.postgres.given import read_address
from plumbline.measuring.services.postgres.service import PostgresService
from plumbline.measuring.services.registry import DatabaseSetup, database_service
from plumbline.model.errors import UsageError


@pytest.fixture
def admin(service: PostgresService) -> Iterator[psycopg.Connection]:
    with psycopg.connect(service.login.conninfo(), autocommit=True) as session:
        yield session


def given(
    setup: DatabaseSetup, service: PostgresService, user: str, password: str, port: int | None = None
) -> PostgresService:
    environ = {"PLUMBLINE_DB_PASSWORD": password}
    with_password = dataclasses.replace(setup, box=dataclasses.replace(setup.box, environ=environ))
    address = service.address
    return database_service(f"postgresql://{user}@{address.host}:{port or address.port}", with_password)


def administrator(service: PostgresService) -> tuple[str, str]:
    return service.login.user, service.login.password


@pytest.mark.slow
def test_is_set_up_restored_and_left_running(setup: DatabaseSetup, service: PostgresService) -> None:
    with given(setup, service, *administrator(service)) as opened:
        assert opened.address.user == opened.target.application_user != opened.login.user
        assert opened.pids == () and opened.data_folder is None and opened.address.authority is None
        assert opened.settings["server_version"].startswith("18.")
        with psycopg.connect(opened.login.conninfo(opened.address.name)) as session:
            session.execute("DELETE FROM store_fruit_prices")
        opened.restore()
        with psycopg.connect(opened.login.conninfo(opened.address.name)) as session:
            assert session.execute("SELECT count(*) FROM store_fruit_prices").fetchall() == [(34,)]
    assert service.answers()


@pytest.mark.slow
def test_the_first_of_two_testbeds_on_one_server_goes_on_once_the_second_is_closed(
    setup: DatabaseSetup, service: PostgresService
) -> None:
    """Some proofs have a testbed of their own beside the usual one, which measures the next trial."""
    with given(setup, service, *administrator(service)) as usual:
        with given(setup, service, *administrator(service)):
            pass
        usual.restore()
        at = usual.address
        with psycopg.connect(usual.target.conninfo) as probe:
            assert probe.execute("SELECT current_schemas(true)::text").fetchall() == [("{pg_catalog}",)]
        with psycopg.connect(host=at.host, port=at.port, dbname=at.name, user=at.user, password=at.password) as session:
            assert session.execute("SELECT count(*) FROM fruits").fetchall() == [(10,)]


@pytest.mark.slow
def test_a_database_of_somebody_else_is_never_dropped(
    setup: DatabaseSetup, service: PostgresService, admin: psycopg.Connection
) -> None:
    admin.execute("COMMENT ON DATABASE bench IS 'the books of the company'")
    try:
        with pytest.raises(UsageError, match="has a database bench that is not ours"):
            given(setup, service, *administrator(service)).__enter__()
        assert admin.execute("SELECT 1 FROM pg_database WHERE datname = 'bench'").fetchall() == [(1,)]
    finally:
        admin.execute("COMMENT ON DATABASE bench IS 'made by plumbline, may be dropped'")


@pytest.mark.slow
def test_a_role_of_somebody_else_is_never_changed(
    setup: DatabaseSetup, service: PostgresService, admin: psycopg.Connection
) -> None:
    admin.execute("COMMENT ON ROLE plumbline_probe IS 'reads the books'")
    try:
        with pytest.raises(UsageError, match="has a role plumbline_probe that is not ours"):
            given(setup, service, *administrator(service)).__enter__()
    finally:
        admin.execute("COMMENT ON ROLE plumbline_probe IS 'made by plumbline, may be altered'")


@pytest.mark.slow
def test_a_user_without_the_rights_is_refused(
    setup: DatabaseSetup, service: PostgresService, admin: psycopg.Connection
) -> None:
    admin.execute("CREATE ROLE poor LOGIN CREATEDB PASSWORD 'poor'")
    try:
        with pytest.raises(UsageError, match=r"The user poor at .* is no superuser"):
            given(setup, service, "poor", "poor").__enter__()
    finally:
        admin.execute("DROP ROLE poor")


@pytest.mark.slow
def test_a_wrong_password_and_a_silent_port_are_one_sentence(setup: DatabaseSetup, service: PostgresService) -> None:
    with pytest.raises(UsageError, match=r"No database is reachable at .*authentication failed"):
        given(setup, service, "postgres", "guess").__enter__()
    with pytest.raises(UsageError, match=r"No database is reachable at 127\.0\.0\.1:1: "):
        given(setup, service, "postgres", "guess", port=1).__enter__()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("postgresql://user:secret@host:1", "holds a password"),
        ("postgresql://host:5432", "is no address"),
        ("mysql://user@host", "is no address"),
        ("postgresql://user@host:port", "is no address"),
    ],
)
def test_addresses_that_are_none(address: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_address(address, {})


def test_an_address_has_defaults() -> None:
    login = read_address("postgresql://me@db.example/postgres2", {"PLUMBLINE_DB_PASSWORD": "x"})
    assert (login.port, login.database, login.password, login.sslmode) == (5432, "postgres2", "x", "prefer")
    with pytest.raises(UsageError, match="which is no file"):
        read_address("postgresql://me@db.example", {"PLUMBLINE_DB_CA": "/nothing"})
