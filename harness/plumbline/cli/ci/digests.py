"""`./bench ci digests`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from plumbline.github.workflow import outputs


@click.command(epilog='Example: ./bench ci digests packs --matrix "$MATRIX"')
@click.argument("packs", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--matrix", "text", metavar="JSON", help="The matrix of builds, each of which has to be there.")
def command(packs: Path, text: str | None) -> int:
    """The digests of all packs below a folder, to hand to the job that measures, and to check its record against.

    Exit status 1 when an artifact of the matrix is neither packed nor said to be unavailable.
    """
    from plumbline.build.packs import SUFFIX, UNAVAILABLE, slug, stated
    from plumbline.model.errors import AnswerIsNo, UsageError

    digests: dict[str, str] = {}
    for path in sorted(packs.rglob(f"*{SUFFIX}")):
        build = stated(path)
        name = path.name.removesuffix(SUFFIX)
        if name != slug(build.artifact) or digests.get(name, build.sha256) != build.sha256:
            raise AnswerIsNo(f"{path.name} says that it is {build.artifact[:80]}, or is there twice.")
        digests[name] = build.sha256
    unavailable = sorted({path.name.removesuffix(UNAVAILABLE) for path in packs.rglob(f"*{UNAVAILABLE}")})
    outputs({"digests": json.dumps(digests, separators=(",", ":")), "unavailable": ",".join(unavailable)})
    if not text:
        return 0
    try:
        wanted = {str(row["slug"]) for row in json.loads(text)["include"]}
    except (ValueError, TypeError, KeyError):
        raise UsageError(
            "--matrix is no matrix of builds.", "Hand over what `./bench ci plan` answered."
        ) from None
    missing = sorted(wanted - {*digests, *unavailable})
    if missing:
        raise AnswerIsNo(f"These were not built: {', '.join(missing)}.", "Their jobs' logs say why.")
    return 0
