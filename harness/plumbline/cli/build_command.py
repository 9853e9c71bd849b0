"""`./bench build SUBJECT...`."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.model.errors import UsageError
from .completing import subjects as known_subjects
from .console import ROOT, app_option, json_option, print_json, say


@click.command(epilog="Example: ./bench build vertx-pg quarkus-rest-orm/aot/pg")
@click.argument("subjects", nargs=-1, shell_complete=known_subjects)
@click.option("--all", "everything", is_flag=True, help="Every variant of the tree.")
@click.option("--again", is_flag=True, help="Build even what is unchanged.")
@app_option
@json_option
def command(subjects: tuple[str, ...], everything: bool, again: bool, apps: tuple[Path, ...], as_json: bool) -> int:
    """Build subjects, and print wall time, peak memory, size and digest of each. An unchanged subject is not built
    twice.
    """
    from plumbline.measuring.build.builder import BuildFailed
    from plumbline.measuring.run.context import open_context

    if bool(subjects) == everything:
        raise UsageError(
            "Name what to build, or say --all.", "For example `./bench build vertx-pg`, or `./bench build --all`."
        )
    context = open_context(ROOT, apps, say)
    chosen = [context.catalog.subject(name) for name in subjects or context.catalog.variants]
    builder = context.builder()
    built, failed = {}, {}
    for subject in chosen:
        try:
            built[subject.id] = builder.build(subject, again=again)
        except BuildFailed as error:
            failed[subject.id] = error
            say(f"bench: {error}")
    if as_json:
        print_json(
            {
                "built": {
                    id_: {"folder": str(artifact.folder), **artifact.build.model_dump(mode="json")}
                    for id_, artifact in built.items()
                },
                "failed": {id_: error.problem for id_, error in failed.items()},
            }
        )
    else:
        for id_, artifact in built.items():
            build = artifact.build
            outcome = "unchanged, built before" if build.reused else "built"
            say(
                f"{id_}: {outcome} in {build.wall_s:.0f} s, {build.size_bytes / 1e6:.1f} MB, "
                f"sha256 {build.sha256[:16]}, {artifact.folder}"
            )
    return 1 if failed else 0
