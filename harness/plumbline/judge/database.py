"""Compares the database of a trial with that of the others: its settings, and the rows that it began with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plumbline.model.evidence import DatabaseWork
from .facts import LOADED, SessionFacts, TrialFacts
from .rule import Check, broken, unknown, usual
from .wording import listed

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
