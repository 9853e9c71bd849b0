"""Logs as assets of a monthly release, named by their digest: raw data for which the data branch is too small."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from pathlib import Path

from plumbline.model.errors import UsageError
from .api import Api

MOST_BYTES = 1_900_000_000


def packed_logs(session: Path) -> tuple[str, bytes]:
    """Return `<sha256>.tar.gz` of a session's logs, the same bytes every time. Raises UsageError without logs."""
    logs = session / "logs"
    files = sorted(path for path in logs.rglob("*") if path.is_file() and not path.is_symlink())
    if not files:
        raise UsageError(f"{session.name} has no logs.", "They lie in logs/ beside record.json.")
    if sum(path.stat().st_size for path in files) > MOST_BYTES:
        raise UsageError(f"The logs of {session.name} are more than an asset may hold.", "They stay in the artifact.")
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in files:
            entry = tarfile.TarInfo(f"{session.name}/{path.relative_to(logs).as_posix()}")
            entry.size, entry.mode = path.stat().st_size, 0o644
            with path.open("rb") as log_file:
                tar.addfile(entry, log_file)
    content = gzip.compress(archive.getvalue(), mtime=0)
    return f"{hashlib.sha256(content).hexdigest()}.tar.gz", content


def keep_logs(api: Api, month: str, name: str, content: bytes) -> tuple[str, bool]:
    """Upload an asset to the release `logs-YYYY-MM`; return its address, and whether it was new."""
    tag = f"logs-{month}"
    release = api.find(api.path("releases", "tags", tag))
    if release is None:
        description = "Logs of the sessions of a month, named by their SHA-256. The sessions are on the branch `data`."
        release = api.send(
            "POST",
            api.path("releases"),
            {"tag_name": tag, "name": tag, "body": description, "make_latest": "false"},
        )
    for asset in api.pages(api.path("releases", release["id"], "assets")):
        if asset["name"] == name and asset.get("state") == "starter":
            # An upload that broke off left its name without its bytes.
            api.send("DELETE", api.path("releases", "assets", asset["id"]), {})
        elif asset["name"] == name:
            return str(asset["browser_download_url"]), False
    upload_url = str(release.get("upload_url", "")).partition("{")[0]
    uploaded = api.upload(upload_url or f"{api.url}{api.path('releases', release['id'], 'assets')}", name, content)
    return str(uploaded["browser_download_url"]), True
