"""The pages of classes: which variants a class has, their release and its first session, who leads, the ORM's price."""

from __future__ import annotations

from pathlib import Path

import pytest

from laboratory.simulate import session
from laboratory.simulate.world import CONTROL, Host, SimulatedSubject, World
from plumbline.model.data_access import WITH_AND_WITHOUT_ORM
from plumbline.model.record import Record
from plumbline.reporting.publish.classes import classes_file
from plumbline.reporting.publish.digest import digest
from plumbline.reporting.publish.model.classes import ClassesFile, Member
from plumbline.reporting.publish.overview import standings
from plumbline.reporting.publish.table import Nightly
from plumbline.subjects.catalog.catalog import read_catalog
from plumbline.subjects.catalog.variant import read_variant
from plumbline.verdicts.figures.metrics import METRICS

APPS = Path(__file__).resolve().parents[3] / "apps"
ORM, SQL, OTHER = "spring4-mvc-jpa/jvm/pg", "spring4-mvc-jdbc/jvm/pg", "vertx-pg/jvm/pg"
UPGRADE = 3


def thing(id_: str, last: int) -> SimulatedSubject:
    # The stack with an ORM does half the work of the stack without; the advantage is a logarithm.
    advantage = {"speed": -0.7 if id_ == ORM else 0.0, "memory": 0.0, "start": 0.0}
    return SimulatedSubject(id_, "Spring Boot", 0, last, advantage, [(0, "4.0.0"), (UPGRADE, "4.1.0")])


def night(
    monkeypatch: pytest.MonkeyPatch, number: int, *subjects: str, scenario: str = "fruits", of: int = 9
) -> Record:
    """A made-up session on a lab."""
    monkeypatch.setattr(session, "BLOCKS", 5)
    monkeypatch.setattr(session, "_REFUSED", 0.0)
    monkeypatch.setattr(session, "_ALL_REFUSED", 0.0)
    host = Host("sim-lab", "lab", [thing(id_, of) for id_ in subjects], (scenario,), 1, [])
    world = World((host,), thing(CONTROL, of), ((0, "Temurin 25+36"),))
    return Record.model_validate_json(session.night_of(world, host, number, of, 1).record)


def file_of(*records: Record) -> ClassesFile:
    by_session = {record.plan.session: record for record in records}
    digests = [digest(record) for record in records]
    standings_of_all = standings(digests, Nightly(), by_session.__getitem__)
    return classes_file(digests, standings_of_all, {}, by_session.__getitem__, simulated=True)


def members(file: ClassesFile) -> dict[str, dict[str, Member]]:
    found = {
        page_of_class.data_access: {member.variant: member for member in page_of_class.members}
        for page_of_class in file.classes
    }
    return {access: members_of_class for access, members_of_class in found.items() if members_of_class}


def test_every_class_has_a_page_although_nothing_was_measured() -> None:
    file = file_of()
    assert [page.data_access for page in file.classes] == ["orm", "sql", "none"]
    assert members(file) == {} and file.prices == ()


