"""The programs without a server, a whole trial each: same batches, SQL and pool, seen from the database too."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Literal

import pytest

from plumbline.measuring.conformance.suite import TUNED
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.testbed import Testbed
from plumbline.measuring.run.trial import run_trial
from plumbline.model.batch import Batch
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Phase, PlannedTrial, Scenario
from plumbline.subjects.catalog.catalog import read_catalog
from plumbline.verdicts.contract.budgets import StatementBudget, over_budget, read_budgets
from .conftest import ROOT
from .subjects import of_suites

pytestmark = pytest.mark.slow

CONTRACT = ROOT / "apps" / "contract"
VARIANTS = read_catalog(ROOT).variants
PROGRAMS = [name for name, variant in sorted(VARIANTS.items()) if variant.spec.serves_on == "cli"]
PHASES = (
    Phase(kind="start", name="start"),
    Phase(kind="probe", name="probe"),
    Phase(kind="warm-up", name="warm-up", duration_s=1.0, connections=1, cycles=2, pause_s=0.5),
    Phase(kind="closed", name="closed", duration_s=3.0, connections=1, saturates=True),
    Phase(kind="after", name="after"),
)
# The budget of a query is that of the same request to a web application.
BUDGET = {"one": "GET /benchmark", "hundred": "GET /benchmark (hundred)"}


class Quiet:
    """See run.progress.Progress."""

    def say(self, text: str) -> None:
        pass

    def trial_began(self, trial: PlannedTrial, count: int, of: int, remaining_s: float) -> None:
        pass

    def phase_began(self, name: str) -> None:
        pass

    def trial_ended(self, trial: PlannedTrial, headline: str, problem: str | None) -> None:
        pass


def test_there_are_three() -> None:
    assert PROGRAMS == ["standalone-jdbc", "standalone-r2dbc", "standalone-vertx"]


def trial_of(context: Context, testbed: Testbed, subject: str, query: str) -> Evidence:
    scenario = Scenario(
        name="companies",
        version=1,
        workload="companies",
        script="companies.ts",
        operation=f"GET /benchmark?query={query}&count=200",
        uses_database=True,
        phases=PHASES,
    )
    try:
        return run_trial(testbed, replace(context.job(subject), scenario=scenario), Quiet())
    finally:
        shutil.rmtree(testbed.work)
        testbed.work.mkdir()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "subject" in metafunc.fixturenames:
        every = bool(metafunc.config.getoption("every_variant"))
        metafunc.parametrize("subject", subjects(every=every), indirect=True)


def subjects(*, every: bool) -> list[str]:
    """The programs plain, with database TLS, and tuned; with `every` all their subjects of the suites as well."""
    usual = [
        f"{program}/jvm/pg{words}"
        for program in PROGRAMS
        for words in (
            "",
            "+db-tls=require",
            *([TUNED] if "profile" in VARIANTS[program].spec.settings else []),
        )
    ]
    permutations = [subject.id for subject in of_suites() if subject.variant in PROGRAMS] if every else []
    return list(dict.fromkeys((*usual, *permutations)))


def test_a_trial(context: Context, testbed: Testbed, subject: str) -> None:
    parsed = context.catalog.subject(subject)
    settings = context.catalog.settings_of(parsed)
    tls = settings["db-tls"]
    query: Literal["one", "hundred"] = "one" if tls == "off" else "hundred"
    evidence = trial_of(context, testbed, subject, query)
    assert evidence.failure is None, evidence.failure

    # What the program is and how it is connected, by its own word and by the database's.
    assert evidence.environment is not None and evidence.environment_after is not None
    assert evidence.environment["pool"]["configured"] == 20
    at_first = 10 if settings["pool-initial"] == "half" else 20
    assert evidence.environment["pool"]["open"] == at_first
    own = context.catalog.variants[parsed.variant].spec.settings
    assert evidence.environment["settings"] == {
        name.replace("-", "_"): settings[name] for name in own if name != "pool"
    }
    assert evidence.environment["database"]["isolation"] == "read committed"
    assert {use.version for use in evidence.tls} == {"TLSv1.3" if tls == "require" else None}
    assert sum(use.connections for use in evidence.tls) == 20

    # Every batch read what it must have, and the database did exactly this work.
    assert sorted(probe.name for probe in evidence.probes) == ["batch-hundred", "batch-one", "batch-sleep"]
    assert [probe.problem for probe in evidence.probes] == [None, None, None]
    warm_up, closed = evidence.load
    assert (warm_up.executor, closed.executor) == ("program", "program")
    batch = Batch(query=query, count=200)
    budget = read_budgets(CONTRACT)[BUDGET[query]]
    (item,) = budget.statements
    each = StatementBudget(table=item.table, kind=item.kind, calls=batch.count, rows=batch.rows)
    for load, work in zip(evidence.load, evidence.database, strict=True):
        assert load.requests >= 1 and (load.checks_passed, load.checks_failed) == (load.requests, 0)
        assert over_budget(work, load.requests, budget.model_copy(update={"statements": (each,)})) == ()
    assert closed.window_s >= 3.0 and warm_up.window_s >= 3.0
    # A request to a web application takes all rows of its batch on the loop that serves it.
    if parsed.variant == "standalone-vertx":
        assert {load.batch_threads for load in evidence.load} == {1.0}

    # The program was watched as all subjects are: CPU, threads, batches second by second; no load generator ran.
    columns = evidence.series.columns
    counted = [count for count in columns["load.requests"] if count is not None]
    ran = sum(load.requests for load in evidence.load)
    # The count from the first row to the last lacks the batches of the last second, and has those of the probes.
    assert counted == sorted(counted) and 0.5 * ran <= counted[-1] - counted[0] <= ran + len(evidence.probes)
    assert {row.role for row in evidence.affinity} >= {"app", "db"} and "load" not in {
        row.role for row in evidence.affinity
    }
    assert {process.role for process in evidence.processes} == {"app", "db"}
    assert evidence.start is not None
    first_ms, healthy_ms = evidence.start.first_response_ms, evidence.start.healthy_ms
    assert first_ms is not None and healthy_ms is not None and first_ms > healthy_ms > 0
    (app,) = (process for process in evidence.processes if process.role == "app")
    assert app.exit_code == 143 and not app.ended_early
