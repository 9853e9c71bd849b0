"""The sentence of standings: which subject is ahead within a class and by how much, or what would decide the order.

Every text on the result of a session takes its words from here. The base of every ratio is a leader of the class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

from plumbline.model.data_access import TITLES, AccessClass
from plumbline.model.host import HostClass
from plumbline.model.record import Standing
from plumbline.verdicts.judge.wording import capitalized, counted, listed, uncapitalized
from plumbline.verdicts.stats.amounts import change_with_interval, range_in_words
from plumbline.verdicts.stats.compare import MINIMUM_PAIRS, Better
from plumbline.verdicts.stats.power import further_pairs
from plumbline.verdicts.stats.ranking import RankedPair
from .standings import MetricStandings

# A sentence with more names is too long to read.
MOST_NAMED = 3

Namer = Callable[[str], str]
"""A function from the id of a subject to its name."""

RANKING = "Ranking"
SIDE_BY_SIDE = "Side by side on this host, advisory"


def heading(host_class: HostClass) -> str:
    """Return the heading of a table of results: a `Ranking` is for hosts made for measuring."""
    return RANKING if host_class == "lab" else SIDE_BY_SIDE


def result_sentences(standings: MetricStandings, name: Namer) -> str:
    """Return the result of all classes, in one sentence or two for each; what is true of several is written once."""
    return " ".join(_by_class(standings, lambda access: of_class(standings, access, name)))


def headline(standings: MetricStandings, name: Namer) -> tuple[str, ...]:
    """Return the result of all classes as lines of a heading; what is true of several classes stands in one line."""
    return _by_class(standings, lambda access: in_short(standings, access, name), within=True)


def _by_class(
    standings: MetricStandings, words_of: Callable[[AccessClass], str], *, within: bool = False
) -> tuple[str, ...]:
    """Return the words on each class after its title, within the same sentence or as the next one."""
    classes_of: dict[str, list[AccessClass]] = {}
    for access in standings.classes:
        classes_of.setdefault(words_of(access), []).append(access)
    if len(classes_of) == 1:
        return tuple(classes_of)
    return tuple(
        f"{_titled(classes)}: {uncapitalized(text) if within else text}" for text, classes in classes_of.items()
    )


def _titled(classes: Sequence[AccessClass]) -> str:
    """Return the titles of classes as one phrase: `Entities through an ORM and hand-written SQL`."""
    first, *others = (TITLES[access] for access in classes)
    return listed([first, *map(uncapitalized, others)])


def of_class(standings: MetricStandings, access: AccessClass, name: Namer) -> str:
    """Return the result of one class."""
    rows = standings.of_class(access)
    if not any(row.mean is not None for row in rows):
        return f"{capitalized(_without_figure(standings, rows, name))}."
    if all(row.warming_up for row in rows if row.mean is not None):
        first = next(row for row in rows if row.warming_up)
        return f"No order is claimed of programs that may still be warming up. {_why_warming(standings, first, name)}"
    if len(rows) == 1:
        return f"Only {name(rows[0].subject)} was measured{' in this class' if len(standings.classes) > 1 else ''}."
    if access == "unknown":
        return f"How {name_list(rows, name)} reach their data is not known, so they are not compared."
    ranked = [row for row in rows if row.rank is not None]
    if len(ranked) < 2:
        return _no_order(standings, rows, name)
    cold = [row for row in rows if row.warming_up]
    return _order(standings, ranked, name) + (f" {name_list(cold, name)} may still be warming up." if cold else "")


def in_short(standings: MetricStandings, access: AccessClass, name: Namer) -> str:
    """Return the result of one class in a few words, without any figure: `vertx-pg leads`, `Not decided`."""
    rows = standings.of_class(access)
    if len(rows) == 1 and rows[0].mean is not None and not rows[0].warming_up:
        return f"Only {name(rows[0].subject)} was measured"
    first = [row for row in rows if row.rank == 1]
    if len(first) == 1:
        return f"{name(first[0].subject)} leads"
    if not first:
        return "Not decided"
    if any(row.subject in standings.ahead for row in rows):
        return f"{name_list(first, name)} lead"
    return f"{'Equivalent' if equivalent(standings, first) else 'Undecided'}: {name_list(first, name)}"


def equivalent(standings: MetricStandings, rows: Sequence[Standing]) -> bool:
    """Return whether every two of these rows are equivalent."""
    return all(standings.verdict(first, second) == "equivalent" for first, second in combinations(rows, 2))


def behind(standings: MetricStandings, row: Standing) -> tuple[Standing, str] | None:
    """Return a leader of the class that is surely ahead of a row, and by how much, in the words of `standing_words`."""
    if (lead := standings.ahead.get(row.subject)) is None:
        return None
    leader, pair = lead
    return leader, standing_words(pair, row.better)


def name_list(rows: Sequence[Standing], name: Namer) -> str:
    """Return names in one sentence: all of a few, else the first and how many more."""
    names = [name(row.subject) for row in rows]
    return listed(names) if len(names) <= MOST_NAMED else f"{names[0]} and {len(names) - 1} others"


def _order(standings: MetricStandings, ranked: Sequence[Standing], name: Namer) -> str:
    first = [row for row in ranked if row.rank == 1]
    followers = ((row, lead) for row in ranked if (lead := behind(standings, row)) is not None)
    following, lead = next(followers, (None, None))
    if following is None or lead is None:
        return _undecided(standings, ranked, name)
    follows = f"{name(following.subject)} follows {name(lead[0].subject)} with {lead[1]}."
    if len(first) == 1:
        return f"{name(first[0].subject)} leads; {follows}"
    return f"{name_list(first, name)} lead; {follows} {_undecided(standings, first, name)}"


def _undecided(standings: MetricStandings, rows: Sequence[Standing], name: Namer) -> str:
    """Return the sentence on subjects that share a rank, and what would tell them apart."""
    if equivalent(standings, rows):
        return f"{name_list(rows, name)} are equivalent: closer than 2 %."
    undecided = [
        (first, second, pair)
        for first, second in combinations(rows, 2)
        if standings.verdict(first, second) == "inconclusive" and (pair := standings.between(second, first)) is not None
    ]
    if not undecided:
        return f"{name_list(rows, name)} have too few blocks in common for an order."
    first, second, nearest = max(undecided, key=lambda candidate: _nearness(candidate[2]))
    return (
        f"Undecided between {name_list(rows, name)}: against {name(first.subject)}, {name(second.subject)} has "
        f"{standing_words(nearest, second.better)}. {would_decide(nearest)}"
    )


def _nearness(pair: RankedPair) -> float:
    """Return how near a pair is to a verdict: the effect in widths of its interval."""
    comparison = pair.comparison
    width = comparison.high - comparison.low
    return abs(comparison.effect) / width if width else 0.0


def _no_order(standings: MetricStandings, rows: Sequence[Standing], name: Namer) -> str:
    """Return why no subject of a class has a rank."""
    lost = [row for row in rows if row.mean is None]
    if lost:
        return f"No order: {_without_figure(standings, lost, name)}."
    cold = [row for row in rows if row.warming_up]
    if cold:
        return f"No order: {name_list(cold, name)} may still be warming up. {_why_warming(standings, cold[0], name)}"
    return f"No order yet: it takes {MINIMUM_PAIRS} blocks in which trials of two subjects count."


def _without_figure(standings: MetricStandings, rows: Sequence[Standing], name: Namer) -> str:
    """Return why subjects have no figure: no trial of a subject counts, or those that count lack this metric."""
    reasons = ((False, "no trial of {} counts"), (True, "no trial of {} that counts has this figure"))
    return listed(
        words.format(name_list(subjects, name))
        for counts, words in reasons
        if (subjects := [row for row in rows if bool(standings.trials.counting[row.subject]) is counts])
    )


def _why_warming(standings: MetricStandings, row: Standing, name: Namer) -> str:
    """Return `vertx-pg: still changing ...`: why the figures of a subject are not of a warm program."""
    return f"{name(row.subject)}: {uncapitalized(standings.unsteady[row.subject])}"


def standing_words(pair: RankedPair, better: Better) -> str:
    """Return how the values of the first of a pair stand against those of the second, whichever way is better.

    `32 % more (99 % interval 11 to 54 %)`, `equivalent: closer than 2 %`, or, for an undecided pair, `between 3 %
    less and 9 % more (99 % interval)`.
    """
    if pair.verdict == "equivalent":
        return "equivalent: closer than 2 %"
    values = pair.comparison.log_ratios(better)
    return (
        f"{range_in_words(*values[1:])} (99 % interval)"
        if pair.verdict == "inconclusive"
        else change_with_interval(*values)
    )


def would_decide(pair: RankedPair, noun: str = "block", each_s: float | None = None) -> str:
    """Return a sentence on what would decide an undecided pair.

    The sentence counts further `noun`s; each takes `each_s` seconds, if that is known.
    """
    comparison, order = pair.comparison, pair.order
    if order is not None and order.why in ("still changing", "can't tell yet"):
        return f"A drift within what the phases proved could turn it round: {order.words}."
    if comparison.verdict == "equivalent":
        return "They are closer than 2 %, but a drift within what the phases proved could take them apart."
    if comparison.heterogeneous:
        return "A few trials contradict the others: look at those first."
    further = further_blocks(pair)
    if further is None:
        return f"If the difference is what it seems, no number of {noun}s in reach would decide it."
    time = "" if each_s is None else f", {counted(math.ceil(further * each_s / 60), 'minute')},"
    return f"About {counted(further, f'more {noun}')}{time} would decide it."


def further_blocks(pair: RankedPair) -> int | None:
    """Return how many more blocks would decide an undecided pair; None if nobody knows, or out of reach."""
    comparison, order = pair.comparison, pair.order
    if order is not None and order.why in ("still changing", "can't tell yet"):
        return order.more_processes
    if comparison.verdict == "equivalent" or comparison.heterogeneous:
        return None
    return further_pairs(comparison)
