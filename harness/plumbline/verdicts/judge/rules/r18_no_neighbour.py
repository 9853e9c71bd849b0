"""R18: nobody else runs on our CPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from plumbline.model.evidence import Series, Window
from plumbline.model.host import CpuSets, Role
from plumbline.verdicts.figures.series import is_covered, rows_inside
from plumbline.verdicts.figures.shares import FOREIGN_IN_WARM_UP_MAX, Share, foreign_share, foreign_within
from plumbline.verdicts.figures.steady import Loads, first_loads
from ..cpu import uncounted_us
from ..facts import LOADED, PhaseFacts, SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, doubtful, in_windows, passed, unknown
from ..wording import cpus_of, percent

# A neighbour takes caches and memory bandwidth too. So its share of the CPU time is the least that it costs.
FOREIGN_MAX = 0.02

_UNTOLD = "this kernel does not count interrupts apart, so these may be a neighbour or its own network work"

# Somebody who looks at a server for a moment is seen once in many seconds.
SESSIONS_MAX = 0.05


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """CPU time of each set that none of our processes used, and sessions in the database that are not ours."""

    def checks(facts: PhaseFacts, window: Window) -> list[Check]:
        first = first_loads(facts.phase, trial.scenario, trial.evidence)
        cpu_checks = _checks(trial, session.sets_of(trial), window, first)
        sessions = _sessions(trial.evidence.series, window) if trial.scenario.uses_database else ()
        return [*sessions, *cpu_checks]

    yield from in_windows(trial, checks, LOADED)


def _checks(trial: TrialFacts, sets: CpuSets, window: Window, first: Loads) -> list[Check]:
    """Return the checks of the window, and of the first ten seconds of load if the window begins with them."""
    series, checks, checked_sets = trial.evidence.series, list[Check](), set[tuple[int, ...]]()
    for role in trial.scenario.roles:
        if sets.of(role) in checked_sets:
            continue
        checked_sets.add(sets.of(role))
        if "app" in sets.sharing(role) and uncounted_us(trial.evidence, window) is not None:
            checks.append(unknown("The application left its control group: who used its CPUs is not known."))
            continue
        whose = cpus_of(sets.sharing(role))
        checks += _of_first_seconds(foreign_within(series, role, sets, first), whose) if first else ()
        checks.append(_of_window(series, role, sets, window, whose))
    # The first check decides the finding: it names the greatest of several neighbours.
    return sorted(checks, key=lambda check: (check.outcome == "pass", -(check.value or 0.0)))


def _of_window(series: Series, role: Role, sets: CpuSets, window: Window, whose: str) -> Check:
    foreign = foreign_share(series, role, sets, window)
    if foreign is None:
        return unknown(f"Who used {whose} is not known.")
    if window.kind == "warm-up":
        neighbour = "an unnamed neighbour, who took from the warm-up"
        return _check(foreign, f"{whose} while it warmed up", FOREIGN_IN_WARM_UP_MAX, doubtful, neighbour)
    return _check(foreign, whose, FOREIGN_MAX, broken)


def _of_first_seconds(foreign: Share | None, whose: str) -> Iterable[Check]:
    """Yield a doubt where a neighbour disturbed the first ten seconds of load, or may have, or where nobody knows."""
    whose = f"{whose} in the first ten seconds of load"
    if foreign is None:
        yield unknown(f"Who used {whose} is not known.")
    elif foreign.most > FOREIGN_IN_WARM_UP_MAX:
        check = _check(foreign, whose, FOREIGN_IN_WARM_UP_MAX, doubtful)
        yield replace(check, reading=f"{check.reading} What was answered in them does not count.")


def _check(
    foreign: Share,
    whose: str,
    limit: float,
    over: Callable[[str, float, str, float], Check],
    neighbour: str = "an unnamed neighbour",
) -> Check:
    """Return the check of what others used: the least shows a neighbour (`over`), the most shows that none was there;
    between the two it is a doubt.
    """
    if foreign.most <= limit:
        return passed(f"Others used {percent(foreign.most)} of {whose}.", foreign.most, "share", limit)
    if foreign.least > limit:
        return over(f"Others used {percent(foreign.least)} of {whose}: {neighbour}.", foreign.least, "share", limit)
    reading = f"Others used up to {percent(foreign.most)} of {whose}: {_UNTOLD}."
    return doubtful(reading, foreign.most, "share", limit)


def _sessions(series: Series, window: Window) -> Iterable[Check]:
    """Yield the check of foreign sessions, without the server's own, in a database that others may use too."""
    foreign_sessions = rows_inside(series, "db.others_active", window)
    if not foreign_sessions or not is_covered(series, "db.others_active", window):
        yield unknown("Whether somebody else was at work in the database is not known.")
    busy_seconds = sum(1 for count in foreign_sessions if count > 0)
    if busy_seconds > SESSIONS_MAX * len(foreign_sessions):
        reading = f"Somebody else was at work in the database in {busy_seconds} of {len(foreign_sessions)} seconds"
        yield broken(f"{reading}: an unnamed neighbour.", busy_seconds / len(foreign_sessions), "share", SESSIONS_MAX)


RULE = Rule(
    id="R18",
    title="No neighbour on our CPUs",
    source="/proc/stat less the CPU time of our processes, and pg_stat_activity",
    mistake="an unnamed neighbour; shared cores are said to have turned 3x into 1.8x (talks on study 002)",
    kind="isolation",
    needs=(
        "windows",
        "series:db.others_active",
        *(f"series:set.{role}.{state}_us" for role in ("app", "load") for state in ("busy", "irq", "softirq")),
        *(f"series:cpu.{role}.{mode}_us" for role in ("app", "db", "load") for mode in ("user", "system")),
    ),
    judge=judge,
)
