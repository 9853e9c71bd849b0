"""./bench check-variant on an application outside the tree says what holds, and says in words what does not."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from .checkout import make_checkout
from .conftest import ROOT

pytestmark = pytest.mark.slow

ENDPOINT = "src/main/java/org/plumbline/app/fruits/FruitEndpoint.java"
RIGHT, WRONG = ',\\"currency\\":', ',\\"currencY\\":'


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The control, which has neither parent nor sibling, in a folder of its own: on PostgreSQL alone, to be quick."""
    folder = tmp_path / "shop"
    shutil.copytree(ROOT / "apps" / "control", folder, ignore=shutil.ignore_patterns("target"))
    spec = folder / "variant.toml"
    spec.write_text(re.sub(r"(?m)^engines = .*$", 'engines = ["pg"]', spec.read_text()))
    return folder


def test_a_wrong_answer_and_a_place_to_write_are_named_and_the_rest_holds(shop: Path, tmp_path: Path) -> None:
    endpoint = shop / ENDPOINT
    assert RIGHT in endpoint.read_text()
    endpoint.write_text(endpoint.read_text().replace(RIGHT, WRONG))
    spec = shop / "variant.toml"
    spec.write_text(spec.read_text().replace('name = "Control"', 'name = "Control" # WRITE: its name'))
    ended = make_checkout(tmp_path / "clone").bench("check-variant", "shop", "--app", str(shop), "--all", "--json")
    assert ended.status == 1, ended.err
    assert ended.document["holds"] is False
    shortcomings = {(part["part"], part["subject"]): " ".join(part["falls_short"]) for part in ended.document["parts"]}
    plain, encrypted = "shop/jvm/pg", "shop/jvm/pg+db-tls=require"
    assert shortcomings["places to write", None].endswith("variant.toml:1.")
    assert shortcomings["build", None] == shortcomings["database gone", plain] == ""
    assert "another body" in shortcomings["contract", plain] and "another body" in shortcomings["contract", encrypted]
    assert "R16: GET /fruits was answered wrongly" in shortcomings["load", plain]


def test_what_does_not_build_says_so(shop: Path, tmp_path: Path) -> None:
    (shop / ENDPOINT).write_text("no Java")
    ended = make_checkout(tmp_path / "clone").bench("check-variant", "shop", "--app", str(shop))
    assert ended.status == 1, ended.err
    assert re.search(r"^build +falls short$", ended.out, re.MULTILINE), ended.out
    assert "contract" not in ended.out
