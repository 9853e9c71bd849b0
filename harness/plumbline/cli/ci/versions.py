"""`./bench ci versions`, `pins`, `propose` and `settings`: upkeep of the repository."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict

import click

from plumbline.github.workflow import outputs, summary
from ..console import ROOT, json_option, print_json
from .options import remote_option


@click.command(epilog="Example: ./bench ci versions --raise quarkus")
@click.option("--only", default=None, metavar="NAME", help="One framework or database.")
@click.option(
    "--raise", "name", default=None, metavar="NAME", help="Write its newer version into the catalog."
)
def versions_command(only: str | None, name: str | None) -> int:
    """List frameworks and databases that have a newer version of the same major, from the index of Maven Central.

    PLUMBLINE_MAVEN_CENTRAL names a mirror. With --raise, exit status 1 when there is nothing newer.
    """
    from plumbline.github.versions import apply, raises
    from plumbline.tools.download import MAVEN_CENTRAL

    central = (os.environ.get("PLUMBLINE_MAVEN_CENTRAL") or MAVEN_CENTRAL).rstrip("/")
    found = raises(ROOT, central, name or only)
    if name is not None:
        if not found:
            click.echo(f"There is nothing newer than the {name} that the catalog has.", err=True)
            return 1
        (one,) = found
        apply(ROOT, one, central)
        outputs(
            {"name": one.name, "from": one.now, "to": one.newer, "branch": one.branch, "title": one.title}
        )
        return 0
    rows = [{"name": one.name, "from": one.now, "to": one.newer, "branch": one.branch} for one in found]
    outputs(
        {
            "raises": json.dumps({"include": rows}, separators=(",", ":")),
            "any": "true" if rows else "false",
        }
    )
    return 0


@click.command(epilog="Example: GITHUB_REPOSITORY=owner/name GITHUB_TOKEN=… ./bench ci pins")
def pins_command() -> int:
    """Compare the pinned actions of all workflows with their newest releases.

    Exit status 1: an action is older than its newest release, or its tag names another commit by now.
    """
    from plumbline.github.api import Api
    from plumbline.github.versions import looked_up

    rows = list(looked_up(ROOT, Api.of(os.environ)))
    for one in rows:
        newest = f", newest is {one.newest}" if one.newest and one.newest != one.tag else ""
        click.echo(f"{one.answer:8} {one.repository}@{one.commit[:12]} # {one.tag}{newest}")
    stale = [one for one in rows if one.answer in ("stale", "moved")]
    document = [
        {"repository": one.repository, "tag": one.tag, "newest": one.newest, "answer": one.answer}
        for one in stale
    ]
    outputs({"stale": json.dumps(document, separators=(",", ":"))})
    return 1 if stale else 0


@click.command(epilog="Example: ./bench ci propose --name quarkus --remote https://github.com/owner/name")
@click.option("--name", required=True, help="What `./bench ci versions --raise` raised in this checkout.")
@remote_option
@click.option("--base", default="main", show_default=True, help="The branch that it goes to.")
def propose_command(name: str, remote: str, base: str) -> None:
    """Commit a raised version on its branch, push the branch, and open or update its pull request."""
    from plumbline.github.api import Api
    from plumbline.github.versions import CATALOG, PINS, propose, version_of
    from plumbline.model.errors import UsageError
    from plumbline.tools.git import Git

    if not re.fullmatch(r"[a-z0-9-]{1,40}", name):
        raise UsageError(f"'{name[:60]}' is no name of the catalog.", "See `./bench ci versions`.")
    before = {path: Git(ROOT).output("show", f"HEAD:{path}").decode() for path in (CATALOG, PINS)}
    after = {path: (ROOT / path).read_text(encoding="utf-8") for path in (CATALOG, PINS)}
    title = f"{name} {version_of(name, before)} -> {version_of(name, after)}"
    address = propose(ROOT, Api.of(os.environ), remote, f"versions/{name}", title, (CATALOG, PINS), base)
    outputs({"pull_request": address, "branch": f"versions/{name}", "title": title})


@click.command(epilog="Example: GITHUB_REPOSITORY=owner/name GITHUB_TOKEN=… ./bench ci settings")
@json_option
def settings_command(as_json: bool) -> int:
    """Compare the repository's settings that security rests on with what they should be. The command only reads.

    Only a token of the owner (Administration: read) sees them all; a setting that the token may not see is
    `unknown`. Exit status 1: a setting is wrong.
    """
    from plumbline.github.api import Api
    from plumbline.github.settings import settings
    from plumbline.github.workflow import plain
    from plumbline.record.markdown import table

    found = settings(Api.of(os.environ))
    if as_json:
        print_json({"settings": [asdict(one) for one in found]})
    else:
        for one in found:
            wish = "" if one.answer == "as wanted" else f"; wanted: {one.wanted} ({one.where})"
            click.echo(f"{one.answer:10} {one.name}: {one.seen}{wish}")
        rows = [(one.answer, *map(plain, (one.name, one.seen, one.wanted, one.where))) for one in found]
        if "GITHUB_STEP_SUMMARY" in os.environ:
            lines = table(("answer", "setting", "seen", "wanted", "where"), rows, escape=False)
            summary("\n".join(("## Settings", "", *lines)) + "\n")
    return 1 if any(one.answer == "wrong" for one in found) else 0
