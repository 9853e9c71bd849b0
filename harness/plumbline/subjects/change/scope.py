"""Lists the files that a change differs in, and every subject under every scenario that it can touch."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from plumbline.machine.tools.git import Git, GitFailed
from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.variant import Variant


@dataclass(frozen=True)
class ScopeCell:
    """A subject under a scenario, by name."""

    subject: Subject
    scenario: str

    @property
    def key(self) -> tuple[str, str]:
        """The subject's id and the scenario, as a key."""
        return self.subject.id, self.scenario


@dataclass(frozen=True)
class Touch:
    """The cells that one change can affect (none: `cells` is empty), and the reason, without a full stop."""

    cells: tuple[ScopeCell, ...]
    why: str


@dataclass(frozen=True)
class ChangeScope:
    """The subjects and scenarios that a change may reach. `catalog` is that of the working tree.

    `suite` narrows the scope to the cells of one suite.
    """

    catalog: Catalog
    suite: str | None = None

    @cached_property
    def cells(self) -> tuple[ScopeCell, ...]:
        """Every subject under every scenario that a suite asks for, and variants in no suite in their plain form."""
        bench = self.catalog.bench
        suites = bench.suites if self.suite is None else {self.suite: bench.suites[self.suite]}
        found: dict[tuple[str, str], ScopeCell] = {}
        for suite in suites.values():
            for subject in self.catalog.all_subjects_of(suite):
                for scenario in suite.scenarios:
                    if self.catalog.serves(self.catalog.variant(subject.variant), scenario):
                        cell = ScopeCell(subject, scenario)
                        found.setdefault(cell.key, cell)
        if self.suite is None:
            measured = {cell.subject.variant for cell in found.values()}
            for variant in self.catalog.variants.values():
                if variant.id not in measured and variant.id != self.catalog.control.variant:
                    for cell in self._plain_cells(variant):
                        found.setdefault(cell.key, cell)
        for suite in suites.values():
            for scenario in suite.scenarios:
                cell = ScopeCell(self.catalog.control, scenario)
                found.setdefault(cell.key, cell)
        return tuple(found.values())

    def where(self, condition: Callable[[ScopeCell], bool]) -> tuple[ScopeCell, ...]:
        """Return the cells that a condition holds for."""
        return tuple(cell for cell in self.cells if condition(cell))

    def of_variants(self, names: Iterable[str]) -> tuple[ScopeCell, ...]:
        """Return the cells of these variants."""
        wanted = set(names)
        return self.where(lambda cell: cell.subject.variant in wanted)

    def with_input(self, module: str) -> list[str]:
        """Return the variants that are built from a folder or file of `apps/` besides their own."""
        place = (self.catalog.root / "apps" / module).resolve()
        return [
            variant.id
            for variant in self.catalog.variants.values()
            if any(place.is_relative_to((variant.folder / path).resolve()) for path in variant.spec.build.inputs)
        ]

    def with_database(self, engine: str | None = None) -> tuple[ScopeCell, ...]:
        """Return the cells whose workload asks the database, of one engine or of any."""
        return self.where(
            lambda cell: (
                self.catalog.scenario(cell.scenario).workload != "hello"
                and (engine is None or cell.subject.engine == engine)
            )
        )

    def _plain_cells(self, variant: Variant) -> Iterable[ScopeCell]:
        text = f"{variant.id}/{next(iter(variant.spec.packaging))}/{variant.spec.engines[0]}"
        for name in self.catalog.bench.scenarios:
            if self.catalog.serves(variant, name):
                yield ScopeCell(self.catalog.subject(text), name)


def parsed_toml(content: bytes) -> dict[str, Any]:
    """Return the document in the bytes of a TOML file. Raises ValueError for bytes that hold none."""
    try:
        return tomllib.loads(content.decode())
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


@dataclass(frozen=True)
class FileChange:
    """A changed file: `before` is None for a new file, `after` for a removed one. `path` is below the checkout."""

    path: str
    before: bytes | None
    after: bytes | None

    def as_toml(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return both versions as TOML, an absent one as an empty document. Raises ValueError if one is no TOML."""
        return parsed_toml(self.before or b""), parsed_toml(self.after or b"")


@dataclass(frozen=True)
class TreeDifference:
    """All changed files since `base`, the newest commit that both sides share, by path."""

    base: str
    changes: tuple[FileChange, ...]


def difference(root: Path, since: str) -> TreeDifference:
    """Return what changed in the checkout at `root` since it left `since`: committed, staged, edited and new files.

    Raises UsageError when there is no such commit, or no history that both share.
    """
    git = Git(root)
    start = git.commit(since)
    try:
        base = git.text("merge-base", start, "HEAD")
    except GitFailed:
        raise UsageError(
            f"'{since}' and this checkout share no history.",
            "A shallow clone lacks it: git fetch --unshallow",
        ) from None
    raw = git.output("diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", base, "--")
    parts = raw.split(b"\0")
    before = dict(zip(parts[1::2], (head.split(b" ")[2] for head in parts[0::2] if head), strict=False))
    stored = _contents(git, list(before.values()))
    new = git.output("ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    names = sorted({*before, *(name for name in new if name)})
    paths = {name.decode(errors="surrogateescape"): stored.get(before.get(name, b"")) for name in names}
    return TreeDifference(
        base, tuple(FileChange(path, content, _content(root / path)) for path, content in paths.items())
    )


def _content(path: Path) -> bytes | None:
    if path.is_symlink():
        return os.fsencode(path.readlink())
    return path.read_bytes() if path.is_file() else None


def _contents(git: Git, blobs: list[bytes]) -> dict[bytes, bytes]:
    """Return the content of blobs by their ids, by one process for all of them; a file that is new has none."""
    wanted = sorted({blob for blob in blobs if blob.strip(b"0")})
    answer = git.output("cat-file", "--batch", given=b"".join(blob + b"\n" for blob in wanted)) if wanted else b""
    contents: dict[bytes, bytes] = {}
    offset = 0
    for blob in wanted:
        end = answer.index(b"\n", offset)
        head = answer[offset:end].split(b" ")
        offset = end + 1
        if len(head) == 3 and head[2].isdigit():
            contents[blob] = answer[offset : offset + int(head[2])]
            offset += int(head[2]) + 1
    return contents
