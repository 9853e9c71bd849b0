"""A checkout of its own for tests: real harness, applications and scripts, its own bench.toml, results and scratch.

What `./bench` does there, it does to nobody else's files.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plumbline.measuring.launch.supervisor import marked
from .conftest import ROOT

PROC = Path("/proc")
# Long, so that a busy machine fails no test; each wait usually takes seconds.
WITHIN_S = 120.0

# A suite beside the shipped ones: it has every part of a session, each as short as k6 allows.
TINY = """
[suites.tiny]
about = "one subject, seconds a phase"
subjects = ["vertx-pg/jvm/pg"]
scenarios = ["fruits"]
blocks = 1
budget = "5m"
phases = [
    { kind = "warm-up", time = "1s" },
    { kind = "closed", time = "2s" },
    { kind = "open", time = "3s", rates = [100] },
]
"""


@dataclass(frozen=True)
class Checkout:
    """A checkout of the tests; `environ` is added to the environment of the tests."""

    root: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def results(self) -> Path:
        return self.root / "results" / "local"

    def start(self, *words: str, **environ: str) -> Run:
        """`./bench` with these words, as a process."""
        process = subprocess.Popen(
            [sys.executable, str(self.root / "harness"), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**_inherited(), **self.environ, **environ},
            # Tests that run in the background ignore Ctrl-C, and the process would inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        return Run(self, process)

    def bench(self, *words: str, **environ: str) -> Ended:
        """`./bench` with these words, to its end."""
        return self.start(*words, **environ).ended()

    def session(self) -> str:
        """The newest session that runs or waits to be resumed."""
        return max(path.parent.name for path in (self.results / ".running").glob("*/journal.jsonl"))

    def trials_ended(self) -> int:
        """How many trials the journal of that session holds."""
        lines = (self.results / ".running" / self.session() / "journal.jsonl").read_text().splitlines()
        return sum(json.loads(line)["kind"] == "trial" for line in lines if line.endswith("}"))

    def traces(self) -> list[str]:
        """The paths that sessions left in the results."""
        return sorted(str(path.relative_to(self.results)) for path in self.results.rglob("*"))


@dataclass(frozen=True)
class Ended:
    """How a command ended, and its two streams."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Run:
    """A command that runs."""

    checkout: Checkout
    process: subprocess.Popen[str]

    def ended(self) -> Ended:
        try:
            out, err = self.process.communicate(timeout=2 * WITHIN_S)
        finally:
            self.process.kill()
        return Ended(self.process.returncode, out, err)

    def until(self, condition: Callable[[], bool]) -> None:
        """Waits for a condition while the command runs."""
        end_s = time.monotonic() + WITHIN_S
        while not _is_met(condition):
            assert self.process.poll() is None, self.process.communicate()[1]
            assert time.monotonic() < end_s, "it never came so far"
            time.sleep(0.02)

    def until_process(self, *words: str) -> int:
        """Waits until a process of the session has all these words in its command line; its pid."""
        pids: list[int] = []

        def is_there() -> bool:
            pids[:] = self.pids(*words)
            return bool(pids)

        self.until(is_there)
        return pids[0]

    def pids(self, *words: str) -> list[int]:
        """The processes of the session that have all these words in their command lines now."""
        return [pid for pid in processes(self.checkout.session()) if _runs_with(pid, words)]


def processes(session: str) -> set[int]:
    """Everything that runs for a session, by its mark or by its parents."""
    parent_of = marked.parents(PROC)
    ours = {pid for pid in parent_of if marked.session_of(PROC, pid) == session}
    return marked.with_descendants(ours, parent_of)


def make_checkout(root: Path, more: str = TINY, *, shipped: bool = True, **environ: str) -> Checkout:
    """Make a checkout at `root` whose bench.toml is the shipped file with `more` behind it, or `more` alone."""
    shutil.copytree(ROOT / "harness", root / "harness", ignore=shutil.ignore_patterns("tests", "__pycache__", ".*"))
    for name in ("apps", "k6", "runner-setup"):
        (root / name).symlink_to(ROOT / name)
    text = (ROOT / "bench.toml").read_text() if shipped else ""
    (root / "bench.toml").write_text(text + more)
    (root / "results" / "local").mkdir(parents=True)
    return Checkout(root, environ)


def _runs_with(pid: int, words: tuple[str, ...]) -> bool:
    try:
        line = (PROC / str(pid) / "cmdline").read_bytes().decode().replace("\0", " ")
    except OSError:
        return False
    return all(word in line for word in words)


def _is_met(condition: Callable[[], bool]) -> bool:
    """Whether a condition is met. It is not while files that it reads are gone, since they come and go."""
    try:
        return condition()
    except (OSError, ValueError):
        return False


def _inherited() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
