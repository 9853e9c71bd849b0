"""How much trials scattered in earlier sessions: what plans are measured by."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from plumbline.model.host import HostClass
from plumbline.plan.detectable import Noise, NoiseBook
from plumbline.stats.scatter import Scatter, together
from .extract import Extract

# With fewer degrees of freedom a standard deviation may be off by more than half.
DEGREES_MIN = 4


def noise_book(extracts: Iterable[Extract], host: str, host_class: HostClass) -> NoiseBook:
    """The noise of every metric, from the sessions of this host; where it has none, from those of its class."""
    found = list(extracts)
    of_class = [one for one in found if one.environment["host_class"] == host_class]
    own = [one for one in of_class if one.host == host]
    kind = f"hosts of class {host_class}"
    return {**_book(of_class, kind), **_book(own, f"this host ({host})")}


def _book(extracts: Sequence[Extract], where: str) -> dict[tuple[str, str, str], Noise]:
    parts: dict[tuple[str, str, str], list[Scatter]] = {}
    for one in extracts:
        for scenario, phases in one.scatter.items():
            for phase, metrics in phases.items():
                for metric, (squares, degrees) in metrics.items():
                    parts.setdefault((scenario, phase, metric), []).append(Scatter(squares, int(degrees)))
    book = {}
    for key, its in parts.items():
        whole = together(its)
        if whole.degrees >= DEGREES_MIN and whole.squares > 0:
            cv = math.sqrt(whole.squares / whole.degrees)
            book[key] = Noise(*key, cv=cv, degrees=whole.degrees, sessions=len(its), where=where)
    return book
