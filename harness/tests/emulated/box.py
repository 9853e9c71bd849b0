"""The box: the disk of a small Debian host with systemd, its kernel, and the project's Python environment.

    mmdebstrap -> agent, wheels -> `bench` makes the environment (in a chroot, at full speed) -> mkfs.ext4

There are three: one for a lab host that has the environment already, one as it is rented, with what sets it up, and one
whose kernel has tracers of its own. A box is kept in the project's cache under the digest of everything it is made of.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.machine.host.paths import Paths
from plumbline.model.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]
RELEASE = "bookworm"
PYTHON = "3.11"  # that of the release
_SYSTEM = (
    *("systemd", "systemd-sysv", "dbus", "libpam-systemd", "udev", "kmod", "linux-image-cloud-amd64"),
    *("iproute2", "procps", "util-linux", "ca-certificates", "git", "gcc", "libc6-dev"),
    *("python3", "python3-venv", "libaio1", "libnuma1"),
)
DISK = "8G"  # sparse
# Where the box keeps the environment that `./bench` made in it: a cache, as XDG_CACHE_HOME names it.
CACHE = Path("/srv/cache")


@dataclass(frozen=True)
class Recipe:
    """Debian's packages of a box, and whether it has the project's Python environment."""

    packages: tuple[str, ...]
    environment: bool


LAB = Recipe(_SYSTEM, environment=True)
RENTED = Recipe((*_SYSTEM, "sudo", "cloud-init", "ansible-core"), environment=False)
# Of the release's kernels only the real-time one is built with the tracers osnoise and hwlat.
TRACED = Recipe(
    ("systemd", "systemd-sysv", "dbus", "udev", "kmod", "linux-image-rt-amd64", "procps", "python3"),
    environment=False,
)

_AGENT_UNIT = """[Unit]
Description=Does what the test asks for
[Service]
ExecStart=/usr/bin/python3 -I /usr/local/sbin/agent.py
Restart=always
# What it runs may do all that a person at the console may.
TasksMax=infinity
OOMPolicy=continue
[Install]
WantedBy=multi-user.target
"""
_FILES = {
    "etc/hostname": "emulated\n",
    "etc/hosts": "127.0.0.1 localhost emulated\n",
    "etc/fstab": "/dev/vda / ext4 rw 0 1\nLABEL=brought /srv/brought ext4 ro,nofail,x-systemd.device-timeout=5 0 2\n",
    "etc/systemd/system/agent.service": _AGENT_UNIT,
    "etc/systemd/journald.conf.d/console.conf": "[Journal]\nForwardToConsole=no\n",
}
_NEEDED = {
    "mmdebstrap": "mmdebstrap",
    "qemu-system-x86_64": "qemu-system-x86",
    "mkfs.ext4": "e2fsprogs",
    "qemu-img": "qemu-utils",
}


@dataclass(frozen=True)
class Box:
    """A folder with `root.img`, `vmlinuz` and `initrd.img`; never written once it is there."""

    folder: Path

    @property
    def disk(self) -> Path:
        """The image of the root file system, raw."""
        return self.folder / "root.img"


def get_box(environ: Mapping[str, str], recipe: Recipe = LAB) -> Box:
    """The box of this checkout, made unless it is in the cache: about two minutes. Raises UsageError."""
    missing = [package for program, package in _NEEDED.items() if shutil.which(program) is None]
    if missing:
        raise UsageError("The emulated host needs more programs.", f"apt install {' '.join(missing)}")
    folder = Paths.of(environ, ROOT, os.geteuid()).cache / "boxes" / _digest(recipe)
    if not folder.exists():
        if os.geteuid() != 0:
            raise UsageError("Making the emulated host's disk needs root.", "Run once by sudo.")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".building-", dir=folder.parent) as building:
            made = Path(building) / "box"
            made.mkdir()
            _make(made, Path(building) / "root", recipe)
            made.rename(folder)
    return Box(folder)


def _digest(recipe: Recipe) -> str:
    digest = hashlib.sha256()
    for part in (RELEASE, DISK, *recipe.packages, *(text for item in _FILES.items() for text in item)):
        digest.update(part.encode() + b"\0")
    environment = _of_the_environment() if recipe.environment else ()
    for path in (Path(__file__), Path(__file__).with_name("agent.py"), *environment):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _of_the_environment() -> tuple[Path, Path]:
    return ROOT / "bench", ROOT / "harness" / "requirements.lock"


def _make(box: Path, root: Path, recipe: Recipe) -> None:
    include = f"--include={','.join(recipe.packages)}"
    _run(["mmdebstrap", "--mode=root", "--variant=minbase", "--quiet", include, RELEASE, str(root)])
    for name, text in _FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / "srv/brought").mkdir()
    shutil.copy2(Path(__file__).with_name("agent.py"), root / "usr/local/sbin/agent.py")
    _run(["chroot", str(root), "systemctl", "--quiet", "enable", "agent.service"])
    if recipe.environment:
        _make_environment(root)
    for name in ("vmlinuz", "initrd.img"):
        # A link that is meant below the new root.
        shutil.copy2(root / os.readlink(root / name), box / name)
    _run(["mkfs.ext4", "-q", "-L", "root", "-d", str(root), str(box / "root.img"), DISK])


def _make_environment(root: Path) -> None:
    """By `bench` itself, from wheels that this machine's pip fetched: the box needs no network."""
    _, lock = _of_the_environment()
    wanted = ("--python-version", PYTHON, "--only-binary", ":all:", "--require-hashes")
    _run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", *wanted),
            *("-d", str(root / "srv/wheels"), "-r", str(lock)),
        ]
    )
    checkout = root / "srv/checkout"
    (checkout / "harness").mkdir(parents=True)
    (checkout / "harness/__main__.py").touch()
    for path in _of_the_environment():
        shutil.copy2(path, checkout / path.relative_to(ROOT))
    words = (f"XDG_CACHE_HOME={CACHE}", "PIP_NO_INDEX=1", "PIP_FIND_LINKS=/srv/wheels", "PATH=/usr/bin:/bin")
    _run(["chroot", str(root), "env", "-i", *words, "/srv/checkout/bench"])
    shutil.rmtree(checkout)
    shutil.rmtree(root / "srv/wheels")


def _run(argv: Sequence[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise UsageError(f"The emulated host's disk could not be made: {argv[0]}: {said[-1]}", "")
