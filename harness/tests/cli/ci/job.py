"""`./bench` in a job of a forge: a checkout with the real harness and a small catalog, and the results of a step."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from plumbline.archive.record.assemble import assembled_again
from tests.record.sessions import evidence_of, record, rewritten, written

HARNESS = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str
    outputs: dict[str, str]
    summary: str


@dataclass(frozen=True)
class Checkout:
    """A checkout with the real harness and a small catalog under git."""

    root: Path

    def bench(self, *words: str, **environ: str) -> Ended:
        """`./bench` with these words in a job of a forge."""
        output, summary = self.root.parent / "output", self.root.parent / "summary"
        for path in (output, summary):
            path.write_text("")
        process = subprocess.run(
            [sys.executable, str(self.root / "harness"), *words],
            capture_output=True,
            text=True,
            cwd=self.root.parent,
            env={
                **os.environ,
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
                "XDG_CACHE_HOME": str(self.root.parent / "cache"),
                **environ,
            },
        )
        return Ended(
            process.returncode, process.stdout, process.stderr, _parsed(output.read_text()), summary.read_text()
        )


def _parsed(text: str) -> dict[str, str]:
    outputs = {}
    lines = iter(text.splitlines())
    for line in lines:
        key, _, end = line.partition("<<")
        value = []
        for row in lines:
            if row == end:
                break
            value.append(row)
        outputs[key] = "\n".join(value)
    return outputs


def fresh_session(folder: Path) -> tuple[Path, str]:
    """The folder of a session that ended just now, and the path where the session lands."""
    session_folder, ended_at = written(folder, blocks=1), datetime.now(UTC)
    base = record(blocks=1)
    name = f"{ended_at:%Y%m%dT%H%M%SZ}-lab-0a1b2c"
    times = dict.fromkeys(("started_at", "ended_at"), f"{ended_at:%Y-%m-%dT%H:%M:%SZ}")
    named = {
        "plan": base.plan.model_copy(update={"session": name}),
        "provenance": base.provenance.model_copy(update=times),
    }
    rewritten(session_folder, assembled_again(base.model_copy(update=named), evidence_of(blocks=1)))
    return session_folder, f"runs/{ended_at:%Y}/{ended_at:%m}/{name}"


def edit(checkout: Checkout, path: str, old: str, new: str) -> None:
    text = (checkout.root / path).read_text()
    assert old in text
    (checkout.root / path).write_text(text.replace(old, new, 1))
