"""Two real comparisons of one pair each: two settings of a subject, and a ref with itself."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .checkout import Checkout, Ended, make_checkout, processes
from .conftest import ROOT

pytestmark = pytest.mark.slow

TINY = """
[suites.brief]
about = "one subject, a second or two a phase"
subjects = ["vertx-pg/jvm/pg"]
scenarios = ["fruits"]
blocks = 2
budget = "5m"
phases = [
    { kind = "warm-up", time = "1s" },
    { kind = "open", time = "3s", rates = [20] },
]
"""
# One pair is always measured; a second no longer fits.
ONE_PAIR = ("--suite", "brief", "--budget", "1s", "--design", "duet", "--json")


@dataclass(frozen=True)
class Compared:
    checkout: Checkout
    ended: Ended
    record: dict[str, Any]
    folder: Path


def compared(checkout: Checkout, *words: str) -> Compared:
    ended = checkout.bench("compare", *words, *ONE_PAIR)
    assert ended.status == 0, ended.err
    folder = Path(ended.document["record"]).parent
    return Compared(checkout, ended, json.loads((folder / "record.json").read_text()), folder)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compared]:
    checkout = make_checkout(tmp_path_factory.mktemp("clone") / "ours", TINY)
    yield compared(checkout, "vertx-pg", "vertx-pg+db-tls=require")


def test_a_duet_runs_both_sides_at_once_each_on_its_own_cpus(settings: Compared) -> None:
    plan = settings.record["plan"]
    assert plan["comparison"]["design"] == "duet"
    pair = [trial for trial in plan["trials"] if trial["role"] == "measured"]
    assert [trial["side"] for trial in sorted(pair, key=lambda each: each["side"])] == ["base", "head"]
    assert not set(pair[0]["sets"]["app"]) & set(pair[1]["sets"]["app"])
    began = [trial["number"] for trial in settings.record["trials"] if trial["role"] == "measured"]
    assert len(began) == 2


def test_each_side_ran_as_it_was_asked_to(settings: Compared) -> None:
    findings = [
        finding
        for trial in settings.record["trials"]
        if trial["role"] == "measured"
        for finding in trial["findings"]
        if finding["rule"] in ("R13", "R33", "R31", "R8")
    ]
    assert findings and {finding["outcome"] for finding in findings} <= {"pass", "n/a"}, findings
    figures = [trial["figures"]["open@20"] for trial in settings.record["trials"] if trial["side"]]
    assert all("warming_app_cpu_us_per_request" in row and row["achieved_rate_per_s"] > 18 for row in figures)


def test_the_answer_is_given_and_says_that_it_is_too_early(settings: Compared) -> None:
    document = settings.ended.document
    assert "No verdict on " in document["sentence"] and document["ended"] == "budget"
    assert "no figure of a warm program" in document["sentence"], document["sentence"]
    assert (document["pairs"], document["fails"]) == (1, False)
    report = Path(document["report"]).read_text()
    assert document["sentence"].split(":")[0] in report


def test_it_verifies_and_leaves_nothing_running(settings: Compared) -> None:
    assert settings.checkout.bench("verify").status == 0
    session = settings.record["plan"]["session"]
    assert not processes(session) and not processes(f"{session}-2")
    assert list(settings.checkout.results.glob(".running/*")) == []


def test_a_ref_with_itself(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path / "ours", TINY)
    (checkout.root / "apps").unlink()
    left_out = shutil.ignore_patterns("target", "node_modules", ".quarkus")
    shutil.copytree(ROOT / "apps", checkout.root / "apps", ignore=left_out)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "apps", "bench.toml"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=checkout.root, check=True, capture_output=True)
    found = compared(checkout, "HEAD", "HEAD", "--only", "vertx-pg/jvm/pg")
    comparison = found.record["plan"]["comparison"]
    assert comparison["base"]["commit"] == comparison["head"]["commit"] and comparison["base"]["kind"] == "ref"
    digests = {artifact["side"]: artifact["sha256"] for artifact in found.record["ran"]}
    assert digests["base"] == digests["head"]
    assert "this host with itself" in Path(found.ended.document["report"]).read_text()
