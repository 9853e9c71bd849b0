"""The evidence of a trial: all samples from which figures are computed, and by which rules judge.

Times are seconds since the trial's zero (the moment before the application is spawned), on the monotonic clock.

`series` is one table: `t_s` and columns of equal length, one row a second. A gauge is stored as it was read. Any other
column is a counter, stored from its value at the first row, so that it starts at 0. `None` is "not read", or a row of a
long trial that nothing reads. The columns:

    cpu.<role>.user_us, cpu.<role>.system_us     CPU time of the role's processes (app, db, load, harness)
    cpu.{app,db,load}.outside_us   CPU time on CPUs that are not the role's own; without cgroups v1 that of app alone
    cpu.app.preferred_us  CPU time of the application's threads at another priority or policy than the harness has
    set.<role>.{busy,idle,iowait,irq,softirq,steal}_us   CPU time of the role's CPUs, from /proc/stat, summed
    <role>.rss_bytes, .swap_bytes, .threads                   gauges (app, db, load)
    <role>.major_faults, .voluntary_switches, .involuntary_switches     (app, db, load)
    <role>.memory_peak_bytes     a gauge: the most since its cgroups were made, which on a host last for the session
    <role>.throttled_us, .throttled_periods, .oom_kills       from its cgroups, where there are any
    harness.throttled_us, .throttled_periods     of the cgroups around those of the roles, on a host
    psi.{cpu,io,memory}.some_us, psi.{io,memory}.full_us      pressure of the whole host
    db.psi.{cpu,io}.some_us                                   pressure of the database's cgroup (v2 only)
    vm.swapped_in_pages, vm.swapped_out_pages, vm.major_faults, vm.oom_kills
    vm.shared_pages       a gauge: what lies in memory alone, files of a tmpfs and shared memory, of the whole host
    tcp.listen_overflows, tcp.listen_drops, tcp.timeouts, tcp.retransmitted; net.lo.bytes, net.lo.packets
    tcp.passive_opens     connections that somebody here accepted
    app.written_bytes, load.written_bytes    what the role's processes sent to storage, when a page first became dirty
    disk.written_bytes, disk.writes, disk.busy_ms
    db.commits, db.rollbacks, db.rows_read, db.rows_inserted, db.rows_updated, db.rows_deleted, db.blocks_read,
    db.blocks_hit, db.deadlocks, db.temporary_bytes
    db.wal_records, db.wal_syncs    records of the write-ahead log, and how often sessions flushed it to disk (in MySQL
                                    the whole server, its own threads too)
    db.checkpoints        how many were made, by time or by order
    db.durable            a gauge: 1 while the server's own settings have each commit on disk before it is answered
    db.connections, db.active, db.idle_in_transaction, db.idle_in_transaction_max_s, db.waiting_locks, db.waiting_wal,
    db.waiting_io, db.tls_connections           gauges: the application's sessions in pg_stat_activity and pg_stat_ssl
    db.others_active      a gauge: sessions at work that are neither the application's nor the harness's
    jvm.gc_pauses, jvm.gc_us, jvm.jit_us, jvm.compiled_methods, jvm.loaded_classes, jvm.safepoint_us   from hsperfdata
    jvm.heap_used_bytes, jvm.heap_committed_bytes, jvm.metaspace_bytes          gauges, from hsperfdata
    load.requests          running count of k6's http_reqs, from its REST API, up to the last reading before k6 ended
    sampler.us                                   the samplers' own CPU time

`busy` is user + nice + system + irq + softirq, without steal. `jvm.*` counters count from the start of the JVM, all
others from their first value; `cpu.load.*` and `load.requests` run on over successive k6 processes. `<role>.rss_bytes`
counts shared pages once. `db.rows_read` is `tup_returned`. Columns that were never read are left out.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .base import Frozen, sparse
from .host import Cpu
from .plan import PhaseKind

# USER_HZ, the unit of /proc/stat and /proc/PID/stat, is 100 on every architecture that Linux runs JVMs on.
TICK_US = 10_000

# 0-95 by 1, 95-99.9 by 0.1, 99.9-99.99 by 0.01: fine enough that trials merge as mixtures.
QUANTILES: tuple[float, ...] = (
    *(q / 100 for q in range(95)),
    *(round(0.95 + q / 1000, 4) for q in range(49)),
    *(round(0.999 + q / 10000, 5) for q in range(10)),
)


# The quantiles of each use case of a mix, and of each of its requests: enough to draw a distribution, and few enough
# that a dozen of these parts fit into the evidence of a trial.
PART_QUANTILES: tuple[float, ...] = (0.0, 0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95, 0.99)


class Window(Frozen):
    """The time in which a phase was measured. `start_s` and `end_s` enclose its load, without the start and stop of k6.

    `cycles` are the times of load, (start, end) in seconds each, of a warm-up of several cycles, or with a
    pause. Older evidence has them only of a warm-up that went on until steady.
    """

    phase: str
    kind: PhaseKind
    start_s: float
    end_s: float
    cycles: tuple[tuple[float, float], ...] = sparse(())


class Series(Frozen):
    """The series of all samplers, one row for each second; see the module's text for the columns."""

    t_s: tuple[float, ...] = ()
    columns: dict[str, tuple[float | None, ...]] = {}


