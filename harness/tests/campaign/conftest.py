"""One GitHub for all tests of workflows, and the account of what ran on it."""

from __future__ import annotations

import pytest

from tests.workflows.reading import all_jobs
from .story import (
    RAN,
    checked,
    confirmed,
    fork,
    hosted,
    machine,
    maintained,
    measured,
    mended,
    night,
    published,
    raised,
    tagged,
)

__all__ = [
    "checked",
    "confirmed",
    "fork",
    "hosted",
    "machine",
    "maintained",
    "measured",
    "mended",
    "night",
    "published",
    "raised",
    "tagged",
]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print every file and job that ran, how long the job took, and plain counts."""
    if not RAN:
        return
    terminalreporter.section("workflows")
    run = ""
    for job in RAN:
        if job.run != run:
            run = job.run
            terminalreporter.write_line(f"{run}:")
        state = "passed" if job.passed else "failed"
        terminalreporter.write_line(f"  {state:7} {job.file:18} {job.name:12} {job.seconds:6.0f} s")
    declared = {str(job) for job in all_jobs() if job.called is None}
    ran = {f"{job.file}:{job.name}" for job in RAN}
    good = {f"{job.file}:{job.name}" for job in RAN if job.passed}
    files = {name.partition(":")[0] for name in declared}
    terminalreporter.write_line(
        f"workflows: {len({name.partition(':')[0] for name in ran})} of {len(files)} files with jobs of their own; "
        f"{len(ran & declared)} of {len(declared)} jobs ran, {len(good & declared)} of them to a good end; "
        f"{len({job.run for job in RAN})} runs, in which {sum(not job.passed for job in RAN)} jobs failed"
    )
