"""`./bench test --promises`: what the statistics promise, measured and written to docs/promises.md."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from plumbline.model.errors import UsageError
from plumbline.model.record import Record
from plumbline.record.read import read_record
from plumbline.stats.promises.comparison import measure, measure_limits
from plumbline.stats.promises.measured import Measured
from plumbline.stats.promises.noise import BEYOND, MODELS, Noise, resampled
from .console import say

JOBS = 10_000
SEED = 20260303
METRIC = "throughput_per_s"
TRIALS_IN_GROUP = 4
"""Fewer trials of a subject say too little about how it scatters."""

_HEAD = """# What is promised, and what was measured

Written by `./bench test --promises`, never by hand; the same code writes the same page. Each figure is the share of
{jobs:,} simulated sessions, judged by the code that judges real ones (`harness/plumbline/stats/`). Trials scatter by
1 %; the noise models stand in `harness/plumbline/stats/promises/noise.py`. By chance alone a share near 1 % may be off
by 0.3 %, one near 95 % by 0.7 % (999 times in 1,000).
"""

_LIMITS = """
## Where the promises end

Nothing is promised for what stands only here; it is measured so that you know what a worse host does. Under bursts a
variance shared with history raises false alarms, since a burst moves mean and variance of a session together.
"""


def write_promises(page: Path, record: Path | None) -> bool:
    """Measure, write `page`, and say whether every promise was kept. `record` adds trials of a real session."""
    noises: Mapping[str, Noise] = MODELS
    if record is not None:
        found = read_record(record)
        noises = {**MODELS, f"trials of {found.plan.session}": resampled(trial_groups(found))}
    rows = []
    for row in measure(noises, JOBS, SEED):
        say(f"{'kept' if row.kept else 'BROKEN':7} {row.noise}: {row.promise}: {row.share:.2%}")
        rows.append(row)
    limits = list(measure_limits(BEYOND, JOBS, SEED))
    text = _HEAD.format(jobs=JOBS) + "\n## Comparisons\n\n" + table(rows, promised=True)
    page.write_text(text + _LIMITS + "\n" + table(limits, promised=False), encoding="utf-8")
    return all(row.kept for row in rows)


def table(rows: Sequence[Measured], *, promised: bool) -> str:
    """A Markdown table: a line for each promise, a column for each noise. What was not kept is bold."""
    noises = list(dict.fromkeys(row.noise for row in rows))
    heads = ["", *(["promised"] if promised else []), *noises]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for promise in dict.fromkeys(row.promise for row in rows):
        of_it = {row.noise: row for row in rows if row.promise == promise}
        shares = [_share(of_it[noise]) if noise in of_it else "below" for noise in noises]
        lines.append([promise, *([_range(next(iter(of_it.values())))] if promised else []), *shares])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def trial_groups(record: Record) -> list[list[float]]:
    """Log throughput of the trials of each subject and scenario. Raises UsageError when there are too few."""
    groups: dict[tuple[str, str, str], list[float]] = {}
    for trial in record.trials:
        if trial.role == "discarded" or trial.verdict == "invalid":
            continue
        for phase, figures in trial.figures.items():
            if figures.get(METRIC, 0) > 0:
                groups.setdefault((trial.subject, trial.scenario, phase), []).append(
                    math.log(figures[METRIC])
                )
    enough = [group for group in groups.values() if len(group) >= TRIALS_IN_GROUP]
    if not enough:
        raise UsageError(
            f"{record.plan.session} has no subject with {TRIALS_IN_GROUP} trials of known throughput.",
            "Name a session with more blocks.",
        )
    return enough


def _share(row: Measured) -> str:
    text = f"{row.share:.2%}"
    return text if row.kept else f"**{text}**"


def _range(row: Measured) -> str:
    if row.low == 0:
        return f"at most {row.high:.1%}"
    return f"at least {row.low:.1%}" if row.high == 1 else f"{row.low:.0%} to {row.high:.0%}"
