"""Computes what a difference can affect, explained by subject and by file, and chooses what a comparison asks for."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from .paths import touches
from .scope import ChangeScope, FileChange
from .wording import same_but_for_wording


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
        return tuple(dict.fromkeys(affected.subject for affected in self.affected))

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The names of the affected scenarios, each once."""
        return tuple(dict.fromkeys(affected.scenario for affected in self.affected))


def effect(changes: Iterable[FileChange], scope: ChangeScope) -> Effect:
    """Compute what these changes can affect."""
    reasons: dict[tuple[str, str], list[str]] = {cell.key: [] for cell in scope.cells}
    files = []
    for change in changes:
        whys, touched = _explanation(change, scope, reasons)
        files.append(Explained(change.path, tuple(dict.fromkeys(whys)), touched))
    control = scope.catalog.control.id
    others_affected = any(cell_reasons for (subject, _), cell_reasons in reasons.items() if subject != control)
    return Effect(
        tuple(
            Affected(subject, scenario, tuple(dict.fromkeys(cell_reasons)))
            for (subject, scenario), cell_reasons in reasons.items()
            # Every session measures the control anyway; it is a subject of its own only where nothing else changed.
            if cell_reasons and (subject != control or not others_affected)
        ),
        tuple(files),
    )


def _explanation(
    change: FileChange, scope: ChangeScope, reasons: dict[tuple[str, str], list[str]]
) -> tuple[Sequence[str], int]:
    if change.before is not None and change.after is not None:
        if change.before == change.after:
            return ["only its mode changed"], 0
        if same_but_for_wording(change.path, change.before, change.after):
            return ["only comments or layout changed"], 0
    whys: list[str] = []
    touched: set[tuple[str, str]] = set()
    for touch in touches(change, scope):
        whys.append(touch.why)
        for cell in touch.cells:
            reasons[cell.key].append(f"{change.path}: {touch.why}")
            touched.add(cell.key)
    return whys or ["nothing that is read changed"], len(touched)


# Seconds that a pair of trials of one subject takes, with its share of start and end.
PAIR_S = 60.0
LEAST_PAIRS = 4


@dataclass(frozen=True)
class Chosen:
    """A comparison: every subject under every scenario. `left` are affected subjects that it leaves out."""

    subjects: tuple[str, ...]
    scenarios: tuple[str, ...]
    left_out: tuple[str, ...]


def chosen(effect: Effect, available: Container[str], scenarios: Sequence[str], budget_s: float) -> Chosen:
    """Choose what to compare within a budget, of the affected subjects that are `available` on both sides.

    The scenarios are the affected ones of a suite; where there are none, the first one of the plainest subject.
    """
    affected: dict[str, list[str]] = {}
    for cell in effect.affected:
        if cell.subject in available:
            affected.setdefault(cell.subject, []).append(cell.scenario)
    if not affected:
        return Chosen((), (), ())
    of_suite = {
        id_: kept
        for id_, subject_scenarios in affected.items()
        if (kept := [scenario for scenario in scenarios if scenario in subject_scenarios])
    }
    ranked = _plainest_first(of_suite or affected)
    most_cells = max(1, int(budget_s / (PAIR_S * LEAST_PAIRS)))
    compared_scenarios = of_suite[ranked[0]][:most_cells] if of_suite else affected[ranked[0]][:1]
    fitting = [id_ for id_ in ranked if set(compared_scenarios) <= set(affected[id_])]
    subjects = fitting[: max(1, most_cells // len(compared_scenarios))]
    return Chosen(tuple(subjects), tuple(compared_scenarios), tuple(id_ for id_ in affected if id_ not in subjects))


def _plainest_first(subjects: Iterable[str]) -> list[str]:
    """Return the first subject of each variant, those without settings before others, then the rest."""
    ordered = list(subjects)
    first: dict[str, str] = {}
    for subject in sorted(ordered, key=lambda subject: (subject.count("+"), ordered.index(subject))):
        first.setdefault(subject.partition("/")[0], subject)
    return [*first.values(), *(subject for subject in ordered if subject not in first.values())]
