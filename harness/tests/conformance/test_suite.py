"""The parts of conformance: which parts are checked when not all are asked for."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.conformance import suite
from plumbline.measuring.conformance.suite import Extent, check_conformance
from plumbline.model.subject import Subject
from tests.checkout import ROOT
from .served import spec

SUBJECT = "vertx-pg/jvm/pg"
NOBODY: Any = None
FRUITS, ORDERS = ("fruits",), ("fruits", "orders")


@pytest.mark.parametrize(
    ("asked", "name"),
    [(Extent(contract_only=True), "contract"), (Extent(case="fruit-Apple"), "case fruit-Apple")],
)
def test_the_part_is_called_what_was_asked(asked: Extent, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    job = SimpleNamespace(
        subject=Subject.parse(SUBJECT),
        variant=SimpleNamespace(spec=spec()),
        settings={"profile": "parity", "db-timeout": "3000", "threads": "platform"},
    )
    monkeypatch.setattr(suite, "job_to_check", lambda *_: job)
    monkeypatch.setattr(suite, "_contract", lambda *_: ())
    (part,) = check_conformance(NOBODY, NOBODY, SUBJECT, asked)
    assert (part.name, part.problems) == (name, ())


@pytest.mark.parametrize(
    ("profile", "workloads", "asked", "names"),
    [
        ("parity", FRUITS, suite.ALL, ["contract", "database gone", "round trips", "load"]),
        ("parity", ORDERS, suite.ALL, ["contract", "database gone", "sources gone", "round trips", "load"]),
        ("parity", FRUITS, Extent(round_trips=True), ["round trips"]),
        # With defaults nobody states the size of the pool and how long it waits, so neither is checked.
        ("defaults", ORDERS, suite.ALL, ["contract", "load"]),
        ("defaults", FRUITS, Extent(round_trips=True), []),
    ],
)
def test_the_parts_of_a_profile(
    profile: str,
    workloads: tuple[str, ...],
    asked: Extent,
    names: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = SimpleNamespace(
        subject=Subject.parse(SUBJECT),
        variant=SimpleNamespace(spec=spec(workloads=workloads)),
        settings={"profile": profile, "db-timeout": "3000", "threads": "platform"},
    )
    context: Any = SimpleNamespace(root=ROOT, job=lambda subject: job)
    monkeypatch.setattr(suite, "job_to_check", lambda *_: job)
    monkeypatch.setattr(suite, "round_trips", lambda *_: {"GET /fruits": 5.0})
    for part in ("_contract", "gone_and_back", "without_sources", "under_load"):
        monkeypatch.setattr(suite, part, lambda *_: ())
    parts = list(check_conformance(NOBODY, context, SUBJECT, asked))
    assert [part.name for part in parts] == names
    assert [part.trips for part in parts if part.trips] == [{"GET /fruits": 5.0}] * ("round trips" in names)


@pytest.mark.parametrize(
    ("subject", "threads", "asked", "names"),
    [
        (
            SUBJECT,
            "virtual",
            suite.ALL,
            ["contract", "database gone", "round trips", "pinned threads", "load"],
        ),
        (SUBJECT, "virtual", Extent(pinned=True), ["pinned threads"]),
        (SUBJECT, "platform", Extent(pinned=True), []),
        # No recorder of the JDK works in a native image.
        ("vertx-pg/native.graalvm/pg", "virtual", Extent(pinned=True), []),
    ],
)
def test_pinned_threads_are_counted_where_threads_are_virtual(
    subject: str, threads: str, asked: Extent, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = SimpleNamespace(
        subject=Subject.parse(subject),
        variant=SimpleNamespace(spec=spec()),
        settings={"profile": "parity", "db-timeout": "3000", "threads": threads},
        image=None,
    )
    context: Any = SimpleNamespace(root=ROOT, job=lambda subject: job)
    monkeypatch.setattr(suite, "job_to_check", lambda *_: job)
    monkeypatch.setattr(suite, "round_trips", lambda *_: {})
    monkeypatch.setattr(suite, "serving", lambda *_: nullcontext())
    monkeypatch.setattr(suite, "pinned", lambda *_: {"GET /fruits": 0.0})
    for part in ("_contract", "gone_and_back", "under_load"):
        monkeypatch.setattr(suite, part, lambda *_: ())
    parts = list(check_conformance(NOBODY, context, subject, asked))
    assert [part.name for part in parts] == names
    assert [part.pins for part in parts if part.pins] == [{"GET /fruits": 0.0}] * ("pinned threads" in names)
