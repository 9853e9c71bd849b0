"""README's table of systems says of each variant what its variant.toml says, no more and no less."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.catalog.catalog import Catalog, read_catalog
from plumbline.catalog.variant import WORKLOADS, VariantSpec

ROOT = Path(__file__).resolve().parents[3]
HEAD = ("system", "study", *WORKLOADS, "packagings", "engines", "database TLS")
NOT_YET = "not yet"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return read_catalog(ROOT)


def table() -> list[tuple[str, ...]]:
    """The cells of each line of the table, its head first, without the line below the head."""
    _, _, below = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Systems\n")
    section = below.partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    cells = [tuple(cell.strip(" `") for cell in line.strip("|").split("|")) for line in lines]
    return [cells[0], *cells[2:]]


def rows() -> dict[str, dict[str, str]]:
    head, *others = table()
    return {cells[0]: dict(zip(head, cells, strict=True)) for cells in others}


def declared(spec: VariantSpec) -> dict[str, str]:
    """The cells that follow from a variant's own file."""
    done = "CLI" if spec.serves_on == "cli" else "x"
    marks = {name: "reads" if name in spec.reads_only else done for name in spec.workloads}
    packagings = dict.fromkeys(name.partition(".")[0] for name in spec.packaging)
    tls = spec.settings.get("db-tls", ())
    return {
        **{name: marks.get(name, "") for name in WORKLOADS},
        "packagings": ", ".join(packagings),
        "engines": ", ".join(spec.engines),
        "database TLS": ", ".join(tls),
    }


def test_one_row_a_system() -> None:
    head, *others = table()
    assert head == HEAD
    names = [cells[0] for cells in others]
    assert len(names) == len(set(names)) >= 24


def test_each_variant_has_a_row(catalog: Catalog) -> None:
    assert set(catalog.variants) <= set(rows())


def test_each_row_says_what_the_variant_declares(catalog: Catalog) -> None:
    """In brackets stands what is declared and was not run: the words are the variant's either way."""
    for name, row in rows().items():
        if name not in catalog.variants:
            continue
        said = {column: cell.replace("(", "").replace(")", "") for column, cell in row.items()}
        wanted = declared(catalog.variants[name].spec)
        assert {column: said[column] for column in wanted} == wanted, name


def test_what_is_not_here_yet_claims_nothing(catalog: Catalog) -> None:
    for name, row in rows().items():
        if name not in catalog.variants:
            claims = {column: row[column] for column in HEAD[2:] if row[column]}
            assert claims == {"packagings": NOT_YET}, name
