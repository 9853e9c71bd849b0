"""Download one pinned file: complete and with the right SHA-256, or not at all."""

from __future__ import annotations

import errno
import hashlib
import http.client
import os
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO, Protocol

from plumbline.model.errors import UsageError
from .pins import Pin

# Bytes so far, and all of them where the server says how many.
Progress = Callable[[int, int | None], None]

_CHUNK_BYTES = 1 << 18
_SILENCE_S = 30.0


class Response(Protocol):
    """The part of an HTTP response that a download needs."""

    headers: http.client.HTTPMessage

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, empty at the end."""


def download(pin: Pin, folder: Path, progress: Progress, *, silence_s: float = _SILENCE_S) -> Path:
    """Return the pinned file in `folder`, fetched unless it is there already; `<sha256, 16 digits>-<name>`.

    Raises UsageError with one sentence when there is no network, no such file, no space, a transfer that
    breaks off or stays silent for `silence_s`, or other bytes than the pinned ones; `folder` is then as it
    was.
    """
    target = folder / f"{pin.sha256[:16]}-{pin.file_name}"
    if target.exists() and _sha256(target) == pin.sha256:
        return target
    part: Path | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        request = urllib.request.Request(pin.url, headers={"User-Agent": "plumbline"})
        with urllib.request.urlopen(request, timeout=silence_s) as response:
            handle, name = tempfile.mkstemp(dir=folder, prefix=".download-")
            part = Path(name)
            with os.fdopen(handle, "wb") as out:
                found = _copy(response, out, progress)
        if found != pin.sha256:
            raise UsageError(
                f"{pin.url} is not the pinned file: its SHA-256 is {found}, not {pin.sha256}.",
                "Nothing of it is used; try another network or mirror (PLUMBLINE_MAVEN_CENTRAL).",
            )
        part.chmod(0o644)
        part.replace(target)
    except urllib.error.HTTPError as error:
        raise UsageError(f"{pin.url} answers {error.code}.", "Try again, or name a mirror.") from None
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise UsageError(
            f"{pin.url} could not be fetched ({reason}).",
            "Try again with a network; it is fetched once only.",
        ) from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise UsageError(
                f"The disk is full: no room for {target}.", "Free some space, then try again."
            ) from None
        raise UsageError(f"{folder} can't be written to: {error.strerror}.", "Set XDG_CACHE_HOME.") from None
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
    return target


def _copy(response: Response, out: IO[bytes], progress: Progress) -> str:
    length = response.headers.get("Content-Length")
    total = int(length) if length and length.isdigit() else None
    digest, done = hashlib.sha256(), 0
    while chunk := response.read(_CHUNK_BYTES):
        out.write(chunk)
        digest.update(chunk)
        done += len(chunk)
        progress(done, total)
    if total is not None and done < total:
        raise http.client.IncompleteRead(b"", total - done)
    return digest.hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
