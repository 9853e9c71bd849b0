"""`./bench test --promises`: what the statistics promise, measured and written to docs/promises.md."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import NormalDist

from plumbline.archive.record.layout import session_folders
from plumbline.archive.record.read import read_record
from plumbline.cli.console import say
from plumbline.model.comparison import Side
from plumbline.model.errors import UsageError
from plumbline.model.record import Record
from .comparison import measure, measure_limits
from .drift import OF_COMPARE, OF_RUN, SECONDS, measure_drift, measure_found, measure_reach
from .history import NIGHTS, measure_history
from .measured import Measured
from .noise import BEYOND, MODELS, Noise, resampled
from .page import LIVE, kept_parts, write_part
from .seconds import BEYOND as BEYOND_SECONDS

JOBS = 10_000
SEED = 20260303
TRIALS_IN_GROUP = 4
"""Fewer trials of a subject in a session say too little about their scatter."""

SERIES_FOR_JOBS = 10
"""One series is simulated for so many jobs, since it is searched after every night."""

NIGHTS_BEYOND = ((0.02, 0.0), (0.05, 0.0), (0.01, 0.2), (0.01, 0.3), (0.01, 0.5))
"""(scatter, share of it that stays in the next night) of nights that no promise covers."""

_HEAD = """# What is promised, and what was measured

The command `./bench test --promises` writes this page. Nobody edits it by hand, and the same code always writes the
same page. The tables show how often {jobs:,} simulated sessions ended as the first column says. The code that judges
real sessions (`harness/plumbline/verdicts/stats/`) judged the simulated ones, too. Simulated trials scatter by 1 %; the
models of noise stand in `harness/laboratory/promises/noise.py`. A simulation is exact up to chance. In 999 of 1,000
cases a share of {jobs:,} sessions is at most {off_1} away from the truth where it is near 1 %, and at most {off_95}
where it is near 95 %.
"""

REAL = "trials of real sessions"

_HISTORY = """
## History

The search for change points (`harness/plumbline/verdicts/stats/changes.py`) runs after every night. It was tried on
{series:,} series of {nights} independent nights without a change, and on as many series with one step of 2 %, up or
down. A share of so many series near 95 % is at most {off_95} away from the truth in 999 of 1,000 cases.

"""

_DRIFTS = """
## Drifts

A program may still be warming up while it is measured. `harness/plumbline/verdicts/stats/drift.py` and `ranking.py`
decide what may be claimed then. Each simulated job compares two subjects, second by second: the cost of one subject
falls, the cost of the other is flat. Half of each second's noise stays in the next second, garbage collections come on
top, and processes differ by 1 % (`harness/laboratory/promises/seconds.py`). The flat cost lies a little above the value
at which the falling cost ends. There the mean of the falling subject misleads most. {seconds} whole seconds and {run}
processes are what the default run has at its first look, {compare} processes what `./bench compare` has.
The bound is one-sided at 95 %. Collections, and seconds that resemble their neighbours, make it a little too narrow.
The last line is of a comparison that has to exclude a drift. A figure counts as steady only within a limit, 2 % on a
lab and 20 % elsewhere. So a slowdown that is larger than the minimum detectable effect by this limit has to be found.

"""

_REACH = """
The next table promises nothing. It shows how much can still be claimed under such noise. The first line is of the
minimum detectable effect alone, which is found more rarely where a drift has to be excluded. The second line shows what
a ranking that ignores drift would have claimed. The bound is that of a line: the last two lines show that it does not
cover a cost that changes in the last second of the measured part alone.

"""

_LIVE = """
The command `./bench test --injected --tries 1 --write` adds a try to this part, in about half an hour on a machine at
rest. If it is interrupted, the same command goes on with that try. A try puts a slowdown of a known size into a real
application and looks for it, and it compares the application with itself. The slowdown has to be found in 19 of 20
tries, and equal sides may not be told apart in one of 20. All tries so far stand in `results/injected.json`.

A loop burns the time, by the CPU clock of its thread. What the loop costs a request besides is not counted as burnt.

"""

_LIMITS = """
## Where the promises end

Nothing is promised for the noises that stand only in this part. They are measured so that you know what a worse host
does.

- Where nights scatter by 2 % or more, the search takes longer to find a step of 2 %, or does not find it. Where a part
  of a night's deviation stays in the next night, as on a host that several nights have in common, the search takes a
  spell of such nights for a change. Each column is of {fewer:,} series.
- A neighbour on the host who works for ten seconds and then stops looks like a change of the program. The last
  table shows how rarely such a neighbour reverses an order.

