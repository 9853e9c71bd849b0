"""Made-up comparisons: the evidence of every trial is made up, and the real code judges and compares it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from plumbline.archive.record.assemble import assemble
from plumbline.model.comparison import ComparisonPlan, Contest, Design, SideSource
from plumbline.model.evidence import Evidence
from plumbline.model.host import CpuSets, HostClass
from plumbline.model.plan import Plan
from plumbline.model.record import HostSession, Record, Usage
from plumbline.subjects.plan.compare import comparison_scenario, comparison_trials, planned_looks
from tests.judge.evidence import evidence
from tests.judge.planned import CONTROL, SUBJECTS, build_of, host, plan, provenance

FAST, SLOW = SUBJECTS[0], SUBJECTS[1]
PLACES = (
    CpuSets(app=(0,), db=(0,), load=(0,), housekeeping=(0, 1)),
    CpuSets(app=(1,), db=(1,), load=(1,), housekeeping=(0, 1)),
)
REF = SideSource(given="main", kind="ref", commit="1" * 40)
OTHER = SideSource(given="HEAD", kind="ref", commit="2" * 40)


def comparison_plan(
    base: str,
    head: str,
    *,
    pairs: int = 6,
    design: Design = "interleaved",
    refs: bool = False,
    most_pairs: int | None = None,
    not_slower_than: float | None = None,
    seed: int = 1,
) -> Plan:
    """The plan of a comparison that ended after `pairs` pairs."""
    host_class: HostClass = "lab" if design == "interleaved" else "small"
    plain = plan(host_class, 1, tuple(dict.fromkeys((base, head))))
    contests = (Contest(base=base, head=head),)
    looks, level = planned_looks(most_pairs)
    scenario = comparison_scenario(plain.scenarios[0], design)
    places = PLACES if design == "duet" else None
    return plain.model_copy(
        update={
            "suite": "compare",
            "seed": seed,
            "sets": places[0] if places else plain.sets,
            "scenarios": (scenario,),
            "blocks": 32,
            "trials": comparison_trials(contests, [scenario.id], CONTROL, pairs, seed, places),
            "comparison": ComparisonPlan(
                design=design,
                base=REF if refs else SideSource(given=base, kind="subject"),
                head=OTHER if refs else SideSource(given=head, kind="subject"),
                contests=contests,
                looks=looks,
                level=level,
                budget_s=1200,
                not_slower_than=not_slower_than,
                notes=("Of each side only the applications (apps/) count.",) if refs else (),
            ),
        }
    )


def evidence_of(whole: Plan) -> dict[int, Evidence]:
    """What every trial of the plan left."""
    return {trial.number: evidence(trial, whole.sets_of(trial)) for trial in whole.trials}


def record_of(
    whole: Plan,
    evidence_by_number: Mapping[int, Evidence] | None = None,
    change: Callable[[int, Evidence], Evidence] | None = None,
) -> tuple[Record, dict[int, Evidence]]:
    """The record, and the evidence it was made from; `change` may damage the evidence of a trial."""
    by_number = dict(evidence_of(whole) if evidence_by_number is None else evidence_by_number)
    if change is not None:
        by_number = {number: change(number, trial_evidence) for number, trial_evidence in by_number.items()}
    measured = HostSession(
        plan=whole,
        host=host(whole.host_class),
        provenance=provenance(),
        builds=tuple(build_of(subject) for subject in (*whole.subjects, CONTROL)),
        training=(),
        usage=Usage(session_cpu_s=812.5, sampler_cpu_s=1.25, harness_cpu_s=9.0),
    )
    return assemble(measured, by_number, workload_version=1), by_number


@cache
def slower() -> tuple[Record, dict[int, Evidence]]:
    """A head that is clearly slower, interleaved."""
    return record_of(comparison_plan(FAST, SLOW))


@cache
def itself() -> tuple[Record, dict[int, Evidence]]:
    """One ref against another that changed nothing."""
    return record_of(comparison_plan(FAST, FAST, refs=True, pairs=26))


@cache
def duet() -> tuple[Record, dict[int, Evidence]]:
    """A duet of two subjects."""
    return record_of(comparison_plan(FAST, SLOW, design="duet"))
