"""`./bench ci plan` and `question`: what a workflow has to measure."""

from __future__ import annotations

import json
import math
from collections.abc import Set
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.reporting.github.workflow import outputs, summary
from ..changed import matrix
from ..console import ROOT, duration
from ..selecting import night_option, only_option, scale_option, scenario_option
from .options import HOSTED, annotating_errors, host_option, job_minutes, places_of

if TYPE_CHECKING:
    from plumbline.subjects.catalog.bench import SuiteSpec


@click.command(epilog="Example: ./bench ci plan --event schedule --suite nightly --host lab --data data")
@click.option(
    "--event",
    type=click.Choice(["push", "schedule", "workflow_dispatch"]),
    required=True,
    help="What set it off.",
)
@click.option("--ref", default="", help="The ref that it is about; a tag is named in the summary.")
@click.option("--suite", default="", help="A suite of bench.toml; by event when left out.")
@only_option
@scenario_option
@host_option
@scale_option
@night_option
@click.option("--note", default="", help="A note from the person who started the campaign.")
@click.option("--data", type=click.Path(path_type=Path), help="A copy of the data branch, to tell of missed nights.")
def plan_command(
    event: str,
    ref: str,
    suite: str,
    only: tuple[str, ...],
    scenarios: tuple[str, ...],
    host: str,
    scale: float,
    night: date | None,
    note: str,
    data: Path | None,
) -> None:
    """Plan a campaign: print the matrix of builds and the selection for its hosts as outputs, and a summary.

    Without --suite a schedule takes `nightly`, a tag takes `campaign` where that suite exists, and everything else
    the default suite. On a hosted runner the plan takes the suite that the chosen suite names for hosted runners.
    Several equal hosts divide the blocks of the suite; `aa` is measured on the first of them. An invalid configuration
    is an annotation at its line, and exit status 1.
    """
    from plumbline.archive.history.extract import AGAINST_ITSELF
    from plumbline.archive.record.markdown import table
    from plumbline.reporting.github.workflow import plain
    from plumbline.subjects.catalog.catalog import read_catalog
    from plumbline.subjects.plan.declared import control_of, ranked_together
    from plumbline.subjects.plan.detectable import detectable, most_orders
    from plumbline.subjects.plan.duration import session_s
    from plumbline.subjects.plan.make import served, trials_at_most
    from plumbline.subjects.plan.phases import LEAST_BLOCKS, blocks_on_each, scenario_of, suite_at
    from plumbline.verdicts.judge.wording import counted, sized
    from plumbline.verdicts.stats.compare import LEVEL

    with annotating_errors():
        catalog = read_catalog(ROOT)
    suite_of_event = {"schedule": "nightly", "push": "campaign"}.get(event, "")
    requested, spec = catalog.suite(suite or (suite_of_event if suite_of_event in catalog.bench.suites else None))
    places, name = places_of(host), requested
    if name == AGAINST_ITSELF:
        # Pairs of one host show how often it sees a difference where there is none.
        places = places[:1]
    tonight = night or datetime.now(UTC).date()
    all_subjects = catalog.subjects_of(spec, only, tonight)
    is_hosted = places == (HOSTED,)
    if is_hosted and spec.hosted is not None:
        name, spec = catalog.suite(spec.hosted)
    chosen_subjects = catalog.subjects_of(spec, only, tonight)
    control = control_of(catalog, chosen_subjects).id
    measured = [subject for subject in chosen_subjects if subject.id != control]
    subjects = [subject.id for subject in measured]
    chosen = served(catalog, catalog.scenarios_of(spec, scenarios), measured or chosen_subjects)
    planned_scenarios = tuple(scenario_of(text, catalog.scenario(text), spec, scale) for text in chosen)

    def planned_s(blocks: int) -> float:
        return session_s(trials_at_most(catalog, spec, chosen_subjects, planned_scenarios, blocks), planned_scenarios)

    blocks = blocks_on_each(suite_at(spec, scale).blocks, len(places))
    seconds = planned_s(blocks)
    builds = matrix(catalog, (control, *subjects))
    missed = _missed_nights(data, name, spec, set(places), tonight) if spec.rotation else ()
    outputs(
        {
            "suite": name,
            "only": ",".join(subjects),
            "scenarios": ",".join(chosen),
            "host": ",".join(places),
            "hosts": json.dumps(places, separators=(",", ":")),
            "blocks": str(blocks),
            "scale": f"{scale:g}",
            "night": tonight.isoformat(),
            "matrix": json.dumps(builds, separators=(",", ":")),
            "builds": str(len(builds["include"])),
            "minutes": str(round(seconds / 60)),
            "timeout": str(job_minutes(seconds, places[0], planned_s(LEAST_BLOCKS))),
            "missed": "true" if missed else "false",
        }
    )
    parts = [f"## Suite {name} on {' and '.join(places)}\n"]
    if ref:
        parts.append(f"For {plain(ref, 100)}. {plain(note)}\n")
    on_each = f" on each of {len(places)} equal hosts, which measure at once" if len(places) > 1 else ""
    parts.append(
        f"{counted(len(subjects), 'subject')} under {', '.join(chosen)}, {counted(blocks, 'block')}{on_each}: about "
        f"{duration(seconds)} once built (budget {duration(spec.budget)}); "
        f"{counted(len(builds['include']), 'artifact is', 'artifacts are')} built.\n"
    )
    if seconds > spec.budget:
        parts.append("**This is over the budget of the suite.**\n")
    if scale != 1.0:
        parts.append(
            f"At scale {scale:g} of times, batches and blocks (`PLUMBLINE_SCALE`): a try, whose numbers are never set "
            "beside those of another scale.\n"
        )
    if is_hosted:
        classes = ranked_together(catalog, chosen_subjects, planned_scenarios)
        power = detectable(blocks, "shared", level=LEVEL / most_orders(map(len, classes.values())))
        power_text = (
            "no difference at all can be told with so few trials"
            if power.change is None
            else f"a difference below {sized(power.change)} between two steady subjects goes unseen ({power.basis})"
        )
        left_out = [
            f"`{id_}`"
            for id_ in sorted({subject.id for subject in all_subjects} - {subject.id for subject in chosen_subjects})
        ]
        parts.append(
            f"On a hosted runner, a machine shared with strangers: advisory, never ranked, and {power_text}. It says "
            "nothing of other days' sessions, or of who limits whom."
            + (f" Of the suite {requested} it leaves out {', '.join(left_out)}." if left_out else "")
            + "\n"
        )
    parts += missed
    parts += table(("subject",), [(f"`{subject}`",) for subject in subjects], escape=False)
    summary("\n".join(parts) + "\n")


