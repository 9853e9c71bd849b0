"""The workload companies: the arithmetic of sql/*/rows.sql and of the batches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from .probe import JSON, Maker, Probe

COMPANIES = 100_000
# Keys of a batch: 1 + index * STRIDE % COMPANIES.
STRIDE = 7919
# The queries in a sleeping batch: few, since each takes two seconds.
_SLEEPING = 2


def company_json(number: int) -> str:
    name = hashlib.md5(f"company {number}".encode(), usedforsecurity=False).hexdigest()
    return f'{{"id":{number},"name":"{name}"}}'


def companies_json(count: int) -> str:
    return "[" + ",".join(company_json(number) for number in range(1, count + 1)) + "]"


def batch(query: str, count: int) -> Probe:
    """Return the probe of a batch, whose threads and duration differ from request to request."""
    if query == "hundred":
        rows, id_sum = 100 * count, sum(range(1, 101)) * count
    else:
        rows, id_sum = count, sum(1 + index * STRIDE % COMPANIES for index in range(count))
    # The answer as a JSON library writes it, without the keys that vary.
    body = f'{{"query":"{query}","count":{count},"rows":{rows},"idSum":{id_sum}}}'
    return Probe(
        *(f"batch-{query}", "companies", "read", "GET", f"/benchmark?query={query}&count={count}", 200),
        *(JSON, f"batch-{query}.json", body.encode()),
        varying=("threads", "millis"),
    )


def probes() -> Iterator[Probe]:
    """Yield reads alone: nothing is written in this workload."""
    make = Maker("companies")
    yield make.ok("company-first", "/companies/1", company_json(1))
    yield make.ok("company-last", f"/companies/{COMPANIES}", company_json(COMPANIES))
    for name, number in (
        ("no-company", "100001"),
        ("company-no-number", "abc"),
        ("company-negative", "-1"),
        ("company-no-int", "9999999999"),
    ):
        yield make.problem(name, f"/companies/{number}", 404, f"No company has the id {number}.")
    yield make.ok("companies-hundred", "/companies?limit=100", companies_json(100))
    yield make.ok("companies-one", "/companies?limit=1", companies_json(1))
    limit = "The limit must be a whole number from 1 to 1000."
    for name, query in (
        ("missing", ""),
        ("zero", "?limit=0"),
        ("huge", "?limit=1001"),
        ("text", "?limit=ten"),
    ):
        yield make.problem(f"limit-{name}", f"/companies{query}", 400, limit)
    yield batch("one", 2000)
    yield batch("hundred", 50)
    yield batch("sleep", _SLEEPING)
    query = "The query must be one, hundred or sleep."
    yield make.problem("batch-unknown", "/benchmark?query=two&count=1", 400, query)
    yield make.problem("batch-no-query", "/benchmark?count=1", 400, query)
    count = "The count must be a whole number from 1 to 1000000."
    yield make.problem("batch-none", "/benchmark?query=one&count=0", 400, count)
    yield make.problem("batch-too-many", "/benchmark?query=one&count=1000001", 400, count)
    yield make.problem("batch-no-count", "/benchmark?query=one", 400, count)
