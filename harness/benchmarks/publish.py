"""Measures the cost of publishing a site out of a simulated branch.

    ./bench benchmark publish [--series 300] [--sessions 1000] [--data FOLDER]

Needs a build of site/ (`npm run build` there). Prints wall and CPU seconds, the memory of all processes together
(PSS, four times a second), files and bytes, each beside its budget; exit status 1 when one is over it. Wall time means
nothing on a machine that does other things; CPU time over the number of cores is what it could be.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from laboratory.simulate.write import simulate
from plumbline.measuring.observe.readers.identity import pss_bytes
from plumbline.measuring.observe.targets import Roots

ROOT = Path(__file__).resolve().parents[2]
# From docs/api.md: sessions -> seconds and MB on two cores. Ten years of nights may take longer.
BUDGETS = {1_000: (30, 600), 3_650: (90, 1_000)}
FILES, MB = 50_000, 700
EVERY_S = 0.25


def run(data: Path, out: Path, build: Path) -> tuple[float, float, float]:
    """Publish in a separate process; return wall seconds, CPU seconds, and peak memory of all its processes in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began_s = time.perf_counter()
    command = [
        sys.executable,
        str(ROOT / "harness"),
        "publish",
        str(data),
        str(out),
        "--site-build",
        str(build),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        most_bytes = 0
        while process.poll() is None:
            most_bytes = max(most_bytes, sum(pss_bytes(Roots(), pid) or 0 for pid in descendants(process.pid)))
            time.sleep(EVERY_S)
    wall_s = time.perf_counter() - began_s
    if process.returncode != 0:
        raise SystemExit(f"publish ended with {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall_s, cpu_s, most_bytes / 1e6


def descendants(root: int) -> list[int]:
    """Return a process and all processes below it."""
    pids = [root]
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                pids += [int(word) for word in thread.read_text().split()]
    return pids


def said(title: str, value: float, budget: float, unit: str) -> bool:
    """Print a line, and return whether the value is within its budget."""
    within = value <= budget
    print(f"{title:34} {value:10,.1f} {unit:5} budget {budget:,} {'' if within else 'OVER'}")
    return within


def main() -> int:
    """Simulate a branch, publish it, and print the costs."""
    parser = argparse.ArgumentParser(
        prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--series", type=int, default=300)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--data", type=Path, help="a branch that was simulated before, to be left as it is")
    parser.add_argument("--site-build", type=Path, default=ROOT / "site" / "dist")
    arguments = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as scratch:
        data, out = Path(scratch) / "data", Path(scratch) / "out"
        if arguments.data is not None:
            shutil.copytree(arguments.data, data)
        else:
            simulate(data, arguments.series, arguments.sessions, 1, 90)
        sessions = sum(1 for _ in data.glob("runs/*/*/*/record.json"))
        full_s, full_mb = next(
            (budget for most, budget in sorted(BUDGETS.items()) if sessions <= most), BUDGETS[max(BUDGETS)]
        )
        wall_s, cpu_s, memory_mb = run(data, out, arguments.site_build)
        within_budget = [
            said("wall", wall_s, full_s, "s"),
            said(f"CPU over {cores} cores", cpu_s / cores, full_s, "s"),
            said("memory of all processes", memory_mb, full_mb, "MB"),
        ]
        files = [path for path in out.rglob("*") if path.is_file()]
        within_budget.append(said("files", len(files), FILES, ""))
        within_budget.append(said("size", sum(path.stat().st_size for path in files) / 1e6, MB, "MB"))
    return 0 if all(within_budget) else 1


if __name__ == "__main__":
    raise SystemExit(main())
