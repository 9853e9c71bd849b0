"""Habits of today beside what this program does, replayed on recorded trials: machine time, and who is right.

    ./bench benchmark verdicts FOLDER... [--jobs 2000] [--write]

FOLDER holds sessions of `./bench run` with phases that were proven steady: results/local, or a checkout of the data
branch. Needs a subject with three trials that are not invalid and 20 s of load each; made-up sessions and comparisons
are left out. Prints the table; with --write it stands in docs/promises.md.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from laboratory.promises.habits import DEARER, DIFFERENT_FROM, Measured, Process, measured
from laboratory.promises.page import HABITS
from plumbline.archive.record.orders import leading_figure
from plumbline.archive.record.ran import AROUND_ROWS_S, took_s
from plumbline.model.errors import UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.plan import COUNTED, Plan
from plumbline.model.record import Record, Trial
from plumbline.verdicts.figures.steady import loaded_costs, loaded_rates, warm_ups_before
from plumbline.verdicts.stats.interval import mean
from .replaying import judged_anew, parser, real_sessions, tell, written_by

SEED, JOBS = 20260305, 2_000
LEAST_TRIALS = 3
WINDOW_S, WINDOWS = 5, 3

TEXT = """\
{processes} processes of {subjects} subjects in {sessions} sessions, replayed {jobs:,} times for each share: two sides
of one subject, the second made dearer by so much. The first four columns say how often it was called slower, or, of
equal sides, anything at all. Time is that of the machine until there is a verdict. The runs of the others are ours,
each a fresh process that was warmed up as long as its suite asks for; only "three times 5 s" starts cold. A habit
without a test takes {different} % for a difference. `compare` has one side after the other, as on a lab. Few
processes are drawn again and again, and what drifts in one of them then looks like a drift of all: the more sessions,
the fairer to what asks for that. {command}

"""


def processes_of(record: Record, evidence: Mapping[int, Evidence]) -> tuple[list[list[Process]], list[float]]:
    """The processes of each subject under each scenario in their order, and how long each trial of the control took."""
    plan, groups = record.plan, dict[tuple[str, str], list[Process]]()
    control_s: list[float] = []
    for trial in record.trials:
        if trial.role not in COUNTED or trial.verdict == "invalid":
            continue
        if trial.subject == plan.control:
            control_s.append(took_s(evidence[trial.number]))
        one = _process(plan, trial, evidence[trial.number])
        if one is not None:
            groups.setdefault((trial.subject, trial.scenario), []).append(one)
    return [_level(its) for its in groups.values() if len(its) >= LEAST_TRIALS], control_s


def _process(plan: Plan, trial: Trial, evidence: Evidence) -> Process | None:
    """None where the phase was not proven steady, or its seconds are not known."""
    scenario = plan.scenario(trial.scenario)
    leading = leading_figure(scenario, plan.host_class)
    closed = next((phase for phase in scenario.phases if leading and phase.name == leading[0]), None)
    if leading is None or closed is None or closed.kind != "closed":
        return None
    value = trial.figures.get(closed.name, {}).get(leading[1], 0.0)
    rates = leading[1] == "throughput_per_s"
    loaded = (loaded_rates if rates else loaded_costs)(closed, warm_ups_before(closed, scenario), evidence)
    least = WINDOW_S * (1 + WINDOWS)
    if value <= 0 or loaded is None or len(loaded) < least or min(loaded) <= 0:
        return None
    costs = [1 / one for one in loaded] if rates else loaded
    windows = [mean(costs[at : at + WINDOW_S]) for at in range(WINDOW_S, least, WINDOW_S)]
    before_s = min(window.start_s for window in evidence.windows if window.kind in ("warm-up", "closed"))
    return Process(
        cost=-math.log(value) if rates else math.log(value),
        early=math.log(min(windows)),
        seconds=tuple(costs[-int(closed.duration_s) + 1 :]),
        took_s=took_s(evidence),
        early_s=AROUND_ROWS_S + before_s + least,
    )


def _level(its: Sequence[Process]) -> list[Process]:
    """Without the mean of the subject; widened, since that mean was taken from them."""
    wider = math.sqrt(len(its) / (len(its) - 1))
    cost, early = mean([one.cost for one in its]), mean([one.early for one in its])
    return [
        Process((one.cost - cost) * wider, (one.early - early) * wider, one.seconds, one.took_s, one.early_s)
        for one in its
    ]


def table(found: Sequence[Measured]) -> str:
    """A Markdown table, a line a habit."""
    dearer = [share for share in DEARER if share]
    heads = [
        "",
        "equal sides, told apart",
        *(f"{share * 100:.0f} % dearer, found" for share in dearer),
        "machine time, min",
    ]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for one in found:
        took = [f"{one.took_s[share] / 60:.0f}" for share in DEARER]
        time = took[0] if len(set(took)) == 1 else " / ".join(took)
        lines.append([one.habit, *(f"{one.said[share] * 100:.1f} %" for share in DEARER), time])
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    shares = ", ".join(f"{one * 100:.0f} %" for one in dearer)
    return f"{text}\nWhere time differs it is of equal sides and of {shares}.\n"


def replayed(folders: Sequence[Path], jobs: int) -> str:
    """The text and the table. Raises UsageError where the folders hold too little."""
    groups: list[list[Process]] = []
    control_s: list[float] = []
    sessions = 0
    # A checkout of results may hold records alone.
    its_sessions = (
        folder
        for folder, found in real_sessions(folders)
        if found.plan.comparison is None and (folder / "evidence").is_dir()
    )
    for record, evidence in judged_anew(its_sessions):
        its, its_control_s = processes_of(record, evidence)
        groups, control_s, sessions = groups + its, control_s + its_control_s, sessions + bool(its)
    if not groups or not control_s:
        named = " and ".join(map(str, folders))
        raise UsageError(
            f"No session below {named} has a subject with {LEAST_TRIALS} trials of a warm program.",
            "Measure one: ./bench run",
        )
    text = TEXT.format(
        processes=sum(map(len, groups)),
        subjects=len(groups),
        sessions=sessions,
        jobs=jobs,
        different=f"{DIFFERENT_FROM * 100:.0f}",
        command=written_by("verdicts", folders),
    )
    return text + table(measured(groups, mean(control_s), jobs, SEED))


def main() -> int:
    """Replay and print; exit status 2 where there is nothing to replay."""
    arguments = parser(__doc__)
    arguments.add_argument("--jobs", type=int, default=JOBS)
    given = arguments.parse_args()
    return tell(given, HABITS, partial(replayed, jobs=given.jobs))


if __name__ == "__main__":
    sys.exit(main())
