"""Each check finds the fault that it is made for, and finds nothing in a subject without a fault."""

from __future__ import annotations

from collections import Counter
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from plumbline.measuring.conformance.checks import (
    CHECKS,
    REQUESTS,
    budget,
    golden_of,
    insert_race,
    not_served,
    sources,
    transactions,
)
from plumbline.measuring.observe.readers.database import Snapshot
from plumbline.model.evidence import Probe
from plumbline.subjects.catalog.variant import VariantSpec
from plumbline.verdicts.contract.budgets import QueryBudget, StatementBudget, read_budgets
from plumbline.verdicts.contract.probes import ProbeSpec
from plumbline.verdicts.contract.waits import ORDER, SOURCES
from tests.checkout import ROOT
from .served import Served, environment, spec

FRUITS = "SELECT id FROM fruits"
READ = QueryBudget(transactions=1, statements=(StatementBudget(table="fruits", kind="select", calls=1, rows=10),))
BATCH = QueryBudget(transactions=10, explicit=False, statements=(), path="/benchmark?query=one&count=10")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "app.log"


def shortfalls(name: str, served: Served) -> tuple[str, ...]:
    return CHECKS[name](served)  # type: ignore[arg-type]


def counters(calls: int, rows: int, commits: int = 0, rollbacks: int = 0, begun: int = 0) -> Snapshot:
    statements = {FRUITS: (calls, rows), "BEGIN READ ONLY": (begun, 0)}
    done = {query: counts for query, counts in statements.items() if counts[0]}
    return Snapshot(commits, rollbacks, done, {"fruits": 10})


@pytest.mark.parametrize("name", CHECKS)
def test_nothing_falls_short_of_what_is_as_it_should_be(log: Path, name: str) -> None:
    assert shortfalls(name, Served(log)) == ()


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ({"pid": 8}, "pid: 8 instead of 7"),
        ({"framework": {"name": "javalin", "version": "7"}}, "framework: 'javalin' instead of 'vertx'"),
        ({"heap_max_bytes": 1}, "heap_max_bytes: 1 instead of 536870912"),
        ({"collectors": ["Copy"]}, "collectors"),
        (
            {"thread": {"name": "executor-thread-1", "virtual": False}},
            "event loop, by the name of the thread executor-thread-1: False instead of True",
        ),
        ({"pool": {"configured": 20, "open": 19, "in_use": 1}}, "pool.open: 19 instead of 20"),
        (
            {"database": {"isolation": "repeatable read", "tls": False, "tls_version": None}},
            "isolation: 'repeatable read' instead of 'read committed'",
        ),
        ({"settings": {"db_tls": "off"}}, "settings"),
    ],
)
def test_what_says_something_else_is_named(log: Path, says: dict[str, Any], words: str) -> None:
    (sentence,) = shortfalls("environment", Served(log, says=environment(**says)))
    assert words in sentence


def test_the_release_that_was_asked_for_is_told_by_the_framework(log: Path) -> None:
    variant_spec = spec(settings={"db-tls": ("off",), "spin": "integer", "release": ("auto", "5")})
    assert shortfalls("environment", Served(log, of=variant_spec)) == ()
    assert shortfalls("environment", Served(log, of=variant_spec, settings={"release": "5"})) == ()
    sentences = shortfalls("environment", Served(log, of=variant_spec, settings={"release": "6"}))
    assert sentences == ("release: '5' instead of '6'",)


def test_the_timeout_of_a_starter_is_stated_to_nobody(log: Path) -> None:
    variant_spec = spec(settings={"db-tls": ("off",), "spin": "integer", "db-timeout": "integer"})
    settings = {"db-timeout": "3000", "profile": "defaults"}
    assert shortfalls("environment", Served(log, of=variant_spec, settings=settings)) == ()
    assert shortfalls("environment", Served(log, of=variant_spec, settings={**settings, "profile": "parity"})) != ()


def test_a_project_of_a_framework_is_that_framework(log: Path) -> None:
    says = environment(framework={"name": "spring-boot", "version": "4"})
    assert shortfalls("environment", Served(log, says=says, of=spec(framework="spring"))) == ()


