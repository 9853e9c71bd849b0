"""Runs an archive of the shelf on a session's folder, in a process of its own with bounds."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from plumbline.model.errors import CannotGoOn
from plumbline.tools.running import die_with_us
from ..verify import Verified
from .shelf import SHELF, Archive, checked_path

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
    # Isolated: no folder of the caller, no variable of Python, no site of the user is on the way of an import.
    argv = [sys.executable, "-I", "-B", str(checked_path(archive, shelf)), str(folder.resolve())]
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    try:
        ran = subprocess.run(
            argv,
            cwd="/",
            env={**kept, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_WITHIN_S,
            preexec_fn=_bounded,
        )
    except subprocess.TimeoutExpired:
        raise CannotGoOn(f"{archive.name} gave no answer within {_WITHIN_S} s.") from None
    try:
        return _SHAPE.validate_json(ran.stdout)
    except ValidationError:
        said = ran.stderr.decode(errors="replace").strip().splitlines()
        why = said[-1][:200] if said else f"exit status {ran.returncode}"
        raise CannotGoOn(f"{archive.name} ended without an answer ({why}).") from None


def _bounded() -> None:
    die_with_us()
    for what, most in _BOUNDS.items():
        resource.setrlimit(what, (most, most))
