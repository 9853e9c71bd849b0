"""The changed files between a commit and the working tree, each with its content before and after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plumbline.model.errors import UsageError
from plumbline.tools.git import Git, GitFailed


@dataclass(frozen=True)
class FileChange:
    """A changed file: `before` is None for a new file, `after` for a removed one. `path` is below the checkout."""

    path: str
    before: bytes | None
    after: bytes | None


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
    stored = _stored(git, list(before.values()))
    new = git.output("ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    names = sorted({*before, *(name for name in new if name)})
    return TreeDifference(
        base, tuple(_change(root, name, stored.get(before.get(name, b""))) for name in names)
    )


def _change(root: Path, name: bytes, before: bytes | None) -> FileChange:
    path = name.decode(errors="surrogateescape")
    return FileChange(path, before, _present(root / path))


def _present(path: Path) -> bytes | None:
    if path.is_symlink():
        return str(path.readlink()).encode()
    return path.read_bytes() if path.is_file() else None


def _stored(git: Git, blobs: list[bytes]) -> dict[bytes, bytes]:
    """Return the content of blobs by their ids, by one process for all of them; a file that is new has none."""
    wanted = sorted({blob for blob in blobs if blob.strip(b"0")})
    answer = (
        git.output("cat-file", "--batch", given=b"".join(blob + b"\n" for blob in wanted)) if wanted else b""
    )
    found: dict[bytes, bytes] = {}
    at = 0
    for blob in wanted:
        end = answer.index(b"\n", at)
        head = answer[at:end].split(b" ")
        at = end + 1
        if len(head) == 3 and head[2].isdigit():
            found[blob] = answer[at : at + int(head[2])]
            at += int(head[2]) + 1
    return found
