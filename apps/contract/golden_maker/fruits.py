"""The workload fruits: the rows of sql/fruits.sql."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from .probe import Maker, Probe, quoted

Row = dict[str, str]


def rows_of(table: str, seed: str) -> list[Row]:
    """Return the rows that the seed inserts into a table, as texts by column name."""
    statement = re.search(rf"INSERT INTO {table} \((.*?)\) VALUES\s+(.*?);\n", seed, re.DOTALL)
    if statement is None:
        raise SystemExit(f"sql/fruits.sql has no INSERT INTO {table}.")
    columns = statement[1].split(", ")
    lines = [line.strip().rstrip(",")[1:-1] for line in statement[2].splitlines()]
    return [
        dict(zip(columns, values, strict=True)) for values in csv.reader(lines, quotechar="'", skipinitialspace=True)
    ]


def store_json(store: Row) -> str:
    texts = ",".join(f'"{key}":{quoted(store[key])}' for key in ("name", "currency", "address", "city", "country"))
    return f'{{"id":{store["id"]},{texts}}}'


def fruits_json(seed: str) -> dict[str, str]:
    """Return fruit name -> its JSON, ordered by fruit id; prices keep the two decimals of the seed."""
    stores = {row["id"]: row for row in rows_of("stores", seed)}
    prices = sorted(rows_of("store_fruit_prices", seed), key=lambda row: int(row["store_id"]))
    fruits = {}
    for fruit in sorted(rows_of("fruits", seed), key=lambda row: int(row["id"])):
        prices_json = ",".join(
            f'{{"store":{store_json(stores[row["store_id"]])},"price":{row["price"]}}}'
            for row in prices
            if row["fruit_id"] == fruit["id"]
        )
        fruits[fruit["name"]] = fruit_json(int(fruit["id"]), fruit["name"], fruit["description"], prices_json)
    return fruits


def fruit_json(fruit_id: int, name: str, description: str | None, prices: str = "") -> str:
    return f'{{"id":{fruit_id},"name":{quoted(name)},"description":{quoted(description)},"prices":[{prices}]}}'


def probes(seed: str) -> Iterator[Probe]:
    """Yield reads, then writes that build on each other."""
    make = Maker("fruits")
    fruits = fruits_json(seed)
    next_id = len(fruits) + 1

    yield make.ok("fruits", "/fruits", "[" + ",".join(fruits.values()) + "]")
    yield make.ok("fruit-Apple", "/fruits/Apple", fruits["Apple"])
    yield make.ok("fruit-Mango", "/fruits/Mango", fruits["Mango"])
    yield make.problem("no-fruit", "/fruits/Durian", 404, "No fruit is named Durian.")
    yield make.problem("no-fruit-escaped", "/fruits/A%C3%A7a%C3%AD", 404, "No fruit is named Açaí.")

    papaya = fruit_json(next_id, "Papaya", 'Orange flesh, "black" seeds')
    request = '{"name":"Papaya","description":"Orange flesh, \\"black\\" seeds"}'
    yield make.written("created", "/fruits", request, 201, papaya)
    quince = fruit_json(next_id + 1, "Quince – 榲桲", None)
    yield make.written("created-bare", "/fruits", '{"name":"Quince – 榲桲"}', 201, quince)
    yield make.ok("fruit-created", "/fruits/Papaya", papaya, golden="created.json", part="write")
    duplicate = '{"name":"Apple","description":"Again"}'
    yield make.refused("exists", "/fruits", duplicate, 409, "A fruit named Apple exists already.")
    longest = "x" * 255
    blank = "The name must not be blank."
    for name, request, detail in (
        ("name-missing", '{"description":"Nameless"}', blank),
        ("name-null", '{"name":null}', blank),
        ("name-blank", '{"name":" \\t"}', blank),
        ("name-too-long", f'{{"name":"{longest}x"}}', "The name must have at most 255 characters."),
        (
            "description-too-long",
            f'{{"name":"Sloe","description":"{longest}x"}}',
            "The description must have at most 255 characters.",
        ),
    ):
        yield make.refused(name, "/fruits", request, 400, detail)
    yield from make.no_bodies("", "/fruits", '{"name":"Sloe"')
