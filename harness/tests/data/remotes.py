"""Real remotes in folders: bare repositories that allow partial clones, as forges do."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from plumbline.archive.record.evidence_file import evidence_bytes, evidence_name
from plumbline.archive.record.files import canonical_bytes
from plumbline.archive.record.write import NAME, manifest_bytes
from plumbline.model.record import Record
from tests.change.checkout import git
from tests.record.sessions import evidence_of, record


def bare(folder: Path, hook: str | None = None) -> Path:
    """A remote; `hook` is the script of its pre-receive hook."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "--bare", "-b", "main")
    git(folder, "config", "uploadpack.allowFilter", "true")
    # As GitHub does.
    git(folder, "config", "uploadpackfilter.tree.maxDepth", "0")
    if hook is not None:
        path = folder / "hooks" / "pre-receive"
        path.parent.mkdir(exist_ok=True)
        path.write_text(hook)
        path.chmod(0o755)
    return folder


@cache
def _evidence() -> dict[str, bytes]:
    return {
        evidence_name(trial): evidence_bytes(trial_evidence) for trial, trial_evidence in evidence_of(blocks=1).items()
    }


@cache
def session(number: int = 0) -> tuple[Record, dict[str, bytes]]:
    """A record and its files as they land; each number gives another record."""
    base = record(blocks=1)
    name = f"20260901T{101500 + number:06d}Z-lab-{number:06x}"
    renamed = base.model_copy(update={"plan": base.plan.model_copy(update={"session": name})})
    content = {"record.json": canonical_bytes(renamed), **_evidence()}
    content[NAME] = manifest_bytes(
        {path: hashlib.sha256(file_content).hexdigest() for path, file_content in content.items()}
    )
    return renamed, content


def log(remote: Path, branch: str = "data") -> list[str]:
    """Subjects of all commits, the newest first."""
    return git(remote, "log", "--format=%s", branch).splitlines()


def names(remote: Path, path: str = "", branch: str = "data") -> list[str]:
    """Every file below a path of the branch."""
    return git(remote, "ls-tree", "-r", "--name-only", branch, *([path] if path else [])).splitlines()
