"""Five seconds of load on an application, beside the control, and what the referee has against it.

Only rules that no machine can trip, however busy, are asked: errors, wrong answers, other SQL, other resources. Whether
the application is the limit, or steady, is not told in five seconds, nor beside whatever else the machine does.
"""

from __future__ import annotations

from plumbline.archive.record.assemble import judged
from plumbline.measuring.run.alone import plan_alone, run_alone
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.testbed import Testbed
from plumbline.model.record import Finding
from plumbline.subjects.catalog.variant import VariantSpec
from .checks import pool_grows

PHASES = ({"kind": "warm-up", "time": "3s"}, {"kind": "closed", "time": "5s"})
ASKED = ("R7", "R8", "R9", "R10", "R13", "R14", "R15", "R16", "R17", "R33", "R34")


def under_load(testbed: Testbed, context: Context, job: Job) -> tuple[str, ...]:
    """Return what those rules say against the job's subject under its scenario, a sentence each."""
    plan = plan_alone(context, testbed, job, PHASES)
    chosen = [next(one for one in plan.trials if one.role == role) for role in ("control", "measured")]
    jobs = (context.job(plan.control, job.scenario.name), job)
    evidence = {
        trial.number: run_alone(testbed, context, plan, trial, its)
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

    What R10 doubts is that connections stood unused while the CPUs of a small host may have been all that clients
    waited for, or in too few looks to tell. Neither is a shortcoming of the variant.
    """
    if finding.rule in ("R10", "R34") and finding.outcome == "warn":
        return False
    if finding.rule == "R10" and finding.outcome == "unknown" and spec.serves_on == "cli":
        return False
    return finding.outcome in ("invalid", "warn", "unknown")
