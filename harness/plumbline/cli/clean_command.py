"""`./bench clean`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from .console import json_option, print_json, user_paths

# The folders of the user's cache. `env` is the launcher's.
CACHES = ("artifacts", "lifecycle", "refs", "tools", "boxes", "logs", "history", "site", "env")


@click.command(epilog="Example: ./bench clean --what artifacts --yes")
@click.option(
    "--what",
    type=click.Choice(["scratch", *CACHES, "all"]),
    multiple=True,
    help="What to remove; only shows sizes when left out. May be repeated. `env`: all Python environments but the one "
    "that runs this command.",
)
@click.option("--yes", is_flag=True, help="Remove without asking.")
@json_option
def command(what: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """List caches and scratch folders with their sizes, and remove those that are named. Results are never removed."""
    from plumbline.measuring.launch.lock import MachineLock

    paths = user_paths()
    places = {"scratch": paths.scratch, **{name: paths.cache / name for name in CACHES}}
    sizes = {name: _size_bytes(folder) for name, folder in places.items()}
    chosen = [name for name in places if name in what or "all" in what]
    if not as_json:
        for name, folder in places.items():
            click.echo(f"{name:10} {sizes[name] / 1e6:>8.1f} MB  {folder}")
    if chosen:
        if not yes:
            click.confirm(f"Remove {', '.join(chosen)}?", abort=True, err=True)
        # A running session uses them all.
        with MachineLock():
            for part in (part for name in chosen for part in _parts(places[name])):
                _remove(part)
    if as_json:
        print_json({name: {"folder": str(places[name]), "bytes": sizes[name]} for name in places})


def _parts(folder: Path) -> list[Path]:
    """Return what to remove of a folder: all of it, or all but the environment that runs this command.

    A hidden part is an environment that is being made.
    """
    running = Path(sys.prefix).resolve()
    if running.parent != folder.resolve():
        return [folder]
    return [part for part in folder.glob("[!.]*") if part.name != running.name]


def _remove(folder: Path) -> None:
    """Remove a folder, which is gone at once: what an interrupted removal leaves is never taken for a whole folder."""
    aside = folder.with_name(f".removed-{folder.name}")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        folder.rename(aside)
    except OSError:
        # The folder above may be another user's.
        aside = folder
    shutil.rmtree(aside, ignore_errors=True)


def _size_bytes(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(place) / name).lstat().st_size
            except OSError:
                continue
    return total
