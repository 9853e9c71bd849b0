"""The name of a host is one that a record may carry, and the id of a session is one that may land."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from plumbline.archive.data.layout import month_of
from plumbline.model.errors import UsageError
from plumbline.subjects.plan.make import session_id
from tests.run.clones import context


@pytest.mark.parametrize("name", ["lab 1", "-lab", "lab/1", "l" * 64])
def test_a_name_that_no_record_can_carry_is_refused_before_a_session(unchanged_clone: Path, name: str) -> None:
    here = context(unchanged_clone)
    with pytest.raises(UsageError, match="as the name of a host"):
        assert replace(here, environ={**here.environ, "PLUMBLINE_HOST": name}).host_name
    assert replace(here, environ={**here.environ, "PLUMBLINE_HOST": "Lab_1.example"}).host_name == "Lab_1.example"


@pytest.mark.parametrize("host", ["ip-10-0-12-34.us-east-2.compute.internal", "--", "lab", "x" * 63])
def test_a_session_lands_whatever_its_host_is_called(host: str) -> None:
    assert month_of(session_id(datetime(2026, 11, 29, 7), host, "0a1b2c")) == "runs/2026/11"
