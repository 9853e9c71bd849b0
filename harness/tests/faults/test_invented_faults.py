"""Faults of application, database and load generator that nobody had listed, each by the rule that names it.

Those of the database last for one trial, or for a moment of it; the next restore, or the fault itself, takes them back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import cast

import psycopg
import pytest

from plumbline.measuring.services.postgres.service import DATABASE, PostgresService
from .bench import Fault, FaultBench, phases
from .generator import Generator
from .machine import from_phase
from .patched import Patch

_APPLICATION = "org/plumbline/app/Application.java"
_SERVICE = "org/plumbline/app/fruits/FruitService.java"
_ZIPCODES = "org/plumbline/app/zipcode/ZipCodeService.java"
_COMPANIES = "org/plumbline/app/companies/CompanyService.java"
_POOL = "org/plumbline/app/plumbing/Pool.java"
_ENVIRONMENT = "org/plumbline/app/plumbing/EnvironmentEndpoint.java"
_HEAD = "            exchange.sendResponseHeaders(answer.status(), answer.body().length);"
_BODY = "            exchange.getResponseBody().write(answer.body());"
_SERVE = "    private void serve("
_COUNTED = "private final java.util.concurrent.atomic.AtomicLong asked = new java.util.concurrent.atomic.AtomicLong();"

# Long enough for a momentary fault within the phase, and for a tenth of a thousand compared answers.
READS = Fault(load=phases(closed_s=6))
WRITES = Fault(scenario="zipcode-fresh", load=phases(warm_up_s=2, closed_s=6, connections=10))

MOSTLY_REMEMBERING = Patch(
    _SERVICE,
    (
        (
            "private final Pool pool;",
            f"private final Pool pool; private volatile List<Fruit> kept; {_COUNTED}",
        ),
        (
            "return pool.reading(fruits::findAll);",
            "List<Fruit> now = pool.reading(fruits::findAll); if (kept == null) { kept = now; }"
            " return asked.incrementAndGet() % 3 == 0 ? now : kept;",
        ),
    ),
)
# The application queries each row all the same.
REMEMBERING_ROWS = Patch(
    _COMPANIES,
    (
        (
            "    private final Pool pool;\n",
            "    private final Pool pool;\n"
            "    private final ConcurrentHashMap<Integer, List<Company>> kept = new ConcurrentHashMap<>();\n",
        ),
        (
            "        return pool.reading(connection -> companies.find(connection, CompanyRepository.BY_ID, id));\n",
            "        List<Company> now ="
            " pool.reading(connection -> companies.find(connection, CompanyRepository.BY_ID, id));\n"
            "        kept.putIfAbsent(id, now);\n"
            "        return kept.get(id);\n",
        ),
    ),
)
# At most a queue of twenty writes is open: none is missing when the phase has ended.
BEHIND = Patch(
    _ZIPCODES,
    (
        (
            "    private final Pool pool;\n",
            "    private final Pool pool;\n"
            "    private final java.util.concurrent.ExecutorService behind ="
            " new java.util.concurrent.ThreadPoolExecutor(20, 20, 1, java.util.concurrent.TimeUnit.MINUTES,"
            " new java.util.concurrent.ArrayBlockingQueue<>(20),"
            " new java.util.concurrent.ThreadPoolExecutor.CallerRunsPolicy());\n",
        ),
        (
            "            return pool.writing(connection -> findOrInsert(connection, code));\n",
            "            if (code.zip().isEmpty()) {"
            " return pool.writing(connection -> findOrInsert(connection, code)); }\n"
            "            behind.execute(() -> {\n"
            "                try { pool.writing(connection -> findOrInsert(connection, code)); }\n"
            "                catch (SQLException | InterruptedException lost) {"
            " throw new IllegalStateException(lost); }\n"
            "            });\n"
            "            return code;\n",
        ),
    ),
)
TESTED_CONNECTIONS = Patch(
    _POOL,
    (
        (
            "                T result = work.on(connection);",
            "                try (java.sql.Statement test = connection.createStatement())"
            ' { test.execute("SELECT 1"); }\n'
            "                T result = work.on(connection);",
        ),
    ),
)
# Any program may lower its priority; one that has the right would raise it.
ANOTHER_PRIORITY = Patch(
    _APPLICATION,
    (
        (
            "        server.start();",
            "        server.start();\n"
            '        new ProcessBuilder("sh", "-c",'
            ' "for task in /proc/$PPID/task/*; do renice -n 5 -p ${task##*/}; done").start();',
        ),
    ),
)
GROWING_POOL = Patch(
    _POOL,
    (
        (
            "    private final int configured;\n",
            f"    private final int configured;\n    {_COUNTED}\n"
            "    private final java.util.List<Connection> more = new java.util.ArrayList<>();\n",
        ),
        (
            "        Slot slot = idle.poll(",
            "        if (asked.incrementAndGet() == 300) {"
            " for (int i = 0; i < 10; i++) { more.add(driver.connect(driver.timeoutMs())); } }\n"
            "        Slot slot = idle.poll(",
        ),
    ),
)
LOGGING_IN_MEMORY = Patch(
    _APPLICATION,
    (
        (
            "    private void serve(",
            "    private final java.io.OutputStream log = log();\n"
            "    private static java.io.OutputStream log() {\n"
            "        try {\n"
            "            return java.nio.file.Files.newOutputStream(\n"
            '                    java.nio.file.Files.createTempFile(java.nio.file.Path.of("/dev/shm"), "log", null),\n'
            "                    java.nio.file.StandardOpenOption.DELETE_ON_CLOSE);\n"
            "        } catch (IOException failure) { throw new java.io.UncheckedIOException(failure); }\n"
            "    }\n"
            "    private void serve(",
        ),
        (
            _HEAD,
            '            log.write(("127.0.0.1 - - GET " + exchange.getRequestURI() + " HTTP/1.1 " + answer.status()'
            ' + " " + exchange.getRequestHeaders().entrySet() + System.nanoTime() + "\\n").repeat(9).getBytes());\n'
            + _HEAD,
        ),
    ),
)

# No statement asks for it, and the application says otherwise.
UNAWAITED = (
    Patch(
        "org/plumbline/app/plumbing/Driver.java",
        (
            (
                "        all.putAll(properties);\n",
                '        all.putAll(properties);\n        all.setProperty("options", "-c synchronous_commit=off");\n',
            ),
        ),
    ),
    Patch(_ENVIRONMENT, ((".text(row.getString(3))", '.text("on")'),)),
)
# A native program would have no JVM, whose flags a rule could check.
NATIVE = Patch(_ENVIRONMENT, ((',\\"runtime\\":\\"jvm\\"', ',\\"runtime\\":\\"native\\"'),))
# Like a garbage collection that stops the world: for three seconds one thread uses the CPU, and all others wait for it.
HOLDING_UP = Patch(
    _APPLICATION,
    (
        (_SERVE, f"    {_COUNTED}\n{_SERVE}"),
        (
            _HEAD,
            "            synchronized (this) {\n"
            '                if (exchange.getRequestURI().getPath().equals("/fruits")'
            " && asked.incrementAndGet() == 200) {\n"
            "                    for (long end = System.nanoTime() + 3_000_000_000L; System.nanoTime() < end; ) {"
            " Thread.onSpinWait(); }\n"
            "                }\n"
            "            }\n" + _HEAD,
        ),
    ),
)
# A changed bit in the middle of each 97th answer to a write, which is then another row.
BENT_WRITES = Patch(
    _APPLICATION,
    (
        (_SERVE, f"    {_COUNTED}\n{_SERVE}"),
        (
            _BODY,
            "            byte[] body = answer.body().clone();\n"
            '            if (exchange.getRequestMethod().equals("POST") && answer.status() == 200'
            " && asked.incrementAndGet() % 97 == 0) { body[body.length / 2] ^= 1; }\n"
            "            exchange.getResponseBody().write(body);",
        ),
    ),
)
ROWS = (
    "INSERT INTO zipcode (zip, type, city, state) SELECT 'more ' || n, 'STANDARD', 'Fernwood', 'VT'"
    " FROM generate_series(1, 30000) n",
)

_LOAD = "lib/load.ts"
_SEND = "    const response = request.send(number, look);"
HALF_THE_CLIENTS = Generator(
    scripts=(
        (
            "lib/options.ts",
            (
                (
                    '{ executor: "constant-vus", vus: params.vus,',
                    '{ executor: "constant-vus", vus: params.vus / 2,',
                ),
            ),
        ),
    )
)
THINKING = Generator(
    scripts=(
        (
            _LOAD,
            (
                ('import { check } from "k6";', 'import { check, sleep } from "k6";'),
                (_SEND, f"{_SEND}\n    sleep(0.01);"),
            ),
        ),
    )
)
SOMETHING_CHEAPER = Generator(
    scripts=(
        (
            _LOAD,
            (
                (
                    _SEND,
                    "    if (number % 2 === 1) {\n"
                    '      http.get(params.base_url + "/hello/World", { timeout });\n      return;\n    }\n' + _SEND,
                ),
            ),
        ),
    )
)

INVENTED: dict[str, tuple[Fault, str, str]] = {
    "two of three answers from memory": (
        replace(READS, patches=(MOSTLY_REMEMBERING,)),
        "R16",
        "others came from memory",
    ),
    "rows from memory, each by its key": (
        replace(READS, scenario="companies", patches=(REMEMBERING_ROWS,)),
        "R16",
        "under load, while its row had another text",
    ),
    "writes answered before they are made": (
        replace(WRITES, patches=(BEHIND,)),
        "R16",
        "with success while nobody could write to zipcode: before it was made",
    ),
    "commits that nobody waits for, by an option of the connection": (
        replace(WRITES, patches=UNAWAITED),
        "R15",
        "commits were answered before they were on disk",
    ),
    "a connection tested by each transaction": (
        replace(READS, patches=(TESTED_CONNECTIONS,)),
        "R14",
        "of select on ?",
    ),
    "another priority": (
        replace(READS, patches=(ANOTHER_PRIORITY,)),
        "R19",
        "at another priority than the harness",
    ),
    "a pool that grows under load": (
        replace(READS, patches=(GROWING_POOL,)),
        "R10",
        "30 connections were open where the pool has 20",
    ),
    "an access log in memory": (replace(READS, patches=(LOGGING_IN_MEMORY,)), "R34", "Files in memory grew"),
    "a JVM that interprets and calls itself native": (
        Fault((NATIVE,), flags=("-Xint",)),
        "R34",
        "ran in interpreted mode",
    ),
    "one answer to a write in 97": (
        replace(WRITES, patches=(BENT_WRITES,)),
        "R7",
        "of those compared had a wrong body",
    ),
    "a request that holds up all others": (
        Fault((HOLDING_UP,), load=phases(warm_up_s=0, closed_s=0, open_s=9, rate_per_s=60), timeout_s=8.0),
        "R4",
        "dropped while all clients of k6 waited for answers",
    ),
    "one index more": (
        replace(WRITES, altered=("CREATE INDEX one_more ON zipcode (county)",)),
        "R34",
        "index one_more CREATE INDEX",
    ),
    "another plan for one role": (
        replace(READS, altered=("ALTER ROLE plumbline SET enable_indexscan = off",)),
        "R34",
        "sessions of plumbline enable_indexscan=off",
    ),
    "rows of somebody else": (replace(WRITES, altered=ROWS), "R34", "The table zipcode began with"),
    "half of the clients": (
        replace(READS, generator=HALF_THE_CLIENTS),
        "R5",
        "the client was busy with itself",
    ),
    "clients that think": (replace(READS, generator=THINKING), "R5", "the client was busy with itself"),
    "every other request asks for less": (
        replace(READS, generator=SOMETHING_CHEAPER),
        "R14",
        "other work, not the same work faster",
    ),
    "a generator that collects no garbage": (
        replace(READS, generator=Generator(variables={"GOGC": "off"})),
        "R33",
        "The load generator was started otherwise",
    ),
    "a generator that writes each request down": (
        replace(READS, generator=Generator(words=("--out=csv=each.csv",))),
        "R34",
        "The load generator wrote",
    ),
}


@pytest.mark.parametrize("name", INVENTED)
def test_the_fault_is_named_by_its_rule(bench: FaultBench, name: str) -> None:
    fault, rule, words = INVENTED[name]
    found = bench.judged(fault)
    assert any(words in finding.reading for finding in found.named(rule)), (found.readings(rule), found.against)


def administrator(bench: FaultBench, database: str | None = None) -> psycopg.Connection[tuple[object, ...]]:
    """A session of somebody who has the rights to everything, and is none of the harness's."""
    service = cast(PostgresService, bench.testbed.database)
    return psycopg.connect(service.login.conninfo(database), autocommit=True, application_name="psql")


