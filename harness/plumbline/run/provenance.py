"""Where the numbers come from: commit, locks, tools, command lines."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path

from plumbline.build.digest import file_sha256
from plumbline.model.record import Provenance
from .journal import Journaled
from .workshop import Workshop

# What pins everything that is not in the commit itself.
LOCKS = (
    "apps/pom.xml",
    "apps/control/pom.xml",
    "bench.toml",
    "harness/plumbline/tools/pins.toml",
    "harness/requirements.lock",
    "k6/go.sum",
)


def provenance(
    workshop: Workshop, journaled: Journaled, database_settings: Mapping[str, str], ended_at: str
) -> Provenance:
    """The provenance of a session that ends now. A checkout without git has no commit."""
    commit = _git(workshop.root, "rev-parse", "HEAD")
    changes = _git(workshop.root, "status", "--porcelain", "--untracked-files=no")
    jdk, k6 = workshop.jdk, workshop.k6
    return Provenance(
        commit=commit,
        dirty=None if commit is None else bool(changes),
        locks={name: file_sha256(workshop.root / name) for name in LOCKS if (workshop.root / name).is_file()},
        python=f"{platform.python_implementation()} {platform.python_version()}",
        jdk=f"{jdk.vendor} {jdk.build}",
        k6=f"k6 {k6.version} ({k6.origin})",
        database=f"PostgreSQL {database_settings.get('server_version', 'unknown')}",
        database_settings=dict(database_settings),
        command_line=tuple(journaled.options["command_line"]),
        started_at=journaled.started_at,
        ended_at=ended_at,
        resumed=journaled.resumed,
    )


def _git(root: Path, *words: str) -> str | None:
    try:
        ran = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return ran.stdout.strip() if ran.returncode == 0 else None
