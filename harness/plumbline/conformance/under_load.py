"""Five seconds of load on an application, beside the control, and what the referee has against it.

Only rules that no machine can trip, however busy, are asked: errors, wrong answers, other SQL, other resources. Whether
the application is the limit, or steady, is not told in five seconds, nor beside whatever else the machine does.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace

from plumbline.catalog.bench import SuiteSpec
from plumbline.catalog.variant import VariantSpec
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Plan, PlannedTrial
from plumbline.model.record import Finding
from plumbline.plan.make import Selection, make_plan
from plumbline.record.assemble import judged
from plumbline.run.context import Context
from plumbline.run.job import Job
from plumbline.run.progress import Progress
from plumbline.run.testbed import Testbed, revive_database
from plumbline.run.trial import run_trial
from .checks import pool_grows

WARM_UP_S, LOAD_S = 3.0, 5.0
ASKED = ("R7", "R8", "R9", "R10", "R13", "R14", "R15", "R16", "R17", "R33", "R34")
_SUITE = "check"


class _SessionNews(Progress):
    """A progress that says what is no trial's, and nothing of trials."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def say(self, text: str) -> None:
        """Hand the text on."""
        self._say(text)


def under_load(testbed: Testbed, context: Context, job: Job) -> tuple[str, ...]:
    """Return what those rules say against the job's subject under its scenario, a sentence each."""
    plan = _plan(context, job, testbed)
    chosen = [next(one for one in plan.trials if one.role == role) for role in ("control", "measured")]
    jobs = (context.job(plan.control, job.scenario.name), job)
    evidence = {
        trial.number: _run(testbed, context, plan, trial, its)
        for trial, its in zip(chosen, jobs, strict=True)
    }
    yardstick, mine = judged(plan, context.host, evidence)
    if evidence[yardstick.number].failure is not None:
        failure = evidence[yardstick.number].failure
        return (f"The control itself failed, so nothing was compared: {failure.problem}",) if failure else ()
    if (failure := evidence[mine.number].failure) is not None:
        return (f"In the phase {failure.phase}: {failure.problem}", *failure.tail[-3:])
    # A pool that fills as it likes is told beside the figure.
    asked = {*ASKED} - ({"R10"} if pool_grows(job.settings) else set())
    return tuple(
        dict.fromkeys(
            f"{one.rule}: {one.reading}"
            for one in mine.findings
            if one.rule in asked and falls_short(one, job.variant.spec)
        )
    )


def falls_short(finding: Finding, spec: VariantSpec) -> bool:
    """Tell whether a finding is held against a variant.

    Programs without a server ask single queries outside of a transaction. Such a query may be over before a look at
    the sessions gets its turn on the database's CPU, and R10 then sees nobody at work. That the queries arrive is told
    by R14, which has them counted by the server.

    What R34 doubts is how files in memory grow, which the kernel counts for the whole host: also the buffers of every
    database there. The control, the only other subject here, has none.
    """
    if finding.rule == "R34" and finding.outcome == "warn":
        return False
    if finding.rule == "R10" and finding.outcome == "unknown" and spec.serves_on == "cli":
        return False
    return finding.outcome in ("invalid", "warn", "unknown")


def _plan(context: Context, job: Job, testbed: Testbed) -> Plan:
    suite = SuiteSpec.model_validate(
        {
            "about": "a check of one variant",
            "subjects": (job.subject.id,),
            "scenarios": (job.scenario.name,),
            "blocks": 1,
            "budget": "5m",
            "phases": (
                {"kind": "warm-up", "time": f"{WARM_UP_S}s"},
                {"kind": "closed", "time": f"{LOAD_S}s"},
            ),
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


def _run(testbed: Testbed, context: Context, plan: Plan, trial: PlannedTrial, job: Job) -> Evidence:
    scenario = plan.scenario(trial.scenario)
    its = scenario.of_control if trial.subject == plan.control else scenario
    try:
        return run_trial(testbed, replace(job, trial=trial, scenario=its), _SessionNews(context.say))
    finally:
        revive_database(testbed, _SessionNews(context.say))
        shutil.rmtree(testbed.work)
        testbed.work.mkdir()
