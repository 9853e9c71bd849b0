"""R18: nobody else runs on our CPUs."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.figures.series import values
from plumbline.model.evidence import Series, Window
from plumbline.model.host import CpuSets, Role
from ..cpu import foreign_share, uncounted_us
from ..facts import LOADED, PhaseFacts, SessionFacts, TrialFacts
from ..rule import Check, Rule, Said, broken, doubtful, in_windows, passed, unknown
from ..wording import cpus_of, percent

# A neighbour takes caches and memory bandwidth too. So its share of the CPU time is the least that it costs.
FOREIGN_MAX = 0.02

# A warm-up is not measured, and R29 says whether it was long enough. A neighbour that takes more than this makes
# another warm-up of it, and is named.
FOREIGN_IN_WARM_UP_MAX = 0.10

# Somebody who looks at a server for a moment is seen once in many seconds.
SESSIONS_MAX = 0.05

_ROLES: tuple[Role, ...] = ("app", "db", "load")


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[Said]:
    """CPU time of each set that none of our processes used, and sessions in the database that are not ours."""

    def checks(facts: PhaseFacts, window: Window) -> list[Check]:
        its = _checks(trial, session.sets_of(trial), window)
        return [*_sessions(trial.evidence.series, window), *its]

    yield from in_windows(trial, checks, LOADED)


def _checks(trial: TrialFacts, sets: CpuSets, window: Window) -> list[Check]:
    roles = [role for role in _ROLES if role != "db" or trial.scenario.uses_database]
    checks: dict[tuple[int, ...], Check] = {}
    for role in roles:
        if sets.of(role) in checks:
            continue
        if "app" in sets.sharing(role) and uncounted_us(trial.evidence, window) is not None:
            checks[sets.of(role)] = unknown(
                "The application left its control group: who used its CPUs is not known."
            )
        else:
            checks[sets.of(role)] = _check(trial.evidence.series, role, sets, window)
    # The check names the greatest of several neighbours.
    return sorted(checks.values(), key=lambda check: (check.outcome == "pass", -(check.value or 0.0)))


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


def _sessions(series: Series, window: Window) -> Iterable[Check]:
    """Yield the check of foreign sessions, without the server's own, in a database that others may use too."""
    others = values(series, "db.others_active", window)
    seen = sum(1 for count in others if count > 0)
    if seen > SESSIONS_MAX * len(others):
        reading = f"Somebody else was at work in the database in {seen} of {len(others)} seconds"
        yield broken(f"{reading}: an unnamed neighbour.", seen / len(others), "share", SESSIONS_MAX)


RULE = Rule(
    id="R18",
    title="No neighbour on our CPUs",
    source="/proc/stat less the CPU time of our processes, and pg_stat_activity",
    mistake="an unnamed neighbour; shared cores are said to have turned 3x into 1.8x (talks on study 002)",
    kind="isolation",
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
