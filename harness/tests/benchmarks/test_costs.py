"""What the referee costs: the parts of docs/promises.md on made-up measurements."""

from __future__ import annotations

import pytest
from benchmarks.k6_cost import table
from benchmarks.samplers import CPU_MAX, TIME_MAX, Echoes, effects, idle_samplers

from plumbline.measuring.observe.targets import Targets
from tests.judge.planned import SMALL

PAIRS = 10


@pytest.mark.parametrize(
    ("dearer", "said"), [(0.5, "kept"), (2.0, "missed"), (1.0, "not decided")], ids=["half", "twice", "just"]
)
def test_what_is_allowed_is_kept_missed_or_not_decided(dearer: float, said: str) -> None:
    scatter = [1 + (place % 2) / 10_000 for place in range(PAIRS)]
    pairs = [
        (
            Echoes(time_us=20, cpu_us=5),
            Echoes(time_us=20 * (1 + dearer * TIME_MAX) * factor, cpu_us=5 * (1 + dearer * CPU_MAX) * factor),
        )
        for factor in scatter
    ]
    targets = Targets(sets=SMALL, pids={}, load_addresses=("127.0.0.1:6565",))
    introduction, table_of_both = effects(pairs, 2, idle_samplers(targets)).split("\n\n")
    assert "./bench benchmark samplers --pairs 10 --seconds 2 --write" in " ".join(introduction.split())
    assert "samplers `jvm` and `database` had nothing to read." in " ".join(introduction.split())
    cpu, time = table_of_both.splitlines()[2:]
    assert cpu.startswith("| CPU time of the server for an echo | 0.5 % more | +") and cpu.endswith(f" | {said} |")
    assert time.startswith("| time of an echo | 1 % more | +") and time.endswith(f" | {said} |")


def test_each_way_of_k6_has_its_mean_and_its_interval() -> None:
    introduction, rows = table(
        {"no checks": [50.0, 52.0], "all": [60.0, 60.0]}, {"no checks": [1e4, 1.2e4], "all": [9e3, 9e3]}, 8
    ).split("\n\n")
    assert "./bench benchmark k6_cost --rounds 2 --seconds 8 --write" in " ".join(introduction.split())
    assert rows.splitlines()[2:] == ["| no checks | 51.0 ± 12.7 | 11,000 |", "| all | 60.0 ± 0.0 | 9,000 |"]
