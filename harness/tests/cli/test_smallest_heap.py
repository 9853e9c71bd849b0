"""What `./bench smallest-heap` prints of a search, and the commands that it names."""

from __future__ import annotations

import json
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from plumbline.cli.smallest_heap_command import command
from plumbline.measuring.launch import lock
from plumbline.measuring.run import context, opening, smallest_heap
from plumbline.measuring.run.smallest_heap import FoundHeap, Look
from plumbline.model.subject import Subject
from tests.checkout import CATALOG

ORM, SQL = "quarkus-rest-orm/jvm/pg", "vertx-pg/jvm/pg"
KEEPS = FoundHeap(48, 150 * 2.0**20, Look(40, None, "it answered 90 requests/s"))
FAILS = FoundHeap(None, None, Look(512, None, "it answered 120 requests/s"))


def said(monkeypatch: pytest.MonkeyPatch, found: dict[str, FoundHeap], *words: str) -> Result:
    def search(testbed: Any, context: Any, subject: Subject, scenario: str, rate_per_s: int) -> FoundHeap:
        return found[subject.id]

    monkeypatch.setattr(context, "open_context", lambda *_: SimpleNamespace(catalog=CATALOG))
    monkeypatch.setattr(lock, "MachineLock", lambda: nullcontext(SimpleNamespace(descriptor=0)))
    monkeypatch.setattr(opening, "testbed_for_now", lambda *_: nullcontext())
    monkeypatch.setattr(smallest_heap, "smallest_heap", search)
    return CliRunner().invoke(command, [*found, *words], standalone_mode=False)


def test_two_subjects_are_compared_at_their_own_heap_and_at_the_smallest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("--rate", "150", "--scenario", "fruits-mix")
    result = said(monkeypatch, {ORM: KEEPS, SQL: FoundHeap(8, 150 * 2.0**20, None)}, *words)
    assert result.return_value == 0
    assert result.output.splitlines() == [
        f"{ORM} keeps 150 requests/s with 48 MiB of heap, 150 MiB in memory; with 40 MiB: it answered 90 requests/s",
        f"{SQL} keeps 150 requests/s with 8 MiB of heap, 150 MiB in memory",
        "A comparison has another load than this search: it saturates both sides, so each may need more heap.",
        f"./bench compare {ORM}+heap=auto {SQL}+heap=auto --scenario fruits-mix",
        f"./bench compare {ORM}+heap=48m {SQL}+heap=8m --scenario fruits-mix",
    ]


def test_a_subject_that_keeps_no_rate_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    result = said(monkeypatch, {ORM: KEEPS, SQL: FAILS})
    assert result.return_value == 1
    assert result.output.splitlines()[1:] == [
        f"{SQL} does not keep 200 requests/s; with 512 MiB: it answered 120 requests/s"
    ]


def test_a_document_has_the_heaps(monkeypatch: pytest.MonkeyPatch) -> None:
    result = said(monkeypatch, {ORM: KEEPS, SQL: FAILS}, "--json")
    assert result.return_value == 1
    assert json.loads(result.output) == {
        ORM: {"heap_mib": 48, "rss_under_load_bytes": 150 * 2.0**20},
        SQL: {"heap_mib": None, "rss_under_load_bytes": None},
    }
