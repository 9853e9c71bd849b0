"""Resolves an operation for a trial: its path, the probes of its workload, the body its answers must have."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.plan import Scenario
from .probes import ProbeSpec

# What stands for {name} in paths.
_NAMES = {"hello": "World", "fruits": "Apple"}
# The first request after the start, where it is not the operation itself: one that any rows answer with 200.
_FIRST = {"zipcode": "/zipcode/by_city?city=Nowhere", "companies": "/companies?limit=1", "orders": "/orders"}


def name_of(scenario: Scenario) -> str:
    """Return what stands for {name} in the scenario's paths."""
    return _NAMES.get(scenario.workload, "")


def path_of(scenario: Scenario) -> str:
    """Return the path of the scenario's operation, without the words in brackets that tell two operations apart."""
    return scenario.operation.split(" ")[1].replace("{name}", name_of(scenario))


def first_path_of(scenario: Scenario) -> str:
    """Return the path of the first request after the start."""
    return _FIRST.get(scenario.workload) or path_of(scenario)


def golden_of(scenario: Scenario, probes: Iterable[ProbeSpec]) -> str | None:
    """Return the exact body of the operation's answer; None where answers differ, as those of POST do."""
    if not scenario.operation.startswith("GET "):
        return None
    for probe in probes:
        if (probe.method, probe.path) == ("GET", path_of(scenario)) and probe.body and not probe.varying:
            return probe.body.decode()
    return None
