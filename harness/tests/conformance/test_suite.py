"""What a subject is held to, part by part, when less than all is asked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.conformance import suite
from plumbline.conformance.suite import Extent, check_conformance
from plumbline.model.subject import Subject
from .served import spec

SUBJECT = "vertx-pg/jvm/pg"
NOBODY: Any = None


@pytest.mark.parametrize(
    ("asked", "name"),
    [(Extent(contract_only=True), "contract"), (Extent(case="fruit-Apple"), "case fruit-Apple")],
)
def test_the_part_is_called_what_was_asked(asked: Extent, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    job = SimpleNamespace(subject=Subject.parse(SUBJECT), variant=SimpleNamespace(spec=spec()))
    monkeypatch.setattr(suite, "job_to_hold", lambda *of: job)
    monkeypatch.setattr(suite, "_contract", lambda *of: ())
    (part,) = check_conformance(NOBODY, NOBODY, SUBJECT, asked)
    assert (part.name, part.said) == (name, ())
