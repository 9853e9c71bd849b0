"""The sentence of standings: who is ahead within a class and by how much, or what would decide it.

Whoever writes the result of a session writes these words. The base of every ratio is a leader of the class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from plumbline.judge.wording import counted, listed
from plumbline.model.data_access import TITLES, AccessClass
from plumbline.model.host import HostClass
from plumbline.model.record import Standing
from plumbline.stats.amounts import against, between
from plumbline.stats.compare import MINIMUM_PAIRS, Comparison
from plumbline.stats.power import further_pairs
from plumbline.stats.ranking import Pair
from .standings import MetricStandings

# More names than this are no sentence any more.
MOST_NAMED = 3

Namer = Callable[[str], str]
"""The name of a subject, by its id."""

STANDINGS = "Standings"
SIDE_BY_SIDE = "Side by side on this host, advisory"


def heading(host_class: HostClass) -> str:
    """What a table of results is called: standings are for results of a host made for measuring."""
    return STANDINGS if host_class == "lab" else SIDE_BY_SIDE


def said(found: MetricStandings, name: Namer) -> str:
    """The result of all classes, in one sentence or two for each."""
    classes = found.classes
    sentences = [of_class(found, access, name) for access in classes]
    if len(classes) == 1:
        return sentences[0]
    return " ".join(f"{TITLES[access]}: {text}" for access, text in zip(classes, sentences, strict=True))


def of_class(found: MetricStandings, access: AccessClass, name: Namer) -> str:
    """The result of one class."""
    rows = found.of_class(access)
    if not any(row.mean is not None for row in rows):
        return f"No trial of {together(rows, name)} counts."
    if all(row.warming_up for row in rows if row.mean is not None):
        why = next(found.unsteady[row.subject] for row in rows if row.warming_up)
        return f"No order is claimed of programs that may still be warming up. {why}"
    if len(rows) == 1:
        return (
            f"Only {name(rows[0].subject)} was measured{' in this class' if len(found.classes) > 1 else ''}."
        )
    if access == "unknown":
        return f"How {together(rows, name)} reach their data is not known, so they are not compared."
    ranked = [row for row in rows if row.rank is not None]
    if len(ranked) < 2:
        return f"No order yet: it takes {MINIMUM_PAIRS} blocks in which trials of two subjects count."
    return _order(found, ranked, name)


def behind(found: MetricStandings, row: Standing) -> tuple[Standing, str] | None:
    """A leader of its class that a row is behind of for sure, and `32 % more (99 % interval 11 to 54 %)`."""
    for leader in found.of_class(row.data_access or "unknown"):
        pair = found.between(row, leader)
        if leader.rank == 1 and pair is not None and pair.verdict == "slower":
            return leader, against(*_values(pair.comparison, row))
    return None


def together(rows: Sequence[Standing], name: Namer) -> str:
    """Names in one sentence: all of a few, else the first and how many more."""
    names = [name(row.subject) for row in rows]
    return listed(names) if len(names) <= MOST_NAMED else f"{names[0]} and {len(names) - 1} others"


def _order(found: MetricStandings, ranked: Sequence[Standing], name: Namer) -> str:
    first = [row for row in ranked if row.rank == 1]
    others = ((row, its) for row in ranked if (its := behind(found, row)) is not None)
    following, its = next(others, (None, None))
    if following is None or its is None:
        return _undecided(found, ranked, name)
    follows = f"{name(following.subject)} follows {name(its[0].subject)} with {its[1]}."
    if len(first) == 1:
        return f"{name(first[0].subject)} leads; {follows}"
    return f"{together(first, name)} lead; {follows} {_undecided(found, first, name)}"


def _undecided(found: MetricStandings, rows: Sequence[Standing], name: Namer) -> str:
    """What is known of those that share a rank, and what would tell them apart."""
    pairs = [
        (one, other, its)
        for one, other in combinations(rows, 2)
        if (its := found.between(other, one)) is not None
    ]
    whole = len(pairs) == len(rows) * (len(rows) - 1) / 2
    if whole and all(its.verdict == "equivalent" for *_, its in pairs):
        return f"{together(rows, name)} are equivalent: closer than 2 %."
    undecided = [pair for pair in pairs if pair[2].verdict == "inconclusive"]
    if not undecided:
        return f"{together(rows, name)} have too few blocks in common for an order."
    one, other, nearest = max(undecided, key=lambda pair: _near(pair[2]))
    _, low, high = _values(nearest.comparison, other)
    return (
        f"Undecided between {together(rows, name)}: against {name(one.subject)}, {name(other.subject)} has "
        f"{between(low, high)} (99 % interval). {_would_decide(nearest)}"
    )


def _near(pair: Pair) -> float:
    """How near to a word: the effect in widths of its interval."""
    comparison = pair.comparison
    width = comparison.high - comparison.low
    return abs(comparison.effect) / width if width else 0.0


def _would_decide(pair: Pair) -> str:
    comparison, order = pair.comparison, pair.order
    if order is not None and order.why in ("still changing", "can't tell yet"):
        return f"A drift within what the phases proved could turn it round: {order.words}."
    if comparison.heterogeneous:
        return "A few trials contradict the others: look at those first."
    more = further_pairs(comparison)
    if more is None:
        return "If the difference is what it seems, no number of blocks in reach would decide it."
    return f"About {counted(more, 'more block')} would decide it."


def _values(comparison: Comparison, row: Standing) -> tuple[float, float, float]:
    """The log ratio of the values with its interval, whichever way is better."""
    if row.better == "higher":
        return comparison.effect, comparison.low, comparison.high
    return -comparison.effect, -comparison.high, -comparison.low
