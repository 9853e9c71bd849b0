"""A tree of variants that tests may write into."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# The variants that serve as patterns: a module of the reactor, and a variant with its own pom.
WHOLE = ("quarkus-rest-orm", "control")


def small_tree(folder: Path) -> Path:
    """Copies all variants' descriptions, and all files of the two patterns, into `folder`, and returns the folder."""
    shutil.copy(ROOT / "bench.toml", folder)
    (folder / "k6").symlink_to(ROOT / "k6")
    for path in ROOT.glob("apps/*"):
        if path.name in WHOLE:
            shutil.copytree(path, folder / "apps" / path.name, ignore=shutil.ignore_patterns("target"))
        elif path.is_dir():
            (folder / "apps" / path.name).mkdir(parents=True, exist_ok=True)
            if (path / "variant.toml").exists():
                shutil.copy(path / "variant.toml", folder / "apps" / path.name)
    shutil.copy(ROOT / "apps" / "pom.xml", folder / "apps")
    return folder