def _missed_nights(data: Path | None, suite: str, spec: SuiteSpec, hosts: Set[str], tonight: date) -> tuple[str, ...]:
    """Return a text about the nights without a session in the week before tonight; empty without such a night.

    A night of several hosts counts where one of them left a session.
    """
    from plumbline.archive.data.entry import recorded
    from plumbline.archive.data.layout import RUNS
    from plumbline.archive.record.join import BETWEEN_HOSTS
    from plumbline.subjects.catalog.bench import NIGHTS, rotation_of

    if data is None or not (data / RUNS).is_dir():
        return ()
    nights = {
        entry.session[:8]
        for entry in recorded(data)
        if entry.suite == suite and set(entry.host.split(BETWEEN_HOSTS)) <= hosts
    }
    week = [date.fromordinal(tonight.toordinal() - days) for days in range(7, 0, -1)]
    # Before the first night there was nothing to miss.
    missed = [
        night for night in week if f"{night:%Y%m%d}" not in nights and min(nights, default="9") < f"{night:%Y%m%d}"
    ]
    if not missed:
        return ()
    names = ", ".join(f"{NIGHTS[night.weekday()]} {night}" for night in missed)
    rotated = ",".join(id_ for night in missed for id_ in rotation_of(spec, night.weekday()))
    by_hand = f", or now by a dispatch with the suite `{suite}` and the subjects `{rotated}`" if rotated else ""
    return (
        f"Missed in the last week: {names}. A forge may skip a scheduled run. The constant subjects lack one point for "
        "each missed night, which does not harm the statistics. The subjects of the rotation come again a week later"
        f"{by_hand}.\n",
    )


# A comparison gets the time for its pairs, but never more than half a working day.
LONGEST_S = 4 * 3600.0


