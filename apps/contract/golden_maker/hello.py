"""The workload hello, and the requests that every variant answers besides its workloads."""

from __future__ import annotations

from collections.abc import Iterator

from .probe import TEXT, Maker, Probe


def probes() -> Iterator[Probe]:
    """Yield the probes of the plumbing, then those of hello."""
    plumbing = Maker("plumbing")
    yield plumbing.ok("health", "/health", "ok", media_type=TEXT)
    yield Probe("no-path", "plumbing", "read", "GET", "/nobody/serves/this", 404)

    hello = Maker("hello")
    greeting, slept = "Hello, World!", "Slept"
    yield hello.ok("hello", "/hello/World", greeting, media_type=TEXT)
    yield hello.ok("hello-escaped", "/hello/%C3%85sa%20%26%20Bo", "Hello, Åsa & Bo!", media_type=TEXT)
    yield hello.problem("hello-blank", "/hello/%20", 400, "The name must not be blank.")
    yield hello.ok("split", "/split/World", greeting, media_type=TEXT, golden="hello.txt")
    yield hello.problem("split-blank", "/split/%20%20", 400, "The name must not be blank.")
    yield hello.ok("sleep", "/sleep", slept, media_type=TEXT, golden="slept.txt")
    async_sleep = Probe(
        *("sleep-async", "hello", "read", "GET", "/sleep-async", 200, TEXT, "slept.txt", slept.encode()),
        serves_on=("event-loop",),
    )
    yield async_sleep
    yield Probe("no-sleep-async", "hello", "read", "GET", "/sleep-async", 404, serves_on=("worker", "virtual"))