def test_a_workload_that_is_not_served_is_said_once(log: Path) -> None:
    probes = golden_of(spec(workloads=("hello", "fruits")), Served(log).testbed.probes)

    def answered(probe: ProbeSpec) -> Probe:
        status = 404 if probe.workload == "fruits" else probe.status[0]
        return Probe(name=probe.name, method=probe.method, path=probe.path, status=status, problem=None)

    sentences = not_served(probes, [answered(probe) for probe in probes])
    assert list(sentences) == ["fruits"]
    assert "take 'fruits' out of `workloads`" in sentences["fruits"]
    fruits_place = next(
        place for place, probe in enumerate(probes) if probe.workload == "fruits" and 200 in probe.status
    )
    answers = [answered(probe) for probe in probes]
    answers[fruits_place] = answers[fruits_place].model_copy(update={"status": 200})
    assert not_served(probes, answers) == {}


def test_a_subject_without_a_database_has_none(log: Path) -> None:
    no_database: dict[str, Any] = {"driver": None, "pool": None, "database": None, "settings": {}}
    variant_spec, subject = spec(settings={}), "quarkus-hello-rest/jvm/none"
    served = Served(log, says=environment(**no_database), of=variant_spec, subject=subject, connections=0)
    assert [shortfalls(name, served) for name in ("environment", "connections", "limit")] == [(), (), ()]
    assert shortfalls("environment", Served(log, of=variant_spec, subject=subject, connections=0)) != ()
    for count, count_in_words in ((1, "1 connection"), (20, "20 connections")):
        served = Served(log, of=variant_spec, subject=subject, connections=count)
        assert shortfalls("connections", served) == (f"It has {count_in_words} to a database.",)


def test_a_subject_without_a_database_has_its_settings(log: Path) -> None:
    says = environment(driver=None, pool=None, database=None, settings={"http_tls": "off"})
    variant_spec, subject = spec(settings={"http-tls": ("off", "on")}), "quarkus-hello-rest/jvm/none"
    off, on = {"http-tls": "off"}, {"http-tls": "on"}
    assert shortfalls("environment", Served(log, says=says, of=variant_spec, subject=subject, settings=off)) == ()
    (sentence,) = shortfalls("environment", Served(log, says=says, of=variant_spec, subject=subject, settings=on))
    assert sentence == "settings: {'http_tls': 'off'} instead of {'http_tls': 'on'}"


def test_a_switch_of_threads_is_followed(log: Path) -> None:
    variant_spec = spec(serves_on="worker", settings={"db-tls": ("off",), "threads": ("platform", "virtual")})
    says = environment(
        thread={"name": "tomcat-handler-1", "virtual": True}, settings={"db_tls": "off", "threads": "virtual"}
    )
    assert shortfalls("environment", Served(log, says=says, of=variant_spec, settings={"threads": "virtual"})) == ()
    assert shortfalls("environment", Served(log, says=says, of=variant_spec, settings={"threads": "platform"})) != ()


def test_the_heap_of_a_jvm_that_chose_it_is_its_own(log: Path) -> None:
    served = Served(log, says=environment(heap_max_bytes=1), settings={"heap": "auto"})
    assert shortfalls("environment", served) == ()


@pytest.mark.parametrize(
    ("gc", "collector", "heap", "outcome"),
    [
        ("parallel", "PS Scavenge", 514_850_816, ()),
        ("parallel", "PS Scavenge", 500_000_000, ("heap_max_bytes: 500000000 instead of 536870912",)),
        ("parallel", "PS Scavenge", 536_870_913, ("heap_max_bytes: 536870913 instead of 536870912",)),
        ("g1", "G1 Young Generation", 514_850_816, ("heap_max_bytes: 514850816 instead of 536870912",)),
    ],
)
def test_a_space_of_survivors_is_heap_too(
    log: Path, gc: str, collector: str, heap: int, outcome: tuple[str, ...]
) -> None:
    says = environment(heap_max_bytes=heap, collectors=[collector])
    assert shortfalls("environment", Served(log, says=says, settings={"gc": gc})) == outcome


def test_other_connections_than_the_pool_s_are_named(log: Path) -> None:
    assert shortfalls("connections", Served(log, connections=19)) == ("connections: 19 instead of 20",)
    assert shortfalls("limit", Served(log, connections=60)) == ("connections: 60 instead of 20",)


def test_a_request_refused_under_pressure_is_named(log: Path) -> None:
    assert shortfalls("limit", Served(log, status=503)) == ("GET /fruits is answered by 503.",)


