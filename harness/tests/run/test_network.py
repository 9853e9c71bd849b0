"""The network that a plan says: that of the session's own database."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.run import planning
from plumbline.measuring.run.planning import plan_comparison
from plumbline.model.plan import Network
from plumbline.subjects.plan.make import Selection
from tests.record.comparisons import comparison_plan

PG = ("quarkus-rest-orm/jvm/pg", "vertx-pg/jvm/pg")
MYSQL = ("quarkus-rest-orm/jvm/mysql", "spring4-mvc-jpa/jvm/mysql")


@pytest.mark.parametrize(
    ("subjects", "of_host", "network"),
    [
        (PG, "loopback", "loopback"),
        (PG, "remote database", "remote database"),
        # The address in bench.toml is that of a PostgreSQL.
        (MYSQL, "remote database", "loopback"),
    ],
)
def test_a_comparison_says_the_network_of_its_database(
    monkeypatch: pytest.MonkeyPatch, subjects: tuple[str, str], of_host: Network, network: Network
) -> None:
    planned = comparison_plan(*subjects)
    assert planned.comparison is not None
    monkeypatch.setattr(planning, "make_comparison", lambda *args, **words: planned)
    monkeypatch.setattr(planning, "scenarios_of", lambda *args: ())
    context: Any = SimpleNamespace(
        catalog=None,
        host=None,
        sets=None,
        places=None,
        host_name="here",
        placement=SimpleNamespace(name="taskset"),
        noise=lambda duet: None,
        network=of_host,
    )
    assert plan_comparison(context, planned.comparison, Selection(seed=1)).network == network
