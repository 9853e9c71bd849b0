"""Sequential looks: when they stop, and at which level."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from plumbline.verdicts.stats.compare import LEVEL
from plumbline.verdicts.stats.interim import (
    LEVEL_OF_LOOKS,
    LEVELS_AT_BLOCKS,
    LEVELS_OF_LOOKS,
    LOOKS,
    LOOKS_AT_BLOCKS,
    course_level,
    follow,
)
from plumbline.verdicts.stats.levels import level_for


def noise(count: int, scale: float, seed: int = 5) -> list[float]:
    draw = random.Random(seed)
    return [draw.gauss(0, scale) for _ in range(count)]


def test_stops_when_decided() -> None:
    course = follow([0.1 + value for value in noise(26, 0.005)], LOOKS)
    assert [look.pairs for look in course.taken] == [6]
    assert course.decided


def test_goes_on_while_it_is_not() -> None:
    course = follow(noise(12, 0.2), LOOKS)
    assert [look.pairs for look in course.taken] == [6, 10, 12]
    assert not course.decided


def test_between_two_looks_only_the_looks_count() -> None:
    course = follow(noise(9, 0.2), LOOKS)
    assert [look.pairs for look in course.taken] == [6]


def test_before_the_first_look_there_is_nothing() -> None:
    assert follow(noise(5, 0.2), LOOKS).last is None


@pytest.mark.parametrize("last", LEVELS_OF_LOOKS)
def test_each_number_of_looks_has_its_level(last: int) -> None:
    looks = LOOKS[: LOOKS.index(last) + 1]
    # 100,000 jobs know the level within 6 % (2 standard errors); rounding down takes up to 5 % more.
    assert level_for(looks, 100_000) == _about(LEVELS_OF_LOOKS[last])
    assert course_level(looks) == LEVELS_OF_LOOKS[last]


@pytest.mark.parametrize("pairs", [7, 9, 11, 13, 15, 17, 19, 21, 25])
def test_a_look_before_the_next_one_needs_no_stricter_level(pairs: int) -> None:
    """A comparison whose budget is spent is decided at once, in place of the next look."""
    looks = tuple(look for look in LOOKS if look < pairs)
    planned = LEVELS_OF_LOOKS[LOOKS[len(looks)]]
    # Within the error of so many jobs, as above.
    assert level_for((*looks, pairs), 100_000) >= planned * 0.88


@pytest.mark.parametrize("last", [4, 5, 8, 12, 26])
def test_each_number_of_blocks_has_its_level(last: int) -> None:
    blocks = LOOKS_AT_BLOCKS[: LOOKS_AT_BLOCKS.index(last) + 1]
    assert level_for(blocks, 100_000) == _about(LEVELS_AT_BLOCKS[last])


@pytest.mark.parametrize("levels", [LEVELS_OF_LOOKS, LEVELS_AT_BLOCKS])
def test_more_looks_have_a_stricter_level(levels: Mapping[int, float]) -> None:
    assert next(iter(levels.values())) == LEVEL
    assert list(levels.values()) == sorted(levels.values(), reverse=True)


def test_level_of_a_course() -> None:
    assert course_level((10,)) == LEVEL
    assert course_level(LOOKS) == LEVEL_OF_LOOKS
    two = level_for((6, 20), 100_000)
    assert LEVEL_OF_LOOKS < two < LEVEL


class _about(float):
    """Within 12 %."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and abs(other / float(self) - 1) <= 0.12

    __hash__ = float.__hash__
