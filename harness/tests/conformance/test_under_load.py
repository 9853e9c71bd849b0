"""How long a variant is loaded when it is held to the contract."""

from __future__ import annotations

from plumbline.catalog.catalog import read_catalog
from plumbline.conformance.under_load import LOAD_S, load_s
from plumbline.judge.rules.r10_pool import ACTIVE_SAMPLES_MIN
from .served import ROOT


def test_of_a_program_there_are_samples_enough_to_tell_whether_its_connections_work() -> None:
    by_kind = {one.spec.serves_on: load_s(one.spec) for one in read_catalog(ROOT).variants.values()}
    assert by_kind.pop("cli") > ACTIVE_SAMPLES_MIN
    assert set(by_kind.values()) == {LOAD_S}
