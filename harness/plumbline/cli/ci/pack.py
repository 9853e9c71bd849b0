"""`./bench ci pack`, `digests` and `unpack`: artifacts on their way from job to job."""

from __future__ import annotations

import json
from pathlib import Path

import click

from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.reporting.github.workflow import annotate, outputs
from ..console import ROOT, say, user_paths
from .options import parsed_digests


@click.command(epilog="Example: ./bench ci pack packs vertx-pg/jvm/pg")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.argument("subject")
def pack_command(out: Path, subject: str) -> int:
    """Build the artifact of SUBJECT and write it as OUT/<slug>.tar with its digest.

    Where this machine can't build the packaging (no native-image), OUT/<slug>.unavailable.txt says why. Where the
    build fails, OUT/<slug>.failed.txt says why, with exit status 1.
    """
    from plumbline.measuring.build.builder import BuildFailed, Unavailable
    from plumbline.measuring.build.packs import FAILED, UNAVAILABLE, pack
    from plumbline.measuring.run.context import open_context
    from plumbline.model.subject import file_slug

    context = open_context(ROOT, (), say)
    chosen = context.catalog.subject(subject)
    builder = context.builder()
    name = file_slug(builder.artifact_id(chosen))
    try:
        artifact = builder.build(chosen)
    except BuildFailed as error:
        is_unavailable = isinstance(error, Unavailable)
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{name}{UNAVAILABLE if is_unavailable else FAILED}").write_text(f"{error}\n", encoding="utf-8")
        outputs({"slug": name, "sha256": "", "available": "false"})
        if not is_unavailable:
            annotate("error", str(error))
        return 0 if is_unavailable else 1
    pack(artifact, out)
    outputs({"slug": name, "sha256": artifact.build.sha256, "available": "true"})
    return 0


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
def digests_command(packs: Path, text: str | None, missing: str, expect: str | None) -> None:
    """Print the digests of all packs below a folder, computed from their content, for the job that measures.

    The output `sha256` is the digest of a single pack. Exit status 1: a pack states another digest or artifact than
    it has, is none of those to --expect, or lies in the artifact of another build of the matrix; or the folder has
    files that no build keeps, or more bytes than all packs may have.
    """
    from plumbline.measuring.build.packs import SUFFIX, UNAVAILABLE, digest_of

    slugs = _slugs_of(text)
    _require_kept_files(packs, slugs)
    digests: dict[str, str] = {}
    for path in sorted(packs.rglob(f"*{SUFFIX}")):
        name, digest = path.name.removesuffix(SUFFIX), digest_of(path)
        if digests.setdefault(name, digest) != digest:
            raise AnswerIsNo(f"{path.name} is there twice, with two digests.")
    expected_digests = parsed_digests(expect)
    for name, digest in digests.items() if expected_digests is not None else ():
        if expected_digests is not None and expected_digests.get(name) != digest:
            raise AnswerIsNo(f"The pack of {name} is none of those that were built in this run.")
    unavailable = sorted({path.name.removesuffix(UNAVAILABLE) for path in packs.rglob(f"*{UNAVAILABLE}")})
    failed = sorted(slugs - {*digests, *unavailable})
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


def _require_kept_files(packs: Path, slugs: set[str]) -> None:
    """Check that a folder has only files that builds keep, and no more bytes than all packs may have.

    Where a matrix is known, the artifact of each build, `pack-SIDE-SLUG`, is a folder of files of that build alone,
    which could name another. download-artifact puts a single artifact into `packs` itself, where its name is known for
    a matrix of one build.
    """
    from plumbline.measuring.build.packs import FAILED, MOST_BYTES_TOGETHER, SUFFIX, UNAVAILABLE

    kinds, total = (SUFFIX, UNAVAILABLE, FAILED), 0
    single_slug = next(iter(slugs)) if len(slugs) == 1 else ""
    for path in sorted(packs.rglob("*")):
        *folders, name = path.relative_to(packs).parts
        if path.is_dir() and not folders:
            continue
        slug = folders[0].split("-", 2)[-1] if folders else single_slug
        is_own = name in (f"{slug}{kind}" for kind in kinds) if slugs else not folders and name.endswith(kinds)
        if len(folders) > 1 or not is_own:
            raise AnswerIsNo(
                f"'{name[:80]}' is no file of the build that kept it, or the artifacts of all other builds are lost.",
                "Look at the jobs of these builds.",
            )
        total += path.stat().st_size
    if total > MOST_BYTES_TOGETHER:
        raise AnswerIsNo(f"These packs have {total} bytes, and {MOST_BYTES_TOGETHER} are the most.")


def _slugs_of(matrix: str | None) -> set[str]:
    """Return the slugs of a matrix of builds."""
    if not matrix:
        return set()
    try:
        return {str(row["slug"]) for row in json.loads(matrix)["include"]}
    except (ValueError, TypeError, KeyError):
        raise UsageError("--matrix is no matrix of builds.", "Hand over what `./bench ci plan` answered.") from None


@click.command(epilog='Example: ./bench ci unpack packs --digests "$DIGESTS" --into artifacts.json')
@click.argument("packs", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--digests", metavar="JSON", required=True, help="What `./bench ci digests` answered.")
@click.option(
    "--into",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file for `run --artifacts`.",
)
def unpack_command(packs: Path, digests: str, into: Path) -> None:
    """Check packs against their digests and put them into the store, so that `run --artifacts` takes exactly those.

    A pack without a digest is left alone. Exit status 1: a digest has no pack, or the pack has other bytes.
    """
    from plumbline.measuring.build.packs import SUFFIX, digests_bytes, unpack
    from plumbline.measuring.build.store import Store
    from plumbline.model.errors import AnswerIsNo

    wanted_digests = parsed_digests(digests) or {}
    store = Store(user_paths().cache / "artifacts")
    paths = {
        path.name.removesuffix(SUFFIX): path for path in sorted(packs.rglob(f"*{SUFFIX}")) if not path.is_symlink()
    }
    unpacked_digests = {}
    for name, digest in sorted(wanted_digests.items()):
        if name not in paths:
            raise AnswerIsNo(f"The pack of {name} is missing.", "Download all artifacts of the run.")
        unpacked_digests[unpack(paths[name], digest, store)] = digest
    into.write_bytes(digests_bytes(unpacked_digests) + b"\n")
    say(f"{len(unpacked_digests)} artifacts are in the store, each with the digest that was built.")
