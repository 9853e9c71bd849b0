"""No byte of a record or of its evidence can change unseen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plumbline.archive.record.verify import verify
from plumbline.model.record import Record
from tests.record.sessions import record, rewritten, written

pytestmark = pytest.mark.slow

UNHURRIED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield written(tmp_path_factory.mktemp("session"), blocks=1)


@UNHURRIED
@given(st.data())
def test_any_changed_byte_shows(folder: Path, data: st.DataObject) -> None:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = data.draw(st.sampled_from(files), label="file")
    before = path.read_bytes()
    place = data.draw(st.integers(0, len(before) - 1), label="place")
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != before[place]), label="byte")
    path.write_bytes(before[:place] + bytes([other]) + before[place + 1 :])
    try:
        assert verify(folder).difference is not None
    finally:
        path.write_bytes(before)


@UNHURRIED
@given(st.data())
def test_any_changed_digit_of_a_figure_or_finding_shows_under_a_new_seal(folder: Path, data: st.DataObject) -> None:
    """A changed derived number is found by computing it anew, though the folder is sealed again."""
    found = record(blocks=1)
    index = data.draw(st.integers(0, len(found.trials) - 1), label="trial")
    text = found.trials[index].model_dump_json(include={"figures", "findings"})
    digits = [match.start() for match in re.finditer(r"(?<=[0-9.:])[0-9]", text)]
    place = data.draw(st.sampled_from(digits), label="place")
    digit = data.draw(st.sampled_from("123456789").filter(lambda character: character != text[place]), label="digit")
    changed = type(found.trials[index]).model_validate_json(
        found.trials[index].model_dump_json(exclude={"figures", "findings"})[:-1]
        + ","
        + (text[:place] + digit + text[place + 1 :])[1:]
    )
    trials = (*found.trials[:index], changed, *found.trials[index + 1 :])
    rewritten(
        folder,
        Record.model_validate({**found.model_dump(), "trials": [trial.model_dump() for trial in trials]}),
    )
    try:
        difference = verify(folder).difference
        assert difference is not None
        assert difference.trial == found.trials[index].number
    finally:
        rewritten(folder, found)


def test_and_untouched_it_stays_whole(folder: Path) -> None:
    assert verify(folder).difference is None
