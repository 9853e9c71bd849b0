"""Three questions of a first visit, answered in a terminal; site/tests/browser/tasks.test.ts asks them of the pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.calling import ROOT, bench

EXAMPLE = ROOT / "results" / "examples" / "20261121T204036Z-vm-8ed53f"


@pytest.mark.slow
def test_which_jdbc_stack_needs_the_least_cpu_for_reads_and_since_when(tmp_path: Path) -> None:
    made = bench("simulate", "data", "--series", "300", "--sessions", "40", "--evidence", "0", cwd=tmp_path)
    assert made.returncode == 0
    asked = (
        *("history", "data", "--metric", "app_cpu_us_per_request"),
        *("--scenario", "fruits", "--only", "*jdbc*"),
    )
    said = bench(*asked, cwd=tmp_path)
    assert said.returncode == 0 and said.stdout.startswith("Application CPU per request, in µs: lower is better.")
    sql = re.findall(r"^Hand-written SQL\n +(\S+)[^±]*? ([\d,.]+)", said.stdout, re.MULTILINE)
    assert sql and all("jdbc" in name for name, _ in sql)
    groups = json.loads(bench(*asked, "--json", cwd=tmp_path).stdout)["groups"]
    firsts = [next((row for row in one["levels"] if row["class"] == "sql"), None) for one in groups]
    told = [row["subject"].partition("/")[0] for row in firsts if row is not None]
    assert [name for name, _ in sql] == told
    since = [row["since"] for row in firsts if row is not None]
    assert all(f"{one['t'][:10]}  {one['commit'][:8]}" in said.stdout for one in since)


@pytest.mark.slow
def test_why_a_trial_was_refused_and_how_to_repeat_it(tmp_path: Path) -> None:
    trials = json.loads((EXAMPLE / "record.json").read_bytes())["trials"]
    listed = bench("show", "--record", str(EXAMPLE), cwd=tmp_path)
    assert listed.returncode == 0
    refused = re.findall(r"^ +(\d+)  refused by (R\d+) ", listed.stdout, re.MULTILINE)
    assert [int(number) for number, _ in refused] == [one["number"] for one in trials if one["verdict"] == "invalid"]
    number, why = refused[0]
    shown = bench("show", number, "--record", str(EXAMPLE), cwd=tmp_path)
    assert shown.returncode == 1
    (rule, *_) = re.findall(r"^What (R\d+) asks, and why: \./bench explain \1$", shown.stdout, re.MULTILINE)
    assert rule == why
    assert re.search(rf"^  refused   {rule} ", shown.stdout, re.MULTILINE)
    assert f"The session again: ./bench reproduce {EXAMPLE.relative_to(ROOT)}\n" in shown.stdout
    explained = bench("explain", rule, cwd=tmp_path)
    assert (explained.returncode, explained.stdout.startswith(f"{rule} ")) == (0, True)


@pytest.mark.slow
def test_what_a_change_did_to_given_figures(tmp_path: Path) -> None:
    """The figures of two sides, CPU time per request: the head needs a tenth less."""
    pairs = [[100 + step, 0.9 * (100 + step) + step % 3 / 10] for step in range(12)]
    (tmp_path / "pairs.json").write_text(json.dumps({"pairs": pairs, "better": "lower"}), encoding="utf-8")
    said = bench("compare", "--pairs", "pairs.json", cwd=tmp_path)
    assert said.returncode == 0
    assert re.match(r"Head is faster: \d+(\.\d+)? % less \(99 % interval .+ to .+ %\), 12 pairs\.", said.stdout)
