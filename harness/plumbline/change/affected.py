"""Computes what a difference can affect, explained subject by subject and file by file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .files import FileChange
from .paths import touches
from .scope import ChangeScope, ScopeCell
from .wording import says_the_same


@dataclass(frozen=True)
class Explained:
    """A changed file, its kind, and the number of subjects under a scenario that it can affect."""

    path: str
    whys: tuple[str, ...]
    cells: int


@dataclass(frozen=True)
class Affected:
    """A subject under a scenario, with every reason to measure it."""

    subject: str
    scenario: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Effect:
    """All that a difference can affect. `affected` has the control only if the control itself changed."""

    affected: tuple[Affected, ...]
    files: tuple[Explained, ...]

    @property
    def subjects(self) -> tuple[str, ...]:
        """The ids of the affected subjects, each once."""
        return tuple(dict.fromkeys(one.subject for one in self.affected))

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The names of the affected scenarios, each once."""
        return tuple(dict.fromkeys(one.scenario for one in self.affected))


def effect(changes: Iterable[FileChange], scope: ChangeScope) -> Effect:
    """Compute what these changes can affect."""
    reasons: dict[tuple[str, str], list[str]] = {cell.key: [] for cell in scope.cells}
    files = []
    for change in changes:
        whys, touched = _explained(change, scope, reasons)
        files.append(Explained(change.path, tuple(dict.fromkeys(whys)), touched))
    control = scope.catalog.control.id
    others = any(its for (subject, _), its in reasons.items() if subject != control)
    return Effect(
        tuple(
            Affected(subject, scenario, tuple(dict.fromkeys(its)))
            for (subject, scenario), its in reasons.items()
            # Every session measures the control anyway; it is a subject of its own only where nothing else changed.
            if its and (subject != control or not others)
        ),
        tuple(files),
    )


def _explained(
    change: FileChange, scope: ChangeScope, reasons: dict[tuple[str, str], list[str]]
) -> tuple[Sequence[str], int]:
    if change.before is not None and change.after is not None:
        if change.before == change.after:
            return ["only its mode changed"], 0
        if says_the_same(change.path, change.before, change.after):
            return ["only comments or layout changed"], 0
    whys: list[str] = []
    touched: set[tuple[str, str]] = set()
    for touch in touches(change, scope):
        whys.append(touch.why)
        touched |= _noted(touch.cells, touch.why, change.path, reasons)
    return whys or ["nothing that is read changed"], len(touched)


def _noted(
    cells: Iterable[ScopeCell], why: str, path: str, reasons: dict[tuple[str, str], list[str]]
) -> set[tuple[str, str]]:
    found = set()
    for cell in cells:
        reasons[cell.key].append(f"{path}: {why}")
        found.add(cell.key)
    return found
