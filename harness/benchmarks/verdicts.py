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
from textwrap import fill

from laboratory.promises.habits import DEARER, DIFFERENT_FROM, Measured, Process, measured
from laboratory.promises.page import HABITS
from plumbline.archive.record.orders import leading_figure
from plumbline.archive.record.ran import AROUND_ROWS_S, took_s
from plumbline.model.errors import UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.plan import COUNTED, Plan
from plumbline.model.record import Record, Trial
from plumbline.verdicts.judge.wording import listed
from plumbline.verdicts.stats.interval import mean
from .replaying import PAGE_WIDTH, costs_of, judged_anew, parser, rates_of, real_sessions, tell, written_by

SEED, JOBS = 20260305, 2_000
LEAST_TRIALS = 3
WINDOW_S, WINDOWS = 5, 3

TEXT = """\
{processes} processes in {sessions} sessions, replayed {jobs:,} times for each share. They ran {subjects}. Processes are
drawn with replacement for two sides, each by its deviation from the mean of its subject in that session, and the
second side is made dearer by so much. So no drift from process to process is in it, which would mislead who measures
one side after the other. The first four columns say how often it was called slower, or, of
equal sides, anything at all. Time is that of the machine until there is a verdict. The runs of the others are ours,
each a fresh process that was warmed up as long as its suite asks for; only "three times 5 s" starts cold. A habit
without a test takes {different} % for a difference. Few processes are drawn again and again, and what drifts in one
of them then looks like a drift of all: the more sessions, the fairer to what asks for that. `compare` has one side
after the other here, as on a lab. On any other host it runs both sides at once, and what disturbs both of them cancels
out: the tries below, under [Live](#live), show what it finds then. {command}
"""


def processes_of(
    record: Record, evidence: Mapping[int, Evidence]
) -> tuple[dict[tuple[str, str], list[Process]], list[float]]:
    """Return processes in their order by subject and scenario, and the seconds of each trial of the control."""
    plan, groups = record.plan, dict[tuple[str, str], list[Process]]()
    control_s: list[float] = []
    for trial in record.trials:
        if trial.role not in COUNTED or trial.verdict == "invalid":
            continue
        if trial.subject == plan.control:
            control_s.append(took_s(evidence[trial.number]))
        process = _process(plan, trial, evidence[trial.number])
        if process is not None:
            groups.setdefault((trial.subject, trial.scenario), []).append(process)
    enough = {key: _centred(processes) for key, processes in groups.items() if len(processes) >= LEAST_TRIALS}
    return enough, control_s


def _process(plan: Plan, trial: Trial, evidence: Evidence) -> Process | None:
    """Return the process of a trial; None if its phase was not proven steady, or its seconds are not known."""
    scenario = plan.scenario(trial.scenario)
    leading = leading_figure(scenario, plan.host_class)
    closed = next((phase for phase in scenario.phases if leading and phase.name == leading[0]), None)
    if leading is None or closed is None or closed.kind != "closed":
        return None
    value = trial.figures.get(closed.name, {}).get(leading[1], 0.0)
    rates = leading[1] == "throughput_per_s"
    second_values = (rates_of if rates else costs_of)(closed, scenario, evidence)
    least = WINDOW_S * (1 + WINDOWS)
    if value <= 0 or second_values is None or len(second_values) < least or min(second_values) <= 0:
        return None
    costs = [1 / rate for rate in second_values] if rates else second_values
    windows = [mean(costs[start : start + WINDOW_S]) for start in range(WINDOW_S, least, WINDOW_S)]
    before_s = min(window.start_s for window in evidence.windows if window.kind in ("warm-up", "closed"))
    return Process(
        cost=-math.log(value) if rates else math.log(value),
        early=math.log(min(windows)),
        seconds=tuple(costs[-int(closed.duration_s) + 1 :]),
        took_s=took_s(evidence),
        early_s=AROUND_ROWS_S + before_s + least,
    )


def _centred(processes: Sequence[Process]) -> list[Process]:
    """Return processes without the subject's mean; widened, since the mean was computed from the same processes."""
    factor = math.sqrt(len(processes) / (len(processes) - 1))
    cost, early = (
        mean([process.cost for process in processes]),
        mean([process.early for process in processes]),
    )
    return [
        Process(
            (process.cost - cost) * factor,
            (process.early - early) * factor,
            process.seconds,
            process.took_s,
            process.early_s,
        )
        for process in processes
    ]


def table(results: Sequence[Measured]) -> str:
    """Return a Markdown table with a line for each habit."""
    dearer = [share for share in DEARER if share]
    heads = [
        "",
        "equal sides, told apart",
        *(f"{share * 100:.0f} % dearer, found" for share in dearer),
        "machine time, min",
    ]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for measured_habit in results:
        minutes = [f"{measured_habit.took_s[share] / 60:.0f}" for share in DEARER]
        minutes_text = minutes[0] if len(set(minutes)) == 1 else " / ".join(minutes)
        lines.append(
            [
                measured_habit.habit,
                *(f"{measured_habit.said[share] * 100:.1f} %" for share in DEARER),
                minutes_text,
            ]
        )
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    shares = ", ".join(f"{share * 100:.0f} %" for share in dearer)
    return f"{text}\nWhere time differs it is of equal sides and of {shares}.\n"


def replayed(folders: Sequence[Path], jobs: int) -> str:
    """Return the text and the table. Raises UsageError if the folders hold too little."""
    groups: list[list[Process]] = []
    control_s: list[float] = []
    subjects: set[str] = set()
    sessions = 0
    # A checkout of results may hold records alone.
    sessions_with_evidence = (
        folder
        for folder, record in real_sessions(folders)
        if record.plan.comparison is None and (folder / "evidence").is_dir()
    )
    for record, evidence in judged_anew(sessions_with_evidence):
        session_groups, session_control_s = processes_of(record, evidence)
        groups += session_groups.values()
        control_s += session_control_s
        subjects |= {subject for subject, _ in session_groups}
        sessions += bool(session_groups)
    if not groups or not control_s:
        folder_names = " and ".join(map(str, folders))
        raise UsageError(
            f"No session below {folder_names} has a subject with {LEAST_TRIALS} trials of a warm program.",
            "Measure one: ./bench run",
        )
    paragraph = TEXT.format(
        processes=sum(map(len, groups)),
        subjects=listed(f"`{subject}`" for subject in sorted(subjects)),
        sessions=sessions,
        jobs=jobs,
        different=f"{DIFFERENT_FROM * 100:.0f}",
        command=written_by("verdicts", folders),
    )
    text = fill(paragraph, PAGE_WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"{text}\n\n" + table(measured(groups, mean(control_s), jobs, SEED))


def main() -> int:
    """Replay and print; return 2 if there is nothing to replay."""
    argument_parser = parser(__doc__)
    argument_parser.add_argument("--jobs", type=int, default=JOBS)
    arguments = argument_parser.parse_args()
    return tell(arguments, HABITS, partial(replayed, jobs=arguments.jobs))


if __name__ == "__main__":
    sys.exit(main())
