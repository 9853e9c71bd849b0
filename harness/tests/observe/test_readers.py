from __future__ import annotations

import os
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.measuring.launch.interface import last_words_in
from plumbline.measuring.observe.readers.affinity import read_affinity
from plumbline.measuring.observe.readers.host_before import LOOK_S, read_host_before
from plumbline.measuring.observe.readers.identity import identify, pss_bytes, rss_bytes
from plumbline.measuring.observe.readers.logs import FIRST_ERROR_CHARACTERS, self_reported_ms, summarise
from plumbline.measuring.observe.readers.probe import ClockWatch
from plumbline.measuring.observe.targets import Roots, Targets
from tests.checkout import ROOT
from .conftest import JVM, POSTMASTER


def test_affinity_of_every_thread_of_every_process(roots: Roots, targets: Targets) -> None:
    for thread in (438, 452):
        allow(roots, JVM, thread, "0")
    entries = read_affinity(roots, targets, 3.00049)
    assert [(entry.role, entry.pid, entry.command, entry.threads) for entry in entries] == [
        ("app", JVM, "java", 19),
        ("db", POSTMASTER, "postgres", 1),
        ("db", 6425, "postgres", 1),
        ("db", 6426, "postgres", 1),
        ("db", 6427, "postgres", 1),
    ]
    # Recorded without placement: all threads may run on both CPUs, but for the two that were confined.
    assert entries[0].outside == 17
    assert entries[0].allowed == (0, 1)
    assert entries[0].t_s == 3.0


def test_affinity_inside_the_set(roots: Roots, targets: Targets) -> None:
    for pid in (POSTMASTER, 6425, 6426, 6427):
        allow(roots, pid, pid, "1")
    shutil.rmtree(roots.proc / "6427" / "task")
    entries = read_affinity(roots, replace(targets, pids={"db": (POSTMASTER,), "harness": (99999,)}), 1.0)
    assert [(entry.pid, entry.outside, entry.allowed) for entry in entries] == [
        (POSTMASTER, 0, (1,)),
        (6425, 0, (1,)),
        (6426, 0, (1,)),
    ]


def test_threads_that_the_scheduler_treats_otherwise_are_counted(roots: Roots, targets: Targets) -> None:
    harness = roots.proc / "self" / "stat"
    harness.parent.mkdir(exist_ok=True)
    harness.write_text((roots.proc / str(POSTMASTER) / "stat").read_text())
    assert [entry.preferred for entry in read_affinity(roots, targets, 1.0)] == [0, 0, 0, 0, 0]
    stat = roots.proc / str(JVM) / "task" / "438" / "stat"
    head, tail = stat.read_text().rsplit(")", 1)
    fields = tail.split()
    fields[16] = "-5"
    stat.write_text(f"{head}) {' '.join(fields)}\n")
    assert [entry.preferred for entry in read_affinity(roots, targets, 1.0)] == [1, 0, 0, 0, 0]


def allow(roots: Roots, pid: int, thread: int, cpus: str) -> None:
    status = roots.proc / str(pid) / "task" / str(thread) / "status"
    status.write_text(status.read_text().replace("Cpus_allowed_list:\t0-1", f"Cpus_allowed_list:\t{cpus}"))


def test_memory_of_a_process(roots: Roots) -> None:
    assert rss_bytes(roots, JVM) == 182_544 * 1024
    assert pss_bytes(roots, JVM) == 180_390 * 1024
    assert pss_bytes(roots, POSTMASTER) == 20_990 * 1024
    assert rss_bytes(roots, 99999) is None
    assert pss_bytes(roots, 99999) is None


def test_identity_keeps_declared_variables_and_no_secret(roots: Roots) -> None:
    environ = roots.proc / str(JVM) / "environ"
    more = b"DB_PASSWORD=secret\0HOME=/home/me\0JAVA_TOOL_OPTIONS=-Xint -Da=b\0"
    environ.write_bytes(environ.read_bytes() + more)
    process = identify(roots, "app", JVM)
    assert process is not None
    assert " ".join(process.command_line) == "/opt/java -cp /opt/classes -XX:+UseG1GC -Xmx256m Allocate"
    assert process.environment == {
        "DB_NAME": "bench",
        "HTTP_PORT": "18080",
        "JAVA_TOOL_OPTIONS": "-Xint -Da=b",
    }
    assert identify(roots, "app", 99999) is None


