"""The project's checks, each with the command lines that have to end with 0, and the tier that runs it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

from plumbline.cli.console import ROOT, say
from plumbline.measuring.conformance.systems import FILE as LEDGER
from .set_up import node_and_install

Tier = Literal["quick", "whole", "live", "workflows", "site", "faults", "host", "containers", "kubernetes"]
"""`quick` runs at each save, and with `whole` before a merge; the other tiers run when they are asked for by name."""

Need = Literal["browser", "mysql", "engine"]

BROWSER_TESTS = "harness/tests/report/browser"
LIVE_TESTS = "harness/tests/live"
CAMPAIGN_TESTS = "harness/tests/campaign"
FAULT_TESTS = "harness/tests/faults"
# Faults in the files that a session leaves: a journal, evidence, a record of older rules. Other checks run these tests
# as well.
DAMAGE_TESTS = (
    "harness/tests/live/test_killed_sessions.py",
    "harness/tests/live/test_session.py",
    "harness/tests/record/test_frozen.py",
)
HOST_TESTS = "harness/tests/emulated"
CONTAINER_TESTS = "harness/tests/containers"
CLUSTER_TESTS = "harness/tests/kubernetes/cluster"
# More than four processes would only wait for each other's databases and load generators.
PROCESSES = ("--maxprocesses", "4", "--dist", "worksteal", "--numprocesses")
# The slowest tests are named, so that a test that has become slower is noticed.
SLOWEST = ("--durations", "20")
# Tests start Python thousands of times. Bytecode that is not kept is made again each time, and some images keep none.
KEEP_BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}
BROWSER: frozenset[Need] = frozenset({"browser"})
MYSQL: frozenset[Need] = frozenset({"mysql"})


@dataclass(frozen=True)
class CheckResult:
    """The result of a check: whether it passed, how long it took, and how many of its tests pytest skipped."""

    name: str
    passed: bool
    seconds: float
    skipped: int


@dataclass(frozen=True)
class Check:
    """A check: command lines that run one after another, and each have to end with 0.

    `cwd` is below the checkout. `needs` names what is set up beforehand. The last line of a failed check is its
    `remedy`, the command that mends what was found, where there is one.
    """

    name: str
    tier: Tier
    steps: Sequence[Sequence[str]]
    cwd: str = "."
    env: dict[str, str] = field(default_factory=dict)
    needs: frozenset[Need] = frozenset()
    remedy: str = ""

    def run(self, variables: Mapping[str, str]) -> CheckResult:
        """Run the check with environment `variables`."""
        say(f"── {self.name}")
        began_s = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="bench-test-") as folder:
            report = Path(folder) / "tests.xml"
            options = f"{os.environ.get('PYTEST_ADDOPTS', '')} --junit-xml={shlex.quote(str(report))}"
            passed = all(self._run_step(argv, {**variables, "PYTEST_ADDOPTS": options}) for argv in self.steps)
            if self.remedy and not passed:
                say(f"This command mends it: {self.remedy}")
            return CheckResult(self.name, passed, time.monotonic() - began_s, _skipped(report))

    def _run_step(self, argv: Sequence[str], variables: Mapping[str, str]) -> bool:
        env = {**os.environ, **KEEP_BYTECODE, **variables, **self.env}
        process = subprocess.run(argv, cwd=ROOT / self.cwd, env=env, stdin=subprocess.DEVNULL, check=False)
        return process.returncode == 0


def _skipped(report: Path) -> int:
    """Return the number of skipped tests in a report of pytest; 0 without a report, for a check without tests."""
    if not report.exists():
        return 0
    return sum(int(suite.get("skipped", 0)) for suite in ElementTree.parse(report).iter("testsuite"))


def checks(scratch: Path, *, quick: bool = False, every: bool = False) -> tuple[Check, ...]:
    """Return all checks, the quick ones first; `scratch` is the folder for the files that they make.

    `quick`: the unit tests leave out the tests that are marked as slow, and draw fewer examples.
    `every`: live tests take every variant.
    """
    python = (sys.executable, "-m")
    config = ("--config", "harness/pyproject.toml")
    pytest = (*python, "pytest", "-c", "harness/pyproject.toml", "--rootdir", ".", "--color", "auto")
    code = [name for name in ("harness", "runner-setup", "apps") if any((ROOT / name).rglob("*.py"))]
    shell = [
        "bench",
        ".ci/run",
        *(str(path.relative_to(ROOT)) for path in (ROOT / "runner-setup").rglob("*.sh")),
    ]
    ignore_options = [
        word
        for tests in (LIVE_TESTS, CAMPAIGN_TESTS, FAULT_TESTS, HOST_TESTS, CONTAINER_TESTS, CLUSTER_TESTS)
        for word in ("--ignore", tests)
    ]
    node, install = node_and_install()
    typescript = (node, "node_modules/typescript/bin/tsc", "--noEmit")
    return (
        Check(
            "format",
            "quick",
            [(*python, "ruff", "format", *config, "--check", *code)],
            remedy=shlex.join(("./bench", "python", "-m", "ruff", "format", *config, *code)),
        ),
        Check("lint", "quick", [(*python, "ruff", "check", *config, *code)]),
        Check("types", "quick", [(*python, "mypy", "--config-file", "harness/pyproject.toml")]),
        Check("shell", "quick", [(str(Path(sys.executable).parent / "shellcheck"), *shell)]),
        Check(
            "unit tests",
            "quick",
            [
                (
                    *pytest,
                    *PROCESSES,
                    # Slow tests often wait for other programs: one process more uses the CPUs meanwhile.
                    "auto" if quick else str(len(os.sched_getaffinity(0)) + 1),
                    *SLOWEST,
                    *(("-m", "not slow", "--hypothesis-profile", "quick") if quick else ()),
                    "harness/tests",
                    *ignore_options,
                )
            ],
            needs=frozenset() if quick else MYSQL,
        ),
        Check("k6 types", "whole", [install, typescript], cwd="k6"),
        Check(
            "report in a browser",
            "whole",
            [
                install,
                (sys.executable, "-m", "tests.report.session", str(scratch)),
                (node, "--test", "--test-reporter=spec"),
            ],
            cwd=BROWSER_TESTS,
            env={"PYTHONPATH": str(ROOT / "harness"), "REPORT": str(scratch / "report.html")},
            needs=BROWSER,
        ),
        _site("site", "whole", scratch, ("24", "180", "6"), ("unit", "browser")),
        Check(
            "live tests",
            "whole",
            [
                (
                    *pytest,
                    *SLOWEST,
                    LIVE_TESTS,
                    *(("--every-variant", "--held", str(LEDGER)) if every else ("-m", "not slow")),
                )
            ],
            needs=MYSQL,
        ),
        Check("long live tests", "live", [(*pytest, *SLOWEST, "-m", "slow", LIVE_TESTS)], needs=MYSQL),
        # After the live tests, since the table shows what they checked.
        *([Check("systems", "whole", [(sys.executable, "harness", "systems", "--write")])] if every else []),
        Check("workflows", "workflows", [(*pytest, CAMPAIGN_TESTS)]),
        Check(
            "faults",
            "faults",
            [(*pytest, "--durations=0", "--verbose", "-rs", FAULT_TESTS, *DAMAGE_TESTS)],
            needs=MYSQL,
        ),
        Check("host", "host", [(*pytest, "--durations=0", "--verbose", HOST_TESTS)]),
        Check(
            "containers",
            "containers",
            [
                (
                    *pytest,
                    *("--durations=0", "--verbose", CONTAINER_TESTS),
                    *(("--every-variant", "--held", str(LEDGER)) if every else ()),
                )
            ],
            needs=frozenset({"engine"}),
        ),
        Check("kubernetes", "kubernetes", [(*pytest, "--durations=0", "--verbose", CLUSTER_TESTS)]),
        _site("site everywhere", "site", scratch, ("400", "300", "7"), ("everywhere",)),
    )


def _site(name: str, tier: Tier, scratch: Path, size: tuple[str, str, str], projects: Sequence[str]) -> Check:
    """Return the tests of site/ on simulated records, which `./bench` itself publishes.

    `size` is the number of sessions, the number of series, and the seed. The small site has two stacks on JDBC, and a
    record with hostile texts.
    """
    node, install = node_and_install()
    bench = (sys.executable, str(ROOT / "harness"))
    sessions, series, seed = size
    data, pages, build = (str(scratch / tier / part) for part in ("data", "pages", "build"))
    vite = (node, "node_modules/vite/bin/vite.js", "build", "--logLevel", "warn", "--outDir", build)
    return Check(
        name,
        tier,
        [
            install,
            (node, "node_modules/typescript/bin/tsc", "--noEmit"),
            (*vite, "--emptyOutDir"),
            (*bench, "simulate", data, "--sessions", sessions, "--series", series, "--seed", seed),
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
