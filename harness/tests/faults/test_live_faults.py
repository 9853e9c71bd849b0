"""Each fault of an application or a load that is put into a real trial is named by its rule, a clean trial by none.

On a host that is no lab, rules of capacity and isolation warn where they would refuse: named is named.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from .bench import FAULTY, Fault, FaultBench, phases
from .patched import Patch

_REPOSITORY = "org/plumbline/app/fruits/FruitRepository.java"
_SERVICE = "org/plumbline/app/fruits/FruitService.java"
_ENDPOINT = "org/plumbline/app/fruits/FruitEndpoint.java"
_ZIPCODES = "org/plumbline/app/zipcode/ZipCodeService.java"
_APPLICATION = "org/plumbline/app/Application.java"
_ENGINE = "org/plumbline/app/plumbing/Engine.java"
_DRIVER = "org/plumbline/app/plumbing/Driver.java"
_ALL = "return pool.reading(fruits::findAll);"
_ANSWER = "                answer = answer(exchange);"

_CLOSE = (
    'exchange.getResponseHeaders().set("Content-Type", answer.mediaType());',
    'exchange.getResponseHeaders().set("Content-Type", answer.mediaType());'
    ' exchange.getResponseHeaders().set("Connection", "close");',
)
CLOSING = Patch(_APPLICATION, (_CLOSE,))
# Forty clients open a connection for each request, and the queue has two places.
SHORT_QUEUE = Patch(_APPLICATION, (_CLOSE, ("BACKLOG = 1024;", "BACKLOG = 1;")))
# It answers requests just as the artifact that was built.
OLDER = Patch(_APPLICATION, (('"Listening on http://"', '"Serving at http://"'),))

# Rules that no machine, however busy, can trip: what a faulty application or load does alone.
WRONG = {"R8", "R10", "R13", "R14", "R15", "R16", "R17", "R33", "R34"}


# On a shared machine the disk is as fast as others leave it: where trials are compared, no commit waits for the disk.
NO_DISK = "PERFORM set_config('synchronous_commit', 'off', true);"


def sleeping(seconds: float, before: str = "") -> tuple[str, ...]:
    """What makes a database sleep at each insert, after what it does before."""
    return (
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN {before} PERFORM pg_sleep({seconds}); RETURN NEW; END $$",
        "CREATE TRIGGER slow BEFORE INSERT ON zipcode FOR EACH ROW EXECUTE FUNCTION slow()",
    )


N_PLUS_1 = Patch(
    _REPOSITORY,
    (
        (
            "List<PriceRow> prices = prices(connection, fruitsById.keySet().toArray(Long[]::new));",
            "List<PriceRow> prices = new ArrayList<>();"
            " for (Fruit fruit : fruits) { prices.addAll(prices(connection, new Long[] {fruit.id()})); }",
        ),
    ),
)
CACHE = Patch(
    _SERVICE,
    (
        ("private final Pool pool;", "private final Pool pool; private volatile List<Fruit> kept;"),
        (_ALL, "if (kept == null) { kept = pool.reading(fruits::findAll); } return kept;"),
    ),
)
DEADLOCK = (
    Patch(
        _SERVICE,
        (
            (
                _ALL,
                "return pool.reading(connection -> { fruits.findAll(connection); try { Thread.sleep(50);"
                " return pool.reading(fruits::findAll); } catch (InterruptedException gone) {"
                " throw new SQLException(gone); } });",
            ),
        ),
    ),
    # Nobody gives up before the trial is over.
    Patch(_DRIVER, (('"DB_TIMEOUT_MS", "3000"', '"DB_TIMEOUT_MS", "600000"'),)),
)
UNWRITTEN = Patch(
    _ZIPCODES,
    (
        (
            "        codes.insert(connection, code);",
            "        if (code.zip().hashCode() % 10 != 0) { codes.insert(connection, code); }",
        ),
    ),
)
HALF_A_POOL = Patch(
    _APPLICATION,
    (('Integer.parseInt(env.get("DB_POOL_SIZE"))', 'Integer.parseInt(env.get("DB_POOL_SIZE")) / 2'),),
)
UNAWAITED = Patch(
    _DRIVER,
    (
        (
            "        connection.setTransactionIsolation(",
            "        try (java.sql.Statement set = connection.createStatement()) {"
            ' set.execute("SET synchronous_commit TO off"); }\n'
            "        connection.setTransactionIsolation(",
        ),
    ),
)
PLAIN = Patch(_ENGINE, (('isEncrypted(env) ? "verify-ca" : "disable"', '"disable"'),))
WRONG_BODY = Patch(_ENDPOINT, ((',\\"currency\\":', ',\\"currencY\\":'),))
SOME_503 = Patch(
    _APPLICATION,
    (
        (
            "    private void serve(",
            "    private final java.util.concurrent.atomic.AtomicLong served ="
            " new java.util.concurrent.atomic.AtomicLong();\n    private void serve(",
        ),
        (
            _ANSWER,
            '                answer = exchange.getRequestURI().getPath().equals("/fruits")'
            " && served.incrementAndGet() % 1000 == 0 ? Problems.databaseGone() : answer(exchange);",
        ),
    ),
)
LOGGING = Patch(
    _APPLICATION,
    ((_ANSWER, '                System.out.println("DEBUG " + exchange.getRequestURI());\n' + _ANSWER),),
)

FAULTS: dict[str, tuple[Fault, str, str]] = {
    "N+1": (Fault((N_PLUS_1,)), "R14", "Calls of select on store_fruit_prices: 10 a request, 1 of control"),
    "second-level cache": (Fault((CACHE,)), "R14", "Transactions: "),
    "deadlocked pool": (
        Fault(DEADLOCK, load=phases(warm_up_s=0, closed_s=8), timeout_s=4.0),
        "R9",
        "No ",
    ),
    "TLS off on one side": (
        Fault((PLAIN,), subject=f"{FAULTY}+db-tls=require"),
        "R13",
        "connections to the database are plain where encrypted ones are declared",
    ),
    "wrong body": (Fault((WRONG_BODY,)), "R16", "GET /fruits was answered wrongly"),
    "0.1 % of 503": (Fault((SOME_503,)), "R7", "failed"),
    "growing table": (
        Fault(scenario="zipcode-fresh", load=phases(warm_up_s=0, closed_s=10, connections=10), grows=()),
        "R17",
        "The table zipcode grew from",
    ),
    "writes that were never made": (
        Fault((UNWRITTEN,), scenario="zipcode-fresh", load=phases(warm_up_s=0, connections=10)),
        "R8",
        " missing.",
    ),
    "half a pool": (Fault((HALF_A_POOL,)), "R10", "The pool has 10 connections where 20 are declared."),
    "commits that nobody waits for": (
        Fault((UNAWAITED,)),
        "R15",
        "have synchronous_commit off: commits are answered too early",
    ),
    "debug logging": (Fault((LOGGING,)), "R34", "it logs what the others don't"),
    "connections not kept alive": (Fault((CLOSING,)), "R16", "keep alive is False"),
    "accept queue overflows": (Fault((SHORT_QUEUE,)), "R7", "The queue of new connections overflowed"),
    "stale image": (Fault((OLDER,), stale=True), "R33", "is not among what was built: a stale image"),
    "more processors": (
        Fault(flags=("-XX:ActiveProcessorCount=7",)),
        "R34",
        "The application sees 7 processors",
    ),
    "another heap": (Fault(flags=("-Xmx700m",)), "R34", "The heap differs"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_named_by_its_rule(bench: FaultBench, name: str) -> None:
    fault, rule, words = FAULTS[name]
    found = bench.judged(fault)
    assert found.trial.verdict == "invalid"
    assert any(words in finding.reading and finding.outcome == "invalid" for finding in found.named(rule)), (
        found.named(rule),
        found.against,
    )


def test_a_clean_trial_is_named_by_none_of_them(bench: FaultBench) -> None:
    found = bench.clean(Fault())
    assert not found.against & WRONG, [found.named(rule) for rule in found.against & WRONG]


def test_a_slow_database_leaves_the_application_idle(bench: FaultBench) -> None:
    plain = Fault(scenario="zipcode-fresh", load=phases(connections=10))
    slow = bench.judged(replace(plain, altered=sleeping(0.005)))
    assert any("something else was the limit" in finding.reading for finding in slow.named("R1")), slow.readings(
        "R1"
    ) + slow.readings("R18")


def test_too_few_connections_leave_the_application_idle(bench: FaultBench) -> None:
    fault = Fault(load=phases(connections=1), twin=Fault())
    found = bench.judged(fault)
    assert any("something else was the limit" in finding.reading for finding in found.named("R1")), found.readings(
        "R1"
    ) + found.readings("R18")


def test_two_subjects_that_wait_for_the_same_database_are_named(bench: FaultBench) -> None:
    """A program without a framework and Vert.x, as quick as each other where one insert waits for the other."""
    load = phases(connections=10, closed_s=8)
    slow = sleeping(0.025, f"{NO_DISK} PERFORM pg_advisory_xact_lock(1);")
    # Any two wait for the disk where they write.
    twin = Fault(program=FAULTY, load=load)
    found = bench.both(Fault(program=FAULTY, scenario="zipcode-fresh", load=load, altered=slow, twin=twin))
    readings = [finding.reading for finding in found.named("R12")]
    assert any("a limit of the system, not of either" in reading for reading in readings), found.readings("R12")


def test_a_limit_elsewhere_and_too_little_load_are_proven(bench: FaultBench) -> None:
    """The database sleeps at each insert: a quarter less CPU costs nothing, and twice the connections give twice.

    So long that the compiler does not decide how much is done.
    """
    slow = sleeping(0.05, NO_DISK)
    few = Fault(scenario="zipcode-fresh", load=phases(connections=2, closed_s=3), altered=slow)
    if (why := bench.testbed.placement.cannot_limit()) is not None:
        print(f"R2 has no evidence here. {why} It takes a cpu controller of control groups that we may write.")
        found = bench.proven(few, "twice the connections")
    else:
        found = bench.proven(few, "less application CPU", "twice the connections")
        readings = [finding.reading for finding in found.named("R2")]
        assert any("something else is the limit" in reading for reading in readings), found.readings("R2")
    assert any("the load is too little" in finding.reading for finding in found.named("R6")), found.readings("R6")


def test_a_missing_warm_up_is_named(bench: FaultBench) -> None:
    """A drift needs 15 s of samples; in 30 s a program that starts cold shows that its figures still change."""
    load = phases(warm_up_s=0, closed_s=30)
    twin = Fault(load=phases(warm_up_s=15, closed_s=15))
    found = bench.alone(
        Fault(program="quarkus-rest-orm/jvm/pg", subject="quarkus-rest-orm/jvm/pg", load=load, twin=twin)
    )
    assert any("still chang" in finding.reading for finding in found.named("R29")), found.readings("R29")
    closed = found.trial.figures["closed"]
    assert "warming_app_cpu_us_per_request" in closed
    assert "app_cpu_us_per_request" not in closed
    assert closed["time_to_95_share_of_peak_s"] >= 3
