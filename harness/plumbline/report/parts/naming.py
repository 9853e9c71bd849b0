"""Names of subjects, the shortest that still tell them apart, and of phases, in words."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.figures.compute import WHOLE_TRIAL
from plumbline.model.plan import Phase, Plan, Scenario
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


def where(scenario: Scenario, phase: str) -> str:
    """Return a phase in words: `at 100 requests/s`, `at full load (100 connections)`."""
    found = next((one for one in scenario.phases if one.name == phase), None)
    if phase == WHOLE_TRIAL or found is None:
        return "in the whole trial" if phase == WHOLE_TRIAL else phase
    if found.kind == "open":
        share = f"{phase.removeprefix('open@')} of capacity"
        if found.multiplier is not None:
            a_minute = scenario.requests_per_minute * found.multiplier
            return f"at {phase.removeprefix('open@')} the visitors ({a_minute:,} requests/min)"
        return f"at {found.rate_per_s:,} requests/s" if found.rate_per_s else f"at {share}"
    if found.kind == "closed":
        return f"at full load ({found.connections} connections)"
    return {"start": "at start", "after": "after load"}.get(found.kind, f"in the {found.name}")


def phases_in_words(scenario: Scenario) -> str:
    """Return the loaded phases of a scenario with their times."""
    return ", then ".join(_phase(scenario, phase) for phase in scenario.phases if phase.duration_s)


def _phase(scenario: Scenario, phase: Phase) -> str:
    if phase.kind == "warm-up":
        rest = f" with {phase.pause_s:g} s of rest after each" if phase.pause_s else ""
        times = f"{phase.cycles} times " if phase.cycles > 1 else ""
        if phase.least_cycles is not None:
            times = f"{phase.least_cycles} to {phase.cycles} times "
        until = "" if phase.least_cycles is None else ", until nothing gets quicker any more"
        return f"{times}{phase.duration_s:g} s of warm-up{rest}{until}"
    return f"{phase.duration_s:g} s {where(scenario, phase.name)}"
