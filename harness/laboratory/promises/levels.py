"""The levels of sequential looks, and the cost of the robust check: constants of stats/interim.py and power.py.

`./bench python -m laboratory.promises.levels` prints them again, in some minutes.
"""

from __future__ import annotations

import math
import random

from plumbline.verdicts.stats.compare import LEVEL, compare
from plumbline.verdicts.stats.interim import LOOKS, LOOKS_AT_BLOCKS
from plumbline.verdicts.stats.levels import SEED, level_for
from plumbline.verdicts.stats.power import needed_effect


def check_cost(pairs: int, level: float, jobs: int) -> float:
    """Return the ratio of the effects that 95 % of the same Gaussian jobs find, with and without the robust check."""
    draw = random.Random(SEED)
    comparisons = [compare([draw.gauss(0, 1) for _ in range(pairs)], level) for _ in range(jobs)]
    place = math.ceil(0.95 * jobs) - 1
    plain = sorted(needed_effect(comparison, checked=False) for comparison in comparisons)
    checked = sorted(needed_effect(comparison, checked=True) for comparison in comparisons)
    return checked[place] / plain[place]


def main() -> None:
    """Print the constants."""
    for places in (LOOKS, LOOKS_AT_BLOCKS):
        for last in range(1, len(places) + 1):
            print(f"looks {places[:last]}: {level_for(places[:last], 1_000_000)}")
    for level in (LEVEL, 0.0023):
        for pairs in (6, 8, 10, 12, 14, 15, 16, 20, 26, 40):
            print(f"check at {pairs} pairs, level {level}: x {check_cost(pairs, level, 20_000):.4f}")


if __name__ == "__main__":
    main()
