"""The six sources of an order count what they answer, by source and latency."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.machine.tools.jdk import find_jdk
from plumbline.measuring.services.sources import SourcesService
from plumbline.model.errors import CannotGoOn
from plumbline.verdicts.contract.waits import SOURCES
from tests.checkout import ROOT
from tests.processes import PlainSpawner

PATHS = ("customers/17", "cards/4", "addresses/9", "products?ids=12,7", "stock?ids=12,7", "discounts/17")


@pytest.fixture
def sources(tmp_path: Path) -> Iterator[SourcesService]:
    java, program = find_jdk(os.environ).java, ROOT / "apps" / "stub" / "Stub.java"
    log = tmp_path / "sources.log"
    with SourcesService(PlainSpawner(), java=java, program=program, folder=tmp_path, log=log) as service:
        yield service


def test_answers_are_counted_by_source_and_latency(sources: SourcesService) -> None:
    one_ms, two_ms = sources.url(1), sources.url(2)
    assert sources.answered(1) == Counter()
    for path in (*PATHS, "cards/5"):
        urllib.request.urlopen(f"{one_ms}/{path}").read()
    urllib.request.urlopen(f"{two_ms}/cards/4").read()
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"{one_ms}/cards/10001")
    assert sources.answered(1) == {**dict.fromkeys(SOURCES, 1), "cards": 2}
    assert sources.answered(2) == {"cards": 1}


def test_sources_that_are_gone_do_not_tell(sources: SourcesService) -> None:
    sources.url(1)
    sources.stop()
    with pytest.raises(CannotGoOn, match="do not tell how often they answered"):
        sources.answered(1)
