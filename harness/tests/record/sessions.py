"""A whole record of a made-up session, as it lies on the disk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from plumbline.archive.record.assemble import assemble
from plumbline.archive.record.files import canonical_bytes
from plumbline.archive.record.layout import DERIVED_FILES
from plumbline.archive.record.write import NAME, digest_of, manifest_bytes, write_record
from plumbline.model.evidence import Evidence
from plumbline.model.host import HostClass
from plumbline.model.record import HostSession, Image, Record, Training, Usage
from plumbline.verdicts.judge.facts import SessionFacts
from tests.judge.evidence import session
from tests.judge.planned import SUBJECTS


def evidence_of(host_class: HostClass = "lab", blocks: int = 2) -> dict[int, Evidence]:
    return {number: facts.evidence for number, facts in session(host_class, blocks).trials.items()}


def host_session(facts: SessionFacts, **others: Any) -> HostSession:
    """The session of these facts before its evidence is looked at; `others` are fields that differ from the usual."""
    fields = {
        "plan": facts.plan,
        "host": facts.host,
        "provenance": facts.provenance,
        "builds": facts.builds,
        "training": (),
        "usage": Usage(session_cpu_s=812.5, sampler_cpu_s=1.25, harness_cpu_s=9.0),
    }
    return HostSession(**{**fields, **others})


@cache
def record(host_class: HostClass = "lab", blocks: int = 2) -> Record:
    measured = host_session(
        session(host_class, blocks),
        training=(Training(subject=SUBJECTS[0], wall_s=4.5, size_bytes=40_000_000, sha256="3" * 64),),
        images=(
            Image(
                artifact=SUBJECTS[0],
                engine="podman version 5.6.2",
                sha256="4" * 64,
                size_bytes=310_000_000,
                wall_s=12.5,
                reused=False,
                base="localhost/java:25",
                jdk="jdk-25.0.3+9",
            ),
        ),
    )
    return assemble(measured, evidence_of(host_class, blocks), workload_version=1)


def written(folder: Path, host_class: HostClass = "lab", blocks: int = 2) -> Path:
    """The session's folder below `folder`."""
    target = folder / "session"
    write_record(target, record(host_class, blocks), evidence_of(host_class, blocks))
    return target


def sealed_again(folder: Path) -> None:
    """Write a new manifest of all files in the folder, as somebody who tampers would do it."""
    paths = [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != NAME and path.relative_to(folder).parts[0] not in DERIVED_FILES
    ]
    (folder / NAME).write_bytes(manifest_bytes({path: digest_of(folder / path) for path in paths}))


def rewritten(folder: Path, changed: Record | Mapping[str, object]) -> None:
    """Write another record into the folder, and seal the folder as if nothing had happened."""
    (folder / "record.json").write_bytes(canonical_bytes(changed))
    sealed_again(folder)
