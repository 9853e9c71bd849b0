"""`./bench ci keep`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from plumbline.github.workflow import outputs
from .options import branch_option, data_argument, data_branch, remote_option, tries_option


@click.command(epilog="Example: ./bench ci keep data alerts.json --remote origin --message 'Alerts'")
@data_argument
@click.argument("paths", nargs=-1, required=True)
@remote_option
@branch_option
@click.option("--message", default="Derived files", show_default=True, help="Message of the commit.")
@tries_option
def command(data: Path, paths: tuple[str, ...], remote: str, branch: str, message: str, tries: int) -> None:
    """Commit derived files to a copy of the data branch, over the files that are there.

    The files are alerts.json, github-action-benchmark/<name>.json, and hosts/<host>/before.json and after.json, or one
    of their folders; runs are never written again. The files may come from a job that ran programs of others: anything
    but a JSON document of a sane size is refused.
    """
    from plumbline.data import layout
    from plumbline.data.landing import land_files
    from plumbline.model.errors import AnswerIsNo, UsageError

    files = {}
    for path in _files(data, paths):
        place = data / path
        if place.is_symlink() or not place.is_file():
            raise UsageError(f"{place} is no plain file.", "Name files below DATA.")
        if place.stat().st_size > layout.RECORD_BYTES:
            raise AnswerIsNo(f"{path} has more than {layout.RECORD_BYTES:,} bytes.", "Look at what made it.")
        files[path] = place.read_bytes()
    landed = land_files(data_branch(remote, branch, tries), files, message)
    outputs({"commit": landed.commit, "landed": "new" if landed.new else "already"})


def _files(data: Path, paths: Sequence[str]) -> Iterator[str]:
    """Return the paths, with the entries of a folder in the place of the folder."""
    for path in paths:
        place = data / path
        if place.is_dir() and not place.is_symlink():
            yield from (f"{path}/{one.name}" for one in sorted(place.iterdir()))
        else:
            yield path
