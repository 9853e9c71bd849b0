"""The command line of bench-host."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measures import MEASURES

from . import commands
from .host import Host
from .quiet_command import quiet_
from .refused import Refused

_EPILOG = """\
exit status: 0 done, 1 the answer is no, 2 used wrongly or no host for it (nothing was changed), 3 could not go on

examples:
  bench-host check                     is every condition of a lab met
  sudo bench-host apply --dry-run      the whole plan, changing nothing
  sudo bench-host apply                make it so, writing down what was there
  sudo bench-host rollback             put everything back, byte for byte
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands and their options."""
    top = argparse.ArgumentParser(
        prog="bench-host",
        description="Turns a machine into a benchmark host, proves it, and undoes every change.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subcommands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, run: Callable[[Host, argparse.Namespace], int], words: str) -> argparse.ArgumentParser:
        subcommand = subcommands.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        subcommand.set_defaults(run=run)
        subcommand.add_argument("--json", action="store_true", help="one document instead of words")
        subcommand.add_argument(
            "--root",
            type=Path,
            default=Path("/"),
            metavar="DIR",
            help="a host's files below DIR; no command is run",
        )
        return subcommand

    def add_only(subcommand: argparse.ArgumentParser) -> None:
        subcommand.add_argument(
            "--only", metavar="ID", action="append", default=[], help="only that measure; may be repeated"
        )

    add_only(add("check", commands.check, "say of every condition whether it is met, and change nothing"))
    apply = add("apply", commands.apply_, "change what is not met, after writing down what is there")
    add_only(apply)
    apply.add_argument("--dry-run", action="store_true", help="print the whole plan and change nothing")
    apply.add_argument("--yes", action="store_true", help="also what needs a reboot, without asking")
    apply.add_argument("--resume", action="store_true", help="go on with an apply that was interrupted")
    apply.add_argument("--anyway", action="store_true", help="also in a virtual machine or with few cores, to try it")
    apply.add_argument("--at-boot", action="store_true", help=argparse.SUPPRESS)
    rollback = add("rollback", commands.rollback_, "put everything back as it was")
    rollback.add_argument(
        "--force", action="store_true", help="also files that somebody else changed since; forget what fails"
    )
    add("status", commands.status, "say what is applied, and what is no longer as it was set")
    add(
        "fingerprint",
        commands.fingerprint_,
        "print the components whose change begins a new segment of history",
    )
    quiet = add("quiet", quiet_, "measure in two minutes how quiet the CPUs and the disk are")
    quiet.add_argument("--seconds", type=float, metavar="S", help="time of each CPU; two minutes are shared out else")
    quiet.add_argument("--cpus", metavar="LIST", help="only these CPUs, such as 2-5,8")
    quiet.add_argument("--scratch", type=Path, metavar="DIR", help="where the database would write; /var/tmp else")
    quiet.add_argument("--harness", type=Path, metavar="DIR", help="a checkout whose control is measured twenty times")
    return top


def main(words: Sequence[str] | None = None, host: Callable[[Path], Host] = Host) -> int:
    """Run a command, and return its exit status."""
    arguments = parser().parse_args(words)
    try:
        for name in getattr(arguments, "only", []):
            if name not in {measure.ID for measure in MEASURES}:
                raise Refused(
                    f"There is no measure '{name}'.",
                    f"There are {', '.join(measure.ID for measure in MEASURES)}.",
                )
        root = arguments.root.absolute()
        if not root.is_dir():
            raise Refused(f"{root} is no folder.", "Name one that holds a host's files, such as etc and sys.")
        with _locked(root, arguments):
            status: int = arguments.run(host(root), arguments)
            return status
    except Refused as refused:
        return _report_error(arguments, refused.problem, refused.next_step, 2)
    except KeyboardInterrupt:
        return _report_error(arguments, "Interrupted.", "`bench-host status` says what was changed.", 3)
    except OSError as error:
        problem = f"{error.filename or 'The host'}: {error.strerror}."
        return _report_error(arguments, problem, "`bench-host status` says what was changed.", 3)


def _report_error(arguments: argparse.Namespace, problem: str, next_step: str, status: int) -> int:
    if arguments.json:
        document: dict[str, Any] = {"error": problem, "next_step": next_step, "exit": status}
        sys.stdout.write(json.dumps(document) + "\n")
    else:
        sys.stderr.write(f"bench-host: {problem} {next_step}\n")
    return status


@contextmanager
def _locked(root: Path, arguments: argparse.Namespace) -> Iterator[None]:
    """Hold a lock: two programs at once would each take the other's change for the old state of the host."""
    if arguments.command not in ("apply", "rollback") or not (root / "var/lib").is_dir():
        yield
        return
    descriptor = os.open(root / "var/lib", os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise Refused("Another bench-host is at work.", "Wait until it has ended.") from None
    finally:
        os.close(descriptor)
