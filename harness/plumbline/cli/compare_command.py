"""`./bench compare`: the verdict on two sides."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.model.comparison import Design, Side
from plumbline.model.errors import UsageError
from . import completing
from .console import ROOT, duration, json_option, report_session, say
from .sandbox import measured_by_interrupted, sandbox_option, within_sandbox
from .selecting import (
    MostPairs,
    NumberRange,
    TimeBudget,
    found_words,
    only_option,
    refuse_other_options,
    require_resumed_by,
    resume_option,
    scale_option,
    scenario_option,
    seed_option,
    short_budget_words,
)

if TYPE_CHECKING:
    from plumbline.measuring.run.context import Context
    from plumbline.measuring.run.finish import FinishedSession
    from plumbline.measuring.run.session import Session
    from plumbline.measuring.run.sides import Wish
    from plumbline.model.comparison import SideSource
    from plumbline.model.plan import Plan
    from .progress import TerminalProgress

FILE_HELP = """\b
FILE of --pairs holds
  {"pairs": [[base, head], ...],      three or more pairs: a figure of each side, above zero
   "better": "higher" or "lower",
   "order": ["AB", "BA", ...],        optional: which side of each pair ran first
   "process": [[id, id], ...],        optional: the process of each trial
   "looks": [6, 10, 12, 16, 20, 26],  optional: when it was looked at; else once, at 1 %
   "design": "interleaved" or "duet"} optional: interleaved when left out"""


_ARTIFACTS = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    epilog="Example: ./bench compare main HEAD --only vertx-pg/jvm/pg --budget 20m",
    help=f"""Say whether HEAD is faster than BASE, slower, equivalent, or undecided.

BASE and HEAD are two refs of this clone (`worktree` means the files as they lie here). Each is built on its own, and
--only names the subjects by which they are compared. Or BASE and HEAD are two subjects, which may differ by a
setting, a packaging or a variant. Pairs of trials go on until every leading question is decided or the budget is
spent. On a lab host the sides take turns; elsewhere both run at once (a duet), each on CPUs of its own, at one fixed
rate (docs/method.md).

Exit status 1: a side does not build; a contest has trials of BASE that count, and none of HEAD; or HEAD is surely
slower in a leading question, and not surely by less than 2 %. With --not-slower-than the last of these conditions is:
HEAD is surely slower by PERCENT or more in a leading question. Questions that stay undecided have exit status 0.

