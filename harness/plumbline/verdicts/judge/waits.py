"""Checks of what a request has to wait for: the sleep of `/sleep` and `/split`, and the six sources of an order."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.evidence import QUANTILES, LoadResult
from plumbline.verdicts.contract.waits import ORDER, SLEEP_MS, SOURCES, SPLIT_EVERY
from .facts import TrialFacts
from .rule import Check, broken, passed, unknown
from .wording import counted

# The quantile from which on answers have slept: in `/split` the middle of those that do.
_SLEPT = {"GET /sleep": 0.0, "GET /sleep-async": 0.0, "GET /split/{name}": 1 - 0.5 / SPLIT_EVERY}


def waits(trial: TrialFacts, operation: str, load: LoadResult) -> Iterable[Check]:
    """Yield the checks of a phase in which the trial was asked for `operation`.

    Failed requests wait for nothing: a phase that has some is left to R7.
    """
    if load.failed:
        return
    if operation in _SLEPT and len(load.latency_ms) == len(QUANTILES):
        yield from _early(load.latency_ms[QUANTILES.index(_SLEPT[operation])], SLEEP_MS)
    orders, quickest_ms = _orders(operation, load)
    if orders > 0 and trial.scenario.source_latency_ms is not None:
        yield from _early(quickest_ms, trial.scenario.source_latency_ms)
        yield from _asked(trial, load.phase, orders)


def _early(answered_ms: float | None, least_ms: float) -> Iterable[Check]:
    if answered_ms is not None and answered_ms < least_ms:
        reading = f"Requests that have to wait for {least_ms:g} ms were answered after {answered_ms:.3g} ms."
        yield broken(reading, answered_ms, "ms", least_ms)


def _orders(operation: str, load: LoadResult) -> tuple[int, float | None]:
    """Return how many orders a load made, and the time of the quickest; no orders where it made none."""
    if operation == ORDER:
        return load.requests, load.latency_min_ms
    parts = [part for part in load.parts if part.request == ORDER]
    return sum(part.requests for part in parts), min(
        (min(part.latency_ms) for part in parts if part.latency_ms), default=None
    )


def _asked(trial: TrialFacts, phase: str, orders: int) -> Iterable[Check]:
    """Yield the check of the sources' own counts. Older evidence has none of them."""
    if not trial.evidence.sources:
        return
    answered = next((work.answered for work in trial.evidence.sources if work.phase == phase), None)
    if answered is None:
        yield unknown("How often the sources of an order answered was not counted.")
        return
    source = min(SOURCES, key=lambda name: answered.get(name, 0))
    share = answered.get(source, 0) / orders
    if share >= 1:
        yield passed(f"All six sources answered for each of {counted(orders, 'order')}.", share, "share", 1)
    else:
        reading = f"{counted(orders, 'order')} were made, and of their sources {source} answered"
        yield broken(f"{reading} {answered.get(source, 0)} times: an order asks all six.", share, "share", 1)
