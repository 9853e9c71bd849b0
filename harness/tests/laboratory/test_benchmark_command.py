"""`./bench benchmark`: names, help, exit status."""

from __future__ import annotations

import runpy
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from laboratory.benchmark_command import FOLDER, benchmarks, command

BENCH = FOLDER.parents[1] / "bench"


def run_benchmark(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BENCH, "benchmark", *words], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_every_file_that_can_be_started_is_a_benchmark_with_a_line() -> None:
    lines = benchmarks()
    assert {"repeats", "curves", "verdicts", "samplers", "k6_cost", "publish"} <= set(lines)
    assert "replaying" not in lines
    help_of_all = " ".join(run_benchmark("--help").stdout.split())
    for name, line in lines.items():
        assert line and f"{name} {' '.join(line.split())}" in help_of_all


@pytest.mark.slow
@pytest.mark.parametrize("name", benchmarks())
def test_the_help_of_a_benchmark_names_the_command_that_starts_it(name: str) -> None:
    completed = run_benchmark(name, "--help")
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.startswith(f"usage: ./bench benchmark {name} ")
    assert f"    ./bench benchmark {name} " in completed.stdout


@pytest.mark.slow
def test_a_name_that_is_none_and_folders_that_hold_nothing_are_told(tmp_path: Path) -> None:
    unknown = run_benchmark("nosuch")
    assert unknown.returncode == 2 and "repeats" in unknown.stderr
    empty = run_benchmark("repeats", str(tmp_path))
    assert empty.returncode == 2 and "two or more sessions" in empty.stderr and "Traceback" not in empty.stderr


def test_a_benchmark_that_gives_up_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(*_: object, **__: object) -> None:
        raise SystemExit("closed, no checks: 3 failed")

    monkeypatch.setattr(runpy, "run_module", gives_up)
    result = CliRunner().invoke(command, ["k6_cost"], standalone_mode=False, catch_exceptions=False)
    assert (result.return_value, result.stderr) == (1, "closed, no checks: 3 failed\n")


@pytest.mark.slow
def test_the_effect_of_the_samplers_is_measured_in_pairs() -> None:
    completed = run_benchmark("samplers", "--pairs", "2", "--seconds", "0.1")
    assert completed.returncode == 0, completed.stderr
    assert "2 pairs of windows of 0.1 s" in " ".join(completed.stdout.split())
    assert all(
        f"| {quantity} | " in completed.stdout for quantity in ("CPU time of the server for an echo", "time of an echo")
    )


@pytest.mark.slow
@pytest.mark.parametrize("words", [("k6_cost", "--rounds", "1"), ("samplers", "--pairs", "1"), ("samplers", "--write")])
def test_one_round_or_pair_tells_no_interval(words: tuple[str, ...]) -> None:
    completed = run_benchmark(*words)
    assert completed.returncode == 2 and "or more to tell an interval" in completed.stderr
