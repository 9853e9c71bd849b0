"""`./bench ci pack`."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.github.workflow import outputs
from ..console import ROOT, say


@click.command(epilog="Example: ./bench ci pack packs vertx-pg/jvm/pg")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.argument("subject")
def command(out: Path, subject: str) -> None:
    """Build the artifact of SUBJECT and write it as OUT/<slug>.tar with its digest.

    Where its packaging can't be built on this machine (no native-image), OUT/<slug>.unavailable.txt says why instead.
    """
    from plumbline.build.builder import Unavailable
    from plumbline.build.packs import UNAVAILABLE, pack, slug
    from plumbline.run.workshop import open_workshop

    workshop = open_workshop(ROOT, (), say)
    chosen = workshop.catalog.subject(subject)
    builder = workshop.builder()
    name = slug(builder.artifact_id(chosen))
    try:
        artifact = builder.build(chosen)
    except Unavailable as error:
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{name}{UNAVAILABLE}").write_text(f"{error}\n")
        outputs({"slug": name, "sha256": "", "available": "false"})
        return
    pack(artifact, out)
    outputs({"slug": name, "sha256": artifact.build.sha256, "available": "true"})
