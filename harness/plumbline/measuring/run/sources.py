"""Find the sources that a session measures: this checkout, or an export of each ref that is compared, or of the commit
of a session that is run again.

Of a ref only `apps/` counts, without its contract: harness, k6 scenarios, budgets, golden answers, schema and settings
are those of this checkout on both sides, so that the sides differ by their applications alone.
"""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from plumbline.machine.tools.download import extract
from plumbline.machine.tools.git import Git, GitFailed
from plumbline.measuring.build.builder import Builder
from plumbline.measuring.build.packs import read_digests
from plumbline.model.comparison import SIDES, Side, SideSource
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.plan import Plan
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.variant import read_variant
from .context import Context


@dataclass(frozen=True)
class Sources:
    """The catalogs of the sides; None is this checkout, which the control always comes from.

    `given` are artifacts by side that were built elsewhere; of a side with such artifacts nothing is built here.
    """

    context: Context
    catalogs: Mapping[Side | None, Catalog]
    given: Mapping[Side, Mapping[str, str]] = field(default_factory=dict)

    def catalog(self, side: Side | None) -> Catalog:
        """Return the catalog that a contender of that side is looked up in."""
        return self.catalogs.get(side, self.context.catalog)

    def builder(self, side: Side | None) -> Builder:
        """Return a builder of that side's sources, with a folder of logs for each side."""
        builder = self.context.builder()
        # The control is among the artifacts of either side; those of base are taken.
        if (given := self.given.get(side or "base")) is not None:
            builder = replace(builder, built_elsewhere=given)
        return replace(builder, catalog=self.catalog(side), logs=builder.logs / side if side else builder.logs)


def sources_of(context: Context, plan: Plan, artifacts: Mapping[Side, Path] = MappingProxyType({})) -> Sources:
    """Return the sources of a session; `artifacts` are files of what was built elsewhere, by side.

    Raises UsageError when a ref can't be had any more.
    """
    catalogs: dict[Side | None, Catalog] = {}
    comparison, reproduced = plan.comparison, plan.reproduces
    # A session goes on with the settings that it began with, and a session that is run again has those of its record. A
    # setting that is newer than the plan has today's default, which is the behaviour from before the setting.
    bench = context.catalog.bench
    defaults = {**bench.defaults, **plan.defaults}
    if defaults != bench.defaults:
        bench = bench.model_copy(update={"defaults": defaults})
        context = replace(context, catalog=replace(context.catalog, bench=bench))
    if reproduced is not None:
        source = SideSource(given=reproduced.session, kind="ref", commit=reproduced.commit)
        catalogs[None] = catalog_of(context, source, [plan.control, *plan.subjects])
        context = replace(context, catalog=catalogs[None])
    if comparison is not None:
        for side in SIDES:
            subjects = [contest.base if side == "base" else contest.head for contest in comparison.contests]
            catalogs[side] = catalog_of(context, comparison.source(side), subjects)
    return Sources(context, catalogs, {side: read_digests(path) for side, path in artifacts.items()})


def catalog_of(context: Context, source: SideSource, subjects: Sequence[str]) -> Catalog:
    """Return this checkout's catalog, with the variants of these subjects as the source has them; other variants of the
    source are not read.

    A variant that the source lacks, or that this harness can't read there, is left out. Raises UsageError when the ref
    can't be had.
    """
    if source.kind != "ref":
        return context.catalog
    apps = exported(context, source) / "apps"
    variants = dict(context.catalog.variants)
    for name in sorted({subject.split("/")[0] for subject in subjects}):
        variants.pop(name, None)
        with suppress(UsageError):
            variants[name] = read_variant(apps / name)
    return replace(context.catalog, variants=variants)


def resolve_commit(root: Path, ref: str) -> str | None:
    """Return the commit that a ref names in this clone; None when it names none."""
    try:
        return Git(root).commit(ref)
    except UsageError:
        return None


def changed_files(root: Path) -> tuple[str, ...]:
    """Return files of applications that differ from HEAD or are in no commit; empty without git."""
    try:
        rows = Git(root).text("status", "--porcelain", "--", "apps").splitlines()
    except GitFailed:
        return ()
    return tuple(row[2:].strip() for row in rows)


def exported(context: Context, source: SideSource) -> Path:
    """Return the folder that holds `apps/` of a commit; complete or absent, since it appears by one rename."""
    assert source.commit is not None
    folder = context.paths.cache / "refs" / source.commit
    if folder.is_dir():
        return folder
    context.say(f"exporting {source.given} ({source.commit[:12]})")
    try:
        packed = Git(context.root).output("archive", "--format=tar", source.commit, "--", "apps")
    except GitFailed as error:
        raise UsageError(
            f"{source.given} ({source.commit[:12]}) has no apps/, or is not in this clone any more.",
            "Name a ref of this project, or fetch it by `git fetch`.",
        ) from error
    folder.parent.mkdir(parents=True, exist_ok=True)
    new_folder = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            extract(archive, new_folder)
        os.rename(new_folder, folder)
    except (OSError, tarfile.TarError) as error:
        if not folder.is_dir():
            raise CannotGoOn(f"{source.given} could not be exported: {error}.", "Make room, and try again.") from error
    finally:
        shutil.rmtree(new_folder, ignore_errors=True)
    return folder
