"""Join the sessions of several equal hosts: each host measured whole blocks with the control, so that a host is a
stratum of the joined session. Pure: `verify` repeats it.

    sessions of hosts -> numbered on from host to host (`parts_of`) -> one plan, host and provenance (`joined_session`)

No trial is compared with one of another host: differences are taken within blocks, and intervals of means are of the
scatter within hosts. What may not differ between the hosts is compared here.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from plumbline.model.errors import UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Detectable, Plan
from plumbline.model.record import HostSession, Record, Usage
from plumbline.subjects.plan.detectable import level_of_orders
from plumbline.verdicts.judge.wording import percent
from plumbline.verdicts.stats.compare import MINIMUM_PAIRS
from plumbline.verdicts.stats.power import detectable_effect

# Stands between the names of hosts in the name of the joined host, and in no name that a workflow gives a host.
BETWEEN_HOSTS = "_"
# Two machines of one kind report memory that differs by a few megabytes.
MEMORY_APART = 0.01


def parts_of(
    sessions: Iterable[tuple[Record, Mapping[int, Evidence]]],
) -> tuple[tuple[HostSession, ...], dict[int, Evidence]]:
    """Return the sessions of hosts as the parts of a joined one, by the hosts' names, and all of their evidence.

    Numbers of trials and blocks go on from host to host. Block 0, that of discarded trials, stays.
    """
    parts: list[HostSession] = []
    evidence: dict[int, Evidence] = {}
    trials = blocks = 0
    for record, host_evidence in sorted(sessions, key=lambda session: session[0].host.name):
        plan = record.plan
        renumbered = tuple(
            trial.model_copy(
                update={"number": trial.number + trials, "block": trial.block + blocks if trial.block else 0}
            )
            for trial in plan.trials
        )
        renumbered_plan = plan.model_copy(update={"trials": renumbered})
        parts.append(record.host_session.model_copy(update={"plan": renumbered_plan}))
        evidence |= {
            number + trials: trial_evidence.model_copy(update={"trial": number + trials})
            for number, trial_evidence in host_evidence.items()
        }
        trials = max(trial.number for trial in renumbered)
        blocks = max(trial.block for trial in renumbered)
    return tuple(parts), evidence


def joined_session(parts: Sequence[HostSession]) -> HostSession:
    """Return the joined session of these parts. What they have in common is taken from the first.

    Raises UsageError for hosts or sessions that are not equal, and for sessions that can't be divided.
    """
    first, *others = parts
    _require_divisible(parts)
    for other in others:
        _require_equal(first, other)
    return first.model_copy(
        update={
            "plan": _plan(parts),
            "host": first.host.model_copy(
                update={
                    "name": BETWEEN_HOSTS.join(part.host.name for part in parts),
                    "readings": tuple(reading for part in parts for reading in part.host.readings),
                }
            ),
            "provenance": first.provenance.model_copy(
                update={
                    "started_at": min(part.provenance.started_at for part in parts),
                    "ended_at": max(part.provenance.ended_at for part in parts),
                    "resumed": sum(part.provenance.resumed for part in parts),
                }
            ),
            "usage": Usage(
                session_cpu_s=_sum(part.usage.session_cpu_s for part in parts),
                sampler_cpu_s=_sum(part.usage.sampler_cpu_s for part in parts),
                harness_cpu_s=_sum(part.usage.harness_cpu_s for part in parts),
            ),
        }
    )


def _plan(parts: Sequence[HostSession]) -> Plan:
    plans = [part.plan for part in parts]
    first = plans[0]
    blocks = sum(plan.blocks for plan in plans)
    same_rates = all(plan.scenarios == first.scenarios for plan in plans)
    return first.model_copy(
        update={
            "session": joined_id([plan.session for plan in plans]),
            "host": BETWEEN_HOSTS.join(plan.host for plan in plans),
            # Rates that are shares of a capacity are each host's own.
            "scenarios": first.scenarios if same_rates else tuple(scenario.unrated for scenario in first.scenarios),
            "blocks": blocks,
            "trials": tuple(trial.model_copy(update={"host": plan.host}) for plan in plans for trial in plan.trials),
            "expected_s": max(plan.expected_s for plan in plans),
            "detectable": _detectable(first, blocks),
            "unproven": tuple(dict.fromkeys(proof for plan in plans for proof in plan.unproven)),
        }
    )


def joined_id(names: Sequence[str]) -> str:
    """Return an id that follows from those of the sessions (`YYYYMMDDTHHMMSSZ-host-6hex`), with the earliest time."""
    stamp = min(name[:16] for name in names)
    hosts = "-".join(name[17:-7] for name in names)[:32].strip("-")
    return f"{stamp}-{hosts}-{hashlib.sha256(' '.join(names).encode()).hexdigest()[:6]}"


def _detectable(plan: Plan, blocks: int) -> Detectable:
    """Return the effect that all blocks can find, if trials scatter as expected of one host."""
    of_one_host, level = plan.detectable, level_of_orders(plan)
    effect = None if blocks < MINIMUM_PAIRS else detectable_effect(blocks, math.sqrt(2) * of_one_host.cv, level)
    return of_one_host.model_copy(update={"trials": blocks, "change": None if effect is None else math.expm1(effect)})


def _sum(values: Iterable[float]) -> float:
    return round(math.fsum(values), 3)


def _require_divisible(parts: Sequence[HostSession]) -> None:
    names = [part.host.name for part in parts]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise UsageError(f"Two sessions are of the host {repeated}.", "Name one session of each host.")
    for part in parts:
        plan = part.plan
        if plan.comparison is not None or plan.reproduces is not None or plan.budget is not None:
            raise UsageError(
                f"{plan.session} is no session of a fixed number of blocks: nobody can join it with others.",
                "Join sessions of `./bench run` with a fixed number of blocks, without --budget.",
            )


def require_equal_machines(parts: Sequence[HostSession]) -> None:
    """Check that kernel command lines, components of hosts and settings of databases are the same, before sessions are
    joined for the first time. Joined records may be older than this condition. Raises UsageError.
    """
    first, *others = parts
    for other in others:
        _require_equal_facts(first, other, _facts_of_machine)


def _require_equal(first: HostSession, other: HostSession) -> None:
    _require_equal_facts(first, other, _equal_facts)
    apart = abs(other.host.memory_bytes / first.host.memory_bytes - 1) if first.host.memory_bytes else 0.0
    if apart > MEMORY_APART:
        raise _unequal(first, other, f"memory (by {percent(apart)})")


def _require_equal_facts(
    first: HostSession, other: HostSession, facts: Callable[[HostSession], dict[str, object]]
) -> None:
    first_facts, other_facts = facts(first), facts(other)
    for name in dict.fromkeys((*first_facts, *other_facts)):
        if first_facts.get(name) != other_facts.get(name):
            raise _unequal(first, other, name)


def _unequal(first: HostSession, other: HostSession, differs: str) -> UsageError:
    return UsageError(
        f"{other.host.name} can't be joined with {first.host.name}: they differ in {differs}.",
        "Join sessions of equal hosts that measured the same commit in the same way.",
    )


def _equal_facts(part: HostSession) -> dict[str, object]:
    """Return the facts that have to be the same in all parts, by name."""
    plan, host, provenance = part.plan, part.host, part.provenance
    return {
        "class": (plan.host_class, host.host_class),
        "CPU": (host.cpu_model, host.microcode, host.cpus, host.hypervisor),
        "topology": host.topology,
        "system": (host.operating_system, host.kernel),
        "sets of CPUs": (plan.sets, plan.placement),
        "network": plan.network,
        "suite": (plan.suite, plan.only, plan.only_scenarios, plan.simulated),
        "settings": (plan.defaults, plan.event_loops, plan.data_access),
        "subjects": (plan.subjects, plan.control),
        "scenarios": tuple(scenario.unrated for scenario in plan.scenarios),
        "commit": (provenance.commit, provenance.dirty, provenance.locks),
        "tools": (provenance.jdk, provenance.k6, provenance.database),
        "artifacts": {build.artifact: build.sha256 for build in part.builds},
    }


def _facts_of_machine(part: HostSession) -> dict[str, object]:
    host = part.host
    return {
        "kernel command line": host.kernel_command_line,
        # Those of a cluster, which shows no CPUs, name its nodes.
        **(host.components if host.topology.cpus else {}),
        **{f"setting {name} of the database": value for name, value in part.provenance.database_settings.items()},
    }
