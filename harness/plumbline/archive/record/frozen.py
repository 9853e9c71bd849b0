"""The shelf of frozen verifiers: each recomputes a record by the rules and formulas that the record names, for ever.

`harness/frozen/` holds one archive for each pair (rules, figures) that records name: the modules that `verify` imports,
out of one commit of this repository, as a zip file that Python runs (`./bench ci freeze` makes it). Only archives whose
digest stands in `harness/frozen/index.json` are run, in a process of their own with bounds on time and memory. Nothing
that lies beside a record is ever run.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

from pydantic import Field, TypeAdapter, ValidationError

from plumbline.machine.tools.running import die_with_us
from plumbline.model.base import Frozen
from plumbline.model.errors import CannotGoOn
from .verify import Verified

SHELF = Path(__file__).resolve().parents[3] / "frozen"
INDEX = "index.json"


class Archive(Frozen):
    """An archive: the versions that it computes, the commit that it is made of, and the SHA-256 of its bytes."""

    rules: int
    figures: int
    commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")

    @property
    def name(self) -> str:
        """The name of the archive's file."""
        return f"rules-{self.rules}-figures-{self.figures}.pyz"


class Index(Frozen):
    """The index: the versions in force when it was written, and the archives of all other versions."""

    rules: int
    figures: int
    archives: tuple[Archive, ...] = ()

    def of(self, rules: int, figures: int) -> Archive | None:
        """Return the archive of a pair of versions."""
        return next(
            (archive for archive in self.archives if (archive.rules, archive.figures) == (rules, figures)),
            None,
        )


def read_index(shelf: Path = SHELF) -> Index:
    """Return the index of the shelf. Raises CannotGoOn where it is damaged: it belongs to the checkout."""
    try:
        return Index.model_validate(json.loads((shelf / INDEX).read_bytes()))
    except (OSError, ValueError) as error:
        raise CannotGoOn(f"{shelf / INDEX} cannot be used ({error}).", "Restore the checkout.") from None


def checked_path(archive: Archive, shelf: Path = SHELF) -> Path:
    """Return the path of an archive's file. Raises CannotGoOn for a file without the digest of the index."""
    path = shelf / archive.name
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise CannotGoOn(f"{path} cannot be read: {error.strerror}.", "Restore the checkout.") from None
    if digest != archive.sha256:
        raise CannotGoOn(
            f"{path} is not the archive of the index, and is not run: its SHA-256 is {digest[:12]}….",
            "Restore the checkout.",
        )
    return path


# The largest session that is kept takes seconds and a quarter of a gigabyte.
_WITHIN_S = 300
_BOUNDS = {
    resource.RLIMIT_CPU: _WITHIN_S,
    resource.RLIMIT_AS: 4 * 2**30,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_NOFILE: 256,
}
_SHAPE = TypeAdapter(Verified)


def verified_by(archive: Archive, folder: Path, shelf: Path = SHELF) -> Verified:
    """Verify a folder by an archive. Raises CannotGoOn where the archive gives no answer."""
    # Isolated: imports use no folder of the caller, no environment variable of Python, and no site folder of the user.
    argv = [sys.executable, "-I", "-B", str(checked_path(archive, shelf)), str(folder.resolve())]
    environment = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    try:
        process = subprocess.run(
            argv,
            cwd="/",
            env={**environment, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_WITHIN_S,
            preexec_fn=_set_limits,
        )
    except subprocess.TimeoutExpired:
        raise CannotGoOn(f"{archive.name} gave no answer within {_WITHIN_S} s.") from None
    try:
        return _SHAPE.validate_json(process.stdout)
    except ValidationError:
        error_lines = process.stderr.decode(errors="replace").strip().splitlines()
        why = error_lines[-1][:200] if error_lines else f"exit status {process.returncode}"
        raise CannotGoOn(f"{archive.name} ended without an answer ({why}).") from None


def _set_limits() -> None:
    die_with_us()
    for limit, bound in _BOUNDS.items():
        _, hard = resource.getrlimit(limit)
        # Only root may raise a hard limit of the caller.
        within = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(limit, (within, within))
