"""R16 and errors: after an error a server may close its connection, and word errors that the contract does not."""

from __future__ import annotations

from typing import Any

import pytest

from plumbline.model.evidence import Probe
from tests.judge.damage import damaged, findings, measured, with_fields
from tests.judge.evidence import session

ERROR = Probe(
    name="x",
    method="GET",
    path="/hello/%20",
    status=400,
    protocol="HTTP/1.1",
    keep_alive=True,
    body_bytes=69,
    body_sha256="a" * 64,
)
ANSWER = ERROR.model_copy(update={"status": 200})


def outcome(probe: Probe, **changed: Any) -> str:
    """What R16 says of the one trial whose answer differs from the answers of all others."""
    whole = session()
    number, *_ = measured(whole)
    for other in whole.trials:
        trial_probe = probe.model_copy(update=changed) if other == number else probe
        whole = damaged(whole, other, with_fields(probes=(trial_probe,)))
    return findings(whole, number, "R16")[None].outcome


@pytest.mark.parametrize("changed", [{"keep_alive": False}, {"body_bytes": 0, "body_sha256": "b" * 64}])
def test_what_is_the_servers_own_after_an_error(changed: dict[str, Any]) -> None:
    assert outcome(ERROR, **changed) == "pass"
    assert outcome(ANSWER, **changed) == "invalid"


def test_the_status_of_an_error_is_compared() -> None:
    assert outcome(ERROR, status=404) == "invalid"
