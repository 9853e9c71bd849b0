"""`./bench test`: every check of the project."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import click

from plumbline.model.errors import UsageError
from .console import ROOT, duration, say


@dataclass(frozen=True)
class Check:
    """One tool over the tree. `live` ones build and run the applications."""

    name: str
    argv: Sequence[str]
    live: bool = False


def checks() -> tuple[Check, ...]:
    """All checks, the quick ones first."""
    python = (sys.executable, "-m")
    pytest = (*python, "pytest", "-c", "harness/pyproject.toml", "--rootdir", ".")
    code = [name for name in ("harness", "runner-setup", "apps") if any((ROOT / name).rglob("*.py"))]
    shell = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "bench", ROOT / ".ci" / "run", *sorted((ROOT / "runner-setup").rglob("*.sh")))
    ]
    return (
        Check("format", (*python, "ruff", "format", "--config", "harness/pyproject.toml", "--check", *code)),
        Check("lint", (*python, "ruff", "check", "--config", "harness/pyproject.toml", *code)),
        Check("types", (*python, "mypy", "--config-file", "harness/pyproject.toml", "harness/plumbline")),
        Check("shell", (os.path.join(os.path.dirname(sys.executable), "shellcheck"), *shell)),
        Check("unit tests", (*pytest, "harness/tests", "--ignore", "harness/tests/live")),
        Check("live tests", (*pytest, "harness/tests/live"), live=True),
    )


@click.command(epilog="Example: ./bench test --quick")
@click.option("--quick", is_flag=True, help="Leave out what builds and runs the applications.")
@click.option("--only", metavar="NAME", multiple=True, help="Only checks of that name. May be repeated.")
def command(quick: bool, only: tuple[str, ...]) -> int:
    """The project's own checks: formatter, linter, types, shell, unit tests, and live tests.

    Live tests build three applications, hold them to the contract against a real database, and run one real short
    session end to end. Ends with a line of counts; exit status 1 when a check failed.
    """
    known = checks()
    for name in only:
        if name not in {check.name for check in known}:
            raise UsageError(
                f"There is no check '{name}'.", f"Known: {', '.join(check.name for check in known)}."
            )
    chosen = [check for check in known if (not only or check.name in only) and not (quick and check.live)]
    results = [(check.name, *_run(check)) for check in chosen]
    say("")
    for name, passed, seconds in results:
        say(f"{'passed' if passed else 'FAILED':7} {name} ({duration(seconds)})")
    failed = sum(not passed for _, passed, _ in results)
    click.echo(f"checks: {len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _run(check: Check) -> tuple[bool, float]:
    say(f"── {check.name}")
    if shutil.which(check.argv[0]) is None:
        say(f"{check.argv[0]} is missing: run it through `./bench test`, which installs it.")
        return False, 0.0
    began_s = time.monotonic()
    ended = subprocess.run(check.argv, cwd=ROOT, stdin=subprocess.DEVNULL, check=False)
    return ended.returncode == 0, time.monotonic() - began_s
