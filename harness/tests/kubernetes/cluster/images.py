"""Images that are made of files here, so that nothing has to be fetched: one layer over nothing."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path


def write_image(archive: Path, name: str, files: Mapping[str, Path]) -> None:
    """Write an image as `docker save` does: `files` are its programs, by their paths in it, and it runs the first."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        for place, file in files.items():
            entry = tarfile.TarInfo(place.lstrip("/"))
            entry.size, entry.mode = file.stat().st_size, 0o755
            with file.open("rb") as content:
                tar.addfile(entry, content)
        # Where a process may write.
        folder = tarfile.TarInfo("tmp")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        tar.addfile(folder)
    config = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {"Entrypoint": [next(iter(files))]},
            "rootfs": {
                "type": "layers",
                "diff_ids": [f"sha256:{hashlib.sha256(layer.getvalue()).hexdigest()}"],
            },
        }
    ).encode()
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    with tarfile.open(archive, "w") as tar:
        for file_name, content in (
            ("manifest.json", json.dumps(manifest).encode()),
            ("config.json", config),
            ("layer.tar", layer.getvalue()),
        ):
            entry = tarfile.TarInfo(file_name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
