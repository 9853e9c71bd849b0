"""`--sandbox required`: the command runs again in a network namespace of the host's launcher, or not at all."""

from __future__ import annotations

import os
import sys

import click

from .console import ROOT, say

sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(["off", "required"]),
    default="off",
    show_default=True,
    help="Measure code that is not yours: the host's launcher gives users, network and rights.",
)


def within_sandbox(sandbox: str) -> int | None:
    """Run this same command line in the sandbox, and return its exit status; None where there is nothing to enter.

    Tools are fetched before, since there is no network inside; the subjects have to be built before, too. Raises
    UsageError on a host without a launcher.
    """
    from plumbline.measuring.place.launcher import INSIDE, Launcher, enter

    if sandbox == "off" or os.environ.get(INSIDE):
        return None
    launcher = Launcher()
    try:
        _fetch_tools()
        # This same interpreter, so that nothing has to be installed inside.
        argv = [sys.executable, str(ROOT / "harness"), *sys.argv[1:]]
        status = enter(launcher, argv, ROOT, os.environ)
    finally:
        launcher.close()
    if status < 0:
        say(f"bench: the session in the sandbox was ended by signal {-status}")
        return 3
    return status


def _fetch_tools() -> None:
    from plumbline.machine.tools.postgres import get_postgres
    from plumbline.measuring.run.context import open_context

    context = open_context(ROOT, (), say)
    say(f"JDK {context.jdk.build}, k6 {context.k6.version}")
    if context.host_spec.database == "embedded":
        get_postgres(context.box)
