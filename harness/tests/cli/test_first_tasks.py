"""Three questions of a first visit, answered in a terminal; site/tests/browser/tasks.test.ts asks the pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.calling import ROOT, bench

EXAMPLE = ROOT / "results" / "examples" / "20261121T204036Z-vm-8ed53f"


@pytest.mark.slow
def test_which_jdbc_stack_needs_the_least_cpu_for_reads_and_since_when(tmp_path: Path) -> None:
    simulation = bench("simulate", "data", "--series", "300", "--sessions", "40", "--evidence", "0", cwd=tmp_path)
    assert simulation.returncode == 0
    history_words = (
        *("history", "data", "--metric", "app_cpu_us_per_request"),
        *("--scenario", "fruits", "--only", "*jdbc*"),
    )
    history = bench(*history_words, cwd=tmp_path)
    assert history.returncode == 0 and history.stdout.startswith("Application CPU per request, in µs: lower is better.")
    sql = re.findall(r"^Hand-written SQL\n +(\S+)[^±]*? ([\d,.]+)", history.stdout, re.MULTILINE)
    assert sql and all("jdbc" in name for name, _ in sql)
    groups = json.loads(bench(*history_words, "--json", cwd=tmp_path).stdout)["groups"]
    firsts = [next((row for row in group["levels"] if row["class"] == "sql"), None) for group in groups]
    best_subjects = [row["subject"].partition("/")[0] for row in firsts if row is not None]
    assert [name for name, _ in sql] == best_subjects
    since = [row["since"] for row in firsts if row is not None]
    assert all(f"{first_session['t'][:10]}  {first_session['commit'][:8]}" in history.stdout for first_session in since)


@pytest.mark.slow
def test_why_a_trial_was_refused_and_how_to_repeat_it(tmp_path: Path) -> None:
    trials = json.loads((EXAMPLE / "record.json").read_bytes())["trials"]
    listed = bench("show", "--record", str(EXAMPLE), cwd=tmp_path)
    assert listed.returncode == 0
    refused = re.findall(r"^ +(\d+)  refused by (R\d+) ", listed.stdout, re.MULTILINE)
    assert [int(number) for number, _ in refused] == [
        trial["number"] for trial in trials if trial["verdict"] == "invalid"
    ]
    number, refusing_rule = refused[0]
    trial_shown = bench("show", number, "--record", str(EXAMPLE), cwd=tmp_path)
    assert trial_shown.returncode == 1
    (rule, *_) = re.findall(r"^What (R\d+) asks, and why: \./bench explain \1$", trial_shown.stdout, re.MULTILINE)
    assert rule == refusing_rule
    assert re.search(rf"^  refused   {rule} ", trial_shown.stdout, re.MULTILINE)
    assert f"The session again: ./bench reproduce {EXAMPLE.relative_to(ROOT)}\n" in trial_shown.stdout
    explained = bench("explain", rule, cwd=tmp_path)
    assert (explained.returncode, explained.stdout.startswith(f"{rule} ")) == (0, True)


@pytest.mark.slow
def test_what_a_change_did_to_given_figures(tmp_path: Path) -> None:
    """The figures of two sides are CPU times per request: the head needs a tenth less."""
    pairs = [[100 + step, 0.9 * (100 + step) + step % 3 / 10] for step in range(12)]
    (tmp_path / "pairs.json").write_text(json.dumps({"pairs": pairs, "better": "lower"}), encoding="utf-8")
    comparison = bench("compare", "--pairs", "pairs.json", cwd=tmp_path)
    assert comparison.returncode == 0
    assert re.match(r"Head is faster: \d+(\.\d+)? % less \(99 % interval .+ to .+ %\), 12 pairs\.", comparison.stdout)
