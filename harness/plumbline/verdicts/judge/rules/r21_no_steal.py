"""R21: no hypervisor takes our CPUs away."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.evidence import Series, Window
from plumbline.model.host import Role
from plumbline.verdicts.figures.series import share
from plumbline.verdicts.figures.shares import all_columns_of
from ..facts import SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, in_windows, passed, unknown
from ..wording import ROLE_NAMES, percent

# This is one tick of the kernel's clock (10 ms) in ten seconds. Bare metal has no stolen time at all.
STEAL_MAX = 0.001

_ROLES: tuple[Role, ...] = ("app", "db", "load")


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """A hypervisor under a lab host; stolen time of each set in each measured phase."""
    if session.host.host_class == "lab":
        yield None, [_hypervisor(session.host.hypervisor)]
    yield from in_windows(trial, lambda facts, window: [_steal(trial.evidence.series, role, window) for role in _ROLES])


def _hypervisor(is_virtual: bool) -> Check:
    if is_virtual:
        return broken("The host is a virtual machine and calls itself a lab.")
    return passed("The host is no virtual machine.")


def _steal(series: Series, role: Role, window: Window) -> Check:
    stolen = share(series, [f"set.{role}.steal_us"], all_columns_of(role), window)
    if stolen is None:
        return unknown(f"Stolen time of the {ROLE_NAMES[role]}'s CPUs was not read.")
    reading = f"The hypervisor took {percent(stolen)} of the {ROLE_NAMES[role]}'s CPU time"
    if stolen <= STEAL_MAX:
        return passed(f"{reading}.", stolen, "share", STEAL_MAX)
    return broken(f"{reading} away.", stolen, "share", STEAL_MAX)


RULE = Rule(
    id="R21",
    title="No stolen CPU time",
    source="/proc/stat and /proc/cpuinfo",
    mistake="comparisons on hosted runners, where the neighbours decide",
    kind="isolation",
    needs=("windows", "series:set.app.steal_us", "series:set.db.steal_us", "series:set.load.steal_us"),
    judge=judge,
)
