"""Put five seconds of load on an application, beside the control, and return the referee's findings against it.

Only rules that no machine can trip, however busy, are applied: errors, wrong answers, other SQL, other resources. Five
seconds on a machine with other work can't show whether the application is the limit, or is steady.
"""

from __future__ import annotations

from plumbline.archive.record.assemble import judged
from plumbline.measuring.run.alone import plan_alone, run_alone, trial_of
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.testbed import Testbed
from plumbline.model.record import Finding
from plumbline.subjects.catalog.variant import VariantSpec
from .checks import pool_grows

PHASES = ({"kind": "warm-up", "time": "3s"}, {"kind": "closed", "time": "5s"})
ASKED = ("R7", "R8", "R9", "R10", "R13", "R14", "R15", "R16", "R17", "R33", "R34")


def under_load(testbed: Testbed, context: Context, job: Job) -> tuple[str, ...]:
    """Return a sentence for each finding of the rules ASKED against the job's subject under its scenario.

    The control is judged alone: nothing stands beside it.
    """
    plan = plan_alone(context, testbed, job, PHASES)
    jobs = {job.subject.id: job}
    if plan.control not in jobs:
        jobs = {plan.control: context.job(plan.control, job.scenario.name), **jobs}
    trials = {id_: trial_of(plan, id_) for id_ in jobs}
    evidence = {trials[id_].number: run_alone(testbed, context, plan, trials[id_], jobs[id_]) for id_ in jobs}
    *beside, measured = judged(plan, context.host, evidence)
    for control in beside:
        if (failure := evidence[control.number].failure) is not None:
            return (f"The control itself failed, so nothing was compared: {failure.problem}",)
    if (failure := evidence[measured.number].failure) is not None:
        return (f"In the phase {failure.phase}: {failure.problem}", *failure.tail[-3:])
    # A pool that may grow is no shortcoming: a note beside the figure names it.
    rules = {*ASKED} - ({"R10"} if pool_grows(job.settings) else set())
    return tuple(
        dict.fromkeys(
            f"{finding.rule}: {finding.reading}"
            for finding in measured.findings
            if finding.rule in rules and falls_short(finding, job.variant.spec)
        )
    )


def falls_short(finding: Finding, spec: VariantSpec) -> bool:
    """Return whether a finding counts against a variant.

    Programs without a server send single queries outside of a transaction. Such a query may be over before the sampling
    of the sessions gets its turn on the database's CPU, and R10 then sees no session at work. R14, for which the server
    counts the queries, shows that they arrive.

    R34 doubts how files in memory grow, which the kernel counts for the whole host: also the buffers of every database
    there. The control, the only other subject here, has none.

    R10 warns that connections stood unused while clients may have waited for nothing but the CPUs of a small host, or
    that there were too few samples to tell. Neither is a shortcoming of the variant.
    """
    if finding.rule in ("R10", "R34") and finding.outcome == "warn":
        return False
    if finding.rule == "R10" and finding.outcome == "unknown" and spec.serves_on == "cli":
        return False
    return finding.outcome in ("invalid", "warn", "unknown")
