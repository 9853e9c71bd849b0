"""Makes nights of weeks on the data branch out of a session that was really measured: at a level, or at another one."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from plumbline.archive.record.files import canonical_bytes
from plumbline.archive.record.write import NAME, digest_of, manifest_bytes
from .act import Machine
from .checkout import data_of, git

# A figure that needs no long load, and that a loaded machine does not disturb.
SUBJECT, PHASE, METRIC = "vertx-pg/jvm/pg", "start", "rss_idle_bytes"


def seed(machine: Machine, session: Path, days: Iterable[int], commit: str, level: float) -> None:
    """Push a night for each day, counted from today, of a commit, with one figure of one subject at a level."""
    data = data_of(machine.folder, machine.hub.bare)
    for day in days:
        _night(data, session, day, commit, level)
    bench = [sys.executable, str(machine.sources / "harness")]
    subprocess.run([*bench, "ci", "index", str(data)], check=True, capture_output=True)
    git(data, "add", "--all")
    git(data, "commit", "--quiet", "--message", "Nights")
    git(data, "push", "--quiet", "origin", "data")


def _night(data: Path, session: Path, day: int, commit: str, level: float) -> None:
    began, draw = datetime.now(UTC) + timedelta(days=day), random.Random(day)
    record: dict[str, Any] = json.loads((session / "record.json").read_bytes())
    record["plan"]["session"] = f"{began:%Y%m%dT%H%M%SZ}-hosted-{day + 1000:06x}"
    record["provenance"] |= {"commit": commit, "started_at": f"{began:%Y-%m-%dT%H:%M:%SZ}"}
    for program in record["ran"]:
        if program["subject"] == SUBJECT:
            # Another commit makes another artifact: history asks nothing about commits that make the same.
            program["sha256"] = f"{commit:0<64}"
    for trial in record["trials"]:
        for phase, figures in trial["figures"].items():
            for name in figures:
                figures[name] *= 1 + draw.gauss(0, 0.002)
            if (trial["subject"], phase) == (SUBJECT, PHASE):
                figures[METRIC] *= level
    folder = data / f"runs/{began:%Y/%m}" / record["plan"]["session"]
    shutil.copytree(session / "evidence", folder / "evidence")
    (folder / "record.json").write_bytes(canonical_bytes(record))
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    (folder / NAME).write_bytes(
        manifest_bytes({path.relative_to(folder).as_posix(): digest_of(path) for path in paths})
    )
