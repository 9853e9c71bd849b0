"""`--sandbox required`: the command runs again in a network namespace of the host's launcher, or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from .console import ROOT, say

if TYPE_CHECKING:
    from plumbline.measuring.run.context import Context

sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(["off", "required"]),
    default="off",
    show_default=True,
    help="Measure code that is not yours: the host's launcher gives users, network and rights.",
)


def within_sandbox(sandbox: str, measured: Callable[[], tuple[Context, Iterable[str]]]) -> int | None:
    """Run this same command line in the sandbox, and return its exit status; None where there is nothing to enter.

    `measured` returns the ids of the subjects that the session will measure, the control's included. Their tools are
    fetched before, since there is no network inside; the subjects have to be built before, too. Raises UsageError on a
    host without a launcher.
    """
    from plumbline.measuring.place.launcher import INSIDE, Launcher, enter
    from plumbline.measuring.run.tools import fetch_tools

    if sandbox == "off" or os.environ.get(INSIDE):
        return None
    launcher = Launcher()
    try:
        fetch_tools(*measured())
        # This same interpreter, so that nothing has to be installed inside.
        argv = [sys.executable, str(ROOT / "harness"), *sys.argv[1:]]
        status = enter(launcher, argv, ROOT, os.environ)
    finally:
        launcher.close()
    if status < 0:
        say(f"bench: the session in the sandbox was ended by signal {-status}")
        return 3
    return status


def measured_by_interrupted(name: str) -> tuple[Context, Iterable[str]]:
    """Return the subjects of an interrupted session, the newest one for an empty name. Raises UsageError."""
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.local import find_interrupted

    _, journaled = find_interrupted(ROOT / "results" / "local", name or None)
    return open_context(ROOT, journaled.apps, say), [subject for _, subject in journaled.plan.contenders]
