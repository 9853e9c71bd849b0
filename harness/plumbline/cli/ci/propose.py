"""`./bench ci propose`."""

from __future__ import annotations

import os
import re

import click

from plumbline.github.workflow import outputs
from ..console import ROOT
from .options import remote_option


@click.command(epilog="Example: ./bench ci propose --name quarkus --remote https://github.com/owner/name")
@click.option("--name", required=True, help="What `./bench ci versions --raise` raised in this checkout.")
@remote_option
@click.option("--base", default="main", show_default=True, help="The branch that it goes to.")
def command(name: str, remote: str, base: str) -> None:
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
