"""The sentence of standings: who is ahead within a class and by how much, or what would decide it.

Whoever writes the result of a session writes these words. The base of every ratio is a leader of the class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

from plumbline.model.data_access import TITLES, AccessClass
from plumbline.model.host import HostClass
from plumbline.model.record import Standing
from plumbline.verdicts.judge.wording import counted, listed
from plumbline.verdicts.stats.amounts import against, between
from plumbline.verdicts.stats.compare import MINIMUM_PAIRS, Better, PairedComparison
from plumbline.verdicts.stats.power import further_pairs
from plumbline.verdicts.stats.ranking import RankedPair
from .standings import MetricStandings

# More names than this are no sentence any more.
MOST_NAMED = 3

Namer = Callable[[str], str]
"""The name of a subject, by its id."""

RANKING = "Ranking"
SIDE_BY_SIDE = "Side by side on this host, advisory"


def heading(host_class: HostClass) -> str:
    """Return the heading of a table of results: a `Ranking` is for hosts made for measuring."""
    return RANKING if host_class == "lab" else SIDE_BY_SIDE


def said(found: MetricStandings, name: Namer) -> str:
    """Return the result of all classes, in one sentence or two for each; what is true of several is said once."""
    return " ".join(_by_class(found, lambda access: of_class(found, access, name)))


def headline(found: MetricStandings, name: Namer) -> tuple[str, ...]:
    """Return the result of all classes as lines of a heading; what is true of several classes stands in one line."""
    return _by_class(found, lambda access: in_short(found, access, name), within=True)


def _by_class(
    found: MetricStandings, tell: Callable[[AccessClass], str], *, within: bool = False
) -> tuple[str, ...]:
    """Return what is told of each class behind its title, within its sentence or as the next one."""
    classes_of: dict[str, list[AccessClass]] = {}
    for access in found.classes:
        classes_of.setdefault(tell(access), []).append(access)
    if len(classes_of) == 1:
        return tuple(classes_of)
    return tuple(
        f"{_titled(classes)}: {text[0].lower() if within else text[0]}{text[1:]}"
        for text, classes in classes_of.items()
    )


def _titled(classes: Sequence[AccessClass]) -> str:
    """Return `Entities through an ORM and hand-written SQL`."""
    first, *rest = (TITLES[access] for access in classes)
    return listed([first, *(f"{title[0].lower()}{title[1:]}" for title in rest)])


def of_class(found: MetricStandings, access: AccessClass, name: Namer) -> str:
    """Return the result of one class."""
    rows = found.of_class(access)
    if not any(row.mean is not None for row in rows):
        return f"No trial of {name_list(rows, name)} counts."
    if all(row.warming_up for row in rows if row.mean is not None):
        first = next(row for row in rows if row.warming_up)
        return f"No order is claimed of programs that may still be warming up. {_cold(found, first, name)}"
    if len(rows) == 1:
        return (
            f"Only {name(rows[0].subject)} was measured{' in this class' if len(found.classes) > 1 else ''}."
        )
    if access == "unknown":
        return f"How {name_list(rows, name)} reach their data is not known, so they are not compared."
    ranked = [row for row in rows if row.rank is not None]
    return _no_order(found, rows, name) if len(ranked) < 2 else _order(found, ranked, name)


def in_short(found: MetricStandings, access: AccessClass, name: Namer) -> str:
    """Return the result of one class in a few words, without any figure: `vertx-pg leads`, `Not decided`."""
    rows = found.of_class(access)
    if len(rows) == 1 and rows[0].mean is not None and not rows[0].warming_up:
        return f"Only {name(rows[0].subject)} was measured"
    first = [row for row in rows if row.rank == 1]
    if len(first) == 1:
        return f"{name(first[0].subject)} leads"
    if not first:
        return "Not decided"
    if any(row.subject in found.ahead for row in rows):
        return f"{name_list(first, name)} lead"
    return f"{'Equivalent' if equivalent(found, first) else 'Undecided'}: {name_list(first, name)}"


def equivalent(found: MetricStandings, rows: Sequence[Standing]) -> bool:
    """Return whether every two of these rows are equivalent."""
    return all(found.verdict(one, other) == "equivalent" for one, other in combinations(rows, 2))


def behind(found: MetricStandings, row: Standing) -> tuple[Standing, str] | None:
    """Return a leader of the class that is surely ahead of a row, and by how much, as `stands` says it."""
    if (its := found.ahead.get(row.subject)) is None:
        return None
    leader, pair = its
    return leader, stands(pair, row.better)


def name_list(rows: Sequence[Standing], name: Namer) -> str:
    """Return names in one sentence: all of a few, else the first and how many more."""
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
    return f"{name_list(first, name)} lead; {follows} {_undecided(found, first, name)}"


def _undecided(found: MetricStandings, rows: Sequence[Standing], name: Namer) -> str:
    """Return the sentence on subjects that share a rank, and what would tell them apart."""
    if equivalent(found, rows):
        return f"{name_list(rows, name)} are equivalent: closer than 2 %."
    undecided = [
        (one, other, its)
        for one, other in combinations(rows, 2)
        if found.verdict(one, other) == "inconclusive" and (its := found.between(other, one)) is not None
    ]
    if not undecided:
        return f"{name_list(rows, name)} have too few blocks in common for an order."
    one, other, nearest = max(undecided, key=lambda pair: _near(pair[2]))
    return (
        f"Undecided between {name_list(rows, name)}: against {name(one.subject)}, {name(other.subject)} has "
        f"{stands(nearest, other.better)}. {would_decide(nearest)}"
    )


def _near(pair: RankedPair) -> float:
    """Return how near to a word: the effect in widths of its interval."""
    comparison = pair.comparison
    width = comparison.high - comparison.low
    return abs(comparison.effect) / width if width else 0.0


def _no_order(found: MetricStandings, rows: Sequence[Standing], name: Namer) -> str:
    """Return why no subject of a class has a rank."""
    lost = [row for row in rows if row.mean is None]
    if lost:
        return f"No order: no trial of {name_list(lost, name)} counts."
    cold = [row for row in rows if row.warming_up]
    if cold:
        return f"No order: {name_list(cold, name)} may still be warming up. {_cold(found, cold[0], name)}"
    return f"No order yet: it takes {MINIMUM_PAIRS} blocks in which trials of two subjects count."


def _cold(found: MetricStandings, row: Standing, name: Namer) -> str:
    """Return `vertx-pg: still changing ...`: why the figures of a subject are not of a warm program."""
    why = found.unsteady[row.subject]
    return f"{name(row.subject)}: {why[0].lower()}{why[1:]}"


def stands(pair: RankedPair, better: Better) -> str:
    """Return how the first of a pair stands against the second, by the values of a metric, whether more or less is
    better.

    `32 % more (99 % interval 11 to 54 %)`, `equivalent: closer than 2 %`, or, where that is not decided, `between 3 %
    less and 9 % more (99 % interval)`.
    """
    if pair.verdict == "equivalent":
        return "equivalent: closer than 2 %"
    values = _values(pair.comparison, better)
    return f"{between(*values[1:])} (99 % interval)" if pair.verdict == "inconclusive" else against(*values)


def would_decide(pair: RankedPair, noun: str = "block", each_s: float | None = None) -> str:
    """Return a sentence on what would decide an undecided pair.

    It names more of a `noun`; each takes `each_s` seconds, if that is known.
    """
    comparison, order = pair.comparison, pair.order
    if order is not None and order.why in ("still changing", "can't tell yet"):
        return f"A drift within what the phases proved could turn it round: {order.words}."
    if comparison.verdict == "equivalent":
        return "They are closer than 2 %, but a drift within what the phases proved could take them apart."
    if comparison.heterogeneous:
        return "A few trials contradict the others: look at those first."
    more = further_blocks(pair)
    if more is None:
        return f"If the difference is what it seems, no number of {noun}s in reach would decide it."
    time = "" if each_s is None else f", {counted(math.ceil(more * each_s / 60), 'minute')},"
    return f"About {counted(more, f'more {noun}')}{time} would decide it."


def further_blocks(pair: RankedPair) -> int | None:
    """Return how many more blocks would decide an undecided pair; None where that is not known, or out of reach."""
    comparison, order = pair.comparison, pair.order
    if order is not None and order.why in ("still changing", "can't tell yet"):
        return order.more_processes
    if comparison.verdict == "equivalent" or comparison.heterogeneous:
        return None
    return further_pairs(comparison)


def _values(comparison: PairedComparison, better: Better) -> tuple[float, float, float]:
    """Return the log ratio of the values with its interval, whichever way is better."""
    if better == "higher":
        return comparison.effect, comparison.low, comparison.high
    return -comparison.effect, -comparison.high, -comparison.low
