"""Which columns of the series are levels of now, and from where the counters among them count."""

from __future__ import annotations

_GAUGE_ENDINGS = (
    ".rss_bytes",
    ".swap_bytes",
    ".threads",
    ".memory_peak_bytes",
    "jvm.heap_used_bytes",
    "jvm.heap_committed_bytes",
    "jvm.metaspace_bytes",
    "db.durable",
    "db.others_active",
    "db.connections",
    "db.active",
    "db.idle_in_transaction",
    "db.idle_in_transaction_max_s",
    "db.waiting_locks",
    "db.waiting_wal",
    "db.waiting_io",
    "db.tls_connections",
    "vm.shared_pages",
)


def is_gauge(column: str) -> bool:
    """Whether a column is a level and no counter."""
    return column.endswith(_GAUGE_ENDINGS)


def counts_from_zero(column: str) -> bool:
    """Whether a counter began within the trial, so that its own value is the growth: the JVM's do."""
    return column.startswith("jvm.") and not is_gauge(column)
