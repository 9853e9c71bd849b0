"""Plans the trials at the end of a session that prove what limits its throughput (rules R2 and R6).

Each subject runs once more under each scenario that saturates it, with a quarter less CPU (R2), with more CPU for the
database and for the load generator (R2), and with twice the connections (R6). They count as no replicates.

CPUs that are lent to one set come from the other of the two sets, on the same NUMA node: if throughput then rises, the
set with more CPUs was short of them, whatever the lender lost. CPUs that nobody uses lie beside the application, whose
cache and memory a neighbour there would share, or on a node where no set is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from plumbline.model.host import CpuSets, Topology
from plumbline.model.plan import PlannedTrial, Proof, Scenario, Unproven

ProvenRule = Literal["R2", "R6"]
PROVEN_RULES: tuple[ProvenRule, ...] = get_args(ProvenRule)

_OF_RULE: dict[str, tuple[Proof, ...]] = {
    "R2": ("less application CPU", "more database CPU", "more load CPU"),
    "R6": ("twice the connections",),
}
# A subject whose setting limits its CPU time can't be limited otherwise, and says itself what its limit is.
_LIMITED = re.compile(r"\+(cpu-share|cpus)=")
# One core is lent for so many cores of the set, at least one.
_LENT = 4


@dataclass(frozen=True)
class Means:
    """The reasons why the placement of this host can't do what a proof needs, a sentence each; None if it can.

    `no_limit`: a role can't be given less CPU time than its CPUs have. `fixed_sets`: sets can't differ between trials.
    `database_elsewhere`: the CPUs of the database are those of another host.
    """

    no_limit: str | None = None
    fixed_sets: str | None = None
    database_elsewhere: str | None = None


ALL_MEANS = Means()


def proofs(
    rules: Iterable[str],
    trials_before: Sequence[PlannedTrial],
    scenarios: Sequence[Scenario],
    sets: CpuSets,
    topology: Topology,
    means: Means,
    *,
    load_themselves: Collection[str] = (),
) -> tuple[tuple[PlannedTrial, ...], tuple[Unproven, ...]]:
    """Return the trials that prove these rules, numbered on from `trials_before` in a block of their own, and the
    proofs that this host can't give. Nobody can ask subjects that load themselves for more connections.
    """
    ways: list[tuple[Proof, CpuSets | None]] = []
    missing: list[Unproven] = []
    for proof in _proofs_of(rules):
        proof_sets = sets_for(proof, sets, topology, means)
        if isinstance(proof_sets, str):
            missing.append(Unproven(proof=proof, reason=proof_sets))
        else:
            ways.append((proof, proof_sets))
    return _proof_trials(ways, trials_before, scenarios, load_themselves), tuple(missing)


def proofs_at_most(
    rules: Iterable[str], trials_before: Sequence[PlannedTrial], scenarios: Sequence[Scenario]
) -> tuple[PlannedTrial, ...]:
    """Return the trials of all proofs, for a host that is not known yet: how long a session may take."""
    return _proof_trials([(proof, None) for proof in _proofs_of(rules)], trials_before, scenarios, ())


def _proofs_of(rules: Iterable[str]) -> list[Proof]:
    wanted = set(rules)
    return [proof for rule in PROVEN_RULES if rule in wanted for proof in _OF_RULE[rule]]


def _proof_trials(
    ways: Iterable[tuple[Proof, CpuSets | None]],
    trials_before: Sequence[PlannedTrial],
    scenarios: Sequence[Scenario],
    load_themselves: Collection[str],
) -> tuple[PlannedTrial, ...]:
    saturated = {scenario.id for scenario in scenarios if any(phase.saturates for phase in scenario.phases)}
    runs = [
        run
        for run in dict.fromkeys((trial.subject, trial.scenario) for trial in trials_before if trial.role == "measured")
        if run[1] in saturated
    ]
    rows = [
        (proof, sets, subject, scenario)
        for proof, sets in ways
        for subject, scenario in runs
        if not (proof == "twice the connections" and subject in load_themselves)
        if not (proof == "less application CPU" and _LIMITED.search(subject))
    ]
    return tuple(
        PlannedTrial(
            number=number,
            block=trials_before[-1].block + 1,
            subject=subject,
            scenario=scenario,
            role="proof",
            sets=sets,
            proof=proof,
        )
        for number, (proof, sets, subject, scenario) in enumerate(rows, start=trials_before[-1].number + 1)
    )


def sets_for(proof: Proof, sets: CpuSets, topology: Topology, means: Means) -> CpuSets | str | None:
    """Return the CPUs of a proof, None where they stay as they are, or why the proof is not possible."""
    if proof == "twice the connections":
        return None
    if proof == "less application CPU":
        return _less_app_cpu(sets, topology, means)
    if means.fixed_sets is not None:
        return means.fixed_sets
    if proof == "more database CPU" and means.database_elsewhere is not None:
        return means.database_elsewhere
    return _more_cpu("db" if proof == "more database CPU" else "load", sets, topology)


def _less_app_cpu(sets: CpuSets, topology: Topology, means: Means) -> CpuSets | str | None:
    """Return the sets with a quarter of the application's cores less, if a whole number; else None, for a limit."""
    cores = _cores(sets.app, topology)
    if len(cores) % 4 == 0 and means.fixed_sets is None:
        kept = [cpu for core in cores[: len(cores) * 3 // 4] for cpu in core]
        return sets.model_copy(update={"app": tuple(sorted(kept))})
    return means.no_limit


def _more_cpu(role: Literal["db", "load"], sets: CpuSets, topology: Topology) -> CpuSets | str:
    other: Literal["db", "load"] = "load" if role == "db" else "db"
    own_cpus, other_cpus = sets.of(role), sets.of(other)
    lent_cores = max(1, len(_cores(own_cpus, topology)) // _LENT)
    node_of = {cpu.number: cpu.node for cpu in topology.cpus}
    own_nodes = {node_of[cpu] for cpu in own_cpus}
    lenders = _cores([cpu for cpu in other_cpus if node_of[cpu] in own_nodes], topology)
    if set(own_cpus) & set(other_cpus) or len(lenders) <= lent_cores:
        name = "the database" if role == "db" else "the load generator"
        return f"This host has no CPU to lend {name}."
    lent_cpus = [cpu for core in lenders[-lent_cores:] for cpu in core]
    return sets.model_copy(
        update={
            role: tuple(sorted((*own_cpus, *lent_cpus))),
            other: tuple(cpu for cpu in other_cpus if cpu not in lent_cpus),
        }
    )


def _cores(cpus: Sequence[int], topology: Topology) -> list[tuple[int, ...]]:
    """Return the CPUs by core, in their order."""
    core_of = {cpu.number: cpu.core for cpu in topology.cpus}
    by_core: dict[int, list[int]] = {}
    for cpu in sorted(cpus):
        by_core.setdefault(core_of[cpu], []).append(cpu)
    return [tuple(core_cpus) for core_cpus in by_core.values()]