def test_each_class_has_its_own_members_and_its_own_table(monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_of(night(monkeypatch, 0, ORM, SQL, OTHER))
    assert {access: set(members_of_class) for access, members_of_class in members(file).items()} == {
        "orm": {"spring4-mvc-jpa"},
        "sql": {"spring4-mvc-jdbc", "vertx-pg"},
    }
    orm, sql, none = file.classes
    assert none.standings == ()
    for page in (orm, sql):
        (standing,) = page.standings
        assert {bar.data_access for bar in standing.table.bars} == {page.data_access}
        assert standing.table.control is not None and standing.others
        assert page.page == f"classes/{page.data_access}/"


def test_without_a_database_all_are_of_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_of(night(monkeypatch, 0, ORM, SQL, scenario="hello"))
    assert {access: set(members_of_class) for access, members_of_class in members(file).items()} == {
        "none": {"spring4-mvc-jpa", "spring4-mvc-jdbc"}
    }
    assert file.prices == ()


def test_a_release_stands_with_the_session_since_which_it_is_this_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nights = [night(monkeypatch, number, ORM) for number in range(UPGRADE + 3)]
    member = members(file_of(*nights))["orm"]["spring4-mvc-jpa"]
    assert member.release == "Spring Boot 4.1.0" and member.since is not None
    assert member.since.session == nights[UPGRADE].plan.session
    assert member.last.session == nights[-1].plan.session


def test_a_session_that_tells_no_release_changes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (night(monkeypatch, number, ORM) for number in range(2))
    silent = second.model_copy(
        update={"ran": tuple(ran.model_copy(update={"framework_version": None}) for ran in second.ran)}
    )
    member = members(file_of(first, silent))["orm"]["spring4-mvc-jpa"]
    assert (member.release, member.since and member.since.session) == ("Spring Boot 4.0.0", first.plan.session)
    assert members(file_of(silent))["orm"]["spring4-mvc-jpa"].release is None


def test_a_release_that_was_asked_for_by_name_is_not_that_of_the_variant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nights = [night(monkeypatch, number, ORM, f"{ORM}+release=9.9.9") for number in range(2)]
    member = members(file_of(*nights))["orm"]["spring4-mvc-jpa"]
    assert (member.release, member.since and member.since.session) == ("Spring Boot 4.0.0", nights[0].plan.session)
    assert members(file_of(night(monkeypatch, 0, f"{ORM}+release=9.9.9"))) == {}


def test_who_was_not_measured_for_a_month_is_in_no_class(monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_of(night(monkeypatch, 0, ORM, OTHER, of=40), night(monkeypatch, 39, ORM, of=40))
    assert set(members(file)) == {"orm"}


def test_an_orm_costs_what_the_same_stack_does_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    (prices,) = file_of(night(monkeypatch, 0, ORM, SQL, OTHER)).prices
    assert {(price.with_orm, price.without) for price in prices.rows} == {
        ("spring4-mvc-jpa_jvm_pg", "spring4-mvc-jdbc_jvm_pg")
    }
    closed = {price.title: price for price in prices.rows if "full load" in price.where}
    throughput, cpu = closed["Throughput"], closed[METRICS["app_cpu_us_per_request"].title]
    assert throughput.word == cpu.word == "behind"
    # e to the power of -0.7, and of 0.7.
    assert float(throughput.times.split()[0]) == pytest.approx(0.5, abs=0.03)
    assert float(cpu.times.split()[0]) == pytest.approx(2.0, abs=0.1)


def test_an_orm_has_no_price_where_the_other_stack_was_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert file_of(night(monkeypatch, 0, ORM, OTHER)).prices == ()


def test_the_price_comes_from_the_session_with_most_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    tls = [f"{subject}+db-tls=require" for subject in (ORM, SQL)]
    with_tls = night(monkeypatch, 0, ORM, SQL, *tls)
    (prices,) = file_of(with_tls, night(monkeypatch, 1, ORM, SQL)).prices
    assert prices.session.session == with_tls.plan.session
    assert {price.without for price in prices.rows} == {
        "spring4-mvc-jdbc_jvm_pg",
        "spring4-mvc-jdbc_jvm_pg~db-tls=require",
    }


@pytest.mark.parametrize(("with_orm", "without"), WITH_AND_WITHOUT_ORM)
def test_a_pair_differs_in_its_data_access_alone(with_orm: str, without: str) -> None:
    orm, sql = (read_variant(APPS / name).spec for name in (with_orm, without))
    assert (orm.data_access, sql.data_access) == ("orm", "sql")
    for fact in ("framework", "http", "concurrency", "serves_on"):
        assert getattr(orm, fact) == getattr(sql, fact), fact


def test_the_suite_of_the_price_has_the_pairs_and_nothing_else() -> None:
    subjects = read_catalog(APPS.parent, []).bench.suites["orm-price"].subjects
    assert sorted(subjects) == sorted(f"{name}/jvm/pg" for pair in WITH_AND_WITHOUT_ORM for name in pair)
