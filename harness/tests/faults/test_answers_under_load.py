"""Applications that answer well while they are probed, and otherwise under load."""

from __future__ import annotations

import pytest

from .bench import Fault, FaultBench, phases
from .patched import Patch

_APPLICATION = "org/plumbline/app/Application.java"
_SERVICE = "org/plumbline/app/fruits/FruitService.java"
_POOL = "org/plumbline/app/plumbing/Pool.java"

_FIELD = (
    "    private void serve(",
    "    private final java.util.concurrent.atomic.AtomicLong served ="
    " new java.util.concurrent.atomic.AtomicLong();\n    private void serve(",
)
_HEAD = "            exchange.sendResponseHeaders(answer.status(), answer.body().length);"
_BODY = "            exchange.getResponseBody().write(answer.body());"


def from_the_300th(words: str) -> Patch:
    """A patch that runs some Java before the head of each answer is sent, from the 300th on."""
    return Patch(
        _APPLICATION,
        (_FIELD, (_HEAD, f"            if (served.incrementAndGet() > 300) {{ {words} }}\n{_HEAD}")),
    )


# The application queries the database all the same.
REMEMBERING = Patch(
    _SERVICE,
    (
        ("private final Pool pool;", "private final Pool pool; private volatile List<Fruit> kept;"),
        (
            "return pool.reading(fruits::findAll);",
            "List<Fruit> now = pool.reading(fruits::findAll); if (kept == null) { kept = now; } return kept;",
        ),
    ),
)
# A changed bit in the middle of each 997th list, which stays as long as the others.
BENT = Patch(
    _APPLICATION,
    (
        _FIELD,
        (
            _BODY,
            "            byte[] body = answer.body().clone();\n"
            '            if (exchange.getRequestURI().getPath().equals("/fruits")'
            " && served.incrementAndGet() % 997 == 0) { body[body.length / 2] ^= 1; }\n"
            "            exchange.getResponseBody().write(body);",
        ),
    ),
)
COMPRESSING = Patch(
    _APPLICATION,
    (
        _FIELD,
        (
            _HEAD,
            "            byte[] body = answer.body();\n"
            "            if (served.incrementAndGet() > 300) {\n"
            "                var packed = new java.io.ByteArrayOutputStream();\n"
            "                try (var zip = new java.util.zip.GZIPOutputStream(packed)) { zip.write(body); }\n"
            "                body = packed.toByteArray();\n"
            '                exchange.getResponseHeaders().set("Content-Encoding", "gzip");\n'
            "            }\n"
            "            exchange.sendResponseHeaders(answer.status(), body.length);",
        ),
        (_BODY, "            exchange.getResponseBody().write(body);"),
    ),
)
CLOSING = from_the_300th('exchange.getResponseHeaders().set("Connection", "close");')
ANOTHER_HEADER = from_the_300th('exchange.getResponseHeaders().set("X-From", "memory");')
# The log can't be found by its name: the file has no name any more once it is open.
LOGGING = Patch(
    _APPLICATION,
    (
        (
            "    private void serve(",
            "    private final java.io.OutputStream log = log();\n"
            "    private static java.io.OutputStream log() {\n"
            "        try {\n"
            "            return java.nio.file.Files.newOutputStream(\n"
            '                    java.nio.file.Files.createTempFile("access", ".log"),\n'
            "                    java.nio.file.StandardOpenOption.DELETE_ON_CLOSE);\n"
            "        } catch (IOException failure) { throw new java.io.UncheckedIOException(failure); }\n"
            "    }\n"
            "    private void serve(",
        ),
        (
            _HEAD,
            '            log.write(("127.0.0.1 - - GET " + exchange.getRequestURI() + " HTTP/1.1 " + answer.status()'
            ' + " " + answer.body().length + " k6/2.2.0 (https://k6.io/) " + System.nanoTime() + "\\n").getBytes());\n'
            + _HEAD,
        ),
    ),
)
# All twenty take turns, and a turn takes four milliseconds more than its statement, so that no CPU is used up.
TWO_AT_ONCE = Patch(
    _POOL,
    (
        (
            "    private final BlockingQueue<Slot> idle;\n",
            "    private final BlockingQueue<Slot> idle;\n"
            "    private final java.util.concurrent.Semaphore few = new java.util.concurrent.Semaphore(2);\n",
        ),
        ("        Slot slot = idle.poll(", "        few.acquire();\n        Slot slot = idle.poll("),
        (
            "            idle.add(slot);\n",
            "            idle.add(slot);\n"
            "            java.util.concurrent.locks.LockSupport.parkNanos(4_000_000);\n"
            "            few.release();\n",
        ),
    ),
)

LOAD = phases(closed_s=8)
FAULTS: dict[str, tuple[Patch, str, str]] = {
    "answers from memory beside the same SQL": (REMEMBERING, "R16", "0 answers showed it"),
    "one body in 997, as long as the others": (BENT, "R7", "of those compared had a wrong body"),
    "compressed from the 300th on": (COMPRESSING, "R16", "less than the"),
    "each length from the 300th on": (COMPRESSING, "R7", "had another length"),
    "connections closed from the 300th on": (CLOSING, "R16", "of the requests opened a connection"),
    "another header from the 300th on": (ANOTHER_HEADER, "R16", "more than the"),
    "an access log of its own": (LOGGING, "R34", "to storage, others"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_named_by_its_rule(bench: FaultBench, name: str) -> None:
    patch, rule, words = FAULTS[name]
    found = bench.judged(Fault((patch,), load=LOAD))
    assert any(words in finding.reading and finding.outcome == "invalid" for finding in found.named(rule)), (
        found.readings(rule),
        found.against,
    )


def test_two_connections_of_twenty_at_once_are_named(bench: FaultBench) -> None:
    """Each connection rests longer than it works. Where a query is quick, few samples see even these two at work."""
    found = bench.judged(Fault((TWO_AT_ONCE,), load=phases(closed_s=22)))
    readings = [finding.reading for finding in found.named("R10") if finding.outcome == "invalid"]
    few = ("of 20 connections were in use at once", "Hardly ever was a connection at work")
    assert any(words in reading for reading in readings for words in few), found.readings("R10")


def test_a_clean_trial_under_the_same_load_is_named_by_none_of_them(bench: FaultBench) -> None:
    found = bench.clean(Fault(load=LOAD))
    rules = {rule for _, rule, _ in FAULTS.values()}
    assert not found.against & rules, [found.named(rule) for rule in found.against & rules]
    print(*(reading for rule in sorted(rules) for reading in found.readings(rule)), sep="\n")
