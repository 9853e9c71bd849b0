"""Checks that the tools of a session are there, or can be had. Nothing is downloaded or built for the check."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from plumbline.machine.tools.jdk import OLDEST_FEATURE, find_jdk, maven_version
from plumbline.machine.tools.k6 import OLDEST, named_program, version_of
from plumbline.machine.tools.toolbox import Toolbox
from plumbline.model.errors import UsageError
from plumbline.model.host import Condition

# Returns whether an address answers; called only where nothing is cached.
Reachable = Callable[[str], bool]

_ANSWER_WITHIN_S = 5.0


def answers(url: str) -> bool:
    """Return whether a server has that file, by asking for its headers alone."""
    request = urllib.request.Request(url, method="HEAD", headers={"User-Agent": "plumbline"})
    try:
        with urllib.request.urlopen(request, timeout=_ANSWER_WITHIN_S):
            return True
    except (urllib.error.URLError, http.client.HTTPException, OSError):
        return False


def jdk(environ: Mapping[str, str]) -> Condition:
    """Return the condition of the JDK: one that is new enough, on PATH or elsewhere."""
    say = partial(
        Condition,
        id="jdk",
        title=f"JDK {OLDEST_FEATURE} or newer",
        why="The applications are built and run with it, and AOT caches came with this release.",
        needed_for="any",
    )
    try:
        installed = find_jdk(environ)
    except UsageError as error:
        command = f"sudo apt install openjdk-{OLDEST_FEATURE}-jdk-headless"
        return say(verdict="unfit", reading=error.problem.rstrip("."), command=command)
    return say(verdict="fit", reading=f"{installed.vendor} {installed.build} in {installed.home}")


def k6(box: Toolbox, reachable: Reachable) -> Condition:
    """Return the condition of k6: named, on PATH, in the cache, to be downloaded, or to be built by Go."""
    oldest = ".".join(map(str, OLDEST))
    say = partial(
        Condition,
        id="k6",
        title=f"k6 {oldest} or newer, or a way to it",
        why="It sends the load, and the scenarios are written for this release.",
        needed_for="any",
    )
    named_path = named_program(box)
    program = named_path or box.on_path("k6")
    version = version_of(box, program) if program else None
    if program and version and tuple(map(int, version.split(".")[:2])) >= OLDEST:
        return say(verdict="fit", reading=f"{version} in {program}")
    if named_path:
        problem = f"k6 {version}, and {oldest} or newer is needed" if version else "no k6"
        return say(
            verdict="unfit",
            reading=f"PLUMBLINE_K6 names {named_path}: {problem}",
            command="unset PLUMBLINE_K6",
        )
    pinned = box.pins.version("k6")
    # A k6 that was built here lies in its folder, a released one a folder deeper.
    if any(binary for depth in ("k6", "*/k6") for binary in box.paths.tools.glob(f"k6-{pinned}-*/{depth}")):
        return say(verdict="fit", reading=f"{pinned} in the cache")
    if reachable(box.pins.pin("k6").url):
        return say(verdict="fit", reading=f"{pinned} will be downloaded once")
    if go := box.on_path("go") or next(filter(Path.exists, [Path("/usr/local/go/bin/go")]), None):
        return say(verdict="fit", reading=f"{pinned} will be built once with {go}")
    reading = "there is none, its release can't be reached, and there is no Go to build it"
    return say(verdict="unfit", reading=reading, command="sudo apt install golang")


def maven(box: Toolbox, reachable: Reachable) -> Condition:
    """Return the condition of Maven: the pinned version is installed, cached, or can be downloaded."""
    title = "Maven, or a way to it"
    why = "One version builds every application, so that two builds differ by their inputs alone."
    version, installed = box.pins.version("maven"), box.on_path("mvn")
    if installed and maven_version(installed.parent.parent) == version:
        reading = f"{version} in {installed}"
        return Condition(id="maven", title=title, why=why, needed_for="any", verdict="fit", reading=reading)
    return _pinned(box, "maven", title, why, box.paths.tools, reachable)


def postgresql(box: Toolbox, reachable: Reachable) -> Condition:
    """Return the condition of PostgreSQL: the pinned version is unpacked in scratch, cached, or can be downloaded."""
    title, why = "PostgreSQL's programs, or a way to them", "Every trial runs on a database that was restored for it."
    return _pinned(box, "postgresql", title, why, box.paths.scratch / "tools", reachable)


def _pinned(box: Toolbox, tool: str, title: str, why: str, unpacked: Path, reachable: Reachable) -> Condition:
    """Return the condition of a pinned tool, which lies unpacked below that folder, or as it was downloaded."""
    pin = box.pins.pin(tool)
    say = partial(Condition, id=tool, title=title, why=why, needed_for="any")
    archive = box.paths.tools / "downloads" / f"{pin.sha256[:16]}-{pin.file_name}"
    if (unpacked / f"{tool}-{pin.version}-{pin.sha256[:16]}").is_dir() or archive.is_file():
        return say(verdict="fit", reading=f"{pin.version} in the cache")
    if reachable(pin.url):
        return say(verdict="fit", reading=f"{pin.version} will be downloaded once")
    reading = f"{pin.version} is not in the cache, and {pin.url} does not answer: connect this host once"
    return say(verdict="unfit", reading=reading)
