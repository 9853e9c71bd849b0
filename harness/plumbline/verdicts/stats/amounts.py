"""A ratio in words: per cents up to 300, a factor beyond, and no digit that its interval does not support."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

FACTOR_FROM = math.log(4)
"""The log ratio from which amounts are written as factors: 300 % more is the last that people read as a percentage."""

WIDEST = math.log(1000)
"""The width of the widest useful interval: nobody could use an interval with ends farther apart."""

MOST_DECIMALS = 2

# A range with an end below this per cent has a decimal: rounded, it could read as nothing, or as within 2 %.
_SMALL_END = 2.95

# What a decided difference never reads as, and the words for a value that two decimals can't tell from that.
_NO_CHANGE = {0.0: "under 0.01"}
_NO_FACTOR = {1.0: "under 1.01"}
_ALL = {100.0: "over 99.99"}
_LARGEST = 700.0


def change_with_interval(log_ratio: float, low: float, high: float, confidence: float = 0.99) -> str:
    """Return `32 % more (99 % interval 11 to 54 %)`, of a value over a base; both ends lie on one side of 0.

    No value reads as no change, or as all of it less. An interval that two decimals can't show is left out.
    """
    ends = sorted((low, high), key=abs)
    if max(log_ratio, *ends) > FACTOR_FROM:
        values, unit, word = [math.exp(min(_LARGEST, log)) for log in (log_ratio, *ends)], "", "times as much"
        never, least = _NO_FACTOR, 1 if values[1] < 9.95 else 0
    else:
        values, unit = [abs(math.expm1(log)) * 100 for log in (log_ratio, *ends)], " %"
        word = f"% {'more' if log_ratio > 0 else 'less'}"
        never, least = _NO_CHANGE if log_ratio > 0 else _NO_CHANGE | _ALL, 0
    digits = _decimals(values, least, never)
    centre, near, far = (_number(value, MOST_DECIMALS if digits is None else digits, never) for value in values)
    if digits is None:
        return f"{centre} {word}"
    return f"{centre} {word} ({confidence * 100:g} % interval {near} to {far}{unit})"


def range_in_words(low: float, high: float) -> str:
    """Return `between 3 % less and 9 % more`: where a log ratio may lie that can't be told from 0."""
    if high - low > WIDEST:
        return "anything between far less and far more"
    percents = [abs(math.expm1(end)) * 100 for end in (low, high) if end <= FACTOR_FROM]
    decimals = _decimals(percents, int(min(percents, default=0.0) < _SMALL_END), _NO_CHANGE)
    digits = MOST_DECIMALS if decimals is None else decimals
    return f"between {change(low, digits)} and {change(high, digits)}"


def largest_change(ends: Sequence[float]) -> str:
    """Return `1.4 %`, or `a factor of 6.3`: the largest of some log ratios, whichever its sign."""
    largest = max(ends, key=lambda end: abs(math.expm1(min(_LARGEST, end))), default=0.0)
    if abs(largest) > FACTOR_FROM:
        return f"a factor of {math.exp(min(_LARGEST, abs(largest))):.2g}"
    return f"{abs(math.expm1(largest)) * 100:.1f} %"


def change(log_ratio: float, digits: int = 1) -> str:
    """Return `3.1 % more`, `12.0 % less`, `6.3 times as much`, `under 0.0001 times as much`."""
    if log_ratio > FACTOR_FROM:
        factor = math.exp(min(_LARGEST, log_ratio))
        return f"{factor:,.{1 if factor < 9.95 else 0}f} times as much"
    percent = abs(math.expm1(log_ratio)) * 100
    # A rounded `100 % less` would be wrong: no amount above zero is a hundred per cent less than another.
    decimals = digits if log_ratio > 0 or percent < 99.5 else MOST_DECIMALS
    text = f"{percent:.{decimals}f}"
    if log_ratio < 0 and float(text) == 100:
        return "under 0.0001 times as much"
    return f"{text} % {'less' if log_ratio < 0 else 'more'}"


_Never = Mapping[float, str]
_NOTHING: _Never = MappingProxyType({})


def _decimals(values: Sequence[float], least: int = 0, never: _Never = _NOTHING) -> int | None:
    """Return the fewest decimals with which the least and the greatest value differ, and none reads as it `never` may
    if more decimals avoid that. One or more if they are closer than 1; None if two are too few.
    """
    if len(values) < 2:
        return least
    ends = min(values), max(values)
    for digits in range(least if ends[1] - ends[0] >= 1 else 1, MOST_DECIMALS + 1):
        avoidable = any(_rounded(value, digits) in never and _rounded(value) not in never for value in values)
        if len({_rounded(end, digits) for end in ends}) > 1 and not avoidable:
            return digits
    return None


def _rounded(value: float, digits: int = MOST_DECIMALS) -> float:
    return float(f"{value:.{digits}f}")


def _number(value: float, digits: int, never: _Never) -> str:
    return never.get(_rounded(value, digits), f"{value:,.{digits}f}")