def test_a_step_of_the_realtime_clock_is_seen() -> None:
    realtime_s, monotonic_s = [1000.0, 1060.25], [5.0, 65.0]
    watch = ClockWatch(lambda: realtime_s.pop(0), lambda: monotonic_s.pop(0))
    assert watch.step_ms() == 250.0


def test_who_else_is_on_the_host(roots: Roots) -> None:
    def pass_time(seconds: float) -> None:
        assert seconds == LOOK_S
        cpu(roots, 76_657 + 30, 19_807 + 2, 461_410 + 8)
        add_ticks(roots, JVM, 12)
        add_ticks(roots, POSTMASTER, 9)
        add_ticks(roots, 6425, 1)

    before = read_host_before(roots, {JVM}, pass_time)
    assert before is not None
    assert (before.load_1m, before.runnable) == (1.93, 1)
    # 32 of 40 ticks were busy, 12 of them with the JVM, which is ours.
    assert before.foreign_cpu_share == 0.5
    assert before.busy_commands == ("postgres",)
    assert before.swap_used_bytes == 0


def test_children_of_ours_are_ours(roots: Roots) -> None:
    def pass_time(seconds: float) -> None:
        cpu(roots, 76_657 + 30, 19_807 + 2, 461_410 + 8)
        add_ticks(roots, 6425, 28)

    before = read_host_before(roots, [POSTMASTER], pass_time)
    assert before is not None
    assert before.foreign_cpu_share == 0.1
    assert before.busy_commands == ()


def test_swap_in_use(roots: Roots) -> None:
    (roots.proc / "meminfo").write_text("MemTotal: 100 kB\nSwapTotal:  2048 kB\nSwapFree:   1000 kB\n")
    before = read_host_before(roots, (), lambda _: None)
    assert before is not None
    assert before.swap_used_bytes == 1048 * 1024
    assert before.foreign_cpu_share is None
    assert before.busy_commands == ()


def test_a_host_that_cannot_be_read(tmp_path: Path) -> None:
    assert read_host_before(Roots(proc=tmp_path), (), lambda _: None) is None


def cpu(roots: Roots, user: int, system: int, idle: int) -> None:
    stat = roots.proc / "stat"
    rest = stat.read_text().split("\n", 1)[1]
    stat.write_text(f"cpu  {user} 0 {system} {idle} 957 0 1638 130 0 0\n{rest}")


def add_ticks(roots: Roots, pid: int, ticks: int) -> None:
    stat = roots.proc / str(pid) / "stat"
    head, tail = stat.read_text().rsplit(")", 1)
    fields = tail.split()
    fields[11] = str(int(fields[11]) + ticks)
    stat.write_text(f"{head}) {' '.join(fields)}\n")


LOG = """\
2026-11-20 10:00:00,123 INFO  [io.quarkus] (main) fruits 1.0 on JVM (powered by Quarkus 3) started in 1.234s.
2026-11-20 10:00:01,000 WARN  [org.hibernate] (executor-1) HHH000 no ERROR here
2026-11-20 10:00:02,000 ERROR [io.quarkus.vertx.http] (executor-2) HTTP Request to /fruits failed
java.lang.IllegalStateException: no fruit
\tat org.plumbline.app.fruits.FruitService.find(FruitService.java:12)
\tat org.plumbline.app.NotFoundException.of(NotFoundException.java:3)
Caused by: java.sql.SQLException: closed
\t... 12 more
Exception in thread "pool-1" java.lang.OutOfMemoryError
2026-11-20 10:00:03,000 INFO  [app] (main) registered org.acme.ErrorHandler and IOExceptions
"""


