"""No program and no usual file of a variant decides what a profile should: threads, event loops, transport."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

APPS = Path(__file__).resolve().parents[3] / "apps"

# Calls by which a program would choose its threads, its event loops or their transport.
CALLS = re.compile(
    r"setPreferNativeTransport|setEventLoopPoolSize|setEventLoopSize|setPipeliningLimit|LoopResources\.create"
    r"|(Epoll|KQueue|IoUring|Nio)(EventLoopGroup\b|IoHandler\.newFactory)|QueuedThreadPool|setMaxThreads"
    r"|(call|worker|connection)GroupSize|shareWorkGroup|limitedParallelism|availableProcessors"
)
KEYS = re.compile(
    r"^[^#=]*(native-transport|event-loop|loops-pool|num-threads|thread-core-ratio|max-threads|threads\.max"
    r"|core-threads)[^=]*="
)
FLAGS = re.compile(r"-D(reactor|io\.netty|vertx|quarkus|micronaut|spring)\.")
# Where the choice is handed over that a profile or a setting made, or is only told.
HANDED_OVER = {
    "domain-vertx/src/main/java/org/plumbline/domain/vertx/EventLoops.java": "the profile, by its file",
    "domain-vertx/src/main/java/org/plumbline/domain/vertx/Pool.java": "the profile, by its file",
    "spring4-webflux-r2dbc/src/main/java/org/plumbline/app/plumbing/OwnLoops.java": "the setting r2dbc-loops",
    "standalone-r2dbc/src/main/java/org/plumbline/app/OwnLoops.java": "the setting r2dbc-loops",
    "domain/src/main/java/org/plumbline/domain/Environment.java": "GET /environment",
}


def sources(pattern: str) -> list[Path]:
    """Files of all applications but the control, which has neither framework nor profile, and but tests."""
    found = [path for path in APPS.glob(f"*/{pattern}") if path.relative_to(APPS).parts[0] != "control"]
    assert found
    return [path for path in found if "test" not in path.relative_to(APPS).parts]


def lines_with(pattern: re.Pattern[str], path: Path) -> list[str]:
    name = path.relative_to(APPS).as_posix()
    text = path.read_text(encoding="utf-8")
    return [f"{name}: {line.strip()}" for line in text.splitlines() if pattern.search(line)]


def test_no_program_decides() -> None:
    deciding = {
        path.relative_to(APPS).as_posix()
        for path in (*sources("src/**/*.java"), *sources("src/**/*.kt"))
        if lines_with(CALLS, path)
    }
    assert deciding == set(HANDED_OVER)


def test_no_file_but_the_tuned_one_decides() -> None:
    files = [path for path in sources("src/**/*.properties") if path.name != "application-tuned.properties"]
    assert not [line for path in files for line in lines_with(KEYS, path)]


def test_no_command_line_decides() -> None:
    assert not [line for path in sources("variant.toml") for line in lines_with(FLAGS, path)]


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (CALLS, "new VertxOptions().setPreferNativeTransport(true)"),
        (CALLS, "int loops = Runtime.getRuntime().availableProcessors();"),
        (CALLS, "options.setPipeliningLimit(16)"),
        (CALLS, "callGroupSize = 4"),
        (CALLS, "withContext(Dispatchers.IO.limitedParallelism(20)) { work() }"),
        (KEYS, "quarkus.vertx.event-loops-pool-size=4"),
        (KEYS, "quarkus.vertx.prefer-native-transport=true"),
        (KEYS, "micronaut.netty.event-loops.default.num-threads=2"),
        (KEYS, "server.tomcat.threads.max=20"),
        (FLAGS, 'run = ["-Dreactor.netty.ioWorkerCount=2", "-jar", "app.jar"]'),
    ],
)
def test_what_would_decide_is_found(pattern: re.Pattern[str], line: str) -> None:
    assert pattern.search(line)