def test_a_starter_may_refuse_a_request_that_waited_as_long_as_it_lets_it(log: Path) -> None:
    defaults = {"profile": "defaults", "pool-warm-up": "off"}
    assert shortfalls("limit", Served(log, status=503, settings=defaults)) == ()
    assert shortfalls("limit", Served(log, status=500, settings=defaults)) == ("GET /fruits is answered by 500.",)


def test_a_field_that_is_not_declared_is_named_and_so_is_one_that_is_missing(log: Path) -> None:
    fields = frozenset({"content-type", "content-length", "date"})
    (sentence,) = shortfalls("heads", Served(log, fields=fields))
    assert sentence == "fields of answers, by answer_fields in variant.toml: ['date'] instead of []"
    assert shortfalls("heads", Served(log, fields=fields, of=spec(answer_fields=("date",)))) == ()
    assert shortfalls("heads", Served(log, of=spec(answer_fields=("date",)))) != ()


def test_a_log_of_requests_is_named(log: Path) -> None:
    served = Served(log)
    served.logs_requests = True
    assert shortfalls("quiet", served) == ("It logs requests: GET /hello/World",)


def test_a_log_that_says_too_much_or_too_little_is_named(log: Path) -> None:
    served = Served(log)
    log.write_text("12:00 DEBUG a word\n")
    assert shortfalls("quiet", served) == (
        "It logs what nobody needs: 12:00 DEBUG a word",
        "Its log does not name its start, so it logs less than the others.",
    )


def test_sessions_within_sessions_and_those_that_stay_open_are_named(log: Path) -> None:
    variant_spec = spec(data="Hibernate Reactive, Vert.x SQL client")
    assert shortfalls("sessions", Served(log, of=variant_spec)) == ("It does not count its sessions.",)
    served = Counting(log, of=variant_spec)
    assert shortfalls("sessions", served) == ()
    served.opens = 2
    assert shortfalls("sessions", served) == ("opened: 51 instead of 26", "closed: 51 instead of 26")
    served.opens, served.closes = 1, 0
    assert "closed: 1 instead of 26" in shortfalls("sessions", served)


def test_an_order_takes_a_session_or_several_as_asked_for(log: Path) -> None:
    variant_spec = spec(data="Hibernate Reactive, Vert.x SQL client", workloads=("fruits", "orders"))
    assert shortfalls("sessions", Counting(log, of=variant_spec)) == ()
    several = Counting(log, of=variant_spec, settings={"sessions": "several"})
    assert shortfalls("sessions", several) == ("opened: 51 instead of 76", "closed: 51 instead of 76")
    several.opens_of_order = 2
    assert shortfalls("sessions", several) == ()


class Counting(Served):
    """Opens `opens` sessions for each request, and closes `closes`, or as many as were opened."""

    opens = opens_of_order = 1
    closes: int | None = None
    opened = closed = 0

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        opens = self.opens_of_order if path.startswith("/orders") else self.opens
        self.opened += opens
        self.closed += opens if self.closes is None else self.closes
        return super().ask(method, path, body)

    def environment(self) -> dict[str, Any]:
        self.opened += 1
        answer = {**super().environment(), "sessions": {"opened": self.opened, "closed": self.closed}}
        self.closed += 1
        return answer


class Sleeping(Served):
    """Answers each request to a path after the next of its times in milliseconds, and begins anew after the last."""

    def __init__(self, log: Path, of: VariantSpec, **times_ms: tuple[float, ...]) -> None:
        super().__init__(log, of=of)
        self._times_ms = {name.replace("_", "-"): cycle(times) for name, times in times_ms.items()}

    def took_ms(self, path: str) -> float:
        return next(self._times_ms[path.split("/")[1]])


def test_requests_that_do_not_sleep_are_named(log: Path) -> None:
    every_fifth = (0.4, 0.4, 2.1, 0.4, 0.4)
    loops, workers = spec(serves_on="event-loop"), spec(serves_on="worker")
    good: dict[str, tuple[float, ...]] = {"sleep": (2.1,), "split": every_fifth, "sleep_async": (2.1,)}
    assert shortfalls("sleep", Sleeping(log, loops, **good)) == ()
    assert shortfalls("sleep", Sleeping(log, workers, sleep=(2.1,), split=every_fifth)) == ()
    assert shortfalls("sleep", Sleeping(log, loops, **{**good, "split": (0.4,)})) == (
        "GET /split/World: 0 of 25 requests took 2 ms, and 5 have to sleep so long.",
    )
    assert shortfalls("sleep", Sleeping(log, loops, **{**good, "sleep": every_fifth, "sleep_async": (1.9,)})) == (
        "GET /sleep: 5 of 25 requests took 2 ms, and 25 have to sleep so long.",
        "GET /sleep-async: 0 of 25 requests took 2 ms, and 25 have to sleep so long.",
    )
    assert shortfalls("sleep", Sleeping(log, spec(workloads=("fruits",)))) == ()