class LoadPart(Frozen):
    """Response times of one use case of a mix (`request` None), or of one request within it.

    `latency_ms` stands on PART_QUANTILES; `requests` counts failed ones too.
    """

    use_case: str
    request: str | None
    requests: int
    latency_mean_ms: float
    latency_max_ms: float
    latency_ms: tuple[float, ...]


class LoadResult(Frozen):
    """The counts of k6 for one phase. Latencies are `http_req_duration` (without connecting and TLS handshake).

    A `program` has no server and no k6: its requests are its batches, and it says itself how long each took.
    `completed` counts responses that arrived within `window_s` of the phase's start, `requests` all of them.
    `latency_ms` stands on QUANTILES. `lag_*` is how late arrivals were started (open load only). `writes` is the
    number of rows by which successful requests must have made the tables longer. `parts` are those of a mix, whose rate
    is of requests.
    """

    phase: str
    executor: Literal["constant-vus", "constant-arrival-rate", "program"]
    connections: int | None = None
    rate_per_s: int | float | None = None
    window_s: float
    requests: int
    completed: int
    failed: int
    dropped: int
    checks_passed: int
    checks_failed: int
    writes: int = 0
    latency_mean_ms: float | None = None
    latency_min_ms: float | None = None
    latency_max_ms: float | None = None
    latency_ms: tuple[float, ...] = ()
    lag_p99_ms: float | None = None
    lag_max_ms: float | None = None
    received_bytes: int = 0
    sent_bytes: int = 0
    connect_errors: int = 0
    timeouts: int = 0
    statuses: dict[str, int] = {}
    exit_code: int = 0
    messages: tuple[str, ...] = ()
    # `wrong_length` counts all answers, `fresh` compared ones; None without a body or a changed row to compare with.
    wrong_length: int | None = sparse(None)
    fresh: int | None = sparse(None)
    reused: float | None = sparse(
        None, "share of the requests that at the least used a connection which was open, by the load generator"
    )
    # Left out where there are none, as in evidence that was written before there were mixes.
    parts: tuple[LoadPart, ...] = sparse(())
    began_ms: tuple[float, ...] = sparse(
        (), "of several generators of one load, how long after the first each began, by its number"
    )
    began_unsure_ms: float = sparse(
        0.0, "by how much `began_ms` may be wrong, where generators read clocks of several nodes"
    )
    # Known of batches alone, whose answers say it.
    batch_threads: float | None = sparse(None, "threads that took the rows of a batch, the mean of the phase's batches")


class Start(Frozen):
    """The start of an application, from the spawn (0 ms) to the first answers, by a prober with a resolution of
    `resolution_ms`. Both `rss_first_response_bytes` and `pss_idle_bytes` are read after the first response.
    """

    resolution_ms: float
    healthy_ms: float | None = None
    first_response_ms: float | None = None
    self_reported_ms: float | None = None
    rss_idle_bytes: int | None = None
    rss_first_response_bytes: int | None = None
    pss_idle_bytes: int | None = None
    page_cache: Literal["warm", "cold"] = "warm"


class Probe(Frozen):
    """A request of the contract and its answer. `problem` is None when the answer equals the golden answer."""

    name: str
    method: str
    path: str
    status: int | None
    protocol: str | None = None
    media_type: str | None = None
    encoding: str | None = None
    keep_alive: bool | None = None
    body_bytes: int | None = None
    body_sha256: str | None = None
    problem: str | None = None
    wire_bytes: int | None = sparse(None, "of the whole answer, as the kernel counts")


class Statement(Frozen):
    """A normalised statement of pg_stat_statements and its work within one window."""

    query: str
    calls: int
    rows: int


class DatabaseWork(Frozen):
    """The work of the database within one phase, from counters that were read just before and after the phase."""

    phase: str
    commits: int
    rollbacks: int
    statements: tuple[Statement, ...] = ()
    rows_inserted: dict[str, int] = {}
    table_rows: dict[str, int] = {}
    settings: tuple[dict[str, str], ...] = sparse(
        (), "what the server is told: settings, indexes, triggers; before and after"
    )
    unlogged: tuple[str, ...] | None = sparse(None, "tables whose rows no log keeps, before or after")
    rewritten: tuple[str, ...] | None = Field(
        default=None,
        exclude_if=lambda tables: not tables,
        description="tables that lay in another file after the phase than before",
    )


class SourcesWork(Frozen):
    """How often each of the six sources of an order answered within one phase, by its own count."""

    phase: str
    answered: dict[str, int]


class Freshness(Frozen):
    """A change of a row that was served: another text was committed at `changed_s`, the old one at `restored_s`."""

    phase: str
    changed_s: float
    restored_s: float


