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
    layer = archive.with_name("layer.tar")
    with tarfile.open(layer, mode="w", dereference=True) as tar:
        for place, file in files.items():
            entry = tar.gettarinfo(file, place.lstrip("/"))
            # Every user may run the file, whatever its mode is here. A file that stands twice is no link.
            entry.type, entry.size = tarfile.REGTYPE, file.stat().st_size
            entry.mode, entry.uid, entry.gid = 0o755, 0, 0
            with file.open("rb") as content:
                tar.addfile(entry, content)
        # Where a process may write.
        folder = tarfile.TarInfo("tmp")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        tar.addfile(folder)
    with layer.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Entrypoint": [next(iter(files))]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": [layer.name]}]
    with tarfile.open(archive, "w") as tar:
        for file_name, document in (("manifest.json", manifest), ("config.json", config)):
            text = json.dumps(document).encode()
            entry = tarfile.TarInfo(file_name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text))
        tar.add(layer, layer.name)
    layer.unlink()
