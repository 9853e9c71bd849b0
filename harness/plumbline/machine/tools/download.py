"""Download and unpack pinned files (pins.toml): complete and with the right SHA-256, or not at all."""

from __future__ import annotations

import errno
import hashlib
import http.client
import os
import shutil
import tarfile
import tempfile
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from plumbline.model.errors import UsageError

MAVEN_CENTRAL = "https://repo.maven.apache.org/maven2"

_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


@dataclass(frozen=True)
class Pin:
    """A pinned file: the version of its tool, its address and its SHA-256 in hexadecimal."""

    version: str
    url: str
    sha256: str

    @property
    def file_name(self) -> str:
        """The name of the file: the last part of its address."""
        return self.url.rsplit("/", 1)[-1]


def central_of(environ: Mapping[str, str]) -> str:
    """Return the address of Maven Central, or of the mirror that `$PLUMBLINE_MAVEN_CENTRAL` names.

    Raises UsageError for what is no address.
    """
    central = environ.get("PLUMBLINE_MAVEN_CENTRAL") or MAVEN_CENTRAL
    if not central.startswith(("http://", "https://", "file://")):
        raise UsageError(
            f"PLUMBLINE_MAVEN_CENTRAL is '{central}', which is no address.", "Begin it with https:// or http://."
        )
    return central.rstrip("/")


@dataclass(frozen=True)
class Pins:
    """All pins for one machine (`amd64`, `arm64`); `central` is Maven Central or its mirror."""

    tools: Mapping[str, Any]
    machine: str
    central: str

    @classmethod
    def of(cls, environ: Mapping[str, str], machine: str) -> Pins:
        """Return the pins for a `machine` of `platform.machine()`; `$PLUMBLINE_MAVEN_CENTRAL` names a mirror."""
        if machine not in _MACHINES:
            raise UsageError(f"There are no tools for a {machine} machine.", "Use an x86-64 or 64-bit Arm one.")
        tools = tomllib.loads(Path(__file__).with_name("pins.toml").read_text(encoding="utf-8"))
        return cls(tools, _MACHINES[machine], central_of(environ))

    def version(self, tool: str) -> str:
        """Return the pinned version of a tool."""
        return str(self.tools[tool]["version"])

    def pin(self, tool: str) -> Pin:
        """Return the file of a tool for this machine. Raises UsageError when there is none."""
        facts = self.tools[tool].get(self.machine, self.tools[tool])
        if "sha256" not in facts:
            raise UsageError(
                f"The programs of {tool} are not published for {self.machine} machines.",
                "Leave out by --only what needs them.",
            )
        url = facts.get("url") or f"{self.central}/{facts['path']}"
        return Pin(self.version(tool), url, facts["sha256"])


# Takes the bytes so far, and the number of all bytes where the server tells it.
Progress = Callable[[int, int | None], None]

_CHUNK_BYTES = 1 << 18
_SILENCE_S = 30.0


def download(pin: Pin, folder: Path, progress: Progress, *, silence_s: float = _SILENCE_S) -> Path:
    """Return the pinned file in `folder`, fetched unless it is there already: `<sha256, 16 digits>-<name>`.

    Raises UsageError with one sentence when there is no network, no such file, no space, a transfer that
    breaks off or stays silent for `silence_s`, or other bytes than the pinned ones; `folder` is then as it
    was.
    """
    target = folder / f"{pin.sha256[:16]}-{pin.file_name}"
    if target.exists() and file_sha256(target) == pin.sha256:
        return target
    partial: Path | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        request = urllib.request.Request(pin.url, headers={"User-Agent": "plumbline"})
        with urllib.request.urlopen(request, timeout=silence_s) as response:
            handle, name = tempfile.mkstemp(dir=folder, prefix=".download-")
            partial = Path(name)
            with os.fdopen(handle, "wb") as out:
                digest = _copy(response, out, progress)
        if digest != pin.sha256:
            raise UsageError(
                f"{pin.url} is not the pinned file: its SHA-256 is {digest}, not {pin.sha256}.",
                "Nothing of it is used; try another network or mirror (PLUMBLINE_MAVEN_CENTRAL).",
            )
        partial.chmod(0o644)
        partial.replace(target)
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
            raise UsageError(f"The disk is full: no room for {target}.", "Free some space, then try again.") from None
        raise UsageError(f"{folder} can't be written to: {error.strerror}.", "Set XDG_CACHE_HOME.") from None
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)
    return target


def _copy(response: http.client.HTTPResponse, out: IO[bytes], progress: Progress) -> str:
    length = response.headers.get("Content-Length")
    total = int(length) if length and length.isdigit() else None
    digest, done = hashlib.sha256(), 0
    while chunk := _read(response):
        out.write(chunk)
        digest.update(chunk)
        done += len(chunk)
        progress(done, total)
    if total is not None and done < total:
        raise http.client.IncompleteRead(b"", total - done)
    return digest.hexdigest()


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read(_CHUNK_BYTES)
    except OSError as error:
        # Unlike an error of the folder that is written to.
        raise urllib.error.URLError(error) from error


def file_sha256(path: Path) -> str:
    """Return SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# The names that were unpacked: cleaners of /var/tmp take single old files out of a tree.
_NAMES = ".names"


def unpack_tar(open_archive: Callable[[], IO[bytes]], target: Path, without: Collection[str] = ()) -> Path:
    """Unpack a tar (compressed or not) into `target`, unless all of it is there already; `without` some members.

    Files are readable and folders passable for everybody, the archive is a pinned one. The tree is made
    under a temporary name and renamed, so that an interrupted one is never used.
    """
    if _is_whole(target):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(dir=target.parent, prefix=".unpack-"))
    try:
        with open_archive() as raw, tarfile.open(fileobj=raw) as archive:
            members = [member for member in archive.getmembers() if member.name not in without]
            extract(archive, building, members)
            names = sorted(member.name for member in members)
        (building / _NAMES).write_text("\n".join(names) + "\n", encoding="utf-8")
        building.chmod(0o755)
        if target.exists() and not _is_whole(target):
            shutil.rmtree(target)
        try:
            building.rename(target)
        except OSError:
            if not _is_whole(target):  # else another session was quicker
                raise
    except OSError as error:
        raise UsageError(
            f"{target.name} could not be unpacked in {target.parent}: {error.strerror}.",
            "Free some space there, or see that it can be written to.",
        ) from None
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return target


def extract(archive: tarfile.TarFile, folder: Path, members: Iterable[tarfile.TarInfo] | None = None) -> None:
    """Extract members of a tar, all when left out, into a folder.

    What is extracted is pinned or ours; the filter is a second line of defence that Python has since 3.11.4.
    """
    archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
    archive.extractall(folder, members)


def _is_whole(target: Path) -> bool:
    names = target / _NAMES
    if not names.is_file():
        return False
    wanted = names.read_text(encoding="utf-8").splitlines()
    return all((target / name).exists() or (target / name).is_symlink() for name in wanted)
