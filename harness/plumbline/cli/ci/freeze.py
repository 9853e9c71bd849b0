"""`./bench ci freeze`."""

from __future__ import annotations

import click

from ..console import ROOT


@click.command(epilog="Example: ./bench ci freeze   (after RULES_VERSION or FIGURES_VERSION was raised)")
@click.option("--commit", help="The archive of this commit's versions instead of the last ones in force.")
def command(commit: str | None) -> None:
    """Keep the verifier of the versions that were in force, so that their records can be recomputed for ever.

    Writes harness/frozen/: an archive of the modules that `verify` imports, out of the newest commit that had those
    versions, and the index with its digest. Commit both together with the raised version. Without a raised version
    there is nothing to do.
    """
    from plumbline.record.frozen.freeze import freeze
    from plumbline.tools.git import Git

    made = freeze(Git(ROOT), commit)
    if made is None:
        click.echo("Nothing to freeze: the versions are those of harness/frozen/index.json.")
    else:
        click.echo(f"harness/frozen/{made.name}: commit {made.commit[:12]}, SHA-256 {made.sha256}.")
