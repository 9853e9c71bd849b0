"""The command line: one file for each command, loaded only when it is called.

Exit status: 0 done, 1 the answer is no, 2 used wrongly, 3 the command could not go on. With `--json` standard output
carries exactly one JSON document, errors included; texts for people go to standard error. A reader who goes away
(`| head`, `| less`) changes neither the work nor the status.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

import click

from plumbline.reporting.github.workflow import guard_streams
from .lazy import LazyGroup
from .leaving import Ending, ending_of, leave
from .streams import prepare_streams

# command -> the line that `./bench --help` shows. Its file has the same name.
COMMANDS = {
    "run": "Plan, build, measure, judge and report a suite on this machine.",
    "plan": "Show what would run, why, how long it takes and what it could detect.",
    "build": "Build subjects, and print time, size and digest.",
    "compare": "Compare two sides: faster, slower, equivalent or undecided.",
    "lifecycle": "Measure what a developer waits for: build, test, development, start, memory.",
    "smallest-heap": "Search the smallest heap with which a subject keeps a rate of requests.",
    "reproduce": "Run the session of a record again on this host, and compare the ratios.",
    "judge": "Judge a record again by today's rules, from its stored evidence alone.",
    "verify": "Recompute every figure and check result of a record, byte for byte.",
    "history": "Show where series of a folder of records changed, and the alerts.",
    "publish": "Write a static site from a folder of records.",
    "doctor": "Check whether this host is fit to measure, condition by condition.",
    "list": "List the sessions measured here.",
    "show": "Show a trial: its figures, check results and logs, and why it is invalid.",
    "report": "Show the report of a record again.",
    "explain": "Explain a rule of the referee: what it asks, why, and how often it refused here.",
    "systems": "Print the table of systems: what each does, and what was checked by a run.",
    "new-variant": "Copy a variant to a new folder of apps/, and mark the places to write.",
    "check-variant": "Build a variant, check it against the contract, and load it for five seconds.",
    "start": "Start an application and its database, to look at them or to debug.",
    "clean": "List caches and scratch folders with their sizes, and remove them.",
    "ci": "Run a step of a workflow: plans, records, pull requests, alerts.",
    "completion": "Print the completion script for bash, zsh or fish.",
}
# Commands of the laboratory, which is no part of the product: no other command loads its code.
LABORATORY = {
    "test": "Run the project's own checks.",
    "benchmark": "Measure the harness itself, or replay recorded sessions.",
    "python": "Run Python with the packages of the project's checks and the modules of harness/.",
    "simulate": "Make up a folder of records, for development and tests of the site.",
}

# Commands that go on with an interrupted session by --resume.
RESUMABLE = ("run", "compare")


@click.group(
    cls=LazyGroup,
    commands={"plumbline.cli.{}_command": COMMANDS, "laboratory.{}_command": LABORATORY},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="First numbers in minutes: ./bench run. Every command has --help with an example.",
)
def bench() -> None:
    """Plumbline: benchmarks of JVM web frameworks that anyone can check."""


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line and leave with its exit status."""
    wants_json = "--json" in sys.argv[1:]
    prepare_streams()
    guard_streams()
    stream = sys.stdout
    # A cancelled job and a closed terminal end a command as Ctrl-C does: with every process that it started.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)
    try:
        status = bench.main(prog_name="bench", standalone_mode=False)
        sys.stdout.flush()
        raise SystemExit(status if isinstance(status, int) else 0)
    except click.exceptions.Exit as ending:
        raise SystemExit(ending.exit_code) from None
    except SystemExit:
        # When a pipe to another program breaks, click wraps the stream and ends with 1: "the answer is no".
        if sys.stdout is not stream:
            leave(Ending("A pipe to another program broke.", "", 3), wants_json)
        raise
    except click.exceptions.NoArgsIsHelpError as error:
        sys.stderr.write(error.format_message() + "\n")
        raise SystemExit(error.exit_code) from None
    except (Exception, KeyboardInterrupt) as error:
        leave(ending_of(error, resumable=any(word in RESUMABLE for word in sys.argv[1:2])), wants_json)
