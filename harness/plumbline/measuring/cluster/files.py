"""Reads the files of the repository that objects carry: k6's scripts, rows and schema, probes, the six sources, and the
program that measures the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.verdicts.contract.probes import ProbeSpec, read_probes


@dataclass(frozen=True)
class ClusterFiles:
    """The content of files. `scripts` are keyed by their path below k6/, `sql` by the path below apps/contract/sql."""

    scripts: Mapping[str, str]
    sql: Mapping[str, str]
    probes: tuple[ProbeSpec, ...]
    sources: str
    network: str


def read_files(root: Path) -> ClusterFiles:
    """Read these files from the checkout at `root`."""
    return ClusterFiles(
        scripts=_texts(root / "k6", "lib/*.ts", "scenarios/*.ts"),
        sql=_texts(root / "apps" / "contract" / "sql", "fruits.sql", "pg/*.sql", "prepare/*.sql"),
        probes=read_probes(root / "apps" / "contract"),
        sources=(root / "apps" / "stub" / "Stub.java").read_text(encoding="utf-8"),
        network=Path(__file__).with_name("Network.java").read_text(encoding="utf-8"),
    )


def _texts(folder: Path, *globs: str) -> dict[str, str]:
    paths = sorted(path for glob in globs for path in folder.glob(glob))
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
