"""Words and numbers of readings, alike in all rules."""

from __future__ import annotations

import math
from collections.abc import Iterable

from plumbline.model.evidence import Stray
from plumbline.model.host import Role
from plumbline.verdicts.stats.amounts import FACTOR_FROM, largest_change

ROLE_NAMES: dict[str, str] = {
    "app": "application",
    "db": "database",
    "load": "load generator",
    "housekeeping": "housekeeping",
    "harness": "harness",
}


def percent(share: float) -> str:
    """Return a share of 1 as `71 %`, with a decimal or two where it is small."""
    value = share * 100
    size = abs(value)
    if size == 0 or size >= 9.95:
        return f"{value:.0f} %"
    return f"{value:.1f} %" if size >= 0.95 else f"{value:.2g} %"


def sized(change: float) -> str:
    """Return a relative change as `3.4 %`; more than 300 % as `a factor of 6.3`."""
    log_ratio = math.log1p(change)
    return largest_change([log_ratio]) if log_ratio > FACTOR_FROM else percent(change)


def listed(words: Iterable[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    *first_words, last_word = list(words) or [""]
    return f"{', '.join(first_words)} and {last_word}" if first_words else last_word


def uncapitalized(text: str) -> str:
    """Return a text as it stands within a sentence: with a small first letter."""
    return text[:1].lower() + text[1:]


def capitalized(text: str) -> str:
    """Return a text as it begins a sentence: with a capital first letter."""
    return text[:1].upper() + text[1:]


def cpus_of(roles: Iterable[Role]) -> str:
    """Return `the CPUs of the database and the load generator`."""
    return f"the CPUs of {listed(f'the {ROLE_NAMES[role]}' for role in roles)}"


def counted(number: float, noun: str, plural: str | None = None) -> str:
    """Return `1 request`, `12 requests`, `3 ms` style counts of a noun."""
    return f"{number:.0f} {noun if round(number) == 1 else plural or noun + 's'}"


def strays_in_words(strays: Iterable[Stray]) -> str:
    """Return `sh (0.41 s of CPU time) and sleep (0 s of CPU time)`, the costliest first, each command once."""
    used: dict[str, int] = {}
    for stray in strays:
        used[stray.command] = used.get(stray.command, 0) + stray.cpu_us
    ordered = sorted(used.items(), key=lambda item: (-item[1], item[0]))
    return listed(f"{command} ({cpu_us / 1e6:.3g} s of CPU time)" for command, cpu_us in ordered)


def no_window(phase: str) -> str:
    """Return why nothing is known of a phase that the trial did not reach."""
    return f"The phase {phase} left no window: the trial did not get that far."
