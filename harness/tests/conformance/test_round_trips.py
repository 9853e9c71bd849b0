"""Round trips are counted per request, for each operation that is served and has statements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.conformance import suite
from plumbline.measuring.conformance.checks import REQUESTS
from plumbline.model.errors import AnswerIsNo
from plumbline.verdicts.contract.budgets import QueryBudget, read_budgets
from tests.checkout import ROOT
from .served import Served, spec

NOBODY: Any = None


class CountingProxy:
    """A proxy whose count a made-up driver raises: by 7 for the first request of a path, by 5 for each later one."""

    def __init__(self) -> None:
        self.trips = 0

    def __enter__(self) -> CountingProxy:
        return self

    def __exit__(self, *_: object) -> None: ...


def trips_of_operations(log: Path, monkeypatch: pytest.MonkeyPatch, status: int = 200) -> dict[str, float]:
    proxy, asked_paths = CountingProxy(), set()

    class Extent(Served):
        def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
            proxy.trips += 5 if path in asked_paths else 7
            asked_paths.add(path)
            return super().ask(method, path, body)

    @contextmanager
    def serving(*_: object) -> Iterator[Served]:
        yield Extent(log, of=spec(workloads=("hello", "fruits")), status=status)

    monkeypatch.setattr(suite, "proxied", lambda testbed, delay_s: proxy)
    monkeypatch.setattr(suite, "through_proxy", lambda testbed, proxy: testbed)
    monkeypatch.setattr(suite, "serving", serving)
    monkeypatch.setattr(suite, "on_one_connection", lambda job: job)
    budgets: dict[str, QueryBudget] = read_budgets(ROOT / "apps" / "contract")
    return suite.round_trips(NOBODY, SimpleNamespace(), budgets)  # type: ignore[arg-type]


def test_what_a_driver_does_but_once_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = trips_of_operations(tmp_path / "log", monkeypatch)
    assert counted["GET /fruits"] == counted["GET /fruits/{name}"] == 5
    assert set(counted) == {"GET /fruits", "GET /fruits/{name}", "POST /fruits"}
    assert REQUESTS > 1


@pytest.mark.parametrize(
    ("part", "counter"), [("_round_trips_part", "round_trips"), ("_pinned_threads_part", "pinned")]
)
def test_an_application_that_does_not_answer_falls_short(
    part: str, counter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An application may need two connections for a request where its pool has one."""

    def silent(*_: object) -> None:
        raise TimeoutError("timed out")

    @contextmanager
    def serving(*_: object) -> Iterator[Served]:
        yield Served(tmp_path / "log", of=spec(workloads=("hello", "fruits")), status=200)

    monkeypatch.setattr(suite, "serving", serving)
    monkeypatch.setattr(suite, counter, silent)
    result = getattr(suite, part)(NOBODY, SimpleNamespace(root=ROOT), SimpleNamespace(settings={}))
    assert result.problems == ("No answer: TimeoutError timed out",)


def test_a_request_that_is_refused_is_no_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AnswerIsNo, match="GET /fruits is answered by 500"):
        trips_of_operations(tmp_path / "log", monkeypatch, status=500)
