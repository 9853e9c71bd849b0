"""No program and no usual file of a variant decides what a profile decides: threads, event loops, transport, pools."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

APPS = Path(__file__).resolve().parents[3] / "apps"

# Calls by which a program would choose its threads, its event loops or their transport.
CALLS = re.compile(
    r"setPreferNativeTransport|setEventLoopPoolSize|setEventLoopSize|setPipeliningLimit|LoopResources\.create"
    r"|(Epoll|KQueue|IoUring|Nio)(EventLoopGroup\b|IoHandler\.newFactory)|QueuedThreadPool|setMaxThreads"
    r"|(call|worker|connection)GroupSize|shareWorkGroup|limitedParallelism|availableProcessors|transport\.noNative"
)
KEYS = re.compile(
    r"^[^#=]*(native-transport|event-loop|loops-pool|num-threads|thread-core-ratio|max-threads|threads\.max"
    r"|core-threads|n-threads|auto-commit|detect-statement-leaks)[^=]*="
)
# Settings that count or time each borrowing, only so that GET /environment can report it.
COUNTING = re.compile(r"^[^#=]*(metrics[^=]*(enabled|supported|recorder)|register-mbeans|registerMbeans)[^=]*=")
# A timer beside the event loops: a timer of Reactor or of the JDK.
BESIDE_LOOPS = re.compile(
    r"Mono\.delay\(Duration\.ofMillis\(\w+\)\)|delayedExecutor|ScheduledExecutor|ScheduledThreadPool|\bTimer\("
)
# Size and timeouts of a pool, also within an address, unless a prefix of the framework or a section leaves them out of
# the profile defaults.
POOL = re.compile(r"^(?!%prod,dev\.)[^#=]+=.*\$\{DB_(POOL_SIZE\}|TIMEOUT_MS)")
BUT_FOR_DEFAULTS = "spring.config.activate.on-profile=!defaults"
# A packaging whose build did a part of the start says so by aot.enabled; this flag decides no thread.
FLAGS = re.compile(r"-D(reactor|io\.netty|vertx|quarkus|micronaut|spring)\.(?!aot\.enabled=true)")
# Files that hand over or only report the choice that a profile or a setting made, and where the choice comes from.
HANDED_OVER = {
    "domain-vertx/src/main/java/org/plumbline/domain/vertx/EventLoops.java": "the profile, by its file",
    "domain-vertx/src/main/java/org/plumbline/domain/vertx/Pool.java": "the profile, by its file",
    "ktor-jdbc/src/main/kotlin/org/plumbline/app/plumbing/DatabaseThreads.kt": "the profile, by its file",
    "micronaut-hello/src/main/java/org/plumbline/app/Application.java": "the profile: who loads epoll",
    "quarkus-rest-pgclient/src/main/java/org/plumbline/app/plumbing/Connections.java": "the setting pipelining",
    "spring4-webflux-r2dbc/src/main/java/org/plumbline/app/plumbing/OwnLoops.java": "the setting r2dbc-loops",
    "standalone-r2dbc/src/main/java/org/plumbline/app/OwnLoops.java": "the setting r2dbc-loops",
    "domain/src/main/java/org/plumbline/domain/Environment.java": "GET /environment",
}


def sources(pattern: str) -> list[Path]:
    """Files of all applications without tests, and without the control, which has neither framework nor profile."""
    found = [path for path in APPS.glob(f"*/{pattern}") if path.relative_to(APPS).parts[0] != "control"]
    assert found
    return [path for path in found if "test" not in path.relative_to(APPS).parts]


def lines_with(pattern: re.Pattern[str], path: Path) -> list[str]:
    name = path.relative_to(APPS).as_posix()
    text = path.read_text(encoding="utf-8")
    return [f"{name}: {line.strip()}" for line in text.splitlines() if pattern.search(line)]


def stated_in_defaults(text: str) -> list[str]:
    """The lines of a file of properties that state size or timeouts of a pool in the profile defaults."""
    return [line for line in text.partition(BUT_FOR_DEFAULTS)[0].splitlines() if POOL.search(line)]


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


def test_no_timer_beside_the_loops() -> None:
    serving = [path for path in sources("src/**/HelloEndpoint.*") if lines_with(re.compile("sleep-async"), path)]
    assert len(serving) > 5
    assert not [line for path in serving for line in lines_with(BESIDE_LOOPS, path)]


def test_no_file_switches_counting_on() -> None:
    assert not [line for path in sources("src/**/*.properties") for line in lines_with(COUNTING, path)]


def test_no_command_line_decides() -> None:
    assert not [line for path in sources("variant.toml") for line in lines_with(FLAGS, path)]


def test_the_pool_of_a_starter_is_stated_nowhere() -> None:
    starters = [path for path in sources("variant.toml") if "[profile.defaults]" in path.read_text(encoding="utf-8")]
    assert starters
    for variant in starters:
        for path in variant.parent.glob("src/**/*.properties"):
            if path.name != "application-tuned.properties":
                assert not stated_in_defaults(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("quarkus.datasource.jdbc.max-size=${DB_POOL_SIZE}", 1),
        ("%prod,dev.quarkus.datasource.jdbc.max-size=${DB_POOL_SIZE}", 0),
        ("spring.r2dbc.pool.max-acquire-time=${DB_TIMEOUT_MS:3000}ms", 1),
        (f"{BUT_FOR_DEFAULTS}\nspring.r2dbc.pool.max-acquire-time=${{DB_TIMEOUT_MS:3000}}ms", 0),
        ("datasources.default.connection-timeout=${DB_TIMEOUT_MS:3000}", 1),
        ("spring.datasource.url=jdbc:mysql://h/d?useServerPrepStmts=true&connectTimeout=${DB_TIMEOUT_MS:3000}", 1),
        ("# maximum-pool-size=${DB_POOL_SIZE}", 0),
    ],
)
def test_a_stated_pool_is_found(text: str, stated: int) -> None:
    assert len(stated_in_defaults(text)) == stated


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (CALLS, "new VertxOptions().setPreferNativeTransport(true)"),
        (CALLS, "int loops = Runtime.getRuntime().availableProcessors();"),
        (CALLS, "options.setPipeliningLimit(16)"),
        (CALLS, "callGroupSize = 4"),
        (CALLS, 'System.setProperty("io.netty.transport.noNative", "true")'),
        (CALLS, "withContext(Dispatchers.IO.limitedParallelism(20)) { work() }"),
        (KEYS, "quarkus.vertx.event-loops-pool-size=4"),
        (KEYS, "quarkus.vertx.prefer-native-transport=true"),
        (KEYS, "micronaut.netty.event-loops.default.num-threads=2"),
        (KEYS, "server.tomcat.threads.max=20"),
        (KEYS, "micronaut.executors.io.n-threads=20"),
        (BESIDE_LOOPS, 'return Mono.delay(Duration.ofMillis(SLEEP_MS)).thenReturn("Slept");'),
        (BESIDE_LOOPS, "CompletableFuture.delayedExecutor(2, TimeUnit.MILLISECONDS)"),
        (COUNTING, "quarkus.datasource.jdbc.metrics.enabled=true"),
        (COUNTING, "datasources.default.register-mbeans=true"),
        (FLAGS, 'run = ["-Dreactor.netty.ioWorkerCount=2", "-jar", "app.jar"]'),
    ],
)
def test_what_would_decide_is_found(pattern: re.Pattern[str], line: str) -> None:
    assert pattern.search(line)