"""


def write_promises(page: Path, data: Path | None) -> bool:
    """Measure, write `page`, and say whether every promise was kept.

    `data` is a folder of records, whose real trials are resampled as one more noise. Raises UsageError if no subject
    has enough trials.
    """
    noises: Mapping[str, Noise] = MODELS
    if data is not None:
        noises = {**MODELS, REAL: resampled(trial_groups(records_below(data)))}
    series = max(1, JOBS // SERIES_FOR_JOBS)
    comparisons = list(_say_each(measure(noises, JOBS, SEED)))
    history = list(_say_each(measure_history(series, SEED)))
    found = list(_say_each(measure_found(JOBS, SEED)))
    drifts = [
        *_say_each(measure_drift(JOBS, SEED)),
        *_say_each(measure_drift(JOBS, SEED, processes=OF_COMPARE)),
        *(row for row in found if row.low > 0),
    ]
    reach = [*(row for row in found if row.low == 0), *measure_reach(JOBS, SEED)]
    lingering = list(measure_drift(JOBS, SEED, BEYOND_SECONDS, promised=False))
    limits = list(measure_limits(BEYOND, JOBS, SEED))
    fewer = max(1, series // 4)
    nights = [row for beyond in NIGHTS_BEYOND for row in measure_history(fewer, SEED, *beyond, promised=False)]
    page.write_text(
        _HEAD.format(jobs=JOBS, off_1=_chance(0.01, JOBS), off_95=_chance(0.95, JOBS))
        + "\n## Comparisons\n\n"
        + table(comparisons, promised=True)
        + _HISTORY.format(series=series, nights=NIGHTS, off_95=_chance(0.95, series))
        + table(history, promised=True)
        + _DRIFTS.format(seconds=SECONDS, run=OF_RUN, compare=OF_COMPARE)
        + table(drifts, promised=True)
        + _REACH
        + table(reach, promised=False)
        + _LIMITS.format(fewer=fewer)
        + table(limits, promised=False)
        + "\n"
        + table(nights, promised=False)
        + "\n"
        + table(lingering, promised=False)
        + kept_parts(page),
        encoding="utf-8",
    )
    return all(row.kept for row in (*comparisons, *history, *drifts))


def write_live(page: Path, lines: Sequence[str]) -> None:
    """Put the results of `./bench test --injected` into the page, in place of its earlier results."""
    write_part(page, LIVE, _LIVE + "\n".join(lines))


def _chance(share: float, jobs: int) -> str:
    """Return how far chance moves a share of so many jobs in 999 of 1,000 cases."""
    return f"{NormalDist().inv_cdf(0.9995) * math.sqrt(share * (1 - share) / jobs) * 100:.1f} %"


def _say_each(rows: Iterable[Measured]) -> Iterator[Measured]:
    for row in rows:
        say(f"{'kept' if row.kept else 'BROKEN':7} {row.noise}: {row.promise}: {_number(row)}")
        yield row


def table(rows: Sequence[Measured], *, promised: bool) -> str:
    """Return a Markdown table: a line for each promise, a column for each noise. A broken promise is bold."""
    noises = list(dict.fromkeys(row.noise for row in rows))
    heads = ["", *(["promised"] if promised else []), *noises]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for promise in dict.fromkeys(row.promise for row in rows):
        row_by_noise = {row.noise: row for row in rows if row.promise == promise}
        shares = [_share(row_by_noise[noise]) for noise in noises]
        lines.append([promise, *([_range(next(iter(row_by_noise.values())))] if promised else []), *shares])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def records_below(data: Path) -> list[Record]:
    """Return the records of a folder without made-up ones. Raises UsageError if there is none, or one is broken."""
    records = [read_record(folder) for folder in session_folders(data)]
    real_records = [record for record in records if not record.plan.simulated]
    if not real_records:
        raise UsageError(f"There is no record of a real session below {data}.", "Name a folder that holds some.")
    return real_records


def can_be_resampled(data: Path) -> bool:
    """Return whether a folder has a session long enough to resample; False if there is no folder or no record."""
    try:
        return bool(trial_groups(records_below(data)))
    except UsageError:
        return False


def trial_groups(records: Iterable[Record]) -> list[list[float]]:
    """Return log values of the trials of each subject in each session, of the metric that leads on its kind of host.

    Raises UsageError if no subject has enough trials.
    """
    groups: dict[tuple[str, str, Side | None, str, str], list[float]] = {}
    for record in records:
        metric = "app_cpu_us_per_request" if record.plan.host_class == "small" else "throughput_per_s"
        for trial in record.trials:
            if trial.role != "measured" or trial.verdict == "invalid":
                continue
            phase = next((name for name in ("closed", *trial.figures) if metric in trial.figures.get(name, {})), None)
            if phase is not None and trial.figures[phase][metric] > 0:
                key = (record.plan.session, trial.subject, trial.side, trial.scenario, phase)
                groups.setdefault(key, []).append(math.log(trial.figures[phase][metric]))
    large_groups = [group for group in groups.values() if len(group) >= TRIALS_IN_GROUP]
    if not large_groups:
        raise UsageError(
            f"No session there has a subject with {TRIALS_IN_GROUP} trials that are not invalid.",
            "Name a folder of sessions with more blocks.",
        )
    return large_groups


def _share(row: Measured) -> str:
    text = _number(row)
    return text if row.kept else f"**{text}**"


def _number(row: Measured) -> str:
    return f"{row.value:.3g}" if row.is_number else f"{row.value * 100:.2f} %"


def _range(row: Measured) -> str:
    if row.is_number:
        return f"at most {row.high:g}"
    if row.low == 0:
        return f"at most {row.high * 100:.1f} %"
    return f"at least {row.low * 100:.1f} %" if row.high == 1 else f"{row.low * 100:.0f} % to {row.high * 100:.0f} %"