class Ordering(Served):
    """Asks the sources `asked` for each order, and where it `remembers` for each order that it had not before."""

    def __init__(self, log: Path, asked: tuple[str, ...] = SOURCES, *, remembers: bool = False) -> None:
        super().__init__(log, of=spec(workloads=("orders",)))
        self._asked, self._remembers = asked, remembers
        self._orders: set[str | None] = set()
        self._answered = Counter[str]()

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        if not (self._remembers and body in self._orders):
            self._answered.update(self._asked)
        self._orders.add(body)
        return super().ask(method, path, body)

    def answered(self) -> Counter[str]:
        return self._answered.copy()


def shortfalls_of_sources(served: Served) -> tuple[str, ...]:
    order = read_budgets(ROOT / "apps" / "contract")[ORDER]
    return sources(served, order)  # type: ignore[arg-type]


def test_an_order_that_does_not_ask_each_of_its_sources_once_is_named(log: Path) -> None:
    assert shortfalls_of_sources(Ordering(log)) == ()
    assert shortfalls_of_sources(Ordering(log, SOURCES[:-1])) == (
        "answers of the source discounts to one order: 0 instead of 1",
    )
    assert shortfalls_of_sources(Ordering(log, (*SOURCES, "cards"))) == (
        "answers of the source cards to one order: 2 instead of 1",
    )
    assert len(shortfalls_of_sources(Ordering(log, remembers=True))) == len(SOURCES)
    assert shortfalls_of_sources(Served(log)) == ()


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        (REQUESTS, ()),
        (1, ("select on fruits: 1 calls", "select on fruits: 10 rows")),
        (11 * REQUESTS, ("select on fruits: 275 calls", "select on fruits: 2750 rows")),
    ],
)
def test_a_cache_and_a_statement_a_row_are_named(log: Path, calls: int, words: tuple[str, ...]) -> None:
    served = Served(log, snapshots=(counters(0, 0), counters(calls, 10 * calls)))
    sentences = budget(served, "GET /fruits", READ)  # type: ignore[arg-type]
    assert len(sentences) == len(words)
    assert all(word in sentence for word, sentence in zip(words, sentences, strict=True))


def test_an_operation_that_is_answered_and_not_declared_is_named(log: Path) -> None:
    sentences = budget(Served(log), "GET /orders", QueryBudget(transactions=1, statements=()))  # type: ignore[arg-type]
    assert sentences == ("GET /orders is not declared and is answered by 200.",)


def test_a_database_that_tells_nothing_is_no_pass(log: Path) -> None:
    served = Served(log, snapshots=(None, None))
    assert budget(served, "GET /fruits", READ) == ("The database does not tell what it did.",)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("subject", "commits", "right"),
    [
        ("vertx-pg/jvm/pg", 11 * REQUESTS, True),
        # Six more transactions, of autovacuum, which the server counts as well.
        ("vertx-pg/jvm/pg", 11 * REQUESTS + 6, True),
        ("vertx-pg/jvm/pg", 12 * REQUESTS, False),
        # MySQL counts no COMMIT for a statement that commits by itself.
        ("vertx-pg/jvm/mysql", REQUESTS, True),
        ("vertx-pg/jvm/mysql", REQUESTS + 1, False),
    ],
)
def test_transactions_are_counted_as_each_engine_counts(log: Path, subject: str, commits: int, right: bool) -> None:
    served = Served(log, subject=subject, snapshots=(counters(0, 0), counters(0, 0, commits, begun=REQUESTS)))
    served.spec = spec(workloads=("fruits", "benchmark"))
    sentences = transactions(served, {"GET /fruits": READ, "GET /benchmark": BATCH})  # type: ignore[arg-type]
    assert (sentences == ()) is right and served.ended


