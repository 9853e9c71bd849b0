"""A subject without a life cycle to measure is refused; the error names a subject that would do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.lifecycle.session import LifecycleRequest, check
from plumbline.model.errors import UsageError
from tests.checkout import CATALOG

CONTEXT: Any = SimpleNamespace(catalog=CATALOG)


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("vertx-pg/aot/pg", "no step for an AOT cache"),
        (
            "vertx-pg/jvm/pg+run-in=container",
            "starts processes, and no containers. .* or ask for vertx-pg/jvm/pg",
        ),
        ("standalone-jdbc/jvm/pg", "does not serve 'hello'"),
        *(
            (f"vertx-pg/jvm/pg+{setting}", "chooses the heap, and has the machine as it is. Leave out heap, cpus,")
            for setting in ("heap=256m", "cpus=1", "cpu-share=50", "page-cache=cold", "db-disk=100")
        ),
    ],
)
def test_what_has_none(subject: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check(CONTEXT, LifecycleRequest((subject,)))


def test_what_has_one() -> None:
    assert [subject.id for subject in check(CONTEXT, LifecycleRequest(("quarkus-hello-rest",)))] == [
        "quarkus-hello-rest/jvm/none"
    ]
