"""The promises of history, replayed night by night: false candidates and alerts, and the delay to find a step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from plumbline.verdicts.stats.changes import Change, change_points
from plumbline.verdicts.stats.interim import LOOKS, follow
from .measured import Measured
from .noise import CV, abba, iid

NIGHTS = 250
"""Of a flat series: a year of working days."""

STEP = 1.02
STEP_FROM, STEP_TO = 30, 120
"""The night of the step is drawn between these."""

NIGHTS_AFTER = 20

FALSE_CANDIDATES_AT_MOST = 1.0
FALSE_ALERTS_AT_MOST = 0.1
"""For 1,000 series-nights each; an alert is a candidate that an interleaved comparison confirms."""

DELAY_AT_MOST = 5.0
FOUND_WITHIN = 10
LOCATED_WITHIN = 5
SHARE_AT_LEAST = 0.9

SAME_WITHIN = 5
"""More nights move a change by a few; within so many it is the same one."""

_PER = "per 1,000 series-nights"
_NEVER = NIGHTS_AFTER + 1


@dataclass(frozen=True)
class Seen:
    """A change when it was first seen, `night` nights into the series."""

    night: int
    change: Change


def night_by_night(logs: Sequence[float], first: int) -> list[Seen]:
    """Every change of a series as somebody saw it who looked after each night from the `first` on."""
    seen: list[Seen] = []
    for night in range(first, len(logs) + 1):
        for change in change_points(logs[:night]):
            if not any(_same(change, old.change) for old in seen):
                seen.append(Seen(night, change))
    return seen


def _same(one: Change, other: Change) -> bool:
    return abs(one.index - other.index) <= SAME_WITHIN and (one.difference > 0) == (other.difference > 0)


def found_after(logs: Sequence[float], step: int, upwards: bool) -> tuple[int, int] | None:
    """(nights of the new level until a step is first seen, nights by which it is misplaced); None when it is not."""
    for seen in night_by_night(logs, step + 1):
        near = abs(seen.change.index - step) <= 2 * SAME_WITHIN
        if near and (seen.change.difference > 0) == upwards:
            return seen.night - step, abs(seen.change.index - step)
    return None


def measure_history(series: int, seed: int, cv: float = CV, *, promised: bool = True) -> Iterator[Measured]:
    """Every promise of history over so many flat series and so many with a step, scattering by `cv` a night."""
    draw = np.random.default_rng(seed)
    noise = f"{cv * 100:.1f} % from night to night"

    def row(promise: str, value: float, low: float, high: float, is_number: bool = True) -> Measured:
        low, high = (low, high) if promised else (0.0, math.inf)
        return Measured(promise, noise, series, value, low, high, is_number)

    nights = series * NIGHTS / 1000
    false = sum(
        len(night_by_night(flat, 1)) for flat in (cv * draw.standard_normal((series, NIGHTS))).tolist()
    )
    pairs = abba(draw, iid(draw, max(false, 1), 2 * LOOKS[-1])).tolist()[:false]
    confirmed = sum(_confirms(values) for values in pairs)
    yield row(f"false candidates {_PER}", false / nights, 0, FALSE_CANDIDATES_AT_MOST)
    yield row(f"false alerts {_PER}, after a comparison", confirmed / nights, 0, FALSE_ALERTS_AT_MOST)
    delays, errors = [], []
    for _ in range(series):
        step = int(draw.integers(STEP_FROM, STEP_TO))
        size = math.log(STEP) * (1 if draw.random() < 0.5 else -1)
        logs = cv * draw.standard_normal(step + NIGHTS_AFTER)
        logs[step:] += size
        delay, error = found_after(logs.tolist(), step, size > 0) or (_NEVER, _NEVER)
        delays.append(delay)
        errors.append(error)
    yield row(
        f"median nights until a step of {(STEP - 1) * 100:.0f} % is found",
        float(median(delays)),
        0,
        DELAY_AT_MOST,
    )
    for name, values, within in (
        (f"a step of {(STEP - 1) * 100:.0f} % is found within {FOUND_WITHIN} nights", delays, FOUND_WITHIN),
        (
            f"a step of {(STEP - 1) * 100:.0f} % is located within {LOCATED_WITHIN} nights",
            errors,
            LOCATED_WITHIN,
        ),
    ):
        yield row(name, sum(value <= within for value in values) / series, SHARE_AT_LEAST, 1.0, False)


def _confirms(values: Sequence[float]) -> bool:
    last = follow(values, LOOKS).last
    return last is not None and last.verdict in ("faster", "slower")
