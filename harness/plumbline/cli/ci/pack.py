"""`./bench ci pack`."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.github.workflow import annotate, outputs
from ..console import ROOT, say


@click.command(epilog="Example: ./bench ci pack packs vertx-pg/jvm/pg")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.argument("subject")
def command(out: Path, subject: str) -> int:
    """Build the artifact of SUBJECT and write it as OUT/<slug>.tar with its digest.

    Where this machine can't build the packaging (no native-image), OUT/<slug>.unavailable.txt says why. Where the
    build fails, OUT/<slug>.failed.txt says why, with exit status 1.
    """
    from plumbline.build.builder import BuildFailed, Unavailable
    from plumbline.build.packs import FAILED, UNAVAILABLE, pack
    from plumbline.model.subject import file_slug
    from plumbline.run.context import open_context

    context = open_context(ROOT, (), say)
    chosen = context.catalog.subject(subject)
    builder = context.builder()
    name = file_slug(builder.artifact_id(chosen))
    try:
        artifact = builder.build(chosen)
    except BuildFailed as error:
        lacking = isinstance(error, Unavailable)
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{name}{UNAVAILABLE if lacking else FAILED}").write_text(f"{error}\n", encoding="utf-8")
        outputs({"slug": name, "sha256": "", "available": "false"})
        if not lacking:
            annotate("error", str(error))
        return 0 if lacking else 1
    pack(artifact, out)
    outputs({"slug": name, "sha256": artifact.build.sha256, "available": "true"})
    return 0
