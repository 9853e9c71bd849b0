"""What history costs: 300 series of 1,000 sessions from nothing, and one session more.

    ./bench benchmark history RECORD.JSON [--sessions 1000] [--subjects 30]

Writes records with ten watched figures a subject into a temporary folder, then times reading all of them, looking
again with the extracts kept, and looking after one session was added. Wall time on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from plumbline.archive.history.analysis import SeriesAnalysis, analyse
from plumbline.archive.history.collect import series_of, sessions
from plumbline.archive.record.write import NAME, RECORD, digest_of, manifest_bytes

# phase -> figures; ten in all are watched on a lab host.
FIGURES = {
    "start": {"first_response_ms": 2100.0, "rss_idle_bytes": 3e8},
    "closed": {"throughput_per_s": 4000.0, "app_cpu_us_per_request": 950.0, "rss_under_load_bytes": 4e8},
    "open@500": {"latency_p99_ms": 9.5, "app_cpu_us_per_request": 900.0, "rss_under_load_bytes": 4e8},
    "open@800": {"latency_p99_ms": 14.5, "app_cpu_us_per_request": 920.0},
}
TRIALS = 3


def session(pattern: dict[str, Any], number: int, subjects: list[str]) -> dict[str, Any]:
    """Return a record like the pattern, of many subjects, in the night of that number."""
    draw = random.Random(number)
    trial = {**pattern["trials"][0], "role": "measured", "verdict": "valid", "findings": []}
    trials = [
        {
            **trial,
            "number": place,
            "subject": subject,
            "figures": {
                phase: {name: value * (1 + draw.gauss(0, 0.01)) for name, value in metrics.items()}
                for phase, metrics in FIGURES.items()
            },
        }
        for place, subject in enumerate(subjects * TRIALS, start=1)
    ]
    for place, numbered_trial in enumerate(trials):
        numbered_trial["role"] = "control" if place % len(subjects) == 0 else "measured"
    planned = pattern["plan"]["trials"][0]
    day = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_700_000_000 + 86_400 * number))
    return {
        **pattern,
        "plan": {
            **pattern["plan"],
            "session": f"night-{number:05}",
            "host_class": "lab",
            "control": subjects[0],
            "trials": [
                {**planned, **{name: trial[name] for name in ("number", "subject", "role")}} for trial in trials
            ],
        },
        "provenance": {**pattern["provenance"], "started_at": day},
        "trials": trials,
    }


def write(data: Path, document: dict[str, Any]) -> None:
    """Write the folder of one session."""
    folder = data / "runs" / document["provenance"]["started_at"][:4] / document["plan"]["session"]
    folder.mkdir(parents=True)
    (folder / RECORD).write_text(json.dumps(document), encoding="utf-8")
    (folder / NAME).write_bytes(manifest_bytes({RECORD: digest_of(folder / RECORD)}))


def timed(title: str, data: Path, cache: Path) -> SeriesAnalysis:
    """Analyse all sessions, and print the wall time."""
    before_s = time.perf_counter()
    analysis = analyse(series_of(sessions(data, cache)), (), {})
    count = sum(not series.control for series in analysis.series)
    print(f"{title}: {time.perf_counter() - before_s:.2f} s for {count} series, {len(analysis.changes)} changes")
    return analysis


def main() -> None:
    """Write sessions, analyse them twice, add one session, and analyse again."""
    parser = argparse.ArgumentParser(
        prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "record", type=Path, help="a record.json to take host and provenance from: results/repeats has some"
    )
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--subjects", type=int, default=30)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    pattern = json.loads(arguments.record.read_text(encoding="utf-8"))
    subjects = ["control/jvm/pg", *(f"variant-{number}/jvm/pg" for number in range(arguments.subjects))]
    with tempfile.TemporaryDirectory() as scratch:
        data, cache = Path(scratch) / "data", Path(scratch) / "cache"
        for number in range(arguments.sessions):
            write(data, session(pattern, number, subjects))
        timed("From nothing", data, cache)
        timed("Again", data, cache)
        write(data, session(pattern, arguments.sessions, subjects))
        timed("One session more", data, cache)


if __name__ == "__main__":
    main()
