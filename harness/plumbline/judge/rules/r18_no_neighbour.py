"""R18: nobody else runs on our CPUs."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.evidence import Series, Window
from plumbline.model.host import CpuSets, Role
from ..cpu import foreign_share
from ..facts import LOADED, SessionFacts, TrialFacts
from ..rule import Check, Rule, Said, broken, doubtful, passed, unknown
from ..wording import cpus_of, no_window, percent

# A neighbour takes caches and memory bandwidth too, so its share of CPU is the least of what it costs.
FOREIGN_MAX = 0.02

# Warm-up is not measured: a neighbour there only takes from it, and R29 says whether what was left sufficed. Named is
# who took so much that the warm-up was another one.
FOREIGN_IN_WARM_UP_MAX = 0.10

_ROLES: tuple[Role, ...] = ("app", "db", "load")


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[Said]:
    """CPU time of each set that none of our processes used, in each phase with load."""
    for facts in trial.phases(LOADED):
        if facts.window is None:
            yield facts.phase.name, [unknown(no_window(facts.phase.name))]
            continue
        yield facts.phase.name, _checks(trial, session.sets_of(trial), facts.window)


def _checks(trial: TrialFacts, sets: CpuSets, window: Window) -> list[Check]:
    roles = [role for role in _ROLES if role != "db" or trial.scenario.uses_database]
    checks: dict[tuple[int, ...], Check] = {}
    for role in roles:
        if sets.of(role) not in checks:
            checks[sets.of(role)] = _check(trial.evidence.series, role, sets, window)
    passing = [check for check in checks.values() if check.outcome == "pass"]
    failing = [check for check in checks.values() if check.outcome != "pass"]
    return failing or sorted(passing, key=lambda check: -(check.value or 0.0))


def _check(series: Series, role: Role, sets: CpuSets, window: Window) -> Check:
    foreign = foreign_share(series, role, sets, window)
    roles = sets.sharing(role)
    if foreign is None:
        return unknown(f"Who used {cpus_of(roles)} is not known.")
    reading = f"Others used {percent(foreign)} of {cpus_of(roles)}"
    if window.kind == "warm-up":
        if foreign <= FOREIGN_IN_WARM_UP_MAX:
            return passed(f"{reading}.", foreign, "share", FOREIGN_IN_WARM_UP_MAX)
        reading = f"{reading} while it warmed up: an unnamed neighbour, who took from the warm-up."
        return doubtful(reading, foreign, "share", FOREIGN_IN_WARM_UP_MAX)
    if foreign <= FOREIGN_MAX:
        return passed(f"{reading}.", foreign, "share", FOREIGN_MAX)
    return broken(f"{reading}: an unnamed neighbour.", foreign, "share", FOREIGN_MAX)


RULE = Rule(
    id="R18",
    title="No neighbour on our CPUs",
    source="/proc/stat less the CPU time of our processes",
    mistake="an unnamed neighbour; shared cores are said to have turned 3x into 1.8x (talks on study 002)",
    kind="isolation",
    required=True,
    needs=(
        "windows",
        *(
            f"series:set.{role}.{state}_us"
            for role in ("app", "load")
            for state in ("busy", "irq", "softirq")
        ),
        *(f"series:cpu.{role}.{mode}_us" for role in ("app", "db", "load") for mode in ("user", "system")),
    ),
    judge=judge,
)
