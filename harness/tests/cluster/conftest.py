"""The stand-in of a cluster's API that tests of the cluster speak to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.stand_in import Answer, StandIn


@pytest.fixture
def stand_in(tmp_path: Path, cluster: Callable[[str, str, Any], Answer]) -> Iterator[StandIn]:
    """The stand-in that answers as the fixture `cluster` of a test's module does."""
    with StandIn(tmp_path, cluster) as opened:
        yield opened
