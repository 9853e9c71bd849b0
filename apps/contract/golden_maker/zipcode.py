"""The workload zipcode: the arithmetic of sql/*/rows.sql."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .probe import Maker, Probe, quoted

KEYS = ("zip", "type", "city", "state", "county", "timezone")
ZIP_CODES = 12078
ZIPS_OF_A_CITY = 6
_ZONES = ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles")
_ENDINGS = ("ford", "ton", "field", "wood", "ville", "burg", "bury", "dale", "port", "mont", "stead")
_AGES = ("", "New ", "Old ")


def words_of(pg_rows: str, length: int) -> list[str]:
    """Return the one list of so many words in the SQL: names and states are written there alone."""
    lists = [re.findall(r"'([^']+)'", array) for array in re.findall(r"ARRAY\[(.*?)\]", pg_rows, re.DOTALL)]
    (words,) = (candidate for candidate in lists if len(candidate) == length)
    return words


def zip_code(number: int, names: list[str], states: list[str]) -> tuple[str, ...]:
    """Return the columns of row `number`, counted from 0."""
    city = number // ZIPS_OF_A_CITY
    kind = "STANDARD" if number % 10 < 7 else "PO BOX" if number % 10 < 9 else "UNIQUE"
    return (
        f"{501 + number * 7:05d}",
        kind,
        _AGES[city // (len(names) * len(_ENDINGS))] + names[city % 61] + _ENDINGS[city // 61 % 11],
        states[city % 50],
        names[city * 7 % 61] + " County",
        _ZONES[city % 4],
    )


def zip_json(columns: tuple[str | None, ...]) -> str:
    return "{" + ",".join(f'"{key}":{quoted(value)}' for key, value in zip(KEYS, columns, strict=True)) + "}"


def probes(pg_rows: str) -> Iterator[Probe]:
    """Yield reads, then writes: a POST of a code that exists is answered with the stored row."""
    make = Maker("zipcode")
    names, states = words_of(pg_rows, 61), words_of(pg_rows, 50)
    rows = [zip_code(number, names, states) for number in range(ZIP_CODES)]
    first, last = rows[0], rows[-1]
    yield make.ok("zip-first", f"/zipcode/{first[0]}", zip_json(first))
    yield make.ok("zip-last", f"/zipcode/{last[0]}", zip_json(last))
    yield make.problem("no-zip", "/zipcode/99999", 404, "No zip code is 99999.")
    for name, city in (("city-first", first[2]), ("city-last", last[2])):
        rows_of_city = [zip_json(row) for row in rows if row[2] == city]
        assert len(rows_of_city) == ZIPS_OF_A_CITY
        path = f"/zipcode/by_city?city={city.replace(' ', '%20')}"
        yield make.ok(name, path, "[" + ",".join(rows_of_city) + "]")
    yield make.ok("no-city", "/zipcode/by_city?city=Nowhere", "[]")
    blank = "The city must not be blank."
    yield make.problem("city-missing", "/zipcode/by_city", 400, blank)
    yield make.problem("city-blank", "/zipcode/by_city?city=%20", 400, blank)

    fresh = zip_json(("X0001", "STANDARD", "Elsewhere", "VT", "Fern County", "America/New_York"))
    yield make.written("zip-created", "/zipcode", fresh, 200, fresh)
    yield make.ok("zip-there", "/zipcode/X0001", fresh, golden="zip-created.json", part="write")
    duplicate = '{"zip":"X0001","city":"Another"}'
    yield make.written("zip-again", "/zipcode", duplicate, 200, fresh, golden="zip-created.json")
    bare = zip_json(("X0002", None, None, None, None, None))
    yield make.written("zip-bare", "/zipcode", '{"zip":"X0002"}', 200, bare)
    longest = "9" * 100
    for name, request, detail in (
        ("zip-missing", '{"city":"Elsewhere"}', "The zip must not be blank."),
        ("zip-blank", '{"zip":"  "}', "The zip must not be blank."),
        ("zip-too-long", f'{{"zip":"{longest}9"}}', "The zip must have at most 100 characters."),
        (
            "city-too-long",
            f'{{"zip":"X0003","city":"{"x" * 256}"}}',
            "The city must have at most 255 characters.",
        ),
    ):
        yield make.refused(name, "/zipcode", request, 400, detail)
    yield from make.no_bodies("zip-", "/zipcode", '{"zip":"X0004"')