class TlsUse(Frozen):
    """Connections of the application by protocol version and cipher; both None for plain ones."""

    version: str | None
    cipher: str | None
    connections: int


class HttpTlsUse(Frozen):
    """The parameters on which the harness and the application agreed in their handshake; the certificate was
    checked.
    """

    version: str | None
    cipher: str | None


# Names, as far as the kernel keeps them, of threads that HotSpot starts for a program that attaches to it, or for JFR.
OF_VISITORS = frozenset({"Attach Listener", "JFR Recorder Th", "JFR Periodic Ta"})


class ThreadUse(Frozen):
    """CPU time of one thread of the application within one window; threads OF_VISITORS are listed without any, too."""

    phase: str
    name: str
    cpu_us: int


class Affinity(Frozen):
    """The CPUs on which the threads of one process were allowed to run, read from /proc at `t_s`.

    `outside` counts threads that may run on a CPU not in the set of their role, `preferred` those that the scheduler
    treats otherwise than the harness: another nice value or policy.
    """

    t_s: float
    role: Literal["app", "db", "load", "harness"]
    pid: int
    command: str
    threads: int
    outside: int
    allowed: tuple[int, ...]
    preferred: int | None = sparse(None)


class Cpuset(Frozen):
    """The CPUs that the containers of a role had together on one node within a phase, by their control groups."""

    phase: str
    role: Literal["app", "db", "load"]
    cpus: tuple[Cpu, ...]


class Process(Frozen):
    """The words of a process's command line, and the declared part of its environment."""

    role: Literal["app", "db", "load"]
    pid: int
    command_line: tuple[str, ...]
    environment: dict[str, str] = {}
    exit_code: int | None = None
    ended_early: bool = False


class Stray(Frozen):
    """A process that belonged to no program that still ran; `ended` is False where it could not be ended.

    `cpu_us` is the CPU time that it had used by then, in steps of 10 ms.
    """

    pid: int
    command: str
    cpu_us: int
    ended: bool = True


class JvmInForce(Frozen):
    """The mode of a JVM (`mixed mode, sharing`), and the flags that were not at the JVM's own defaults."""

    mode: str
    flags: dict[str, str]


class LogSummary(Frozen):
    """A log in numbers; the log itself stays in the session's folder. `first_error` has at most 300 characters.

    `while_warming` counts those of the errors and exceptions that were written during the warm-up.
    """

    bytes: int
    lines: int
    errors: int
    exceptions: int
    first_error: str | None = None
    while_warming: int = sparse(0)


class HostBefore(Frozen):
    """The other programs that ran on the host just before the trial."""

    load_1m: float
    runnable: int
    foreign_cpu_share: float | None = None
    busy_commands: tuple[str, ...] = ()
    swap_used_bytes: int = 0


class Failure(Frozen):
    """The reason why a trial did not reach its end: the phase, one sentence, and the last lines of the log with the
    cause.
    """

    phase: str
    problem: str
    tail: tuple[str, ...] = ()


class Evidence(Frozen):
    """All that one trial left behind. A part that could not be had is empty or None, never made up."""

    trial: int
    subject: str
    scenario: str
    started_at: str = Field(description="UTC, ISO 8601 with seconds")
    clock_step_ms: float | None = Field(description="how far realtime and monotonic drifted apart in the trial")
    host_before: HostBefore | None
    artifact_sha256: str
    processes: tuple[Process, ...]
    start: Start | None
    environment: dict[str, Any] | None = Field(description="GET /environment before the load")
    environment_after: dict[str, Any] | None = Field(description="GET /environment after the load")
    probes: tuple[Probe, ...]
    windows: tuple[Window, ...]
    series: Series
    load: tuple[LoadResult, ...]
    database: tuple[DatabaseWork, ...]
    database_settings: dict[str, str]
    tls: tuple[TlsUse, ...]
    threads: tuple[ThreadUse, ...]
    affinity: tuple[Affinity, ...]
    logs: dict[str, LogSummary]
    rss_after_bytes: int | None = None
    pss_after_bytes: int | None = None
    failure: Failure | None = None
    http_tls: HttpTlsUse | None = sparse(None, "None over plain HTTP")
    freshness: tuple[Freshness, ...] = sparse(())
    sources: tuple[SourcesWork, ...] = sparse(())
    jvm: JvmInForce | None = sparse(None, "as jcmd said after the load")
    found_before: tuple[Stray, ...] | None = sparse(None, "ours, and there before the spawn")
    left_behind: tuple[Stray, ...] | None = sparse(None, "there after the application's end")
    cpusets: dict[str, tuple[Cpuset, ...]] = sparse(
        {}, "by node of a cluster, or nodes of one machine; two of a role in one phase where its CPUs changed"
    )
    images: dict[str, str] = sparse({}, "what the pods of a cluster ran, by pod: the id of the image with its digest")
