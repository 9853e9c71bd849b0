"""What was found before is looked up, and never changes what is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plumbline.history import memory as module
from plumbline.history.look import look
from plumbline.history.memory import NAME, Memory, remember, remembered
from plumbline.history.series import Series
from tests.history.series_of import series

NIGHTS = [100.0, 101.0, 99.5] * 20 + [90.0, 90.5, 89.5] * 20


def world(nights: int) -> list[Series]:
    """One series that stays as it is, one of so many nights."""
    return [series(NIGHTS, name="still"), series(NIGHTS[:nights], name="goes on")]


@pytest.mark.parametrize("nights", [40, 61, 100, 119, 120])
def test_a_look_with_a_memory_finds_what_one_without_finds(tmp_path: Path, nights: int) -> None:
    memory = Memory()
    look(world(nights - 1), (), {}, memory)
    remember(tmp_path, memory)
    assert look(world(nights), (), {}, remembered(tmp_path)) == look(world(nights), (), {})


def test_only_segments_with_a_new_point_are_looked_at_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Memory()
    look(world(100), (), {}, memory)
    remember(tmp_path, memory)
    lengths: list[int] = []
    true_one = module.change_points

    def counted(logs: tuple[float, ...]) -> object:
        lengths.append(len(logs))
        return true_one(logs)

    monkeypatch.setattr(module, "change_points", counted)
    look(world(101), (), {}, remembered(tmp_path))
    assert lengths == [101]


def test_segments_that_are_gone_are_forgotten() -> None:
    first = Memory()
    look(world(100), (), {}, first)
    second = Memory(first.plain())
    look(world(100)[:1], (), {}, second)
    assert len(second.plain()) == 1


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"method": "another", "changes": {"a": [[1]]}}'])
def test_a_memory_that_is_lost_or_of_another_method_is_an_empty_one(tmp_path: Path, content: str) -> None:
    (tmp_path / NAME).write_text(content, encoding="utf-8")
    assert look(world(100), (), {}, remembered(tmp_path)) == look(world(100), (), {})


def test_a_folder_that_cannot_be_written_is_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    remember(tmp_path / "file", Memory())
    assert remembered(tmp_path / "file").plain() == {}


def test_what_is_kept_is_plain_json(tmp_path: Path) -> None:
    memory = Memory()
    look(world(100), (), {}, memory)
    remember(tmp_path, memory)
    assert json.loads((tmp_path / NAME).read_text(encoding="utf-8"))["changes"] == memory.plain()
