"""`./bench ci unpack`."""

from __future__ import annotations

from pathlib import Path

import click

from ..console import say, user_paths
from .options import parsed_digests


@click.command(epilog='Example: ./bench ci unpack packs --digests "$DIGESTS" --into artifacts.json')
@click.argument("packs", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--digests", metavar="JSON", required=True, help="What `./bench ci digests` answered.")
@click.option(
    "--into",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file for `run --artifacts`.",
)
def command(packs: Path, digests: str, into: Path) -> None:
    """Check packs against their digests and put them into the store, so that `run --artifacts` takes exactly those.

    A pack without a digest is left alone. Exit status 1: a digest has no pack, or the pack has other bytes.
    """
    from plumbline.build.packs import SUFFIX, given_bytes, unpack
    from plumbline.build.store import Store
    from plumbline.model.errors import AnswerIsNo

    wanted = parsed_digests(digests) or {}
    store = Store(user_paths().cache / "artifacts")
    there = {
        path.name.removesuffix(SUFFIX): path
        for path in sorted(packs.rglob(f"*{SUFFIX}"))
        if not path.is_symlink()
    }
    given = {}
    for name, digest in sorted(wanted.items()):
        if name not in there:
            raise AnswerIsNo(f"The pack of {name} is missing.", "Download all artifacts of the run.")
        artifact, one = unpack(there[name], digest, store)
        given[artifact] = one
    into.write_bytes(given_bytes(given) + b"\n")
    say(f"{len(given)} artifacts are in the store, each with the digest that was built.")
