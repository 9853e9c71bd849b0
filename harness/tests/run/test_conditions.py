"""Conditions that settings ask of the machine begin before a trial, end after it, or are refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plumbline.measuring.observe.targets import Roots
from plumbline.measuring.run.conditions import (
    impose,
    lift,
    limit_of,
    why_conditions_unavailable,
    why_unavailable,
)
from plumbline.model.host import CpuSets
from plumbline.subjects.catalog.settings import asks_for_conditions

PLAIN = {"cpu-share": "100", "db-disk": "full"}
DATA = Path("/data")
SETS = CpuSets(app=(2, 3, 4, 5), db=(1,), load=(0,), housekeeping=(0,))
COLD = {**PLAIN, "page-cache": "cold"}


class Place:
    name = "cgroup2"

    def __init__(self, reason: str | None = None) -> None:
        self.reason = reason
        self.asked: list[tuple[Any, ...]] = []

    def cannot_limit(self) -> str | None:
        return self.reason

    def cannot_slow(self, folder: Path) -> str | None:
        return self.reason

    def limit(self, role: str, cpus: float | None) -> None:
        self.asked.append(("limit", role, cpus))

    def slow(self, role: str, folder: Path, writes_per_s: int | None) -> None:
        self.asked.append(("slow", role, folder, writes_per_s))


def testbed(place: Place, proc: Path = Path("/nowhere")) -> Any:
    return type(
        "Testbed",
        (),
        {
            "placement": place,
            "roots": Roots(proc),
            "sets": SETS,
            "database": type("Database", (), {"data_folder": DATA})(),
        },
    )()


def refused(place: Place, settings: dict[str, str], folder: Path | None, proc: Path = Path("/nowhere")) -> str | None:
    return why_unavailable(place, settings, len(SETS.app), folder, proc)  # type: ignore[arg-type]


def test_what_a_testbed_lacks_is_told_only_of_what_is_asked_for() -> None:
    place = Place("It can't.")
    assert why_conditions_unavailable(testbed(place), PLAIN) is None
    assert why_conditions_unavailable(testbed(Place()), {**PLAIN, "db-disk": "200"}) is None
    assert (why_conditions_unavailable(testbed(place), {**PLAIN, "db-disk": "200"}) or "").startswith("It can't.")
    too_many = why_conditions_unavailable(testbed(Place()), {**PLAIN, "cpus": "8"})
    assert too_many is not None and "4 of this host's CPUs" in too_many


def test_plain_settings_ask_for_nothing() -> None:
    place = Place("It can't.")
    impose(testbed(place), PLAIN)
    lift(testbed(place), PLAIN)
    assert place.asked == [] and not asks_for_conditions(PLAIN)
    assert refused(place, PLAIN, None) is None


def test_a_share_of_the_cpus_and_a_slow_disk_begin_and_end() -> None:
    place, settings = Place(), {"cpu-share": "50", "db-disk": "200"}
    impose(testbed(place), settings)
    assert place.asked == [("limit", "app", 2.0), ("slow", "db", DATA, 200)]
    place.asked.clear()
    lift(testbed(place), settings)
    assert place.asked == [("limit", "app", None), ("slow", "db", DATA, None)]


def test_the_cpu_time_of_a_container_is_its_engines_to_limit() -> None:
    place, settings = Place("It can't."), {"cpu-share": "50", "db-disk": "full", "run-in": "container"}
    impose(testbed(place), settings)
    lift(testbed(place), settings)
    assert place.asked == [] and refused(place, settings, DATA) is None
    assert limit_of(testbed(place), settings) == 2.0


@pytest.mark.parametrize(
    ("settings", "folder", "said"),
    [
        ({**PLAIN, "cpu-share": "50"}, DATA, "It can't. `sudo ./bench run`"),
        ({**PLAIN, "db-disk": "200"}, DATA, "It can't. `sudo ./bench run`"),
        ({**PLAIN, "db-disk": "200"}, None, "out of our sight, so writes can't be slowed. `sudo"),
    ],
)
def test_where_it_can_not_be_had_it_says_what_can(settings: dict[str, str], folder: Path | None, said: str) -> None:
    reason = refused(Place("It can't."), settings, folder)
    assert reason is not None and said in reason


def test_fewer_cpus_are_had_where_there_are_so_many() -> None:
    place = Place("It can't.")
    four, five = ({**PLAIN, "cpus": count} for count in ("4", "5"))
    assert asks_for_conditions(four) and not asks_for_conditions({**PLAIN, "cpus": "all"})
    assert refused(place, four, DATA) is None
    assert str(refused(place, five, DATA)).startswith("The application has 4 of this host's CPUs, and cpus=5")
    place.name = "sandbox"
    assert "all of its CPUs" in str(refused(place, four, DATA))


def test_a_share_is_of_the_cpus_that_are_left() -> None:
    assert limit_of(testbed(Place()), {**PLAIN, "cpu-share": "50", "cpus": "2"}) == 1.0


def test_a_cold_start_empties_the_page_cache_once_before_it(tmp_path: Path) -> None:
    order = tmp_path / "sys/vm/drop_caches"
    order.parent.mkdir(parents=True)
    order.touch()
    assert asks_for_conditions(COLD) and refused(Place(), COLD, DATA, tmp_path) is None
    impose(testbed(Place(), tmp_path), COLD)
    assert order.read_text() == "3\n"
    order.write_text("")
    lift(testbed(Place(), tmp_path), COLD)
    impose(testbed(Place(), tmp_path), PLAIN)
    assert order.read_text() == ""


def test_who_may_not_empty_the_page_cache_is_told_who_may() -> None:
    assert str(refused(Place(), COLD, DATA)).startswith("Only root may empty the page cache")
