"""Writes a made-up data branch: `runs/YYYY/MM/<session>/` and `hosts/<host>/`, as in a measured branch."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from plumbline.archive.record.write import NAME, RECORD, manifest_bytes
from plumbline.model.errors import UsageError
from .evidence import evidence_bytes
from .quiet import quiet_files
from .session import Night, night_of
from .texts import HOSTILE
from .world import world

# Nights on which nothing was measured.
_MISSED = 0.02
_README = """# Simulated data

Made by `./bench simulate`. None of these figures was measured: every record says so, and `./bench verify` finds that
they do not follow from their evidence.
"""


@dataclass(frozen=True)
class Simulated:
    """How much was written."""

    sessions: int
    evidence_files: int
    broken: int
    bytes: int


def simulate(
    out: Path,
    series: int,
    sessions: int,
    seed: int,
    evidence: int,
    say: Callable[[str], None] = lambda text: None,
) -> Simulated:
    """Write about `series` series in `sessions` sessions of a lab host and, every third night, of a shared host.

    The newest `evidence` sessions keep their evidence.
    Raises UsageError if `out` holds something already.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already, and not an empty folder.", "Name one that is not there yet.")
    out.mkdir(parents=True, exist_ok=True)
    (out / "README.md").write_text(_README, encoding="utf-8")
    nights = _nights(series, sessions, seed)
    simulated_world = world(series, nights, seed)
    draw = random.Random(f"branch {seed}")
    host_nights = [
        (host, night)
        for night in range(nights)
        for host in simulated_world.hosts
        if night % host.every == 0 and (night == nights - 1 or draw.random() >= _MISSED)
    ][-sessions:]
    with_evidence = set(range(len(host_nights) - evidence, len(host_nights)))
    files = size = 0
    for place, (host, night) in enumerate(host_nights):
        record_of_night = night_of(simulated_world, host, night, nights, seed)
        added_files, added_bytes = _write(out, record_of_night, place in with_evidence, seed)
        files, size = files + added_files, size + added_bytes
        if place % 100 == 99:
            say(f"{place + 1} of {len(host_nights)} sessions.")
    for name, content in quiet_files(simulated_world.hosts[0].name, seed).items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(content)
    broken = _break_some(out, night_of(simulated_world, simulated_world.hosts[0], nights // 2, nights, seed + 1))
    return Simulated(len(host_nights), files, broken, size)


def _nights(series: int, sessions: int, seed: int) -> int:
    """Return nights that give a few sessions too many, on all hosts together; the oldest sessions are left out."""
    sessions_per_night = sum(1 / host.every for host in world(series, 1, seed).hosts)
    return math.ceil(sessions / sessions_per_night / (1 - _MISSED) * 1.05) + 3


def _write(out: Path, night: Night, with_evidence: bool, seed: int) -> tuple[int, int]:
    folder = out / "runs" / night.started_at[:4] / night.started_at[5:7] / night.session
    folder.mkdir(parents=True)
    content = night.record.encode("utf-8")
    (folder / RECORD).write_bytes(content)
    digests = {RECORD: hashlib.sha256(content).hexdigest()}
    size = len(content)
    if with_evidence:
        (folder / "evidence").mkdir()
        for number, subject, scenario, figures in night.trials:
            name = f"evidence/{number:04d}.json.gz"
            packed = evidence_bytes(number, subject, scenario, night.started_at, figures, seed)
            (folder / name).write_bytes(packed)
            digests[name] = hashlib.sha256(packed).hexdigest()
            size += len(packed)
    (folder / NAME).write_bytes(manifest_bytes(digests))
    return len(digests) - 1, size


def _break_some(out: Path, night: Night) -> int:
    """Write records as a bad night or an attacker leaves them: cut off, changed, foreign, hostile. Return how many."""
    record_text = night.record
    session = f'"session":"{night.session}"'
    texts = {
        "cut-off": record_text[: len(record_text) // 2],
        "foreign": '{"version": 3, "results": []}\n',
        "from-the-future": record_text.replace('"schema_version":', '"schema_version":9', 1),
        "hostile-session": record_text.replace(session, f'"session":"{HOSTILE[7]}"', 1),
        "hostile-host": record_text.replace('"host":"sim-', '"host":"<b>sim-', 1),
        "not-a-number": record_text.replace('"expected_s":21000.0', '"expected_s":NaN', 1),
    }
    for name, text in texts.items():
        folder = out / "runs" / "broken" / name
        folder.mkdir(parents=True)
        content = text.encode("utf-8")
        (folder / RECORD).write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        (folder / NAME).write_bytes(manifest_bytes({RECORD: digest}))
    changed = out / "runs" / "broken" / "changed-since"
    changed.mkdir()
    (changed / RECORD).write_text(record_text, encoding="utf-8")
    (changed / NAME).write_bytes(manifest_bytes({RECORD: hashlib.sha256(b"another").hexdigest()}))
    return len(texts) + 1