{FILE_HELP}""",
)
@click.argument("base", required=False, shell_complete=completing.subjects)
@click.argument("head", required=False, shell_complete=completing.subjects)
@only_option
@scenario_option
@click.option(
    "--suite",
    shell_complete=completing.suites,
    help="The suite that gives phases, scenarios and subjects; `compare_suite` of bench.toml when left out.",
)
@click.option(
    "--budget", "budget_s", type=TimeBudget(), help="Time for trials, such as 20m; the suite's when left out."
)
@click.option("--most-pairs", type=MostPairs(), help="End after so many pairs (an even number from 4) at the latest.")
@click.option("--all-pairs", is_flag=True, help="Measure all of --most-pairs, and ask once, at the end, who is faster.")
@click.option(
    "--design",
    type=click.Choice(["interleaved", "duet"]),
    help="Let the sides take turns, or run them at once; the host decides when left out.",
)
@click.option(
    "--not-slower-than",
    "bound_percent",
    metavar="PERCENT",
    type=NumberRange(0, 100, min_open=True, max_open=True),
    help="Also answer a one-sided question: is HEAD less than PERCENT slower? Pairs go on until it is answered, too.",
)
@scale_option
@seed_option
@resume_option
@click.option(
    "--pairs",
    "pairs_path",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Measure nothing: the verdict on given numbers.",
)
@click.option("--base-artifacts", type=_ARTIFACTS, help="Of `./bench ci unpack`: use these for BASE, build nothing.")
@click.option(
    "--head-artifacts",
    type=_ARTIFACTS,
    help="Use these artifacts of `./bench ci unpack` for HEAD, and build nothing.",
)
@sandbox_option
@json_option
def command(
    base: str | None,
    head: str | None,
    only: tuple[str, ...],
    scenarios: tuple[str, ...],
    suite: str | None,
    budget_s: float | None,
    most_pairs: int | None,
    all_pairs: bool,
    design: Design | None,
    bound_percent: float | None,
    scale: float,
    seed: int | None,
    resume: str | None,
    pairs_path: Path | None,
    base_artifacts: Path | None,
    head_artifacts: Path | None,
    sandbox: str,
    as_json: bool,
) -> int:
    """Compare two sides, and print the verdict."""
    if pairs_path is not None:
        refuse_other_options({"pairs_path", "bound_percent", "as_json"}, "--pairs judges given numbers")
        from .compare_pairs import verdict_on_pairs

        return verdict_on_pairs(pairs_path, bound_percent, as_json)
    if resume is not None:
        refuse_other_options({"resume", "sandbox", "as_json"}, "--resume goes on with what was asked")
    elif base is None or head is None:
        raise UsageError(
            "Two sides are needed.",
            "Write `./bench compare BASE HEAD`, or judge given numbers by --pairs FILE.",
        )
    elif all_pairs and most_pairs is None:
        raise UsageError("--all-pairs goes with a number of pairs.", "Name it by --most-pairs N.")
    from plumbline.measuring.run.sides import Wish
    from .progress import TerminalProgress

    wish = Wish(
        only=only,
        scenarios=scenarios,
        suite=suite,
        budget_s=budget_s,
        design=design,
        most_pairs=most_pairs,
        all_pairs=all_pairs,
        not_slower_than=None if bound_percent is None else bound_percent / 100,
        scale=scale,
        seed=seed,
    )

    def measured() -> tuple[Context, Iterable[str]]:
        if resume is not None:
            return measured_by_interrupted(resume)
        assert base is not None and head is not None
        return _measured(base, head, wish)

    if (status := within_sandbox(sandbox, measured)) is not None:
        return status
    with TerminalProgress() as progress:
        if resume is not None:
            session = _resumed_comparison(resume, progress)
        else:
            assert base is not None and head is not None
            paths: dict[Side, Path | None] = {"base": base_artifacts, "head": head_artifacts}
            artifacts = {side: path for side, path in paths.items() if path is not None}
            session = _new(base, head, wish, progress, artifacts)
        finished = session.run()
    return _print_verdict(finished, as_json)


def _measured(base: str, head: str, wish: Wish) -> tuple[Context, Iterable[str]]:
    """Return the subjects that a new comparison will measure."""
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.sides import comparison_plan_of
    from plumbline.model.subject import Subject
    from plumbline.subjects.plan.declared import control_of

    context = open_context(ROOT, (), say)
    contests = comparison_plan_of(context, base, head, wish).contests
    sides = [subject for contest in contests for subject in (contest.base, contest.head)]
    return context, [control_of(context.catalog, map(Subject.parse, sides)).id, *sides]


def _new(
    base: str,
    head: str,
    wish: Wish,
    progress: TerminalProgress,
    artifacts: dict[Side, Path],
) -> Session:
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.planning import plan_comparison
    from plumbline.measuring.run.session import planned_session
    from plumbline.measuring.run.sides import comparison_plan_of

    context = open_context(ROOT, (), progress.say)
    question = comparison_plan_of(context, base, head, wish)
    plan = plan_comparison(context, question, wish)
    for line in _announcement(plan):
        progress.say(line)
    return planned_session(context, plan, progress, artifacts=artifacts)


def _resumed_comparison(name: str, progress: TerminalProgress) -> Session:
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.local import find_interrupted
    from plumbline.measuring.run.session import resumed_session

    folder, journaled = find_interrupted(ROOT / "results" / "local", name or None)
    require_resumed_by("compare", journaled.plan)
    return resumed_session(open_context(ROOT, journaled.apps, progress.say), folder, progress)


def _announcement(plan: Plan) -> list[str]:
    """Describe the comparison before it starts: sides, design, pairs within the budget, detectable change."""
    from plumbline.subjects.plan.duration import pair_s, pairs_within, trial_s

    asked = plan.comparison
    assert asked is not None
    room = pairs_within(asked, plan.scenarios)
    lines = [
        f"{_side(asked.base)} against {_side(asked.head)}, {asked.design}, budget {duration(asked.budget_s)}: about "
        f"{min(room, asked.looks[-1])} pair{'' if room == 1 else 's'} of each question, looks after "
        f"{', '.join(map(str, asked.looks))}, and when the budget is spent",
        *asked.notes,
    ]
    if room < asked.looks[0]:
        needed_s = asked.looks[0] * pair_s(asked, plan.scenarios, trial_s) * 1.2
        lines.append(short_budget_words(f"{asked.looks[0]} pairs", needed_s))
    power = plan.detectable
    if power.change is not None:
        lines.append(
            f"{found_words(power.change, plan.host_class)} would be found in 95 of 100 such comparisons ({power.basis})"
        )
    return lines


def _side(source: SideSource) -> str:
    commit = f" ({source.commit[:12]})" if source.commit else ""
    return f"{source.given}{commit}"


def _print_verdict(finished: FinishedSession, as_json: bool) -> int:
    comparison = finished.record.comparison
    assert comparison is not None
    document = {
        "sentence": comparison.sentence,
        "ended": comparison.ended,
        "fails": comparison.fails,
        "design": comparison.design,
        "pairs": len(comparison.pairs),
        "unused_pairs": sum(not pair.used for pair in comparison.pairs),
        "answers": [answer.model_dump(mode="json") for answer in comparison.answers if answer.primary],
        "rest": [answer.model_dump(mode="json") for answer in comparison.answers if not answer.primary],
    }
    report_session(finished, document if as_json else None)
    return int(comparison.fails)
