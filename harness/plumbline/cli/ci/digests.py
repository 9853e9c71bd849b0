"""`./bench ci digests`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from plumbline.github.workflow import annotate, outputs
from plumbline.model.errors import AnswerIsNo, UsageError
from .options import parsed_digests


@click.command(epilog='Example: ./bench ci digests packs --matrix "$MATRIX"')
@click.argument("packs", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--matrix", "text", metavar="JSON", help="The matrix of builds that were asked for.")
@click.option(
    "--missing",
    type=click.Choice(["refuse", "leave-out"]),
    default="refuse",
    show_default=True,
    help="What a build of the matrix without a pack means: the end, or one subject less.",
)
@click.option("--expect", metavar="JSON", help="Digests of before, each of which a pack here has to have.")
def command(packs: Path, text: str | None, missing: str, expect: str | None) -> None:
    """Print the digests of all packs below a folder, computed from their content, for the job that measures.

    The output `sha256` is the digest of a single pack. Exit status 1: a pack states another digest or artifact than
    it has, or is none of those to --expect.
    """
    from plumbline.build.packs import SUFFIX, UNAVAILABLE, digest_of

    digests: dict[str, str] = {}
    for path in sorted(packs.rglob(f"*{SUFFIX}")):
        name, digest = path.name.removesuffix(SUFFIX), digest_of(path)
        if digests.setdefault(name, digest) != digest:
            raise AnswerIsNo(f"{path.name} is there twice, with two digests.")
    wanted = parsed_digests(expect)
    for name, digest in digests.items() if wanted is not None else ():
        if wanted is not None and wanted.get(name) != digest:
            raise AnswerIsNo(f"The pack of {name} is none of those that were built in this run.")
    unavailable = sorted({path.name.removesuffix(UNAVAILABLE) for path in packs.rglob(f"*{UNAVAILABLE}")})
    failed = sorted(_asked_for(text) - {*digests, *unavailable})
    if failed and missing == "refuse":
        raise AnswerIsNo(f"These were not built: {', '.join(failed)}.", "Their jobs' logs say why.")
    for name in failed:
        annotate("warning", f"{name} was not built, and is left out. Its job's log says why.")
    outputs(
        {
            "digests": json.dumps(digests, separators=(",", ":")),
            "sha256": next(iter(digests.values())) if len(digests) == 1 else "",
            "unavailable": ",".join(unavailable),
            "failed": ",".join(failed),
        }
    )


def _asked_for(matrix: str | None) -> set[str]:
    """Return the slugs of a matrix of builds."""
    if not matrix:
        return set()
    try:
        return {str(row["slug"]) for row in json.loads(matrix)["include"]}
    except (ValueError, TypeError, KeyError):
        raise UsageError(
            "--matrix is no matrix of builds.", "Hand over what `./bench ci plan` answered."
        ) from None