@click.command(
    epilog="Example: ./bench ci question --suite nightly --only vertx-pg/jvm/pg --scenario fruits --host lab"
)
@click.option(
    "--suite", default="", help="The suite whose phases are run; `compare_suite` of bench.toml when left out."
)
@only_option
@scenario_option
@host_option
@scale_option
@click.option("--base", metavar="SHA", help="The commit before a change, in full.")
@click.option("--head", metavar="SHA", help="The commit after it, in full.")
def question_command(
    suite: str,
    only: tuple[str, ...],
    scenarios: tuple[str, ...],
    host: str,
    scale: float,
    base: str | None,
    head: str | None,
) -> None:
    """Plan the comparison of two commits on a host: print the matrix of builds of a side, and the budget.

    Both commits are measured on one host, the first of several. Subjects are given by their exact ids and scenarios by
    name, of any suite. The budget is that of the suite for comparisons, or the time that the second interim analysis
    needs. Commits that are given become outputs. Exit status 1: the branch that is checked out never stood
    at a commit; 2: a commit is not given in full, or both are the same.
    """
    from plumbline.model.errors import UsageError
    from plumbline.subjects.catalog.catalog import read_catalog
    from plumbline.subjects.plan.declared import control_of
    from plumbline.subjects.plan.duration import preparation_s, trial_s
    from plumbline.subjects.plan.make import order_trials
    from plumbline.subjects.plan.phases import scenario_of
    from plumbline.verdicts.stats.interim import LOOKS

    commits = {side: own_commit(text) for side, text in (("base", base), ("head", head)) if text is not None}
    catalog = read_catalog(ROOT)
    if base is not None and base == head:
        raise UsageError(f"Both sides are commit {base[:12]}.", "Name a commit before the change, and one after it.")
    name, spec = catalog.suite(suite or catalog.bench.compare_suite)
    _, compare_suite = catalog.suite(catalog.bench.compare_suite)
    place = places_of(host)[0]
    if not only:
        raise UsageError("No subject is named.", "Name them by --only, with commas.")
    subjects = [catalog.subject(text) for text in only]
    ids = [subject.id for subject in subjects]
    chosen = scenarios or spec.scenarios
    for subject in subjects:
        # As the comparison does: of a partial suite it takes the scenarios that each of its subjects serves.
        chosen = catalog.served(spec, chosen, catalog.variant(subject.variant))
    planned_scenarios = [scenario_of(text, catalog.scenario(text), spec, scale) for text in chosen]
    # On a hosted runner both sides run at once.
    pair_s = sum(trial_s(scenario) for scenario in planned_scenarios) * len(subjects) * (1 if place == HOSTED else 2)
    # A try ends at its first look.
    pairs = LOOKS[1] if scale == 1.0 else LOOKS[0]
    budget_s = min(LONGEST_S, max(compare_suite.budget * scale, 1.2 * pair_s * pairs))
    control = control_of(catalog, subjects).id
    builds = matrix(catalog, (control, *ids))
    # Of each side, and a head finds a capacity as well where the base has none.
    rehearsed = order_trials(ids, [scenario.id for scenario in planned_scenarios], control, 1, 0)
    prepare_s = 2 * preparation_s(rehearsed, planned_scenarios)
    outputs(
        {
            "suite": name,
            "only": ",".join(ids),
            "scenarios": ",".join(chosen),
            "host": place,
            "scale": f"{scale:g}",
            "budget": f"{math.ceil(budget_s)}s",
            "timeout": str(job_minutes(budget_s + prepare_s, place)),
            "matrix": json.dumps(builds, separators=(",", ":")),
            **commits,
        }
    )
    names = ", ".join(f"`{id_}`" for id_ in ids)
    summary(
        f"## A comparison on {place}\n\n{names} under {', '.join(chosen)}, with the phases of the suite {name}: "
        f"at most {duration(budget_s)} once built.\n"
    )


def own_commit(text: str) -> str:
    """Return the full id of a commit at which the branch that is checked out once stood.

    A forge also answers for commits of a repository's forks; those have to come by a pull request. So has a commit of a
    merged side branch, which may hold files that a later commit took back: first parents leave it out. Raises
    UsageError for a name: a tag and a branch of one name are two commits, and each job takes the one that it looks for
    first.
    """
    from plumbline.machine.tools.git import Git, full_id
    from plumbline.model.errors import AnswerIsNo

    if full_id(text) not in Git(ROOT).text("rev-list", "--first-parent", "HEAD").splitlines():
        raise AnswerIsNo(
            f"The branch that is checked out never stood at {text}.",
            "A commit of a fork or of a side branch comes by a pull request.",
        )
    return text
