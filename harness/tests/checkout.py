"""This checkout, and its catalog, which many tests only read."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from plumbline.subjects.catalog.catalog import read_catalog
from plumbline.subjects.plan.duration import session_s
from plumbline.subjects.plan.make import trials_at_most
from plumbline.subjects.plan.phases import scenario_of

ROOT = Path(__file__).resolve().parents[2]
CATALOG = read_catalog(ROOT)


def planned_s(name: str, blocks: int | None = None) -> float:
    """The seconds that a session of a suite (of so many blocks) is planned to take, without the rotation."""
    _, suite = CATALOG.suite(name)
    scenarios = [scenario_of(text, CATALOG.scenario(text), suite) for text in suite.scenarios]
    trials = trials_at_most(CATALOG, suite, CATALOG.subjects_of(suite), scenarios, blocks or suite.blocks)
    return session_s(trials, scenarios)


def assert_named(place: str, named: Set[str], wanted: Set[str]) -> None:
    """Fail with what is to be added to a place of the repository, and what is to be removed from it."""
    steps = [f"add {name}" for name in sorted(wanted - named)] + [f"remove {name}" for name in sorted(named - wanted)]
    assert not steps, f"{place}: {', '.join(steps)}"
