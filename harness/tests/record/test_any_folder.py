"""Whatever lies in a session's folder, every reader reads it or refuses it in a sentence, never with a traceback.

The first 10,000 cases of `tests.record.damage`; `./bench benchmark damage` runs as many more as wanted.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from plumbline.archive.record.files import read_plain
from plumbline.archive.record.layout import require_whole
from plumbline.model.errors import AnswerIsNo, UsageError
from tests.record import damage
from tests.record.damage import Folders, open_files, outcomes

pytestmark = pytest.mark.slow

CASES = 10_000
SHARDS = 20


@pytest.fixture(scope="module")
def folders() -> Iterator[Folders]:
    with Folders() as damaged_folders:
        yield damaged_folders


@pytest.mark.parametrize("shard", range(SHARDS))
def test_whatever_is_damaged_is_read_or_refused_in_a_sentence(shard: int, folders: Folders) -> None:
    each = CASES // SHARDS
    found = outcomes(folders, range(shard * each, (shard + 1) * each))
    assert found.failures == []
    assert found.total("read") + found.total("refused") == each
    # Of each part, readers refuse some damage and read some; no byte of a manifest may change.
    for part in ("record", "evidence", "journal"):
        assert found.counts[part, "read"] > 0 and found.counts[part, "refused"] > each // 20, found
    assert found.counts["manifest", "refused"] > each // 20


def test_a_case_is_the_same_whatever_ran_before_it(folders: Folders) -> None:
    forwards = [folders.case(number) for number in range(60)]
    assert [folders.case(number) for number in reversed(range(60))] == forwards[::-1]
    for whole in folders.wholes:
        assert require_whole(whole.folder) == 2


def test_another_error_than_a_sentence_and_a_reader_that_hangs_name_their_case(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise KeyError("standings")

    monkeypatch.setattr(damage, "read_by_everybody", broken)
    monkeypatch.setattr(damage, "read_as_running", broken)
    assert re.match(r"case 7: KeyError\('standings'\)", outcomes(folders, [7]).failures[0])

    def hangs(*arguments: object) -> None:
        # As in the code that recomputes a record: an error of its arithmetic becomes a sentence about the record.
        with suppress(Exception):
            while True:
                pass

    monkeypatch.setattr(damage, "HANGS_AFTER_S", 1)
    monkeypatch.setattr(damage, "read_by_everybody", hangs)
    monkeypatch.setattr(damage, "read_as_running", hangs)
    assert re.match("case 8: .*hangs after 1 s", outcomes(folders, [8]).failures[0])


def test_a_folder_in_the_place_of_a_file_leaves_no_file_open(tmp_path: Path) -> None:
    before = open_files()
    for _ in range(3):
        with pytest.raises(AnswerIsNo, match="is no plain file"):
            read_plain(tmp_path, 10)
    assert open_files() == before


def test_a_file_that_stays_open_is_a_failure(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    descriptors = []

    def keeps(*arguments: object) -> str:
        descriptors.append(os.open("/dev/null", os.O_RDONLY))
        return "read"

    monkeypatch.setattr(damage, "read_by_everybody", keeps)
    monkeypatch.setattr(damage, "read_as_running", keeps)
    assert re.match(r"case 9: AssertionError\('a reader keeps a file open'\)", outcomes(folders, [9]).failures[0])
    os.close(descriptors[0])


def test_a_warning_is_a_failure(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    def warns(*arguments: object) -> str:
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
        return "read"

    monkeypatch.setattr(damage, "read_by_everybody", warns)
    monkeypatch.setattr(damage, "read_as_running", warns)
    assert re.match(r"case 10: RuntimeWarning\('overflow'\)", outcomes(folders, [10]).failures[0])


def test_a_sentence_that_says_nothing_is_a_failure(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    def mute(*arguments: object) -> None:
        raise UsageError("", "")

    finished = next(number for number in range(99) if folders.case(number)[0] == "manifest")
    monkeypatch.setattr(damage, "read_record", mute)
    assert re.match(f"case {finished}: AssertionError", outcomes(folders, [finished]).failures[0])