def test_a_log_in_numbers(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text(LOG)
    summary = summarise(path)
    assert summary is not None
    assert summary.bytes == len(LOG)
    assert summary.lines == 10
    assert (summary.errors, summary.exceptions) == (1, 2)
    assert summary.first_error is not None
    assert summary.first_error.endswith("HTTP Request to /fruits failed")


def test_errors_of_the_warm_up_are_told_from_others(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    lines = ["ERROR at the start\n", "ERROR while warming\n", "INFO warm\n", "ERROR while measured\n"]
    path.write_text("".join(lines))
    warming = len(lines[0]), len(lines[0] + lines[1] + lines[2])
    summary = summarise(path, warming)
    assert summary is not None and (summary.errors, summary.while_warming) == (3, 1)


def test_a_quiet_log(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text("INFO started\nINFO " + "x" * 200 + " ERROR\ntime=1 level=info msg=ERROR\n")
    summary = summarise(path)
    assert summary is not None
    assert (summary.errors, summary.exceptions, summary.first_error) == (0, 0, None)
    assert summarise(tmp_path / "none.log") is None and summarise(tmp_path) is None


def test_a_pipe_in_place_of_a_log_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "app.log")
    assert summarise(tmp_path / "app.log") is None
    assert self_reported_ms(tmp_path / "app.log", r"started in (?P<seconds>\S+)") is None
    assert last_words_in(tmp_path / "app.log") == ()


def test_a_log_of_any_length_has_its_last_words(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_text("first\n" + "x" * (1 << 20) + "\nlast\n")
    assert last_words_in(tmp_path / "app.log") == ("x" * 300, "last")


def test_a_line_of_any_length_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_text("ERROR " + "x" * (1 << 17) + "\nERROR\n")
    summary = summarise(tmp_path / "app.log")
    assert summary is not None
    assert (summary.lines, summary.errors, summary.bytes) == (2, 2, 7 + (1 << 17) + 6)


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-20 10:00:02.000 UTC [81] ERROR:  duplicate key value violates unique constraint",
        "2026-11-20 10:00:02.000 UTC [81] FATAL:  terminating connection",
        'time="2026-11-20T10:00:02Z" level=error msg="endpoint: connection refused"',
        "Nov 20, 2026 10:00:02 AM io.vertx.core.impl.ContextImpl\nSEVERE: Unhandled exception",
        "2026-11-20T10:00:02.000Z ERROR 1 --- [nio-18080-exec-1] o.a.c.c.C.[.[.[/].[dispatcherServlet]",
    ],
)
def test_levels_of_all_our_logs(line: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(line + "\n")
    summary = summarise(tmp_path / "log")
    assert summary is not None
    assert summary.errors == 1
    assert summary.first_error == line.splitlines()[-1]


def test_the_first_error_is_cut(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("ERROR " + "é" * 1000)
    summary = summarise(tmp_path / "log")
    assert summary is not None
    assert summary.first_error is not None
    assert len(summary.first_error) == FIRST_ERROR_CHARACTERS


@pytest.mark.parametrize(
    ("line", "exceptions"),
    [
        ("java.lang.Exception", 1),
        ("java.lang.Error: out of luck", 1),
        ("io.netty.channel.AbstractChannel$AnnotatedConnectException: refused", 1),
        ("failed (org.acme.ApplicationError)", 0),
        ("see org.acme.FruitException.of", 0),
        ("Exception", 0),
    ],
)
def test_what_is_an_exception(line: str, exceptions: int, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(line)
    summary = summarise(tmp_path / "log")
    assert summary is not None
    assert summary.exceptions == exceptions


@pytest.mark.parametrize(
    ("pattern", "text", "milliseconds"),
    [
        (r"started in (?P<seconds>[\d.]+)s", LOG, 1234.0),
        (
            r"Started \S+ in (?P<seconds>[\d.]+) seconds",
            "Started Application in 2.5 seconds (process running)",
            2500.0,
        ),
        (
            r"Startup completed in (?P<milliseconds>\d+)ms",
            "Startup completed in 731ms. Server Running",
            731.0,
        ),
        (
            tomllib.loads((ROOT / "apps" / "open-liberty-jpa" / "variant.toml").read_text())["started"],
            "CWWKZ0001I: Application app started in 14.292 seconds.\n"
            "CWWKF0011I: The defaultServer server is ready to run a smarter planet. "
            "The defaultServer server started in 19.354 seconds.",
            19354.0,
        ),
        (r"started in (?P<seconds>[\d.]+)s", "nothing of the kind", None),
        (r"started in (?P<seconds>[\d.]+)s", "\n" * 1000 + "started in 1.5s", None),
        (r"started in (?P<seconds>[\d.]+)s", "." * 400 + "started in 1.5s", None),
    ],
)
def test_the_start_that_the_framework_reports(
    pattern: str, text: str, milliseconds: float | None, tmp_path: Path
) -> None:
    (tmp_path / "log").write_text(text)
    assert self_reported_ms(tmp_path / "log", pattern) == milliseconds
    assert self_reported_ms(tmp_path / "none", pattern) is None
