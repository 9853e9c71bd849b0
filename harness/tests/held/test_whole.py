"""What a subject is held to, part by part, when less than all is asked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.held import whole
from plumbline.held.whole import Asked, held
from plumbline.model.subject import Subject
from .served import spec

SUBJECT = "vertx-pg/jvm/pg"
NOBODY: Any = None


@pytest.mark.parametrize(
    ("asked", "name"),
    [(Asked(contract_only=True), "contract"), (Asked(case="fruit-Apple"), "case fruit-Apple")],
)
def test_the_part_is_called_what_was_asked(asked: Asked, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    job = SimpleNamespace(subject=Subject.parse(SUBJECT), variant=SimpleNamespace(spec=spec()))
    monkeypatch.setattr(whole, "job_to_hold", lambda *of: job)
    monkeypatch.setattr(whole, "_contract", lambda *of: ())
    (part,) = held(NOBODY, NOBODY, SUBJECT, asked)
    assert (part.name, part.said) == (name, ())
