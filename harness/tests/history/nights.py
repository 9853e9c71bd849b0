"""Records of many nights: copies of one made-up session, each with another name, time and other figures."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from plumbline.archive.record.files import canonical_bytes
from plumbline.archive.record.write import NAME, digest_of, manifest_bytes
from plumbline.model.record import Record
from tests.record.sessions import record

Scale = Callable[[str, int], float]
"""(subject, night) -> the factor for the subject's throughput in that night."""


def night_of(night: int, scale: Scale, **host: str) -> Record:
    """The session of one night; `host` replaces components of the host."""
    base, draw = record(), random.Random(night)
    trials = []
    for trial in base.trials:
        figures = {phase: dict(metrics) for phase, metrics in trial.figures.items()}
        noise = 1 + draw.gauss(0, 0.004)
        figures["closed"]["throughput_per_s"] *= scale(trial.subject, night) * noise
        trials.append(trial.model_copy(update={"figures": figures}))
    commit = f"{night:012x}{0:028x}"
    started_at = f"2026-{1 + night // 28:02}-{1 + night % 28:02}T02:00:00Z"
    return base.model_copy(
        update={
            "plan": base.plan.model_copy(update={"session": f"{started_at[:10]}-{night:04}"}),
            "host": base.host.model_copy(update=host),
            # Each commit makes other artifacts, but for the control's, by which sessions are comparable.
            "ran": tuple(
                program
                if program.subject == base.plan.control
                else program.model_copy(update={"sha256": f"{commit:0<64}"})
                for program in base.ran
            ),
            "provenance": base.provenance.model_copy(update={"commit": commit, "started_at": started_at}),
            "trials": tuple(trials),
        }
    )


def keep(data: Path, session: Record) -> Path:
    """Writes a record below `data`, as on the data branch, and returns its folder; history reads no evidence."""
    folder = (
        data / "runs" / session.provenance.started_at[:4] / session.provenance.started_at[5:7] / session.plan.session
    )
    folder.mkdir(parents=True)
    (folder / "record.json").write_bytes(canonical_bytes(session))
    (folder / NAME).write_bytes(manifest_bytes({"record.json": digest_of(folder / "record.json")}))
    return folder
