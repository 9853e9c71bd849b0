"""Rows of all samplers, turned into the columns of the evidence."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.model.evidence import Series

_GAUGES = """
.rss_bytes .swap_bytes .threads .memory_peak_bytes jvm.heap_used_bytes jvm.heap_committed_bytes
jvm.metaspace_bytes db.durable db.others_active db.connections db.active db.idle_in_transaction
db.idle_in_transaction_max_s db.waiting_locks db.waiting_wal db.waiting_io db.tls_connections
vm.shared_pages
"""
_GAUGE_ENDINGS = tuple(_GAUGES.split())


def is_gauge(column: str) -> bool:
    """Return whether a column is a level and no counter."""
    return column.endswith(_GAUGE_ENDINGS)


def counts_from_zero(column: str) -> bool:
    """Return whether a counter began within the trial, so that its value is its growth; the JVM's counters did."""
    return column.startswith("jvm.") and not is_gauge(column)


class SampleTable:
    """Rows in the order of time, each with the columns that could be read then."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, Mapping[str, float | None]]] = []

    def add(self, t_s: float, row: Mapping[str, float | None]) -> None:
        """Add one row; its time is rounded to milliseconds."""
        self._rows.append((round(t_s, 3), row))

    def series(self) -> Series:
        """Return the series of all rows: counters from their first value on, the JVM's from its start."""
        # The thread that samples may add rows meanwhile.
        rows = list(self._rows)
        names = sorted({name for _, row in rows for name, value in row.items() if value is not None})
        columns: dict[str, tuple[float | None, ...]] = {}
        for name in names:
            values = [row.get(name) for _, row in rows]
            first = next(value for value in values if value is not None)
            base = 0 if is_gauge(name) or counts_from_zero(name) else first
            columns[name] = tuple(None if value is None else value - base for value in values)
        return Series(t_s=tuple(t_s for t_s, _ in rows), columns=columns)
