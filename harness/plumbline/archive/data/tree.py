"""Edits a git tree without a working copy: only the trees on the way to a path are ever read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from plumbline.machine.tools.git import Git


@dataclass(frozen=True)
class Node:
    """An entry of a tree: a file or a folder, by its id."""

    id: str
    folder: bool = False

    @property
    def row(self) -> str:
        """The line of `git mktree`, without the name. Files are plain: nothing here is ever run."""
        return f"040000 tree {self.id}" if self.folder else f"100644 blob {self.id}"


@dataclass(frozen=True)
class Trees:
    """Trees and blobs of one repository, by their ids. Few commands for many files, since each takes milliseconds."""

    git: Git

    def blobs(self, files: Mapping[str, bytes]) -> dict[str, Node]:
        """Return the mapping path -> the file with that content, stored now."""
        with TemporaryDirectory(prefix="plumbline-blobs-") as folder:
            places = [Path(folder) / str(number) for number in range(len(files))]
            for place, content in zip(places, files.values(), strict=True):
                place.write_bytes(content)
            lines = "".join(f"{place}\n" for place in places).encode()
            ids = self.git.text("hash-object", "-w", "--no-filters", "--stdin-paths", given=lines).split()
        return {path: Node(id_) for path, id_ in zip(files, ids, strict=True)}

    def content(self, node: Node) -> bytes:
        """Return the content of a file, fetched when this clone does not have it yet."""
        return self.git.output("cat-file", "blob", node.id)

    def find(self, tree: str | None, paths: Iterable[str]) -> dict[str, Node]:
        """Return the entries at paths below a tree; paths without one are left out."""
        if tree is None:
            return {}
        rows = self.git.output("--literal-pathspecs", "ls-tree", "-z", tree, "--", *paths).split(b"\0")
        return dict(_parsed(row) for row in rows if row)

    def edited(self, tree: str | None, entries: Mapping[str, Node]) -> str:
        """Return the id of a new tree: `tree` with files and folders at these paths, in place of what lies there."""
        rows = self._rows(tree)
        below: dict[str, dict[str, Node]] = {}
        for path, node in entries.items():
            name, slash, inner_path = path.partition("/")
            if slash:
                below.setdefault(name, {})[inner_path] = node
            else:
                rows[name] = node
        for name, children in below.items():
            old_node = rows.get(name)
            rows[name] = Node(
                self.edited(old_node.id if old_node is not None and old_node.folder else None, children),
                folder=True,
            )
        lines = b"".join(f"{node.row}\t{name}\0".encode(errors="surrogateescape") for name, node in rows.items())
        # The files of other sessions are not in this clone, and need not be: --missing.
        return self.git.text("mktree", "--missing", "-z", given=lines)

    def _rows(self, tree: str | None) -> dict[str, Node]:
        if tree is None:
            return {}
        return dict(_parsed(row) for row in self.git.output("ls-tree", "-z", tree).split(b"\0") if row)


def _parsed(row: bytes) -> tuple[str, Node]:
    head, _, name = row.partition(b"\t")
    _, kind, id_ = head.decode().split()
    return name.decode(errors="surrogateescape"), Node(id_, folder=kind == "tree")
