"""k6 2.2 or newer: found, else downloaded, else built with Go from the pinned module `k6/go.mod`."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from plumbline.model.errors import UsageError
from .download import unpack_tar
from .toolbox import Toolbox

# The first release whose REST API is off unless `--address` is given, with every trend statistic that the grid needs.
OLDEST = (2, 2)

_VERSION = re.compile(r"^k6(?:\.exe)? v(\d+)\.(\d+)\.(\d+)\S*", re.MULTILINE)
_MODULE = "go.k6.io/k6/v2"


@dataclass(frozen=True)
class K6Program:
    """A k6 program. `origin` says where it came from: `$PLUMBLINE_K6`, `PATH`, `release` or `built with Go`."""

    program: Path
    version: str
    origin: str


def get_k6(box: Toolbox) -> K6Program:
    """Find or make a k6. Raises UsageError when there is no way to get one, or `$PLUMBLINE_K6` is unfit."""
    if named := named_program(box):
        version = version_of(box, named)
        if version is None:
            raise UsageError(f"PLUMBLINE_K6 names {named}, which is no k6.", "Name a k6 program, or unset it.")
        if not _is_new_enough(version):
            raise UsageError(f"PLUMBLINE_K6 names k6 {version}; 2.2 or newer is needed.", "Unset it to get one.")
        return K6Program(named, version, "$PLUMBLINE_K6")
    if program := box.on_path("k6"):
        version = version_of(box, program)
        if version and _is_new_enough(version):
            return K6Program(program, version, "PATH")
        box.say(f"passing over {program}: {f'k6 {version}' if version else 'no k6'}, and 2.2 or newer is needed")
    built = _place_of_build(box) / "k6"
    if not built.exists():
        try:
            return _release(box)
        except UsageError as error:
            box.say(f"no release of k6: {error.problem}")
            _build(box, built)
    return K6Program(built, box.pins.version("k6"), "built with Go")


def named_program(box: Toolbox) -> Path | None:
    """Return the program that `$PLUMBLINE_K6` names, by its full path: k6 runs in the folder of its trial."""
    name = box.environ.get("PLUMBLINE_K6")
    return Path(name).absolute() if name else None


def parse_version(text: str) -> str | None:
    """Return `2.2.0` out of what `k6 version` prints, or None."""
    match = _VERSION.search(text)
    return ".".join(match.groups()) if match else None


def _is_new_enough(version: str) -> bool:
    return tuple(int(part) for part in version.split(".")[:2]) >= OLDEST


def version_of(box: Toolbox, program: Path) -> str | None:
    """Return the version that a program states as k6 does; None when it is no k6 or can't be started."""
    try:
        result = box.run([str(program), "version"], cwd=box.paths.checkout, env=box.environ, waiting=lambda _: None)
    except OSError:
        return None
    return parse_version(result.output) if result.exit_code == 0 else None


def _release(box: Toolbox) -> K6Program:
    pin = box.pins.pin("k6")
    archive = box.fetch("k6", pin)
    folder = unpack_tar(lambda: archive.open("rb"), box.paths.tools / f"k6-{pin.version}-{pin.sha256[:16]}")
    return K6Program(folder / pin.file_name.removesuffix(".tar.gz") / "k6", pin.version, "release")


def _place_of_build(box: Toolbox) -> Path:
    digest = hashlib.sha256()
    for name in ("go.mod", "go.sum"):
        digest.update((box.paths.checkout / "k6" / name).read_bytes())
    return box.paths.tools / f"k6-{box.pins.version('k6')}-{digest.hexdigest()[:16]}"


def _build(box: Toolbox, program: Path) -> None:
    go = box.on_path("go") or Path("/usr/local/go/bin/go")
    if not go.exists():
        raise UsageError(
            "There is no k6 2.2 or newer, its release could not be fetched, and there is no Go to build it.",
            "Install k6 (https://grafana.com/docs/k6/latest/set-up/install-k6/) or Go (https://go.dev/dl/).",
        )
    with box.alone("k6"):
        if program.exists():
            return
        box.say("building k6 with Go; once, two to five minutes")
        program.parent.mkdir(parents=True, exist_ok=True)
        partial = program.with_name("k6.part")
        argv = [
            str(go),
            "build",
            "-trimpath",
            "-buildvcs=false",
            "-mod=readonly",
            "-o",
            str(partial),
            _MODULE,
        ]
        began = box.now()
        result = box.run(
            argv,
            cwd=box.paths.checkout / "k6",
            env={**box.environ, "CGO_ENABLED": "0", "GOFLAGS": ""},
            waiting=lambda seconds: box.say(f"building k6: {seconds:.0f} s so far"),
        )
        if result.exit_code != 0:
            partial.unlink(missing_ok=True)
            last_line = result.output.strip().splitlines()[-1:] or ["no word of Go's"]
            raise UsageError(
                f"k6 could not be built with Go: {last_line[0]}",
                "Try again with a network and a Go that k6/go.mod accepts, or install k6 2.2 or newer.",
            )
        partial.replace(program)
        box.say(f"built k6 {box.pins.version('k6')} in {box.now() - began:.0f} s")
