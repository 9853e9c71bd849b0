"""The pages of classes: who is in each, by which release and since when, who leads, and what an ORM costs."""

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
from plumbline.subjects.catalog.catalog import read_catalog
from plumbline.subjects.catalog.variant import read_variant
from plumbline.verdicts.figures.metrics import METRICS

APPS = Path(__file__).resolve().parents[3] / "apps"
ORM, SQL, OTHER = "spring4-mvc-jpa/jvm/pg", "spring4-mvc-jdbc/jvm/pg", "vertx-pg/jvm/pg"
UPGRADE = 3


def thing(id_: str, last: int) -> SimulatedSubject:
    # The stack with an ORM does half the work of the one without, as a logarithm.
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
    by_session = {one.plan.session: one for one in records}
    digests = [digest(one) for one in records]
    its = standings(digests, by_session.__getitem__)
    return classes_file(digests, its, {}, by_session.__getitem__, simulated=True)


def members(file: ClassesFile) -> dict[str, dict[str, Member]]:
    found = {its.data_access: {one.variant: one for one in its.members} for its in file.classes}
    return {access: its for access, its in found.items() if its}


def test_every_class_has_a_page_although_nothing_was_measured() -> None:
    file = file_of()
    assert [one.data_access for one in file.classes] == ["orm", "sql", "none"]
    assert members(file) == {} and file.prices == ()


def test_each_class_has_its_own_members_and_its_own_table(monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_of(night(monkeypatch, 0, ORM, SQL, OTHER))
    assert {access: set(its) for access, its in members(file).items()} == {
        "orm": {"spring4-mvc-jpa"},
        "sql": {"spring4-mvc-jdbc", "vertx-pg"},
    }
    orm, sql, none = file.classes
    assert none.standings == ()
    for its in (orm, sql):
        (standing,) = its.standings
        assert {bar.data_access for bar in standing.table.bars} == {its.data_access}
        assert standing.table.control is not None and standing.others
        assert its.page == f"classes/{its.data_access}/"


def test_without_a_database_all_are_of_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_of(night(monkeypatch, 0, ORM, SQL, scenario="hello"))
    assert {access: set(its) for access, its in members(file).items()} == {
        "none": {"spring4-mvc-jpa", "spring4-mvc-jdbc"}
    }
    assert file.prices == ()


def test_a_release_stands_with_the_session_since_which_it_is_this_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nights = [night(monkeypatch, number, ORM) for number in range(UPGRADE + 3)]
    its = members(file_of(*nights))["orm"]["spring4-mvc-jpa"]
    assert its.release == "Spring Boot 4.1.0" and its.since is not None
    assert its.since.session == nights[UPGRADE].plan.session
    assert its.last.session == nights[-1].plan.session


def test_a_session_that_tells_no_release_changes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (night(monkeypatch, number, ORM) for number in range(2))
    silent = second.model_copy(
        update={"ran": tuple(one.model_copy(update={"framework_version": None}) for one in second.ran)}
    )
    its = members(file_of(first, silent))["orm"]["spring4-mvc-jpa"]
    assert (its.release, its.since and its.since.session) == ("Spring Boot 4.0.0", first.plan.session)
    assert members(file_of(silent))["orm"]["spring4-mvc-jpa"].release is None


def test_a_release_that_was_asked_for_by_name_is_not_that_of_the_variant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nights = [night(monkeypatch, number, ORM, f"{ORM}+release=9.9.9") for number in range(2)]
    its = members(file_of(*nights))["orm"]["spring4-mvc-jpa"]
    assert (its.release, its.since and its.since.session) == ("Spring Boot 4.0.0", nights[0].plan.session)
    assert members(file_of(night(monkeypatch, 0, f"{ORM}+release=9.9.9"))) == {}


def test_who_was_not_measured_for_a_month_is_in_no_class(monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_of(night(monkeypatch, 0, ORM, OTHER, of=40), night(monkeypatch, 39, ORM, of=40))
    assert set(members(file)) == {"orm"}


def test_an_orm_costs_what_the_same_stack_does_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    (prices,) = file_of(night(monkeypatch, 0, ORM, SQL, OTHER)).prices
    assert {(one.with_orm, one.without) for one in prices.rows} == {
        ("spring4-mvc-jpa_jvm_pg", "spring4-mvc-jdbc_jvm_pg")
    }
    closed = {one.title: one for one in prices.rows if "full load" in one.where}
    throughput, cpu = closed["Throughput"], closed[METRICS["app_cpu_us_per_request"].title]
    assert throughput.word == cpu.word == "behind"
    # e to the power of -0.7, and of 0.7.
    assert float(throughput.times.split()[0]) == pytest.approx(0.5, abs=0.03)
    assert float(cpu.times.split()[0]) == pytest.approx(2.0, abs=0.1)


def test_an_orm_has_no_price_where_the_other_stack_was_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert file_of(night(monkeypatch, 0, ORM, OTHER)).prices == ()


def test_the_price_comes_from_the_session_with_most_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    tls = [f"{one}+db-tls=require" for one in (ORM, SQL)]
    whole = night(monkeypatch, 0, ORM, SQL, *tls)
    (prices,) = file_of(whole, night(monkeypatch, 1, ORM, SQL)).prices
    assert prices.session.session == whole.plan.session
    assert {one.without for one in prices.rows} == {
        "spring4-mvc-jdbc_jvm_pg",
        "spring4-mvc-jdbc_jvm_pg~db-tls=require",
    }


@pytest.mark.parametrize(("with_orm", "without"), WITH_AND_WITHOUT_ORM)
def test_a_pair_differs_in_its_data_access_alone(with_orm: str, without: str) -> None:
    one, other = (read_variant(APPS / name).spec for name in (with_orm, without))
    assert (one.data_access, other.data_access) == ("orm", "sql")
    for fact in ("framework", "http", "concurrency", "serves_on"):
        assert getattr(one, fact) == getattr(other, fact), fact


def test_the_suite_of_the_price_has_the_pairs_and_nothing_else() -> None:
    asked = read_catalog(APPS.parent, []).bench.suites["orm-price"].subjects
    assert sorted(asked) == sorted(f"{name}/jvm/pg" for pair in WITH_AND_WITHOUT_ORM for name in pair)
