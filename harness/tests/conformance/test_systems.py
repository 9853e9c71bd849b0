"""README's table of systems is made from the variants' files and the ledger; brackets mark what no run checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.measuring.conformance.systems import (
    BEGIN,
    END,
    FILE,
    HEAD,
    LedgerEntry,
    as_markdown,
    coverage_sentence,
    put_between_marks,
    read_ledger,
    rows,
    unchecked_subjects,
    write_ledger,
)
from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.catalog import Catalog
from tests.checkout import CATALOG, ROOT

TABLE = f"{BEGIN}\n| old |\n{END}"


@pytest.fixture
def catalog() -> Catalog:
    return CATALOG


def row(catalog: Catalog, name: str, ledger: dict[str, LedgerEntry]) -> dict[str, str]:
    (table_row,) = (table_row for table_row in rows(catalog, ledger) if table_row["system"] == name)
    return table_row


def test_readme_has_this_table(catalog: Catalog) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ledger = read_ledger(ROOT / FILE)
    table = f"{as_markdown(rows(catalog, ledger))}\n\n{coverage_sentence(catalog, ledger)}"
    assert put_between_marks(text, table, "README.md") == text, "./bench systems --write makes it anew"


def test_subjects_of_the_suites_are_counted_and_those_that_no_run_held_are_named(catalog: Catalog) -> None:
    subjects = [subject.id for subject in catalog.subjects_of_suites()]
    nightly = catalog.bench.suites["nightly"]
    assert {*nightly.subjects, *nightly.rotation} <= set(subjects) and len(subjects) == len(set(subjects))
    assert not any("deadlock" in name for name in subjects)
    entry = LedgerEntry(workloads=("fruits",))
    ledger = {**dict.fromkeys(subjects[1:], entry), "control/jvm/pg": entry}
    assert unchecked_subjects(catalog, ledger) == (subjects[0],)
    in_suites = {text for suite in catalog.bench.suites.values() for text in (*suite.subjects, *suite.rotation)}
    wrong = len(in_suites) - len(subjects)
    assert wrong > 0
    begin = f"The suites of `bench.toml` have {len(in_suites)} subjects: "
    assert coverage_sentence(catalog, ledger) == (
        f"{begin}{len(subjects) - 1} were checked by a run, {wrong} are wrong on purpose, "
        "and no run has checked 1 yet, which `./bench systems` names."
    )
    assert coverage_sentence(catalog, dict.fromkeys(subjects, entry)) == (
        f"{begin}{len(subjects)} were checked by a run, {wrong} are wrong on purpose."
    )


def test_what_was_held_is_declared(catalog: Catalog) -> None:
    for text, entry in read_ledger(ROOT / FILE).items():
        spec = catalog.variant(catalog.subject(text).variant).spec
        assert set(entry.workloads) <= set(spec.workloads), text
        assert Subject.parse(text).engine in spec.engines


def test_one_row_a_variant_the_control_first(catalog: Catalog) -> None:
    names = [table_row["system"] for table_row in rows(catalog, {})]
    assert names[0] == "control" and names[1:] == sorted(catalog.variants.keys() - {"control"})


def test_the_studies_of_a_variant_are_those_whose_suites_have_it(catalog: Catalog) -> None:
    studies = {table_row["system"]: table_row["study"] for table_row in rows(catalog, {})}
    assert studies["control"] == "000, 001, 002, 003, 004"
    assert studies["spring4-webflux-r2dbc"] == "000, 001"
    assert studies["vertx-pg"] == ""
    assert studies["quarkus-rest-reactive-deadlock"] == "000, wrong on purpose"


def test_round_trips_are_told_to_one_decimal(catalog: Catalog) -> None:
    def cell_of(count: float) -> str:
        entry = LedgerEntry(workloads=("fruits",), round_trips={"GET /fruits": count})
        return row(catalog, "vertx-pg", {"vertx-pg/jvm/pg": entry})["round trips"]

    assert (cell_of(5.0), cell_of(4.04), cell_of(4.5)) == ("5", "4", "4.5")


def test_nothing_held_is_all_in_brackets(catalog: Catalog) -> None:
    cells = row(catalog, "vertx-pg", {})
    for word in HEAD[2:]:
        parts = [part for part in cells[word].split(", ") if part]
        assert all(part.startswith("(") and part.endswith(")") for part in parts), word
    assert cells["orders"] == ""


def test_brackets_go_with_what_was_held(catalog: Catalog) -> None:
    entry = LedgerEntry(workloads=("hello", "fruits"), thread="vert.x-eventloop-thread-#")
    cells = row(catalog, "vertx-pg", {"vertx-pg/jvm/pg": entry, "vertx-pg/jvm/pg+db-tls=require": entry})
    assert (cells["fruits"], cells["zipcode"]) == ("x", "(x)")
    assert (cells["packagings"], cells["engines"]) == ("jvm, (aot), (native)", "pg")
    assert cells["container"] == "(x)"
    contained = row(catalog, "vertx-pg", {"vertx-pg/jvm/pg+run-in=container": entry})
    assert (contained["container"], contained["packagings"]) == ("x", "(jvm), (aot), (native)")
    assert (cells["database TLS"], cells["serves on"]) == ("off, require", "event-loop")


def test_another_variant_with_the_same_beginning_is_another(catalog: Catalog) -> None:
    ledger = {"quarkus-rest-orm-virtual/jvm/pg": LedgerEntry(workloads=("hello",))}
    assert row(catalog, "quarkus-rest-orm", ledger)["hello"] == "(x)"


def test_the_table_stands_between_its_marks() -> None:
    assert put_between_marks(f"a\n{TABLE}\nb", "| new |", "x") == f"a\n{BEGIN}\n| new |\n{END}\nb"
    with pytest.raises(UsageError, match="no place for the table"):
        put_between_marks("a", "| new |", "README.md")


def test_the_ledger_keeps_what_did_not_run_and_drops_what_failed(tmp_path: Path) -> None:
    path = tmp_path / "conformance.json"
    old, new = (
        LedgerEntry(workloads=("hello",)),
        LedgerEntry(workloads=("hello", "fruits"), thread="executor-thread-#"),
    )
    write_ledger(path, {}, {"a/jvm/pg": old, "b/jvm/pg": old})
    write_ledger(path, read_ledger(path), {"b/jvm/pg": None, "c/jvm/pg": new})
    assert read_ledger(path) == {"a/jvm/pg": old, "c/jvm/pg": new}


def test_the_ledger_keeps_what_a_run_did_not_note(tmp_path: Path) -> None:
    path = tmp_path / "conformance.json"
    whole = LedgerEntry(workloads=("hello",), thread="worker-#", round_trips={"GET /fruits": 4.0})
    write_ledger(path, {}, {"a/jvm/pg": whole})
    write_ledger(path, read_ledger(path), {"a/jvm/pg": LedgerEntry(workloads=("hello",))})
    assert read_ledger(path) == {"a/jvm/pg": whole}


def test_no_ledger_is_an_empty_one_and_a_broken_one_is_refused(tmp_path: Path) -> None:
    assert read_ledger(tmp_path / "none.json") == {}
    (tmp_path / "conformance.json").write_text('{"a/jvm/pg": {"wordloads": []}}')
    with pytest.raises(UsageError, match="no ledger of conformance"):
        read_ledger(tmp_path / "conformance.json")
