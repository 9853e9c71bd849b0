"""Small checkouts with the real launcher, a lock of one tiny package, and a command line that prints its arguments."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

LAUNCHER = Path(__file__).resolve().parents[3] / "bench"

# All that the launcher calls; with Python and nothing else on PATH.
_TOOLS = (
    "sh",
    "readlink",
    "uname",
    "cat",
    "sha256sum",
    "mkdir",
    "mktemp",
    "find",
    "rm",
    "date",
    "tail",
    "sleep",
)

_MAIN = """
import json, os, sys
import tiny
print(json.dumps({"argv": sys.argv[1:], "pid": os.getpid(), "cwd": os.getcwd(), "tiny": tiny.WORD,
                  "path": os.environ.get("PYTHONPATH"), "prefix": sys.prefix}))
sys.exit(7 if "fail" in sys.argv else 0)
"""


@dataclass(frozen=True)
class Yard:
    """A place with wheels, programs and a cache. `programs` is all of PATH."""

    folder: Path

    @property
    def programs(self) -> Path:
        return self.folder / "programs"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    @property
    def environments(self) -> list[Path]:
        """The environments that may be used."""
        return sorted((self.cache / "plumbline" / "env").glob("*-py3.*"))

    def program(self, name: str, text: str) -> None:
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def checkout(self, name: str = "checkout", sha256: str | None = None) -> Path:
        """A checkout whose lock wants `tiny` with the wheel's hash, or with another one."""
        root = self.folder / name
        (root / "harness").mkdir(parents=True)
        shutil.copy2(LAUNCHER, root / "bench")
        wheel = self.folder / "wheels" / "tiny-1.0-py3-none-any.whl"
        digest = sha256 or hashlib.sha256(wheel.read_bytes()).hexdigest()
        for lock, comment in (("requirements.lock", ""), ("requirements-dev.lock", "# and the checks\n")):
            (root / "harness" / lock).write_text(f"{comment}tiny==1.0 \\\n    --hash=sha256:{digest}\n")
        (root / "harness" / "__main__.py").write_text(_MAIN)
        return root

    def environ(self, **variables: str) -> dict[str, str]:
        return {
            "PATH": str(self.programs),
            "HOME": str(self.folder),
            "XDG_CACHE_HOME": str(self.cache),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.folder / "wheels"),
            **variables,
        }

    def start(self, *words: str | Path, cwd: Path | None = None, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(word) for word in words], cwd=cwd or self.folder, env=self.environ(**variables), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def bench(self, *words: str | Path, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*words, cwd=cwd, **variables)
        out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess([], process.returncode, out, err)


def make_yard(folder: Path) -> Yard:
    yard = Yard(folder)
    yard.programs.mkdir()
    for name in _TOOLS:
        (yard.programs / name).symlink_to(str(shutil.which(name)))
    (yard.programs / "python3").symlink_to(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))
    (folder / "wheels").mkdir()
    info = "tiny-1.0.dist-info"
    with zipfile.ZipFile(folder / "wheels" / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "WORD = 'from the wheel'\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"tiny.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return yard


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    """A yard for one test: no environment is made yet."""
    return make_yard(tmp_path)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Yard:
    """A yard whose environment has been made."""
    yard = make_yard(tmp_path_factory.mktemp("warm"))
    assert yard.bench(yard.checkout("first") / "bench").returncode == 0
    return yard
