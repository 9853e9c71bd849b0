"""README's table of systems is what the variants' files and the ledger make, and brackets mean what they say."""

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
    (found,) = (one for one in rows(catalog, ledger) if one["system"] == name)
    return found


def test_readme_has_this_table(catalog: Catalog) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ledger = read_ledger(ROOT / FILE)
    table = f"{as_markdown(rows(catalog, ledger))}\n\n{coverage_sentence(catalog, ledger)}"
    assert put_between_marks(text, table, "README.md") == text, "./bench systems --write makes it anew"


def test_subjects_of_the_suites_are_counted_and_those_that_no_run_held_are_named(catalog: Catalog) -> None:
    named = [one.id for one in catalog.subjects_of_suites()]
    nightly = catalog.bench.suites["nightly"]
    assert {*nightly.subjects, *nightly.rotation} <= set(named) and len(named) == len(set(named))
    assert not any("deadlock" in one for one in named)
    held = LedgerEntry(workloads=("fruits",))
    ledger = {**dict.fromkeys(named[1:], held), "control/jvm/pg": held}
    assert unchecked_subjects(catalog, ledger) == (named[0],)
    assert f"Of the {len(named)} subjects" in coverage_sentence(catalog, ledger)
    assert f" {len(named) - 1} were checked by a run" in coverage_sentence(catalog, ledger)
    whole = dict.fromkeys(named, held)
    assert coverage_sentence(catalog, whole).startswith(f"Each of the {len(named)} subjects")


def test_what_was_held_is_declared(catalog: Catalog) -> None:
    for text, held in read_ledger(ROOT / FILE).items():
        spec = catalog.variant(catalog.subject(text).variant).spec
        assert set(held.workloads) <= set(spec.workloads), text
        assert Subject.parse(text).engine in spec.engines


def test_one_row_a_variant_the_control_first(catalog: Catalog) -> None:
    names = [one["system"] for one in rows(catalog, {})]
    right = {name for name, one in catalog.variants.items() if not one.spec.only_in}
    assert names[0] == "control" and names[1:] == sorted(right - {"control"})


def test_round_trips_are_told_to_one_decimal(catalog: Catalog) -> None:
    def told(count: float) -> str:
        held = LedgerEntry(workloads=("fruits",), round_trips={"GET /fruits": count})
        return row(catalog, "vertx-pg", {"vertx-pg/jvm/pg": held})["round trips"]

    assert (told(5.0), told(4.04), told(4.5)) == ("5", "4", "4.5")


def test_nothing_held_is_all_in_brackets(catalog: Catalog) -> None:
    found = row(catalog, "vertx-pg", {})
    for word in HEAD[2:]:
        parts = [part for part in found[word].split(", ") if part]
        assert all(part.startswith("(") and part.endswith(")") for part in parts), word
    assert found["orders"] == ""


def test_brackets_go_with_what_was_held(catalog: Catalog) -> None:
    held = LedgerEntry(workloads=("hello", "fruits"), thread="vert.x-eventloop-thread-#")
    found = row(catalog, "vertx-pg", {"vertx-pg/jvm/pg": held, "vertx-pg/jvm/pg+db-tls=require": held})
    assert (found["fruits"], found["zipcode"]) == ("x", "(x)")
    assert (found["packagings"], found["engines"]) == ("jvm, (aot), (native)", "pg")
    assert found["container"] == "(x)"
    contained = row(catalog, "vertx-pg", {"vertx-pg/jvm/pg+run-in=container": held})
    assert (contained["container"], contained["packagings"]) == ("x", "(jvm), (aot), (native)")
    assert (found["database TLS"], found["serves on"]) == ("off, require", "event-loop")


def test_another_variant_with_the_same_beginning_is_another(catalog: Catalog) -> None:
    held = {"quarkus-rest-orm-virtual/jvm/pg": LedgerEntry(workloads=("hello",))}
    assert row(catalog, "quarkus-rest-orm", held)["hello"] == "(x)"


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
