#!/usr/bin/env python3
"""Writes the exact answers of the contract, golden/*, from sql/fruits.sql and the list of probes below.

    make_golden.py            writes them
    make_golden.py --check    exits 1 and names what is not current

A golden file holds the bytes of a body, with no newline at its end. golden/probes.toml lists the requests in the
order in which they are to be sent to a freshly restored database: the writes build on each other.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden"

TEXT = "text/plain"
JSON = "application/json"
PROBLEM = "application/problem+json"
TITLES = {400: "Bad Request", 404: "Not Found", 409: "Conflict"}

Row = dict[str, str]


@dataclass(frozen=True)
class Probe:
    """One request and its answer; `body` None means that any body will do, `serves_on` () every kind of variant."""

    name: str
    part: str
    method: str
    path: str
    status: int
    media_type: str | None
    golden: str | None
    body: bytes | None
    request: str | None = None
    serves_on: tuple[str, ...] = ()


def rows_of(table: str, seed: str) -> list[Row]:
    """The rows that the seed inserts into a table, as texts by column name."""
    found = re.search(rf"INSERT INTO {table} \((.*?)\) VALUES\s+(.*?);\n", seed, re.DOTALL)
    if found is None:
        raise SystemExit(f"sql/fruits.sql has no INSERT INTO {table}.")
    columns = found[1].split(", ")
    lines = [line.strip().rstrip(",")[1:-1] for line in found[2].splitlines()]
    return [
        dict(zip(columns, values, strict=True))
        for values in csv.reader(lines, quotechar="'", skipinitialspace=True)
    ]


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def store_json(store: Row) -> str:
    texts = ",".join(
        f'"{key}":{quoted(store[key])}' for key in ("name", "currency", "address", "city", "country")
    )
    return f'{{"id":{store["id"]},{texts}}}'


def fruits_json(seed: str) -> dict[str, str]:
    """Fruit name to its JSON, ordered by fruit id; the price keeps the two decimals of the seed."""
    stores = {row["id"]: row for row in rows_of("stores", seed)}
    prices = sorted(rows_of("store_fruit_prices", seed), key=lambda row: int(row["store_id"]))
    fruits = {}
    for fruit in sorted(rows_of("fruits", seed), key=lambda row: int(row["id"])):
        of_fruit = ",".join(
            f'{{"store":{store_json(stores[row["store_id"]])},"price":{row["price"]}}}'
            for row in prices
            if row["fruit_id"] == fruit["id"]
        )
        fruits[fruit["name"]] = new_fruit_json(
            int(fruit["id"]), fruit["name"], fruit["description"], of_fruit
        )
    return fruits


def new_fruit_json(fruit_id: int, name: str, description: str | None, prices: str = "") -> str:
    told = "null" if description is None else quoted(description)
    return f'{{"id":{fruit_id},"name":{quoted(name)},"description":{told},"prices":[{prices}]}}'


def probes(seed: str) -> Iterator[Probe]:
    """All probes; those of the part "write" belong to POST, which the control does not have."""

    def ok(name: str, path: str, golden: str, body: str, media_type: str = JSON, part: str = "read") -> Probe:
        return Probe(name, part, "GET", path, 200, media_type, golden, body.encode())

    def problem(name: str, path: str, status: int, detail: str, request: str | None = None) -> Probe:
        body = f'{{"status":{status},"title":"{TITLES[status]}","detail":{quoted(detail)}}}'
        part, method = ("read", "GET") if request is None else ("write", "POST")
        return Probe(name, part, method, path, status, PROBLEM, f"{name}.json", body.encode(), request)

    def created(name: str, request: str, body: str) -> Probe:
        return Probe(name, "write", "POST", "/fruits", 201, JSON, f"{name}.json", body.encode(), request)

    fruits = fruits_json(seed)
    next_id = len(fruits) + 1

    yield ok("health", "/health", "health.txt", "ok", TEXT)
    yield ok("hello", "/hello/World", "hello.txt", "Hello, World!", TEXT)
    yield ok("hello-escaped", "/hello/%C3%85sa%20%26%20Bo", "hello-escaped.txt", "Hello, Åsa & Bo!", TEXT)
    yield problem("hello-blank", "/hello/%20", 400, "The name must not be blank.")
    yield ok("split", "/split/World", "hello.txt", "Hello, World!", TEXT)
    yield ok("sleep", "/sleep", "slept.txt", "Slept", TEXT)
    yield Probe(
        "sleep-async",
        "read",
        "GET",
        "/sleep-async",
        200,
        TEXT,
        "slept.txt",
        b"Slept",
        serves_on=("event-loop",),
    )
    yield Probe(
        "no-sleep-async",
        "read",
        "GET",
        "/sleep-async",
        404,
        None,
        None,
        None,
        serves_on=("worker", "virtual"),
    )
    yield ok("fruits", "/fruits", "fruits.json", "[" + ",".join(fruits.values()) + "]")
    yield ok("fruit-Apple", "/fruits/Apple", "fruit-Apple.json", fruits["Apple"])
    yield ok("fruit-Mango", "/fruits/Mango", "fruit-Mango.json", fruits["Mango"])
    yield problem("no-fruit", "/fruits/Durian", 404, "No fruit is named Durian.")
    yield problem("no-fruit-escaped", "/fruits/A%C3%A7a%C3%AD", 404, "No fruit is named Açaí.")
    yield Probe("no-path", "read", "GET", "/nobody/serves/this", 404, None, None, None)

    papaya = new_fruit_json(next_id, "Papaya", 'Orange flesh, "black" seeds')
    quince = new_fruit_json(next_id + 1, "Quince – 榲桲", None)
    yield created("created", '{"name":"Papaya","description":"Orange flesh, \\"black\\" seeds"}', papaya)
    yield created("created-bare", '{"name":"Quince – 榲桲"}', quince)
    yield ok("fruit-created", "/fruits/Papaya", "created.json", papaya, part="write")
    yield problem(
        "exists",
        "/fruits",
        409,
        "A fruit named Apple exists already.",
        '{"name":"Apple","description":"Again"}',
    )
    longest = "x" * 255
    for name, request, detail in (
        ("name-missing", '{"description":"Nameless"}', "The name must not be blank."),
        ("name-null", '{"name":null}', "The name must not be blank."),
        ("name-blank", '{"name":" \\t"}', "The name must not be blank."),
        ("name-too-long", f'{{"name":"{longest}x"}}', "The name must have at most 255 characters."),
        (
            "description-too-long",
            f'{{"name":"Sloe","description":"{longest}x"}}',
            "The description must have at most 255 characters.",
        ),
        ("body-broken", '{"name":"Sloe"', "The body must be a JSON object."),
        ("body-array", '[{"name":"Sloe"}]', "The body must be a JSON object."),
        ("body-null", "null", "The body must be a JSON object."),
        ("body-empty", "", "The body must be a JSON object."),
    ):
        yield problem(name, "/fruits", 400, detail, request)


def toml_of(all_probes: list[Probe]) -> str:
    """probes.toml; JSON's strings of ASCII are TOML's."""
    lines = [
        "# Written by make_golden.py. Send in this order to a freshly restored database. A body is equal byte for",
        "# byte; a media type may carry ;charset=UTF-8; a probe with `serves_on` is for variants of that kind alone;",
        '# those of part "write" are not for the control. Requests with a body are of application/json.',
    ]
    for probe in all_probes:
        lines += ["", "[[probe]]"]
        fields = {
            "name": probe.name,
            "part": probe.part,
            "method": probe.method,
            "path": probe.path,
            "request": probe.request,
            "status": probe.status,
            "media_type": probe.media_type,
            "golden": probe.golden,
            "serves_on": list(probe.serves_on) or None,
        }
        lines += [f"{key} = {json.dumps(value)}" for key, value in fields.items() if value is not None]
    return "\n".join(lines) + "\n"


def golden_files(seed: str) -> dict[str, bytes]:
    """File name to bytes of everything in golden/."""
    all_probes = list(probes(seed))
    files = {
        probe.golden: probe.body
        for probe in all_probes
        if probe.golden is not None and probe.body is not None
    }
    return {**files, "probes.toml": toml_of(all_probes).encode()}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 when a file is not current"
    )
    check = parser.parse_args().check

    wanted = golden_files((HERE / "sql" / "fruits.sql").read_text(encoding="utf-8"))
    found = {path.name: path.read_bytes() for path in GOLDEN.iterdir()} if GOLDEN.is_dir() else {}
    stale = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    if check:
        for name in stale:
            print(f"golden/{name} is not current: run apps/contract/make_golden.py.", file=sys.stderr)
        return 1 if stale else 0
    GOLDEN.mkdir(exist_ok=True)
    for name in stale:
        if name in wanted:
            (GOLDEN / name).write_bytes(wanted[name])
        else:
            (GOLDEN / name).unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
