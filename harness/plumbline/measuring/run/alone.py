"""Run one trial outside of a session, with phases of its own; nothing of the trial is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from plumbline.model.evidence import Evidence
from plumbline.model.plan import COUNTED, Plan, PlannedTrial
from plumbline.subjects.catalog.bench import SuiteSpec
from plumbline.subjects.plan.make import Selection, make_plan
from .context import Context
from .job import Job
from .local import empty_folders
from .progress import Progress
from .testbed import Testbed, revive_database
from .trial import run_trial

_SUITE = "alone"


class _SessionNews(Progress):
    """A progress that passes on what concerns no trial, and drops the news of trials."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def say(self, text: str) -> None:
        """Pass the text on."""
        self._say(text)


def plan_alone(context: Context, testbed: Testbed, job: Job, phases: Sequence[Mapping[str, object]]) -> Plan:
    """Return a plan of one block of the job's subject and scenario; `phases` are as in a suite of bench.toml."""
    suite = SuiteSpec.model_validate(
        {
            "about": "one subject, outside of a session",
            "subjects": (job.subject.id,),
            "scenarios": (job.scenario.name,),
            "blocks": 1,
            "budget": "5m",
            "phases": phases,
        }
    )
    catalog = context.catalog
    bench = catalog.bench.model_copy(update={"suites": {**catalog.bench.suites, _SUITE: suite}})
    return make_plan(
        replace(catalog, bench=bench, guests=()),
        Selection(suite=_SUITE, seed=0),
        context.host,
        testbed.sets,
        testbed.placement.name,
        session=testbed.session,
    )


def trial_of(plan: Plan, subject: str) -> PlannedTrial:
    """Return the first trial of a subject that counts: of the control too, which may be the one subject of the plan."""
    return next(trial for trial in plan.trials if trial.subject == subject and trial.role in COUNTED)


def run_alone(testbed: Testbed, context: Context, plan: Plan, trial: PlannedTrial, job: Job) -> Evidence:
    """Run a trial of the plan as its job says, and leave the testbed as it was before."""
    scenario = plan.scenario(trial.scenario)
    scenario_of_trial = scenario.of_control if trial.subject == plan.control else scenario
    news = _SessionNews(context.say)
    try:
        return run_trial(testbed, replace(job, trial=trial, scenario=scenario_of_trial), news)
    finally:
        revive_database(testbed, news)
        empty_folders(testbed)
