"""Record the origin of the numbers: commit, locks, tools, command lines."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from pathlib import Path

from plumbline.build.digest import file_sha256
from plumbline.model.record import Provenance
from plumbline.tools.git import commit_of
from .context import Context
from .journal import Journaled

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
    context: Context, journaled: Journaled, database_settings: Mapping[str, str], ended_at: str
) -> Provenance:
    """Return the provenance of a session that ends now. A checkout without git has no commit."""
    commit, dirty = commit_of(context.root)
    jdk, k6 = context.jdk, context.k6
    return Provenance(
        commit=commit,
        dirty=dirty,
        locks=locks_of(context.root),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        jdk=f"{jdk.vendor} {jdk.build}",
        k6=f"k6 {k6.version} ({k6.origin})",
        database=f"PostgreSQL {database_settings.get('server_version', 'unknown')}",
        database_settings=dict(database_settings),
        command_line=journaled.options.command_line,
        started_at=journaled.started_at,
        ended_at=ended_at,
        resumed=journaled.resumed,
    )


def locks_of(root: Path) -> dict[str, str]:
    """Return what pins everything that is not in the commit itself: file below the checkout -> SHA-256."""
    return {name: file_sha256(root / name) for name in LOCKS if (root / name).is_file()}
