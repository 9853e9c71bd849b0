"""Digests of the figures and findings that today's arithmetic finds in the stored sessions: recorded/digests.json.

`./bench python -m tests.record.digests` writes the file anew.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from plumbline.archive.record.assemble import assembled_again
from plumbline.archive.record.files import canonical_bytes
from plumbline.archive.record.read import read_session
from plumbline.cli.console import ROOT
from plumbline.verdicts.figures.compute import FIGURES_VERSION
from plumbline.verdicts.judge.referee import RULES_VERSION

KEPT = Path(__file__).with_name("recorded") / "digests.json"
SESSIONS = sorted(
    path.parent
    for kind in ("examples", "families", "repeats")
    for path in (ROOT / "results" / kind).rglob("record.json")
)


def document() -> dict[str, Any]:
    """The versions of today, and the digest of each stored session by its name."""
    return {
        "rules": RULES_VERSION,
        "figures": FIGURES_VERSION,
        "sessions": {folder.name: digest(folder) for folder in SESSIONS},
    }


def digest(folder: Path) -> str:
    """The digest of the figures, findings and verdicts of all trials of a session."""
    trials = assembled_again(*read_session(folder)).trials
    parts = [trial.model_dump(mode="json", include={"number", "figures", "findings", "verdict"}) for trial in trials]
    return hashlib.sha256(canonical_bytes({"trials": parts})).hexdigest()


def content() -> bytes:
    """The bytes of the file."""
    return json.dumps(document(), indent=1).encode("ascii") + b"\n"


if __name__ == "__main__":
    KEPT.write_bytes(content())
