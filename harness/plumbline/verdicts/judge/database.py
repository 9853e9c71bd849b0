"""Compares the database of a trial with that of the others: its settings, its first rows, and what was written."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping

from plumbline.model.evidence import DatabaseWork, Series, Window
from plumbline.verdicts.figures.series import known_rows, rate_per_s, rows_inside
from .facts import LOADED, PhaseFacts, SessionFacts, TrialFacts
from .rule import Check, broken, doubtful, is_odd, passed, unknown
from .wording import listed, no_window

# A finding is a sentence: it names this many differences, and of a long definition the beginning.
_NAMED = 3
_CHARACTERS = 60


def same_database(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    """Yield the checks of settings, indexes and triggers around each phase, and of rows before the first phase.

    All of them have to be as with most contenders.
    """
    if not trial.scenario.uses_database:
        return
    scenario_trials = session.of_scenario(trial.planned.scenario)
    for facts in trial.phases(LOADED):
        work = facts.work
        if work is None or len(work.settings) < 2:
            yield unknown(f"What the database was told was not read around {facts.phase.name}.")
            continue
        before, after = work.settings
        if changed := _differing(before, after):
            yield broken(
                f"The database was told otherwise during {facts.phase.name}: {_settings_in_words(changed, after)}."
            )
        settings_of_others = [
            (other, phase_work.settings[0])
            for other in scenario_trials
            if (phase_work := _work_of_phase(other, facts.phase.name)) is not None
        ]
        names = before.keys() | {name for _, settings in settings_of_others for name in settings}
        if odd := [
            name
            for name in sorted(names)
            if is_odd(
                before.get(name),
                [(other, settings.get(name)) for other, settings in settings_of_others],
                session.plan.control,
            )
        ]:
            reading = f"In {facts.phase.name} the database had {_settings_in_words(odd, before)}"
            yield broken(f"{reading}, and in most trials otherwise.", len(odd), "settings", 0)
    # A probe of a scenario that writes leaves its row, and the control may be asked for something else.
    yield from _rows(trial, session.asked_alike(trial, discarded=True), session.plan.control)


def _rows(trial: TrialFacts, asked_alike: Iterable[TrialFacts], control: str) -> Iterable[Check]:
    """Yield the checks of the rows of each table before the first load: every trial finds the tables restored."""
    own_rows = _rows_before(trial)
    rows_of_others = [(other, rows) for other in asked_alike if (rows := _rows_before(other))]
    for table, count in sorted(own_rows.items()):
        if is_odd(count, [(other, rows.get(table)) for other, rows in rows_of_others], control):
            yield broken(f"The table {table} began with {count:,} rows, and in most trials with another number.")


def _rows_before(trial: TrialFacts) -> Mapping[str, int]:
    first = next(iter(trial.phases(LOADED)), None)
    if first is None or first.work is None:
        return {}
    work = first.work
    return {table: rows - work.rows_inserted.get(table, 0) for table, rows in work.table_rows.items()}


def _work_of_phase(trial: TrialFacts, phase: str) -> DatabaseWork | None:
    phase_work = next((work for work in trial.evidence.database if work.phase == phase), None)
    return phase_work if phase_work is not None and len(phase_work.settings) == 2 else None


def _differing(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return [name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]


def _settings_in_words(names: list[str], settings: Mapping[str, str]) -> str:
    differences = [
        f"{name} {settings[name][:_CHARACTERS]}" if name in settings else f"no {name}" for name in names[:_NAMED]
    ]
    remainder = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{listed(differences)}{remainder}"


# The log of the collector and the JVM's mapped counters make some pages dirty each second, whatever is asked for. A
# line of 100 bytes for each of 200 requests a second is more.
WRITTEN_PER_S_MAX = 16 * 1024
# Files in memory are counted for the whole host, where other files come and go.
IN_MEMORY_PER_S_MAX = 2 * WRITTEN_PER_S_MAX
_PAGE_BYTES = 4096


def written_bytes_checks(trial: TrialFacts, session: SessionFacts, facts: PhaseFacts) -> Iterable[Check]:
    """Yield the checks of one phase; bytes to storage are unknown where the application's bytes are."""
    if facts.window is None:
        yield unknown(no_window(facts.phase.name))
        return
    series, window = trial.evidence.series, facts.window
    own_per_s = rate_per_s(series, "app.written_bytes", window)
    if own_per_s is None:
        yield unknown("What the application wrote to storage was not read.")
        return
    usual_per_s = _usual_rate_per_s(trial, session, facts, "app.written_bytes")
    reading = f"The application wrote {own_per_s / 1024:.3g} KiB/s to storage, others {usual_per_s / 1024:.3g}"
    if own_per_s - usual_per_s > WRITTEN_PER_S_MAX:
        yield broken(f"{reading}: a file grows.", own_per_s - usual_per_s, "bytes/s", WRITTEN_PER_S_MAX)
    yield from _in_memory(trial, session, facts, window)
    generator = rate_per_s(series, "load.written_bytes", window)
    if generator is None and known_rows(series, "load.written_bytes"):
        yield unknown("What the load generator wrote to storage was not read throughout the phase.")
    if generator is not None and generator > WRITTEN_PER_S_MAX and not trial.loads_itself:
        generator_reading = f"The load generator wrote {generator / 1024:.3g} KiB/s to storage while it measured."
        yield broken(generator_reading, generator, "bytes/s", WRITTEN_PER_S_MAX)
    yield passed(f"{reading}.", own_per_s - usual_per_s, "bytes/s", WRITTEN_PER_S_MAX)


