"""R11: neither the database nor the disk behind it is the limit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from plumbline.model.evidence import Series, Window
from plumbline.model.host import CpuSets
from plumbline.verdicts.figures.series import increase, is_covered, known_rows, rate_per_s, rows_inside, share
from plumbline.verdicts.figures.shares import all_columns_of, busy_share, used_share
from ..facts import PhaseFacts, SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, as_doubt, broken, doubtful, in_windows, passed, unknown
from ..wording import counted, percent
from .r01_app_saturated import NOT_THE_APPLICATION, SATURATED

# Beyond this queries begin to wait for a CPU, and the application waits for them.
DATABASE_CPU_MAX = 0.70
# Some process of the database may wait for the disk in this share of the time.
IO_PRESSURE_MAX = 0.02
# Some process of the database may wait for a CPU in this share of the time.
CPU_PRESSURE_MAX = 0.05
# The disk must play no part, since everything fits in memory.
IOWAIT_MAX = 0.01
# A commit waits for the disk (R15), also at a modest rate. While the disk is idle for half of the time, a commit waits
# for half a flush of another one, in the mean.
WRITES_WAIT_MAX = 0.50
# This share of the busy sessions may wait for a lock or for the log. In no workload two requests want the same row.
WAITING_MAX = 0.10
# Of a quick query hardly any look meets a session at work. In a clean phase of six seconds the one session that was
# seen waited for a lock of the server's own, for some microseconds: so few sessions prove nothing.
WAITING_SEEN_MIN = 10
# So many bytes a second may reach the database's disk beyond the most of any other trial. Quick subjects write more
# than slow ones, and commits of the same moment share a page of the log.
OTHERS_WRITE_MAX = 8 * 2**20
# Another program writes where both limits are exceeded: the bytes, and so many times the most of any other trial.
OTHERS_WRITE_TIMES = 8.0


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """CPU, pressure, iowait, waits and checkpoints of the database in each measured phase."""
    series, sets = trial.evidence.series, session.sets_of(trial)

    def checks(facts: PhaseFacts, window: Window) -> list[Check]:
        return [
            # A check that names a cause comes before the checks of its effects.
            *_checkpoints(series, window),
            *_disk(trial, session, facts.phase.name, window),
            _cpu(series, sets, window),
            *_disk_waits(trial, session, facts, window),
            _pressure(series, window, "cpu", CPU_PRESSURE_MAX, "a CPU"),
            _waits(series, window, "db.waiting_locks", "a lock"),
        ]

    yield from in_windows(trial, checks)


def _limit_check(measured: float, limit: float, good_reading: str, bad_reading: str) -> Check:
    return (
        passed(good_reading, measured, "share", limit)
        if measured <= limit
        else broken(bad_reading, measured, "share", limit)
    )


def _cpu(series: Series, sets: CpuSets, window: Window) -> Check:
    used = used_share(series, "db", sets, window)
    # A server elsewhere leaves the database's CPUs of this host idle.
    if used is None or increase(series, "cpu.db.user_us", window) is None:
        return unknown("The database's CPU time is not known.")
    reading = f"The database used {percent(used)} of its CPUs"
    return _limit_check(used, DATABASE_CPU_MAX, f"{reading}.", f"{reading}: it may have been the limit.")


def _pressure(series: Series, window: Window, kind: str, limit: float, resource: str) -> Check:
    """Return the pressure on the database: by its cgroup, or else the whole host's, as an upper bound."""
    of_database = rate_per_s(series, f"db.psi.{kind}.some_us", window)
    if of_database is not None:
        waited = of_database / 1e6
        reading = f"Somebody in the database waited for {resource} {percent(waited)} of the time."
        return _limit_check(waited, limit, reading, reading)
    of_host = rate_per_s(series, f"psi.{kind}.some_us", window)
    if of_host is None:
        return unknown(f"How long the database waited for {resource} was not read.")
    waited = of_host / 1e6
    reading = f"On the whole host somebody waited for {resource} {percent(waited)} of the time"
    if waited <= limit:
        return passed(f"{reading}.", waited, "share", limit)
    return unknown(f"{reading}; the database's part of it is not known.")


