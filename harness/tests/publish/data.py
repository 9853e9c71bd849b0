"""Folders of records for the tests: simulated branches, and session folders with a record that a test wrote itself."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from laboratory.simulate.write import simulate
from plumbline.archive.record.write import NAME, RECORD, manifest_bytes
from plumbline.reporting.publish.publish import Published, PublishOptions, publish
from .plain_assets import plain_assets

ROOT = Path(__file__).resolve().parents[3]


def simulated(out: Path, sessions: int = 12, series: int = 20, evidence: int = 3) -> Path:
    """A small made-up data branch."""
    simulate(out, series, sessions, 7, evidence)
    return out


def options(folder: Path, **given: Any) -> PublishOptions:
    """Options with plain assets, in one process."""
    if not (folder / "assets").exists():
        plain_assets(folder / "assets")
    from plumbline.reporting.publish.assets import read_assets

    assets = read_assets(folder / "assets" / "templates", folder / "assets" / "dist")
    return PublishOptions(checkout=ROOT, assets=assets, **{"processes": 1, **given})


def published(data: Path, out: Path, **given: Any) -> Published:
    """Publishes a data branch with plain assets, which lie beside the site."""
    return publish(data, out, options(out.parent, **given))


def tree(out: Path) -> dict[str, bytes]:
    """The content of every file of a site, by path."""
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def folders(data: Path) -> list[Path]:
    """The session folders in the order of their names, without the broken folders."""
    return sorted(
        (path.parent for path in data.rglob(RECORD) if "broken" not in path.parts), key=lambda folder: folder.name
    )


def read(folder: Path) -> dict[str, Any]:
    """The document of a session."""
    document: dict[str, Any] = json.loads((folder / RECORD).read_bytes())
    return document


def write(folder: Path, document: object) -> Path:
    """A session folder of one record without evidence, with its manifest."""
    content = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
    folder.mkdir(parents=True)
    (folder / RECORD).write_bytes(content)
    (folder / NAME).write_bytes(manifest_bytes({RECORD: hashlib.sha256(content).hexdigest()}))
    return folder


def copy(source: Path, target: Path) -> Path:
    """Copies a folder with all that it contains."""
    shutil.copytree(source, target)
    return target
