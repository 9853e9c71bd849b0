"""What publishing costs: a simulated branch from nothing, again, and with one session more.

    python -m benchmarks.publish [--series 300] [--sessions 1000] [--data FOLDER]

Needs a build of site/ (`npm run build` there). Prints wall and CPU seconds, the greatest memory of a process, files and
bytes, each beside its budget; exit status 1 when one is over it. Wall time means nothing on a machine that does other
things; CPU time over the number of cores is what it could be.
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
from pathlib import Path

from laboratory.simulate.write import simulate

ROOT = Path(__file__).resolve().parents[2]
# Of issue and docs/api.md; ten years of nights may take longer.
FULL_S, FULL_LARGE_S, MORE_S, MEMORY_MB, FILES, MB = 60, 240, 2, 1000, 50_000, 700
LARGE = 2_000


def run(data: Path, out: Path, build: Path) -> tuple[float, float, float]:
    """One publish in a process of its own: wall seconds, CPU seconds, greatest memory of a process in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began_s = time.perf_counter()
    words = [
        sys.executable,
        str(ROOT / "harness"),
        "publish",
        str(data),
        str(out),
        "--site-build",
        str(build),
    ]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall_s = time.perf_counter() - began_s
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall_s, cpu_s, after.ru_maxrss / 1024


def said(what: str, value: float, budget: float, unit: str) -> bool:
    """A line; answers whether the value is within its budget."""
    within = value <= budget
    print(f"{what:34} {value:10,.1f} {unit:5} budget {budget:,} {'' if within else 'OVER'}")
    return within


def main() -> int:
    """Simulate, publish, publish again, add a session, publish."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--series", type=int, default=300)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--data", type=Path, help="a branch that was simulated before, to be left as it is")
    parser.add_argument("--site-build", type=Path, default=ROOT / "site" / "dist")
    chosen = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as scratch:
        data, out = Path(scratch) / "data", Path(scratch) / "out"
        if chosen.data is not None:
            shutil.copytree(chosen.data, data)
        else:
            simulate(data, chosen.series, chosen.sessions, 1, 90)
        folders = sorted(
            (path.parent for path in data.glob("runs/*/*/*/record.json")), key=lambda one: one.name
        )
        aside = Path(scratch) / "newest"
        shutil.move(folders[-1], aside)
        fine = []
        wall_s, cpu_s, memory_mb = run(data, out, chosen.site_build)
        full_s = FULL_LARGE_S if len(folders) > LARGE else FULL_S
        fine.append(said("from nothing, wall", wall_s, full_s, "s"))
        fine.append(said(f"from nothing, CPU over {cores} cores", cpu_s / cores, full_s, "s"))
        fine.append(said("memory of the largest process", memory_mb, MEMORY_MB, "MB"))
        shutil.move(aside, folders[-1])
        wall_s, cpu_s, _ = run(data, out, chosen.site_build)
        fine.append(said("one session more, wall", wall_s, MORE_S, "s"))
        fine.append(said("one session more, CPU", cpu_s, MORE_S * cores, "s"))
        files = [path for path in out.rglob("*") if path.is_file()]
        fine.append(said("files", len(files), FILES, ""))
        fine.append(said("size", sum(path.stat().st_size for path in files) / 1e6, MB, "MB"))
    return 0 if all(fine) else 1


if __name__ == "__main__":
    raise SystemExit(main())
