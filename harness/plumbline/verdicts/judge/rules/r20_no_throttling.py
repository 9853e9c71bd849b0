"""R20: no quota stops our processes."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.evidence import Series, Window
from plumbline.verdicts.figures.series import increase
from ..facts import PhaseFacts, SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, in_windows, passed, unknown
from ..wording import ROLE_NAMES

# A quota stops all threads at once for tens of milliseconds. A single such stop shows in the tail of the latencies.
THROTTLED_MAX_US = 0
# A subject whose setting `cpu-share` is 100 % of its CPU time has no quota.
ALL_OF_IT = 100

_NAMES = {**ROLE_NAMES, "harness": "slice or container around our processes"}


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Time in which a CPU quota stopped a role, in each measured phase: of its own control group, or of one around it.

    A share of its CPUs that a setting of the subject declares is no fault, and is named.
    """
    share = int(session.settings(trial.planned.subject).get("cpu-share", ALL_OF_IT))

    def checks(facts: PhaseFacts, window: Window) -> list[Check]:
        series = trial.evidence.series
        app_check = _check(series, "app", window, share)
        # The groups around those of the roles stand under `harness`, where one of them may have a quota.
        around = ("harness",) if "harness.throttled_us" in series.columns else ()
        others = (*(role for role in trial.roles if role != "app"), *around)
        other_checks = [_check(series, role, window, ALL_OF_IT) for role in others]
        if share != ALL_OF_IT and app_check.outcome == "pass":
            # What is not known of other roles must not hide what is known of the application.
            other_checks = [
                unknown(f"{app_check.reading} {check.reading}") if check.outcome == "unknown" else check
                for check in other_checks
            ]
        return [app_check, *other_checks]

    yield from in_windows(trial, checks)


def _check(series: Series, role: str, window: Window, share: int) -> Check:
    stopped_us = increase(series, f"{role}.throttled_us", window)
    if stopped_us is None:
        return unknown(
            f"Whether a CPU quota stopped the {_NAMES[role]} is not known: no control group of its own that counts "
            "such stops was read."
        )
    if stopped_us <= THROTTLED_MAX_US:
        return passed("No process was stopped by a quota.", 0, "us", THROTTLED_MAX_US)
    if share != ALL_OF_IT:
        return passed(
            f"The {_NAMES[role]} has {share} % of its CPU time, as the setting cpu-share declares: its quota "
            f"stopped it for {_ms(stopped_us)}.",
            stopped_us,
            "us",
        )
    reading = f"The {_NAMES[role]} was stopped by a CPU quota for {_ms(stopped_us)}."
    return broken(reading, stopped_us, "us", THROTTLED_MAX_US)


def _ms(stopped_us: float) -> str:
    """Return the time in milliseconds, with enough digits for a stop of some microseconds."""
    ms = stopped_us / 1000
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.2g} ms"


RULE = Rule(
    id="R20",
    title="No throttling",
    source="cpu.stat of the roles' control groups, and of those around them",
    mistake="a CPU quota on the database's container",
    kind="correctness",
    needs=("windows", "series:app.throttled_us", "series:db.throttled_us", "series:load.throttled_us"),
    judge=judge,
)
