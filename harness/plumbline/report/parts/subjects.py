"""Names of subjects: the shortest that still tell them apart, and the mark of each."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.model.plan import Plan
from plumbline.model.subject import Subject
from ..charts.marks import mark_of
from ..view import Name


def names(plan: Plan) -> dict[str, Name]:
    """Name of every subject of a plan by id, in the order of the plan; the control's comes last."""
    subjects = {id_: plan.subject(id_) for id_ in plan.subjects}
    short = short_names(subjects)
    named = {id_: Name(id=id_, short=short[id_], mark=mark_of(its)) for id_, its in subjects.items()}
    return named | {plan.control: Name(id=plan.control, short="control", mark=None)}


def short_names(subjects: Mapping[str, Subject]) -> dict[str, str]:
    """Name by id, without packaging and engine where they are the same for all; the settings always stay."""
    split = {id_: (one.variant, one.packaging, one.engine) for id_, one in subjects.items()}
    shown = [0, *(index for index in (1, 2) if len({base[index] for base in split.values()}) > 1)]
    short = {
        id_: " ".join(
            [
                *(split[id_][index] for index in shown),
                *(f"+{name}={value}" for name, value in one.settings.items()),
            ]
        )
        for id_, one in subjects.items()
    }
    return short if len(set(short.values())) == len(short) else {id_: id_ for id_ in subjects}
