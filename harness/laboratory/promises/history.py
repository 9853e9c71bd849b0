"""The promises of history, replayed night by night: false candidates, false alerts, and the delay to find a step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from plumbline.verdicts.stats.changes import Change, change_points
from plumbline.verdicts.stats.interim import LOOKS, follow
from .measured import Measured
from .noise import CV, Floats, abba, iid

NIGHTS = 250
"""The length of a flat series: a year of working days."""

STEP = 1.02
STEP_FROM, STEP_TO = 30, 120
"""The night of the step is drawn between these two."""

NIGHTS_AFTER = 20

FALSE_CANDIDATES_AT_MOST = 1.0
FALSE_ALERTS_AT_MOST = 0.1
"""Both limits are for 1,000 series-nights; an alert is a candidate that an interleaved comparison confirms."""

DELAY_AT_MOST = 5.0
FOUND_WITHIN = 10
LOCATED_WITHIN = 5
SHARE_AT_LEAST = 0.9

SAME_WITHIN = 5
"""Further nights may move a change by a few nights: changes at most this far apart are the same change."""

_PER = "per 1,000 series-nights"
_NEVER = NIGHTS_AFTER + 1


@dataclass(frozen=True)
class Sighting:
    """A change as it was first seen, `night` nights into the series."""

    night: int
    change: Change


def night_by_night(logs: Sequence[float], first: int) -> list[Sighting]:
    """Return every change of a series as it is first seen by a search after each night from the `first` on."""
    sightings: list[Sighting] = []
    for night in range(first, len(logs) + 1):
        for change in change_points(logs[:night]):
            if not any(_is_same(change, earlier.change) for earlier in sightings):
                sightings.append(Sighting(night, change))
    return sightings


def _is_same(change: Change, other: Change) -> bool:
    return abs(change.index - other.index) <= SAME_WITHIN and (change.difference > 0) == (other.difference > 0)


def found_after(logs: Sequence[float], step: int, upwards: bool) -> tuple[int, int] | None:
    """Return (nights at the new level until a step is first seen, nights by which it is misplaced); None if unseen."""
    for sighting in night_by_night(logs, step + 1):
        is_near = abs(sighting.change.index - step) <= 2 * SAME_WITHIN
        if is_near and (sighting.change.difference > 0) == upwards:
            return sighting.night - step, abs(sighting.change.index - step)
    return None


def nights(draw: np.random.Generator, series: int, count: int, cv: float, memory: float) -> Floats:
    """Return log figures of so many nights, a row a series: they scatter by `cv`, `memory` of which stays a night."""
    logs: Floats = cv * draw.standard_normal((series, count))
    for night in range(1, count):
        logs[:, night] = memory * logs[:, night - 1] + math.sqrt(1 - memory**2) * logs[:, night]
    return logs


def measure_history(
    series: int, seed: int, cv: float = CV, memory: float = 0.0, *, promised: bool = True
) -> Iterator[Measured]:
    """Yield every promise of history, measured on `series` flat series and as many with a step.

    `cv` is the scatter of nights, and `memory` the share of it that stays in the next night.
    """
    draw = np.random.default_rng(seed)
    noise = f"{cv * 100:.1f} % from night to night, {f'{memory:g} of it stays' if memory else 'independent'}"

    def row(promise: str, value: float, low: float, high: float, is_number: bool = True) -> Measured:
        low, high = (low, high) if promised else (0.0, math.inf)
        return Measured(promise, noise, series, value, low, high, is_number)

    thousands = series * NIGHTS / 1000
    flat = nights(draw, series, NIGHTS, cv, memory).tolist()
    false_candidates = sum(len(night_by_night(logs, 1)) for logs in flat)
    pairs = abba(draw, iid(draw, max(false_candidates, 1), 2 * LOOKS[-1])).tolist()[:false_candidates]
    false_alerts = sum(_confirms(values) for values in pairs)
    yield row(f"false candidates {_PER}", false_candidates / thousands, 0, FALSE_CANDIDATES_AT_MOST)
    yield row(f"false alerts {_PER}, after a comparison", false_alerts / thousands, 0, FALSE_ALERTS_AT_MOST)
    delays, errors = [], []
    for _ in range(series):
        step = int(draw.integers(STEP_FROM, STEP_TO))
        size = math.log(STEP) * (1 if draw.random() < 0.5 else -1)
        logs = nights(draw, 1, step + NIGHTS_AFTER, cv, memory)[0]
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