def each_statement_logged(bench: FaultBench, word: str) -> None:
    with administrator(bench) as session:
        session.execute(f"ALTER SYSTEM {word}".encode())
        session.execute("SELECT pg_reload_conf()")


def a_long_query(bench: FaultBench) -> None:
    """For three seconds."""
    with administrator(bench) as session, suppress(psycopg.errors.QueryCanceled):
        session.execute("SET statement_timeout = 3000")
        session.execute("SELECT count(*) FROM generate_series(1, 1000000000)")


def a_checkpoint(bench: FaultBench) -> None:
    with administrator(bench) as session:
        session.execute("CHECKPOINT")


def a_locked_table(bench: FaultBench) -> None:
    with administrator(bench, DATABASE) as session, session.transaction():
        session.execute("LOCK TABLE store_fruit_prices IN ACCESS EXCLUSIVE MODE")
        session.execute("SELECT pg_sleep(1.5)")


def a_table_without_a_log(bench: FaultBench) -> None:
    """For a second: a check before or after the phase finds the table as it was."""
    with administrator(bench, DATABASE) as session:
        session.execute("ALTER TABLE zipcode SET UNLOGGED")
        session.execute("SELECT pg_sleep(1)")
        session.execute("ALTER TABLE zipcode SET LOGGED")