def _disk_waits(trial: TrialFacts, session: SessionFacts, facts: PhaseFacts, window: Window) -> list[Check]:
    """Return the checks of waits for the disk.

    A phase that writes has to wait. There the disk is the limit only where the application's CPUs are not used up.
    """
    series = trial.evidence.series
    writes = bool(trial.scenario.grows) if facts.work is None else any(facts.work.rows_inserted.values())
    if writes and not facts.phase.saturates:
        return [
            as_doubt(_pressure(series, window, "io", WRITES_WAIT_MAX, "the disk")),
            as_doubt(_iowait(series, window, WRITES_WAIT_MAX)),
        ]
    checks = [
        _pressure(series, window, "io", IO_PRESSURE_MAX, "the disk"),
        _iowait(series, window, IOWAIT_MAX),
        _waits(series, window, "db.waiting_wal", "the write-ahead log"),
    ]
    busy = busy_share(series, "app", window) if writes else None
    used = 0.0 if busy is None else busy / session.cpu_share(trial.planned.subject)
    if used < NOT_THE_APPLICATION:
        return checks
    if used < SATURATED:
        return [as_doubt(check) for check in checks]
    return [replace(check, outcome="pass") if check.outcome == "invalid" else check for check in checks]


def _iowait(series: Series, window: Window, limit: float) -> Check:
    waited = share(series, ["set.db.iowait_us"], all_columns_of("db"), window)
    if waited is None:
        return unknown("The iowait of the database's CPUs was not read.")
    reading = f"The database's CPUs waited for the disk {percent(waited)} of the time."
    return _limit_check(waited, limit, reading, reading)


def _waits(series: Series, window: Window, column: str, resource: str) -> Check:
    waiting, active = rows_inside(series, column, window), rows_inside(series, "db.active", window)
    if not waiting or not active or not all(is_covered(series, name, window) for name in (column, "db.active")):
        return unknown(f"Waits of sessions for {resource} were not read.")
    at_work = math.fsum(active)
    part = math.fsum(waiting) / at_work if at_work > 0 else 0.0
    if part > WAITING_MAX and at_work < WAITING_SEEN_MIN:
        of_them = f"{math.fsum(waiting):.0f} of {counted(at_work, 'session')} seen at work"
        return unknown(f"{of_them} waited for {resource}: too few to tell.")
    reading = f"{percent(part)} of the sessions seen at work waited for {resource}."
    return _limit_check(part, WAITING_MAX, reading, reading)


def _checkpoints(series: Series, window: Window) -> Iterable[Check]:
    """Yield a doubt for checkpoints in a phase: by the server's settings there is none before its end."""
    checkpoints = increase(series, "db.checkpoints", window)
    if checkpoints is None and known_rows(series, "db.checkpoints"):
        yield unknown("Checkpoints were not counted throughout the phase.")
    if checkpoints is not None and checkpoints > 0:
        reading = f"{counted(max(1, checkpoints), 'checkpoint')} fell on this phase"
        yield doubtful(f"{reading}: the disk was written, and later writes cost more.", checkpoints, "checkpoints", 0)


def _disk(trial: TrialFacts, session: SessionFacts, phase: str, window: Window) -> Iterable[Check]:
    """Yield a doubt for writes to the database's disk that no other trial of the scenario comes near."""
    own_per_s = rate_per_s(trial.evidence.series, "disk.written_bytes", window)
    rates_of_others = [
        rate
        for other in session.of_scenario(trial.planned.scenario)
        if other is not trial
        for other_window in other.evidence.windows
        if other_window.phase == phase
        and (rate := rate_per_s(other.evidence.series, "disk.written_bytes", other_window)) is not None
    ]
    if own_per_s is None and known_rows(trial.evidence.series, "disk.written_bytes"):
        yield unknown("What was written to the database's disk was not counted throughout the phase.")
    if own_per_s is None or not rates_of_others:
        return
    if own_per_s - max(rates_of_others) > OTHERS_WRITE_MAX and own_per_s > OTHERS_WRITE_TIMES * max(rates_of_others):
        reading = f"Somebody wrote {own_per_s / 2**20:.0f} MiB/s to the database's disk"
        yield doubtful(
            f"{reading}, in other trials {max(rates_of_others) / 2**20:.2g} at most: commits wait behind it.",
            own_per_s,
            "bytes/s",
            OTHERS_WRITE_MAX,
        )


RULE = Rule(
    id="R11",
    title="The database is not the limit",
    source="/proc/stat, pressure stall information, pg_stat_activity",
    mistake="a spinning disk behind the database gave 337 and 390 requests/s (study 000)",
    kind="capacity",
    of_database=True,
    needs=(
        "windows",
        "series:set.db.busy_us",
        "series:cpu.db.user_us",
        "series:db.psi.io.some_us|psi.io.some_us",
        "series:db.psi.cpu.some_us|psi.cpu.some_us",
        "series:set.db.iowait_us",
        "series:db.waiting_locks",
        "series:db.waiting_wal",
        "series:db.active",
    ),
    judge=judge,
)
