"""The network that a plan says: that of the session's own database."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plumbline.measuring.place.providers.taskset import Taskset
from plumbline.measuring.run import planning
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.planning import plan_comparison, plan_session
from plumbline.model.plan import Network
from plumbline.subjects.catalog.bench import HostSpec
from plumbline.subjects.plan.detectable import NO_HISTORY
from plumbline.subjects.plan.make import Selection
from tests.judge.planned import LAB, SMALL, host
from tests.record.comparisons import comparison_plan
from tests.run.clones import ROOT, context

PG = ("quarkus-rest-orm/jvm/pg", "vertx-pg/jvm/pg")
ELSEWHERE = "postgresql://bench@db:5432"
MYSQL = ("quarkus-rest-orm/jvm/mysql", "spring4-mvc-jpa/jvm/mysql")


@pytest.mark.parametrize(
    ("subjects", "database", "network"),
    [
        (PG, "embedded", "loopback"),
        (PG, ELSEWHERE, "remote database"),
        # The address in bench.toml is that of a PostgreSQL.
        (MYSQL, ELSEWHERE, "loopback"),
    ],
)
def test_a_comparison_says_the_network_of_its_database(
    monkeypatch: pytest.MonkeyPatch, subjects: tuple[str, str], database: str, network: Network
) -> None:
    planned = comparison_plan(*subjects)
    assert planned.comparison is not None
    monkeypatch.setattr(planning, "make_comparison", lambda *args, **words: planned)
    monkeypatch.setattr(planning, "scenarios_of", lambda *args: ())
    here = context(ROOT)
    here.__dict__.update(
        host_spec=HostSpec(database=database), sets=SMALL, places=None, placement=SimpleNamespace(name="taskset")
    )
    monkeypatch.setattr(Context, "noise", lambda self, duet: NO_HISTORY)
    assert plan_comparison(here, planned.comparison, Selection(seed=1)).network == network


@pytest.mark.parametrize(
    ("suite", "subject", "is_elsewhere"),
    [("smoke", "vertx-pg/jvm/pg", True), ("seed-000-mysql", "quarkus-rest-reactive/jvm/mysql+pool=95", False)],
)
def test_a_session_on_mysql_has_the_proof_of_its_own_database(
    monkeypatch: pytest.MonkeyPatch, suite: str, subject: str, is_elsewhere: bool
) -> None:
    monkeypatch.setattr(Context, "noise", lambda self: NO_HISTORY)
    here = context(ROOT)
    here.__dict__.update(
        host=host(), host_spec=HostSpec(database=ELSEWHERE), sets=LAB, placement=Taskset("nobody may do more")
    )
    plan = plan_session(here, Selection(suite=suite, only=(subject,), seed=1, prove=True))
    (reason,) = [unproven.reason for unproven in plan.unproven if unproven.proof == "more database CPU"]
    assert ("no database on another host" in reason) == is_elsewhere
    assert plan.network == ("remote database" if is_elsewhere else "loopback")
