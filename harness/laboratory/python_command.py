"""`./bench python`."""

from __future__ import annotations

import os
import sys

import click

from plumbline.cli.console import ROOT


@click.command(
    # All words belong to the interpreter, options too.
    context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True},
    epilog="Example: ./bench python -m pytest harness/tests/truth",
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[WORD]...")
def command(words: tuple[str, ...]) -> None:
    """Run Python with the packages of the project's checks, and with the modules of harness/.

    WORDs are those of the interpreter: a file, `-m` and a module, or `-c` and a program.
    """
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *words], {**os.environ, "PYTHONPATH": str(ROOT / "harness")})
