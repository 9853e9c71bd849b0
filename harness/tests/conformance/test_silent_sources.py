"""An order whose sources fail is answered by 503, with the contract's problem."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.conformance import silent_sources
from plumbline.measuring.conformance.serving import serves
from plumbline.verdicts.contract.probes import read_probes
from plumbline.verdicts.contract.waits import ORDER
from tests.checkout import CATALOG, ROOT

GONE = b'{"status":503,"title":"Service Unavailable","detail":"A source of the order does not answer."}'
FAILING, LATE = "-1.0", "4000.0"


class Scenario(SimpleNamespace):
    """A scenario of which only the latency of the sources is read."""

    def model_copy(self, update: dict[str, object]) -> Scenario:
        return Scenario(**update)


@dataclass(frozen=True)
class Job:
    """A job of which only the scenario is read."""

    scenario: Any


@pytest.mark.parametrize(
    ("answers", "sentences"),
    [
        ({FAILING: (503, GONE), LATE: (503, GONE)}, ()),
        (
            {FAILING: (500, b""), LATE: (503, GONE)},
            ("While the sources answer 500, POST /orders is answered by 500.",),
        ),
        (
            {FAILING: (503, b"{}"), LATE: (201, b"{}")},
            (
                "While the sources answer 500, the detail is not 'A source of the order does not answer.'.",
                "While the sources are silent, POST /orders is answered by 201.",
            ),
        ),
    ],
)
def test_each_failure_of_the_sources_is_tried(
    answers: dict[str, tuple[int, bytes]], sentences: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def serving(testbed: object, job: Job) -> Iterator[SimpleNamespace]:
        answer = answers[str(job.scenario.source_latency_ms)]
        yield SimpleNamespace(ask=lambda method, path, body: answer if (method, path) == ("POST", "/orders") else None)

    monkeypatch.setattr(silent_sources, "serving", serving)
    testbed: Any = SimpleNamespace(probes=read_probes(ROOT / "apps" / "contract"))
    job: Any = Job(Scenario())
    assert silent_sources.without_sources(testbed, job) == sentences


def test_who_only_reads_orders_asks_no_source() -> None:
    asking = {name for name, variant in CATALOG.variants.items() if serves(variant.spec, ORDER)}
    assert {"quarkus-rest-orm", "spring4-mvc-jpa"} < asking
    assert "control" not in asking and "vertx-pg" not in asking
