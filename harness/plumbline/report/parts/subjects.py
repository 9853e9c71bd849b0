"""Names of subjects: the shortest that still tell them apart, and the mark of each."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.model.plan import Plan
from ..charts.marks import mark_of
from ..view import Name


def names(plan: Plan) -> dict[str, Name]:
    """Name of every subject of a plan by id, in the order of the plan; the control's comes last."""
    short = short_names(plan.subjects)
    named = {id_: Name(id=id_, short=short[id_], mark=mark_of(id_)) for id_ in plan.subjects}
    return named | {plan.control: Name(id=plan.control, short="control", mark=None)}


def short_names(ids: Sequence[str]) -> dict[str, str]:
    """Name by id, without packaging and engine where they are the same for all; the settings always stay."""
    split = {id_: _parts(id_) for id_ in ids}
    shown = [0, *(index for index in (1, 2) if len({base[index] for base, _ in split.values()}) > 1)]
    short = {
        id_: " ".join([*(base[index] for index in shown if base[index]), *(f"+{mark}" for mark in marks)])
        for id_, (base, marks) in split.items()
    }
    return short if len(set(short.values())) == len(short) else {id_: id_ for id_ in ids}


def _parts(id_: str) -> tuple[list[str], list[str]]:
    base, *marks = id_.split("+")
    return [*base.split("/", 2), "", ""][:3], marks
