"""Replay the warm-up of recorded processes: did the figure of a window end up within its bound?

    ./bench benchmark curves FOLDER... [--write]

FOLDER holds sessions with their evidence: results/repeats, results/local, or a checkout of the data branch. Each curve
is the CPU time per request of one process, second by second from its first load on. Every few seconds a window of a
curve is taken as if it were a measured part, and what the rest of the curve went on to do is held against the window's
bound. Prints the counts; with --write they stand in docs/promises.md.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import fill

from laboratory.promises.page import CURVES
from plumbline.archive.record.evidence_file import evidence_name, read_evidence
from plumbline.model.errors import UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Scenario
from plumbline.verdicts.stats.drift import OTHER_LIMIT, drift
from plumbline.verdicts.stats.interval import mean
from .replaying import PAGE_WIDTH, costs_of, parser, real_sessions, tell, written_by

WINDOW_S = 30
STEP_S = 5
REST_S = 20
"""The least that must follow a window; less says nothing about where the curve went."""

LEAST_CURVE_S = WINDOW_S + REST_S

TEXT = """\
{curves} processes of real sessions, from the first second of load, replayed: windows of {window_s} s, one each
{step_s} s. They ran {subjects}. Of {windows} windows {proven} were proven steady by their process alone{bound}.
{fell} windows were left by more than a fifth by what came after them; {missed} of these had been proven steady.
{command}
"""


@dataclass(frozen=True)
class Replayed:
    """Counts over all windows of all curves.

    `proven` is the number of windows that were proven steady, and `held` the number of these whose bound was kept: the
    rest of the curve was no cheaper than the bound allowed. `fell` is the number of windows that the curve left by more
    than the limit, and `missed` the number of these that had been proven steady.
    """

    curves: int
    windows: int
    proven: int
    held: int
    fell: int
    missed: int


def replayed(curves: Iterable[Sequence[float]]) -> Replayed:
    """Replay curves of CPU time per request, all above zero; those that are too short are left out."""
    count = windows = proven = held = fell = missed = 0
    for curve in curves:
        if len(curve) < LEAST_CURVE_S:
            continue
        count += 1
        for start in range(0, len(curve) - LEAST_CURVE_S + 1, STEP_S):
            window, remainder = curve[start : start + WINDOW_S], curve[start + WINDOW_S :]
            window_drift = drift([window], "lower")
            if window_drift is None:
                continue
            gain = math.log(mean(window) / mean(remainder))
            steady = window_drift.steady_within(OTHER_LIMIT)
            is_left = gain > math.log1p(OTHER_LIMIT)
            windows += 1
            proven += steady
            held += steady and gain <= window_drift.may_improve
            fell += is_left
            missed += is_left and steady
    return Replayed(count, windows, proven, held, fell, missed)


def curves_below(folders: Iterable[Path]) -> Iterator[tuple[str, list[float]]]:
    """Yield the subject of each process of real sessions below the folders, and its CPU time per request by second."""
    for folder, record in real_sessions(folders):
        for trial in record.plan.trials:
            # A checkout of results may hold records alone.
            if (folder / evidence_name(trial.number)).is_file():
                scenario = record.plan.scenario_of(trial)
                yield trial.subject, _curve(scenario, read_evidence(folder, trial))


def _curve(scenario: Scenario, evidence: Evidence) -> list[float]:
    """Return the costs up to the end of the closed phase; none if there is no such phase, or a second is not known."""
    closed = next((phase for phase in scenario.phases if phase.kind == "closed"), None)
    if closed is None:
        return []
    return costs_of(closed, scenario, evidence) or []


def text(folders: Sequence[Path]) -> str:
    """Return the part of the page on these curves. Raises UsageError if no process was under load for long enough."""
    curves = list(curves_below(folders))
    counts = replayed(curve for _, curve in curves)
    if not counts.curves:
        raise UsageError(
            f"No session below {' and '.join(map(str, folders))} has a process with {LEAST_CURVE_S} s of load.",
            "Name a folder of longer sessions.",
        )
    subjects = sorted({subject for subject, curve in curves if len(curve) >= LEAST_CURVE_S})
    paragraph = TEXT.format(
        window_s=WINDOW_S,
        step_s=STEP_S,
        subjects=", ".join(f"`{subject}`" for subject in subjects),
        bound=f", and {counts.held} of those ended up within their bound" if counts.proven else "",
        command=written_by("curves", folders),
        **asdict(counts),
    )
    return fill(paragraph, PAGE_WIDTH, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    sys.exit(tell(parser(__doc__).parse_args(), CURVES, text))
