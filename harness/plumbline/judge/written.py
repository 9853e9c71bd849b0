"""Checks what application and load generator write to files while they are measured, against other subjects."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from plumbline.figures.series import rate_per_s, values
from plumbline.model.evidence import Series, Window
from .facts import PhaseFacts, SessionFacts, TrialFacts
from .rule import Check, broken, doubtful, passed, unknown
from .wording import no_window

# The log of the collector and the JVM's mapped counters make some pages dirty each second, whatever is asked for. A
# line of 100 bytes for each of 200 requests a second is more.
WRITTEN_PER_S_MAX = 16 * 1024
# What lies in memory is counted for the whole host, where others come and go.
IN_MEMORY_PER_S_MAX = 2 * WRITTEN_PER_S_MAX
PAGE_BYTES = 4096


def written(trial: TrialFacts, session: SessionFacts, facts: PhaseFacts) -> Iterable[Check]:
    """Yield the checks of one phase; bytes to storage are unknown where the application's are."""
    if facts.window is None:
        yield unknown(no_window(facts.phase.name))
        return
    series, window = trial.evidence.series, facts.window
    mine = rate_per_s(series, "app.written_bytes", window)
    if mine is None:
        yield unknown("What the application wrote to storage was not read.")
        return
    usual_per_s = _usual(trial, session, facts, "app.written_bytes")
    reading = f"The application wrote {mine / 1024:.3g} KiB/s to storage, others {usual_per_s / 1024:.3g}"
    if mine - usual_per_s > WRITTEN_PER_S_MAX:
        yield broken(f"{reading}: a file grows.", mine - usual_per_s, "bytes/s", WRITTEN_PER_S_MAX)
    yield from _in_memory(trial, session, facts, window)
    generator = rate_per_s(series, "load.written_bytes", window)
    if generator is not None and generator > WRITTEN_PER_S_MAX and not trial.loads_itself:
        said = f"The load generator wrote {generator / 1024:.3g} KiB/s to storage while it measured."
        yield broken(said, generator, "bytes/s", WRITTEN_PER_S_MAX)
    yield passed(f"{reading}.", mine - usual_per_s, "bytes/s", WRITTEN_PER_S_MAX)


def _in_memory(
    trial: TrialFacts, session: SessionFacts, facts: PhaseFacts, window: Window
) -> Iterable[Check]:
    """Yield why writes in memory are not counted: files of a tmpfs grow without a write to storage, and the kernel does
    not count whose they are.

    A server whose tables grow touches more of its shared buffers, which lie in memory as well.
    """
    if facts.work is not None and facts.work.rows_inserted:
        return
    mine = _growth_per_s(trial.evidence.series, window)
    if mine is None:
        return
    others = [
        growth
        for other, its in _others(trial, session, facts)
        if (growth := _growth_per_s(other.evidence.series, its)) is not None
    ]
    more = mine - (statistics.median(others) if others else 0.0)
    if more > IN_MEMORY_PER_S_MAX:
        reading = f"Files in memory grew by {more / 1024:.3g} KiB/s more than beside others"
        yield doubtful(f"{reading}; whose they are is not known.", more, "bytes/s", IN_MEMORY_PER_S_MAX)


def _growth_per_s(series: Series, window: Window) -> float | None:
    pages = values(series, "vm.shared_pages", window)
    seconds = window.end_s - window.start_s
    return (pages[-1] - pages[0]) * PAGE_BYTES / seconds if len(pages) > 1 and seconds > 0 else None


def _usual(trial: TrialFacts, session: SessionFacts, facts: PhaseFacts, column: str) -> float:
    """Return the median rate of the other subjects in the same phase; 0 where there is none."""
    rates = [
        rate
        for other, window in _others(trial, session, facts)
        if (rate := rate_per_s(other.evidence.series, column, window)) is not None
    ]
    return statistics.median(rates) if rates else 0.0


def _others(
    trial: TrialFacts, session: SessionFacts, facts: PhaseFacts
) -> Iterable[tuple[TrialFacts, Window]]:
    """Yield trials of the scenario's other subjects, each with its window of the same phase."""
    for other in session.of_scenario(trial.planned.scenario):
        if other.planned.contender == trial.planned.contender:
            continue
        for its in other.phases():
            if its.phase.name == facts.phase.name and its.window is not None:
                yield other, its.window
