"""The order of runs: in each block every subject once, in random order, with its steps one after another."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

DISCARDED = 0


def order_runs(
    subjects: Sequence[str], steps: Mapping[str, Sequence[str]], blocks: int, seed: int
) -> Iterator[tuple[int, str, str]]:
    """Yield (block, subject, step). Block 0, which is thrown away, comes before the `blocks` that count."""
    draw = random.Random(seed)
    for block in range(DISCARDED, blocks + 1):
        for subject in draw.sample(list(subjects), len(subjects)):
            for step in steps[subject]:
                yield block, subject, step
