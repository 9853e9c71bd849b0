"""The programs of a cluster: those of Kubernetes, built once with Go from the module beside this file, and Debian's.

The module's own programs are the pod's first container and an application, for images that nobody has to fetch.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from plumbline.machine.host.paths import Paths
from plumbline.model.errors import CannotGoOn, UsageError

ROOT = Path(__file__).resolve().parents[4]
MODULE = Path(__file__).parent
CNI = Path("/usr/lib/cni")
_KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kubelet")
_OWN = ("pause", "serve")
# Where each program is, and the package of Debian that brings it.
_NEEDED = {
    "etcd": "etcd-server",
    "containerd": "containerd",
    "runc": "runc",
    str(CNI / "bridge"): "containernetworking-plugins",
    "ip": "iproute2",
    "nsenter": "util-linux",
}
# Where a distribution keeps programs that are meant for root.
_PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin"))


def require_programs() -> None:
    """Raises UsageError with the one command that installs missing programs, or where this user is not root."""
    missing = [package for program, package in _NEEDED.items() if shutil.which(program, path=_PATH) is None]
    if missing:
        raise UsageError("A cluster needs more programs.", f"apt install {' '.join(missing)}")
    if os.geteuid() != 0:
        raise UsageError("A cluster's node needs root.", "Run by sudo.")


def kubernetes() -> Path:
    """The folder of Kubernetes' programs; about ten minutes of building on two cores, once."""
    version = re.search(r"k8s\.io/kubernetes (v\S+)", (MODULE / "go.mod").read_text(encoding="utf-8"))
    assert version is not None
    packages = [f"k8s.io/kubernetes/cmd/{name}" for name in _KUBERNETES]
    flags = ("-ldflags", f"-s -w -X k8s.io/component-base/version.gitVersion={version[1]}")
    return _built("cluster", (MODULE / "go.mod", MODULE / "go.sum"), (*flags, *packages))


def own_programs() -> Path:
    """The folder of `pause` and `serve`."""
    sources = [MODULE / name / "main.go" for name in _OWN]
    return _built("cluster-own", sources, [f"./{name}" for name in _OWN])


def _built(name: str, made_of: Iterable[Path], words: Sequence[str]) -> Path:
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in made_of)).hexdigest()
    folder = Paths.of(os.environ, ROOT, os.geteuid()).tools / f"{name}-{digest[:16]}"
    if folder.exists():
        return folder
    go = shutil.which("go") or "/usr/local/go/bin/go"
    if not Path(go).exists():
        raise UsageError("A cluster's programs are built with Go, and there is none.", "See https://go.dev/dl/")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".building-", dir=folder.parent) as building:
        part = Path(building) / "programs"
        part.mkdir()
        always = ("-trimpath", "-buildvcs=false", "-mod=readonly", "-o", f"{part}/")
        ended = subprocess.run(
            [go, "build", *always, *words],
            cwd=MODULE,
            env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": ""},
            check=False,
        )
        if ended.returncode != 0:
            raise CannotGoOn("A cluster's programs could not be built with Go.", "Go's own words stand above.")
        part.rename(folder)
    return folder