def _in_memory(trial: TrialFacts, session: SessionFacts, facts: PhaseFacts, window: Window) -> Iterable[Check]:
    """Yield a doubt where files in memory grew.

    Files of a tmpfs grow without a write to storage, and the kernel does not count whose they are. A server whose
    tables grow touches more of its shared buffers, which lie in memory as well: no check there.
    """
    if facts.work is not None and facts.work.rows_inserted:
        return
    own_per_s = _growth_per_s(trial.evidence.series, window)
    if own_per_s is None:
        return
    growths = [
        growth
        for other, other_window in _other_windows(trial, session, facts)
        if (growth := _growth_per_s(other.evidence.series, other_window)) is not None
    ]
    excess_per_s = own_per_s - (statistics.median(growths) if growths else 0.0)
    if excess_per_s > IN_MEMORY_PER_S_MAX:
        reading = f"Files in memory grew by {excess_per_s / 1024:.3g} KiB/s more than beside others"
        yield doubtful(f"{reading}; whose they are is not known.", excess_per_s, "bytes/s", IN_MEMORY_PER_S_MAX)


def _growth_per_s(series: Series, window: Window) -> float | None:
    pages = rows_inside(series, "vm.shared_pages", window)
    seconds = window.end_s - window.start_s
    return (pages[-1] - pages[0]) * _PAGE_BYTES / seconds if len(pages) > 1 and seconds > 0 else None


def _usual_rate_per_s(trial: TrialFacts, session: SessionFacts, facts: PhaseFacts, column: str) -> float:
    """Return the median rate of the other subjects in the same phase; 0 where there is none."""
    rates = [
        rate
        for other, window in _other_windows(trial, session, facts)
        if (rate := rate_per_s(other.evidence.series, column, window)) is not None
    ]
    return statistics.median(rates) if rates else 0.0


def _other_windows(trial: TrialFacts, session: SessionFacts, facts: PhaseFacts) -> Iterable[tuple[TrialFacts, Window]]:
    """Yield trials of the scenario's other subjects, each with its window of the same phase."""
    for other in session.of_scenario(trial.planned.scenario):
        if other.planned.contender == trial.planned.contender:
            continue
        for other_facts in other.phases():
            if other_facts.phase.name == facts.phase.name and other_facts.window is not None:
                yield other, other_facts.window
