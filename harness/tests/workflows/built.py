"""Programs of the checks, built with Go from modules that pin everything they are made of."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_PACKAGES = {"actionlint": "github.com/rhysd/actionlint/cmd/actionlint", "act": "github.com/nektos/act"}


def built(name: str) -> Path:
    """The program of that name, built once into the user's cache."""
    module = Path(__file__).parent / name
    digest = hashlib.sha256((module / "go.mod").read_bytes() + (module / "go.sum").read_bytes()).hexdigest()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plumbline" / "tools"
    program = cache / f"{name}-{digest[:16]}" / name
    if program.exists():
        return program
    go = shutil.which("go") or "/usr/local/go/bin/go"
    assert Path(go).exists(), f"{name} is built with Go, and there is none on PATH: https://go.dev/dl/"
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        part = Path(folder) / name
        subprocess.run(
            [go, "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-o", str(part), _PACKAGES[name]],
            cwd=module,
            env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": ""},
            check=True,
        )
        part.rename(program)
    return program
