"""R24: there is enough memory."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.evidence import Series, Window
from plumbline.model.host import Role
from plumbline.verdicts.figures.series import increase, rate_per_s, rows_inside, window_of_rows
from ..facts import PhaseFacts, SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, doubtful, in_windows, passed, unknown
from ..wording import ROLE_NAMES, counted, percent

# A page in swap costs the request that needs it an access to the disk.
SWAPPED_MAX = 0
# Some process may wait for memory in this share of the time. Where memory suffices, the kernel hardly ever takes any
# back.
PRESSURE_MAX = 0.01
# If more than a handful of pages a second are read from disk again, our files do not fit in memory.
MAJOR_FAULTS_MAX_PER_S = 10.0

_MIB = 1024 * 1024


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """OOM kills in the trial as a whole, since they end it; swap, pressure and major faults in each measured phase."""
    series = trial.evidence.series
    roles = trial.roles
    yield None, _killed(series, roles)

    def checks(facts: PhaseFacts, window: Window) -> list[Check]:
        of_roles = [
            check for role in roles for check in (_swapped(series, role, window), _faults(series, role, window))
        ]
        return [*of_roles, _traffic(series, window), _pressure(series, window)]

    yield from in_windows(trial, checks)


def _killed(series: Series, roles: tuple[Role, ...]) -> list[Check]:
    # A role without a cgroup has no count of its own; then the host's count decides.
    role_checks = [
        broken(f"The kernel killed a process of the {ROLE_NAMES[role]} because memory ran out.")
        for role in roles
        if (_growth(series, f"{role}.oom_kills") or 0) > 0
    ]
    killed = _growth(series, "vm.oom_kills")
    if killed is None:
        return [*role_checks, unknown("Whether the kernel killed a process for its memory was not read.")]
    if killed > 0:
        return [
            *role_checks,
            broken("The kernel killed a process because memory ran out.", killed, "kills", 0),
        ]
    return [*role_checks, passed("The kernel killed no process for its memory.", 0, "kills", 0)]


def _growth(series: Series, column: str) -> float | None:
    """Return the growth of a counter from the first row to the last; None where one of the two was not read."""
    rows = series.columns.get(column, ())
    first, last = (rows[0], rows[-1]) if rows else (None, None)
    return None if first is None or last is None else last - first


def _swapped(series: Series, role: str, window: Window) -> Check:
    rows = rows_inside(series, f"{role}.swap_bytes", window)
    if not rows:
        return unknown(f"Whether the {ROLE_NAMES[role]} lies in swap was not read.")
    most = max(rows)
    if most <= SWAPPED_MAX:
        return passed("None of our processes had a page in swap.", 0, "bytes", SWAPPED_MAX)
    return broken(f"{most / _MIB:.1f} MiB of the {ROLE_NAMES[role]} lay in swap.", most, "bytes", SWAPPED_MAX)


def _faults(series: Series, role: str, window: Window) -> Check:
    # k6 is started anew for each phase, so that no row before the window counts for it.
    rate = rate_per_s(series, f"{role}.major_faults", window_of_rows(series, window))
    if rate is None:
        return unknown(f"Major faults of the {ROLE_NAMES[role]} were not counted.")
    reading = f"The {ROLE_NAMES[role]} read {rate:.1f} pages/s back from disk."
    outcome = passed if rate <= MAJOR_FAULTS_MAX_PER_S else doubtful
    return outcome(reading, rate, "faults/s", MAJOR_FAULTS_MAX_PER_S)


def _traffic(series: Series, window: Window) -> Check:
    pages_by_way = [increase(series, f"vm.swapped_{way}_pages", window) for way in ("in", "out")]
    known_pages = [pages for pages in pages_by_way if pages is not None]
    if sum(known_pages) > SWAPPED_MAX:
        reading = f"{counted(max(sum(known_pages), 1), 'page')} went to or from swap."
        return broken(reading, sum(known_pages), "pages", SWAPPED_MAX)
    if len(known_pages) < len(pages_by_way):
        return unknown("Swap traffic was not read.")
    return passed("No page went to or from swap.", 0, "pages", SWAPPED_MAX)


def _pressure(series: Series, window: Window) -> Check:
    rate = rate_per_s(series, "psi.memory.some_us", window)
    if rate is None:
        return unknown("Memory pressure was not read.")
    waited = rate / 1e6
    reading = f"Somebody waited for memory {percent(waited)} of the time."
    outcome = passed if waited <= PRESSURE_MAX else broken
    return outcome(reading, waited, "share", PRESSURE_MAX)


RULE = Rule(
    id="R24",
    title="Memory suffices",
    source="/proc/PID/status, /proc/vmstat, pressure stall information, memory.events",
    mistake="5 GB in swap (study 000)",
    kind="correctness",
    needs=(
        "windows",
        *(f"series:{role}.{column}" for role in ("app", "db", "load") for column in ("swap_bytes", "major_faults")),
        "series:vm.oom_kills",
        "series:vm.swapped_in_pages",
        "series:vm.swapped_out_pages",
        "series:psi.memory.some_us",
    ),
    judge=judge,
)
