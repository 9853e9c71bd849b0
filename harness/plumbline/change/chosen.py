"""Choose, of the subjects that a change affects, those that one comparison can decide within its budget."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from .affected import Effect

# What a pair of trials of one subject takes, with its share of start and end.
PAIR_S = 60.0
LEAST_PAIRS = 4


@dataclass(frozen=True)
class Chosen:
    """A comparison: every subject under every scenario. `left` are affected subjects that it does not ask about."""

    subjects: tuple[str, ...]
    scenarios: tuple[str, ...]
    left: tuple[str, ...]


def chosen(effect: Effect, there: Container[str], scenarios: Sequence[str], budget_s: float) -> Chosen:
    """Choose what to compare within a budget, of the affected subjects that are `there` on both sides.

    The scenarios are those of a suite, as far as it has affected ones; else the first that the plainest subject has.
    """
    affected: dict[str, list[str]] = {}
    for one in effect.affected:
        if one.subject in there:
            affected.setdefault(one.subject, []).append(one.scenario)
    if not affected:
        return Chosen((), (), ())
    asked = {id_: kept for id_, its in affected.items() if (kept := [x for x in scenarios if x in its])}
    ranked = _plainest_first(asked or affected)
    most = max(1, int(budget_s / (PAIR_S * LEAST_PAIRS)))
    under = asked[ranked[0]][:most] if asked else affected[ranked[0]][:1]
    fitting = [id_ for id_ in ranked if set(under) <= set(affected[id_])]
    subjects = fitting[: max(1, most // len(under))]
    return Chosen(tuple(subjects), tuple(under), tuple(id_ for id_ in affected if id_ not in subjects))


def _plainest_first(subjects: Iterable[str]) -> list[str]:
    """Return the first subject of each variant, those without settings before others, then the rest."""
    ordered = list(subjects)
    first: dict[str, str] = {}
    for subject in sorted(ordered, key=lambda one: (one.count("+"), ordered.index(one))):
        first.setdefault(subject.partition("/")[0], subject)
    return [*first.values(), *(one for one in ordered if one not in first.values())]
