"""Compares the database of a trial with that of the others: its settings, its first rows, and what was written."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping

from plumbline.model.evidence import DatabaseWork, Series, Window
from plumbline.verdicts.figures.series import rate_per_s, values
from .facts import LOADED, PhaseFacts, SessionFacts, TrialFacts
from .rule import Check, broken, doubtful, passed, unknown, usual
from .wording import listed, no_window

# A finding is a sentence: so many differences are named in it, and of a long definition its beginning.
NAMED = 3
CHARACTERS = 60


def same_database(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    """Yield settings, indexes and triggers at both ends of each phase, and rows before the first, as in most trials."""
    if not trial.scenario.uses_database:
        return
    others = session.of_scenario(trial.planned.scenario)
    for facts in trial.phases(LOADED):
        work = facts.work
        if work is None or len(work.settings) < 2:
            yield unknown(f"What the database was told was not read around {facts.phase.name}.")
            continue
        before, after = work.settings
        if changed := _differing(before, after):
            yield broken(
                f"The database was told otherwise during {facts.phase.name}: {_named(changed, after)}."
            )
        theirs = [its.settings[0] for other in others if (its := _of(other, facts.phase.name)) is not None]
        names = before.keys() | {name for told in theirs for name in told}
        if odd := [
            name for name in sorted(names) if _odd(before.get(name), [one.get(name) for one in theirs])
        ]:
            reading = f"In {facts.phase.name} the database had {_named(odd, before)}"
            yield broken(f"{reading}, and in most trials otherwise.", len(odd), "settings", 0)
    yield from _rows(trial, others)


def _rows(trial: TrialFacts, others: Iterable[TrialFacts]) -> Iterable[Check]:
    """Yield rows of each table before the first load, which each trial finds restored."""
    mine = _rows_before(trial)
    theirs = [rows for other in others if (rows := _rows_before(other))]
    for table, count in sorted(mine.items()):
        if _odd(count, [rows.get(table) for rows in theirs]):
            yield broken(
                f"The table {table} began with {count:,} rows, and in most trials with another number."
            )


def _rows_before(trial: TrialFacts) -> Mapping[str, int]:
    first = next(iter(trial.phases(LOADED)), None)
    if first is None or first.work is None:
        return {}
    work = first.work
    return {table: rows - work.rows_inserted.get(table, 0) for table, rows in work.table_rows.items()}


def _of(trial: TrialFacts, phase: str) -> DatabaseWork | None:
    found = next((work for work in trial.evidence.database if work.phase == phase), None)
    return found if found is not None and len(found.settings) == 2 else None


def _odd(mine: object, theirs: list[str | None] | list[int | None]) -> bool:
    # Nobody knows which of two different values is right: both are named.
    return len(set(theirs)) > 1 and usual(theirs) != mine


def _differing(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    return [name for name in sorted(one.keys() | other.keys()) if one.get(name) != other.get(name)]


def _named(names: list[str], told: Mapping[str, str]) -> str:
    said = [f"{name} {told[name][:CHARACTERS]}" if name in told else f"no {name}" for name in names[:NAMED]]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{listed(said)}{more}"


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
