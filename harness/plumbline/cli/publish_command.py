"""`./bench publish DATA OUT`."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.verdicts.judge.wording import counted
from .console import ROOT, json_option, print_json, say, user_paths

if TYPE_CHECKING:
    from plumbline.reporting.publish.publish import Published


@click.command(epilog="Example: ./bench publish results/examples /tmp/site")
@click.argument("data", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="Exit 1, with the list, when the page of integrity lists anything.")
@click.option("--address", metavar="URL", help="The address of the site: for feed, site map, pictures and 404.html.")
@click.option("--repository", metavar="URL", help="The address of the sources; pages link commits to it.")
@click.option(
    "--site-build",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A finished build of site/ instead of making one.",
)
@json_option
def command(
    data: Path,
    out: Path,
    strict: bool,
    address: str | None,
    repository: str | None,
    site_build: Path | None,
    as_json: bool,
) -> int:
    """Write a static site from a folder of records: pages, small JSON files, badges, a feed.

    DATA is any tree of session folders, such as a checkout of the data branch. OUT is a new folder, or one that
    this command made before: then it writes only what changed, and removes what no longer belongs there. The pages
    work below any path of any file server. Records that can't be used are left out, and the page of integrity lists
    them. The pages' scripts are built with Node.js 20.19 or newer and npm, once for each version of their sources.
    """
    began_s = time.monotonic()
    with _without_collector():
        site = _write_site(data, out, address, repository, site_build)
    if as_json:
        print_json(
            {
                "out": str(out),
                "sessions": site.sessions,
                "series": site.series,
                "files": site.files,
                "bytes": site.bytes,
                "written": site.written,
                "removed": site.removed,
                "simulated": site.simulated,
                "seconds": round(time.monotonic() - began_s, 2),
                "left_out": [problem.model_dump(mode="json") for problem in site.left_out],
                "evidence": [problem.model_dump(mode="json") for problem in site.evidence],
            }
        )
    else:
        for row in (*site.left_out, *site.evidence):
            say(f"{'left out' if row in site.left_out else 'evidence'}: {row.folder}: {row.problem}")
        sessions, left_out = (
            counted(site.sessions, "session"),
            counted(sum(row.is_record for row in site.left_out), "record"),
        )
        click.echo(
            f"{sessions}, {site.series} series: {counted(site.files, 'file')}, {site.bytes / 1e6:.1f} MB in {out}; "
            f"{site.written} written, {site.removed} taken away, {left_out} left out"
            f" ({time.monotonic() - began_s:.1f} s)."
        )
    return int(strict and bool(site.left_out or site.evidence))


@contextmanager
def _without_collector() -> Iterator[None]:
    """Switch Python's collector of cycles off while the block runs.

    Millions of points are held to the end, and none is part of a cycle. The search for cycles would take half of
    the time, and a fifth of the time in which the models are loaded.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _write_site(
    data: Path, out: Path, address: str | None, repository: str | None, site_build: Path | None
) -> Published:
    from plumbline.reporting.publish.assets import build_folder, read_assets
    from plumbline.reporting.publish.publish import PublishOptions, publish
    from plumbline.reporting.publish.reading import folders

    cache = user_paths().cache
    addresses = _address(address, "--address"), _address(repository, "--repository")
    # This comes before the scripts of the pages are built, which takes long.
    folders(data)
    options = PublishOptions(
        checkout=ROOT,
        assets=read_assets(
            ROOT / "site" / "templates",
            site_build or build_folder(ROOT / "site", cache, os.environ),
            cache / "site" / "templates",
        ),
        address=addresses[0],
        repository=addresses[1],
        processes=min(4, len(os.sched_getaffinity(0))),
    )
    return publish(data, out, options, say)


def _address(text: str | None, option: str) -> str | None:
    """Return a web address that ends in a slash; None for no address or an empty one (a variable that is not set)."""
    from urllib.parse import urlsplit

    from plumbline.model.errors import UsageError

    if not text:
        return None
    parts = urlsplit(text)
    unfit = parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment
    if unfit or parts.username is not None or any(char in text for char in " \"'<>\\\n\r\t"):
        raise UsageError(f"{option}: '{text}' is no web address.", "Write it as https://host/path/.")
    return text if text.endswith("/") else f"{text}/"
