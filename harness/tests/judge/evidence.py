"""A realistic session of valid trials, made up from a seed; each test damages the part that it tests.

Three subjects and the control, five blocks, on a lab host of eight CPUs or on a host of two.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import Any

from plumbline.measuring.place.interface import PlacedRole
from plumbline.model.evidence import (
    QUANTILES,
    Affinity,
    DatabaseWork,
    Evidence,
    Freshness,
    HostBefore,
    JvmInForce,
    LoadResult,
    LogSummary,
    Probe,
    Process,
    Series,
    Start,
    Statement,
    ThreadUse,
    TlsUse,
    Window,
)
from plumbline.model.host import ROLES, CpuSets, HostClass
from plumbline.model.plan import PlannedTrial
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from .planned import (
    CAPACITY,
    CONNECTIONS,
    CONTROL,
    OPEN_RATE,
    SUBJECTS,
    build_of,
    digest_of,
    host,
    plan,
    provenance,
)

ANSWER_BYTES = 5123
# When each phase has load, in seconds of the trial.
TIMES = {"warm-up": (6.2, 14.2), "closed": (16.4, 81.4), f"open@{OPEN_RATE}": (83.3, 98.3)}
LAST_ROW_S = 101
THREADS = 13
# What the roles use of their sets: idle, under closed load, under open load.
USE: dict[PlacedRole, tuple[float, float, float]] = {
    "app": (0.004, 0.97, 0.30),
    "db": (0.003, 0.42, 0.12),
    "load": (0.0, 0.31, 0.12),
    "harness": (0.01, 0.01, 0.01),
}


def _cpus(sets: CpuSets, role: PlacedRole) -> tuple[int, ...]:
    return sets.housekeeping if role == "harness" else sets.of(role)


def series(
    subject: str,
    sets: CpuSets,
    draw: random.Random,
    phases: Mapping[str, tuple[float, float]] | None = None,
    last_s: int | None = None,
) -> Series:
    """One row a second; the rates follow the load of the phase, with some noise."""
    columns: dict[str, list[float | None]] = {}
    total: dict[str, float] = {}
    phases, last_s = phases or TIMES, last_s or LAST_ROW_S
    times = [round(second + draw.uniform(0, 0.004), 3) for second in range(last_s + 1)]

    def count(column: str, grown: float) -> None:
        total[column] = total.get(column, 0.0) + grown
        columns.setdefault(column, []).append(float(round(total[column])))

    def level(column: str, value: float) -> None:
        columns.setdefault(column, []).append(round(value, 3))

    for index, now_s in enumerate(times):
        since_s = times[index - 1] if index else now_s
        load_s = {name: max(0.0, min(now_s, end) - max(since_s, start)) for name, (start, end) in phases.items()}
        closed_s, open_s = load_s["warm-up"] + load_s["closed"], load_s[f"open@{OPEN_RATE}"]
        idle_s = now_s - since_s - closed_s - open_s
        requests = closed_s * CAPACITY[subject] + open_s * OPEN_RATE
        count("load.requests", requests)
        used_us: dict[str, float] = {}
        for placed_role, (idle, closed, opened) in USE.items():
            cpus = len(_cpus(sets, placed_role))
            used_us[placed_role] = 1e6 * cpus * (idle * idle_s + closed * closed_s + opened * open_s)
            used_us[placed_role] *= 1 + draw.uniform(-0.003, 0.003)
            count(f"cpu.{placed_role}.user_us", 10_000 * round(used_us[placed_role] * 0.8 / 10_000))
            count(f"cpu.{placed_role}.system_us", 10_000 * round(used_us[placed_role] * 0.2 / 10_000))
        for set_role in ROLES:
            available = len(sets.of(set_role)) * (now_s - since_s) * 1e6
            own_us = sum(used_us["harness" if other == "housekeeping" else other] for other in sets.sharing(set_role))
            busy = min(available, own_us + 0.004 * available)
            count(f"set.{set_role}.busy_us", 10_000 * round(busy / 10_000))
            count(f"set.{set_role}.idle_us", 10_000 * round((available - busy) / 10_000))
            count(f"set.{set_role}.softirq_us", 10_000 * round(0.003 * available / 10_000))
            for state in ("iowait", "irq", "steal"):
                count(f"set.{set_role}.{state}_us", 0)
        for role, mib, threads in (("app", 380, 42), ("db", 210, 29), ("load", 160, 9)):
            level(f"{role}.rss_bytes", 4096 * round((mib + min(index, 30) + draw.uniform(0, 2)) * 256))
            level(f"{role}.swap_bytes", 0)
            level(f"{role}.threads", threads)
            level(f"{role}.memory_peak_bytes", 4096 * round((mib + 40) * 256))
            count(f"{role}.major_faults", 0)
            count(f"{role}.voluntary_switches", requests * draw.uniform(2.0, 2.1))
            count(f"{role}.involuntary_switches", requests * draw.uniform(0.05, 0.06))
            for column in ("throttled_us", "throttled_periods", "oom_kills"):
                count(f"{role}.{column}", 0)
            count(f"cpu.{role}.outside_us", 0)
        count("cpu.app.preferred_us", 0)
        count("psi.cpu.some_us", 3000 * draw.random())
        count("db.psi.cpu.some_us", 2000 * draw.random())
        for column in ("psi.io.some_us", "psi.io.full_us", "psi.memory.some_us", "psi.memory.full_us"):
            count(column, 0)
        count("db.psi.io.some_us", 0)
        for column in ("swapped_in_pages", "swapped_out_pages", "major_faults", "oom_kills"):
            count(f"vm.{column}", 0)
        for column in ("listen_overflows", "listen_drops", "timeouts", "retransmitted"):
            count(f"tcp.{column}", 0)
        count("net.lo.bytes", requests * (ANSWER_BYTES + 9000))
        count("net.lo.packets", requests * 16)
        count("tcp.passive_opens", 2)
        for role in ("app", "load"):
            count(f"{role}.written_bytes", 4096 * round(draw.uniform(0, 2)))
        level("vm.shared_pages", 9000 + index // 10)
        count("disk.written_bytes", 512 * round(draw.uniform(0, 200)))
        count("disk.writes", round(draw.uniform(0, 9)))
        count("disk.busy_ms", round(draw.uniform(0, 4)))
        count("db.commits", requests + 2)
        for column in (
            "rollbacks",
            "rows_inserted",
            "rows_updated",
            "rows_deleted",
            "blocks_read",
            "deadlocks",
        ):
            count(f"db.{column}", 0)
        count("db.rows_read", requests * 52)
        count("db.blocks_hit", requests * 31)
        count("db.temporary_bytes", 0)
        count("db.wal_records", 3)
        count("db.wal_syncs", 1)
        count("db.checkpoints", 0)
        level("db.others_active", 0)
        level("db.durable", 1)
        level("db.connections", 20)
        level("db.active", round(draw.uniform(2, 9)) if closed_s else round(draw.uniform(0, 2)))
        for column in ("idle_in_transaction", "waiting_locks", "waiting_wal", "waiting_io"):
            level(f"db.{column}", 0)
        level("db.idle_in_transaction_max_s", 0.002)
        level("db.tls_connections", 20 if "db-tls" in subject else 0)
        count("jvm.gc_pauses", round(requests / 1500))
        count("jvm.gc_us", requests / 1500 * draw.uniform(2400, 2600))
        level("jvm.heap_used_bytes", 1024 * round(draw.uniform(60_000, 300_000)))
        level("jvm.heap_committed_bytes", 512 * 2**20)
        level("jvm.metaspace_bytes", 1024 * (61_000 + 10 * index))
        count("jvm.jit_us", 4e5 / (1 + index) * draw.uniform(0.9, 1.1))
        count("jvm.compiled_methods", round(2500 / (1 + index)))
        count("jvm.loaded_classes", round(9000 / (1 + index) ** 2))
        count("jvm.safepoint_us", requests * draw.uniform(1.8, 1.9))
        count("sampler.us", round(draw.uniform(2800, 3300)))
    return Series(t_s=tuple(times), columns={name: tuple(rows) for name, rows in sorted(columns.items())})


def loads(subject: str, draw: random.Random) -> tuple[LoadResult, ...]:
    results = []
    for phase, (start_s, end_s) in TIMES.items():
        seconds = end_s - start_s
        opened = phase.startswith("open")
        rate = OPEN_RATE if opened else CAPACITY[subject] * (1 + draw.uniform(-0.01, 0.01))
        requests = round(rate * seconds)
        mean_ms = 1.4 if opened else 0.98 * 1000 * CONNECTIONS / rate
        results.append(
            LoadResult(
                phase=phase,
                executor="constant-arrival-rate" if opened else "constant-vus",
                connections=None if opened else CONNECTIONS,
                rate_per_s=OPEN_RATE if opened else None,
                window_s=seconds,
                requests=requests,
                completed=requests,
                failed=0,
                dropped=0,
                checks_passed=(compared := max(requests // 100, min(requests, 4700))),
                checks_failed=0,
                latency_mean_ms=mean_ms,
                latency_min_ms=mean_ms * 0.2,
                latency_max_ms=mean_ms * 9,
                latency_ms=tuple(
                    round(mean_ms * (0.2 + 0.9 * quantile + 0.02 / (1.001 - quantile)) * (1 + draw.uniform(0, 1e-4)), 6)
                    for quantile in QUANTILES
                ),
                lag_p99_ms=0.6 if opened else None,
                lag_max_ms=2.5 if opened else None,
                received_bytes=requests * ANSWER_BYTES + draw.randrange(2000),
                sent_bytes=requests * 90,
                wrong_length=0,
                fresh=round(compared / seconds),
                statuses={"2xx": requests},
            )
        )
    return tuple(results)


def environment(subject: str, sets: CpuSets) -> dict[str, Any]:
    tls = "db-tls=require" in subject
    return {
        "pid": 4711,
        "runtime": "jvm",
        "java": {"version": "25.0.3+9-LTS", "vendor": "Eclipse Adoptium", "vm": "OpenJDK 64-Bit Server VM"},
        "framework": {"name": subject.split("-")[0], "version": "5.0.10"},
        "driver": {"name": "pgjdbc", "version": "42.7.8"},
        "processors": len(sets.app),
        "heap_max_bytes": 536870912,
        "collectors": ["G1 Young Generation", "G1 Concurrent GC", "G1 Old Generation"],
        "thread": {"name": "executor-thread-1", "virtual": False},
        "pool": {"configured": 20, "open": 20, "in_use": 1},
        "settings": {"db_tls": "require" if tls else "off"},
        "database": {
            "version": "18.6",
            "isolation": "read committed",
            "synchronous_commit": "on",
            "tls": tls,
        },
    }


SETTINGS = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}


def work(load: LoadResult) -> DatabaseWork:
    """The database work of a phase: each request asks three statements in one transaction."""
    return DatabaseWork(
        phase=load.phase,
        commits=load.requests,
        rollbacks=0,
        statements=tuple(
            Statement(
                query=f"SELECT * FROM {table} WHERE id = ANY($1)",
                calls=load.requests,
                rows=rows * load.requests,
            )
            for table, rows in (("fruits", 10), ("store_fruit_prices", 34), ("stores", 8))
        ),
        table_rows={"fruits": 10, "store_fruit_prices": 34, "stores": 8},
        settings=(SETTINGS, SETTINGS),
        unlogged=(),
    )


@cache
def evidence(planned: PlannedTrial, sets: CpuSets) -> Evidence:
    """The evidence of a valid trial; made once, and changed by nobody."""
    draw = random.Random(planned.number)
    subject, tls = planned.subject, "db-tls=require" in planned.subject
    app = Process(
        role="app",
        pid=5000 + planned.number,
        command_line=(
            "/jdk/bin/java",
            "-Xms512m",
            "-Xmx512m",
            "-XX:+UseG1GC",
            "-jar",
            f"/{subject[:6]}/app.jar",
        ),
        environment={
            "HTTP_PORT": str(20_000 + planned.number),
            "DB_TLS": "require" if tls else "off",
            "DB_POOL_SIZE": "20",
        },
    )
    # CPU time of one thread in each phase: all threads together use nearly all that the application uses.
    of_threads = {
        name: 0.9e6 * len(sets.app) * USE["app"][2 if name.startswith("open") else 1] * (end_s - start_s) / THREADS
        for name, (start_s, end_s) in TIMES.items()
    }
    pids = {"app": app.pid, "db": 300, "load": 6000 + planned.number, "harness": 200}
    return Evidence(
        trial=planned.number,
        subject=subject,
        scenario=planned.scenario,
        started_at=f"2026-09-01T{10 + planned.number // 60}:{planned.number % 60:02}:00Z",
        clock_step_ms=0.01,
        host_before=HostBefore(load_1m=1.2, runnable=1, foreign_cpu_share=0.004),
        artifact_sha256=digest_of(subject),
        processes=(
            app,
            Process(role="db", pid=300, command_line=("postgres", "-D", "/scratch/data")),
            Process(role="load", pid=pids["load"], command_line=("k6", "run", "fruits.ts")),
        ),
        start=Start(
            resolution_ms=0.5,
            healthy_ms=2101.5 + draw.uniform(-20, 20),
            first_response_ms=2150.25 + draw.uniform(-20, 20),
            self_reported_ms=1904.0,
            rss_idle_bytes=310 * 2**20,
            rss_first_response_bytes=318 * 2**20,
            pss_idle_bytes=301 * 2**20,
        ),
        environment=environment(subject, sets),
        environment_after=environment(subject, sets),
        probes=tuple(
            Probe(
                name=name,
                method="GET",
                path=path,
                status=200,
                protocol="HTTP/1.1",
                media_type="application/json",
                keep_alive=True,
                body_bytes=size,
                body_sha256=f"{size:064x}",
                wire_bytes=ANSWER_BYTES if path == "/fruits" else 600,
            )
            for name, path, size in (("fruits", "/fruits", 4900), ("apple", "/fruits/Apple", 470))
        ),
        windows=tuple(
            Window(phase=name, kind="open" if name.startswith("open") else name, start_s=start, end_s=end)  # type: ignore[arg-type]
            for name, (start, end) in TIMES.items()
        ),
        series=series(subject, sets, draw),
        load=(load_results := loads(subject, draw)),
        database=tuple(work(load) for load in load_results),
        database_settings=SETTINGS,
        tls=(
            TlsUse(
                version="TLSv1.3" if tls else None,
                cipher="TLS_AES_256_GCM_SHA384" if tls else None,
                connections=20,
            ),
        ),
        threads=tuple(
            ThreadUse(phase=name, name=f"executor-thread-{thread}", cpu_us=round(draw.uniform(0.9, 1.1) * cpu_us))
            for name, cpu_us in of_threads.items()
            for thread in range(THREADS)
        ),
        affinity=tuple(
            Affinity(
                t_s=t_s,
                role=role,
                pid=pids[role],
                command=role,
                threads=20,
                outside=0,
                allowed=_cpus(sets, role),
            )
            for t_s in (6.0, 31.0)
            for role in USE
        ),
        logs={"app": LogSummary(bytes=2400, lines=22, errors=0, exceptions=0)},
        rss_after_bytes=402 * 2**20,
        pss_after_bytes=391 * 2**20,
        jvm=JvmInForce(
            mode="mixed mode, sharing",
            flags={
                "ActiveProcessorCount": str(len(sets.app)),
                "InitialHeapSize": "536870912",
                "MaxHeapSize": "536870912",
                "MaxNewSize": "321912832",
                "UseG1GC": "true",
            },
        ),
        freshness=tuple(
            Freshness(phase=name, changed_s=start_s + 4.5, restored_s=start_s + 5.5)
            for name, (start_s, _) in TIMES.items()
            if name != "warm-up"
        ),
        found_before=(),
        left_behind=(),
    )


@cache
def session(host_class: HostClass = "lab", blocks: int = 5, subjects: tuple[str, ...] = SUBJECTS) -> SessionFacts:
    """A whole session of valid trials; made once, and changed by nobody."""
    planned = plan(host_class, blocks, subjects)
    scenario = planned.scenarios[0]
    return SessionFacts(
        plan=planned,
        host=host(host_class),
        trials={trial.number: TrialFacts(trial, scenario, evidence(trial, planned.sets)) for trial in planned.trials},
        provenance=provenance(),
        builds=tuple(build_of(subject) for subject in (*subjects, CONTROL)),
    )