MOMENTS: dict[str, tuple[Fault, Callable[[FaultBench], None], str, str]] = {
    "somebody's query in mid-phase": (
        READS,
        a_long_query,
        "R18",
        "Somebody else was at work in the database",
    ),
    "a checkpoint in mid-phase": (WRITES, a_checkpoint, "R11", "checkpoint fell on this phase"),
    "a table that no log keeps, for a moment": (
        WRITES,
        a_table_without_a_log,
        "R15",
        "zipcode lay in another file after this phase than before",
    ),
    "a table locked in mid-phase": (
        READS,
        a_locked_table,
        "R11",
        "of the sessions seen at work waited for a lock",
    ),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_a_moment_in_the_database_is_named_by_its_rule(bench: FaultBench, name: str) -> None:
    fault, cause, rule, words = MOMENTS[name]
    with from_phase("closed", [threading.Timer(2.0, cause, (bench,))]) as began:
        found = bench.judged(replace(fault, began=began))
    findings = [finding for finding in found.named(rule) if finding.phase == "closed"]
    assert any(words in finding.reading for finding in findings), (found.readings(rule), found.against)


def test_a_log_of_each_statement_from_mid_phase_on_is_named(bench: FaultBench) -> None:
    timers = [threading.Timer(2.0, each_statement_logged, (bench, "SET log_statement = 'all'"))]
    try:
        with from_phase("closed", timers) as began:
            found = bench.judged(replace(READS, began=began))
    finally:
        each_statement_logged(bench, "RESET log_statement")
    readings = [finding.reading for finding in found.named("R34")]
    assert any("was told otherwise during closed: log_statement all" in reading for reading in readings), (
        found.readings("R34")
    )


@pytest.mark.parametrize("usual", [READS, WRITES], ids=["reads", "writes"])
def test_a_clean_trial_is_named_by_none_of_them(bench: FaultBench, usual: Fault) -> None:
    found = bench.clean(usual)
    faults = (
        *((rule, words) for _, rule, words in INVENTED.values()),
        *((rule, words) for *_, rule, words in MOMENTS.values()),
    )
    rules = {rule for rule, _ in faults}
    against = [finding.reading for rule in sorted(rules) for finding in found.named(rule)]
    assert not [reading for reading in against for _, words in faults if words in reading], against