@pytest.mark.parametrize(
    ("begun", "right"),
    [
        (REQUESTS, True),
        # A pool that asked whether an idle connection works.
        (REQUESTS + 1, True),
        # Reads that commit by themselves, and queries of a batch that do not.
        (0, False),
        (11 * REQUESTS, False),
    ],
)
def test_statements_begin_the_transactions_that_the_budgets_have(log: Path, begun: int, right: bool) -> None:
    served = Served(log, snapshots=(counters(0, 0), counters(0, 0, 11 * REQUESTS, begun=begun)))
    served.spec = spec(workloads=("fruits", "benchmark"))
    sentences = transactions(served, {"GET /fruits": READ, "GET /benchmark": BATCH})  # type: ignore[arg-type]
    expected = f"All operations together begin {begun} transactions by a statement instead of {REQUESTS}."
    assert sentences == (() if right else (expected,))


def test_a_pool_that_rolls_back_what_it_lent_is_named(log: Path) -> None:
    served = Served(log, snapshots=(counters(0, 0), counters(0, 0, REQUESTS, 10 * REQUESTS, REQUESTS)))
    served.spec = spec(workloads=("fruits", "benchmark"))
    sentences = transactions(served, {"GET /fruits": READ, "GET /benchmark": BATCH})  # type: ignore[arg-type]
    assert sentences == (
        f"{10 * REQUESTS} of {11 * REQUESTS} transactions were rolled back, and no operation asks for that.",
    )


@pytest.mark.parametrize("grows", [{"pool-warm-up": "off"}, {"pool-initial": "half"}])
def test_a_pool_that_requests_fill_may_be_smaller_and_never_larger(log: Path, grows: dict[str, str]) -> None:
    smaller = environment(pool={"configured": 20, "open": 3, "in_use": 1})
    larger = environment(pool={"configured": 20, "open": 21, "in_use": 1})
    assert shortfalls("environment", Served(log, says=smaller, settings=grows)) == ()
    assert shortfalls("environment", Served(log, says=smaller)) != ()
    assert shortfalls("environment", Served(log, says=larger, settings=grows)) != ()
    assert shortfalls("limit", Served(log, connections=3, settings=grows)) == ()
    assert shortfalls("limit", Served(log, connections=21, settings=grows)) == ("connections: 21 instead of 20",)


STORED = b'{"zip":"race","city":"First"}'


class Racing(Served):
    """Answers two requests that insert one zip code, and each that reads it; `reads` has the SELECTs of each race."""

    def __init__(self, log: Path, *inserts: tuple[int, bytes], reads: tuple[int, ...] = (3,)) -> None:
        snapshots = [zipcode_reads(calls) for count in reads for calls in (7, 7 + count)]
        super().__init__(log, snapshots=tuple(snapshots))
        self._inserts = [*inserts] * len(reads)

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        return self._inserts.pop() if method == "POST" else (200, STORED)


def zipcode_reads(calls: int) -> Snapshot:
    return Snapshot(0, 0, {"SELECT zip FROM zipcode WHERE zip = $1": (calls, 0)}, {})


@pytest.mark.parametrize(
    ("second", "sentences"),
    [
        ((200, STORED), []),
        ((500, b"duplicate"), ["500 duplicate"]),
        # Its own body instead of the row of the other, who was quicker.
        ((200, b'{"zip":"race","city":"Second"}'), ['200 {"zip":"race","city":"Second"}']),
    ],
)
def test_who_inserts_a_key_second_is_answered_by_what_is_stored(
    log: Path, second: tuple[int, bytes], sentences: list[str]
) -> None:
    served: Any = Racing(log, (200, STORED), second)
    wanted = f"instead of 200 {STORED.decode()}."
    assert insert_race(served) == tuple(
        f"Of two requests POST /zipcode at once one is answered by {answer} {wanted}" for answer in sentences
    )


@pytest.mark.parametrize(
    ("reads", "sentences"),
    [
        ((2, 2, 3), ()),
        ((2, 2, 2, 2), ("Two requests POST /zipcode at once read 2 times instead of 3 times.",)),
    ],
)
def test_requests_that_do_not_meet_race_again(log: Path, reads: tuple[int, ...], sentences: tuple[str, ...]) -> None:
    served: Any = Racing(log, (200, STORED), (200, STORED), reads=reads)
    assert insert_race(served) == sentences


def test_a_variant_without_zip_codes_runs_no_race(log: Path) -> None:
    served: Any = Served(log, of=spec(workloads=("fruits",)))
    assert insert_race(served) == ()
