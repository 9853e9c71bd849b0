"""The order of trials: blocks in random order, ABBA for two sides, the control first, in the middle and last.

AAAABBBB gives 55 % false alarms under a drift of 2 %, ABBA about 5 %. The first trial of a session (of the
control) is run and thrown away.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from plumbline.model.plan import PlannedTrial, TrialRole


def order_trials(
    subjects: Sequence[str],
    scenarios: Sequence[str],
    control: str,
    blocks: int,
    seed: int,
    takes: Callable[[str, str], bool] = lambda subject, scenario: True,
    *,
    control_after: Callable[[int], bool] | None = None,
) -> tuple[PlannedTrial, ...]:
    """Return all trials of a session. Each block holds every subject once under every scenario that it `takes`.

    Two subjects alternate ABBA with a random start; more are shuffled in each block. The control runs under every
    scenario before the first block, and after the middle one and the last, or after those that `control_after` names.
    """
    draw = random.Random(seed)
    rows: list[tuple[int, str, str, TrialRole]] = [(0, control, scenarios[0], "discarded")]
    middle = (blocks + 1) // 2
    flip = draw.random() < 0.5
    for block in range(1, blocks + 1):
        if block == 1:
            rows += [(block, control, scenario, "control") for scenario in scenarios]
        for scenario in draw.sample(list(scenarios), len(scenarios)):
            its = [subject for subject in subjects if takes(subject, scenario)]
            if len(its) == 2:
                forward = (block % 2 == 1) != flip
                chosen = its if forward else its[::-1]
            else:
                chosen = draw.sample(its, len(its))
            rows += [(block, subject, scenario, "measured") for subject in chosen]
        times = int(block == middle and blocks > 1) + int(block == blocks)
        for _ in range(times if control_after is None else int(control_after(block))):
            rows += [(block, control, scenario, "control") for scenario in scenarios]
    return tuple(
        PlannedTrial(number=number, block=block, subject=subject, scenario=scenario, role=role)
        for number, (block, subject, scenario, role) in enumerate(rows, start=1)
    )
