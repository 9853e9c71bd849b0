from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.github.forge import Forge
from tests.github.forge import forge as running


@pytest.fixture
def forge() -> Iterator[Forge]:
    with running() as started_forge:
        yield started_forge
