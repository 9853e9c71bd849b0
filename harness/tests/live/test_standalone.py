"""The programs without a server, a whole trial each: same batches, SQL and pool, seen from the database too."""

from __future__ import annotations

import shutil
from dataclasses import replace

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
PROGRAMS = [name for name, one in sorted(VARIANTS.items()) if one.spec.serves_on == "cli"]
PHASES = (
    Phase(kind="start", name="start"),
    Phase(kind="probe", name="probe"),
    Phase(kind="warm-up", name="warm-up", duration_s=1.0, connections=1, cycles=2, pause_s=0.5),
    Phase(kind="closed", name="closed", duration_s=3.0, connections=1, saturates=True),
    Phase(kind="after", name="after"),
)
# Budget of the same request of a web application, by its query.
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
    """The programs plainly, with database TLS and tuned; all those of the suites as well if `every` one is wanted."""
    found = [
        f"{program}/jvm/pg{words}"
        for program in PROGRAMS
        for words in (
            "",
            "+db-tls=require",
            *([TUNED] if "profile" in VARIANTS[program].spec.settings else []),
        )
    ]
    permutations = [one.id for one in of_suites() if one.variant in PROGRAMS] if every else []
    return list(dict.fromkeys((*found, *permutations)))


def test_a_trial(context: Context, testbed: Testbed, subject: str) -> None:
    one = context.catalog.subject(subject)
    settings = context.catalog.settings_of(one)
    tls = settings["db-tls"]
    query = "one" if tls == "off" else "hundred"
    found = trial_of(context, testbed, subject, query)
    assert found.failure is None, found.failure

    # What it is, and how it is connected: its own word, and the database's.
    assert found.environment is not None and found.environment_after is not None
    assert found.environment["pool"]["configured"] == 20
    at_first = 10 if settings["pool-initial"] == "half" else 20
    assert found.environment["pool"]["open"] == at_first
    own = context.catalog.variants[one.variant].spec.settings
    assert found.environment["settings"] == {name.replace("-", "_"): settings[name] for name in own if name != "pool"}
    assert found.environment["database"]["isolation"] == "read committed"
    assert {use.version for use in found.tls} == {"TLSv1.3" if tls == "require" else None}
    assert sum(use.connections for use in found.tls) == 20

    # Every batch read what it must have, and the database did exactly this work.
    assert sorted(probe.name for probe in found.probes) == ["batch-hundred", "batch-one", "batch-sleep"]
    assert [probe.problem for probe in found.probes] == [None, None, None]
    warm_up, closed = found.load
    assert (warm_up.executor, closed.executor) == ("program", "program")
    batch = Batch(query=query, count=200)
    budget = read_budgets(CONTRACT)[BUDGET[query]]
    (item,) = budget.statements
    each = StatementBudget(table=item.table, kind=item.kind, calls=batch.count, rows=batch.rows)
    for load, work in zip(found.load, found.database, strict=True):
        assert load.requests >= 1 and (load.checks_passed, load.checks_failed) == (load.requests, 0)
        assert over_budget(work, load.requests, budget.model_copy(update={"statements": (each,)})) == ()
    assert closed.window_s >= 3.0 and warm_up.window_s >= 3.0

    # It was watched as all others are: its CPU, its threads, its batches second by second; nobody loaded it.
    columns = found.series.columns
    counted = [count for count in columns["load.requests"] if count is not None]
    ran = sum(load.requests for load in found.load)
    # Between the first row and the last: not the batches of the last second, but those of the probes.
    assert counted == sorted(counted) and 0.5 * ran <= counted[-1] - counted[0] <= ran + len(found.probes)
    assert {row.role for row in found.affinity} >= {"app", "db"} and "load" not in {row.role for row in found.affinity}
    assert {one.role for one in found.processes} == {"app", "db"}
    assert found.start is not None and found.start.first_response_ms > found.start.healthy_ms > 0
    (app,) = (one for one in found.processes if one.role == "app")
    assert app.exit_code == 143 and not app.ended_early
