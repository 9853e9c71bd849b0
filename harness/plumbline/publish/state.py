"""What publish remembers in `OUT/.state.json`: digests of sessions, and what was written of each.

It may be lost, and may come from elsewhere: it is used only as far as this very program wrote it, and everything in it
can be made again from the records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pydantic_core import from_json, to_json

import plumbline
from plumbline.history.memory import Plain
from .digest import Digest, dumped, restored
from .model.integrity import Cause
from .output import STATE, Written, write


@dataclass
class Kept:
    """Of one session, by its key: the digest or why it is left out, what is wrong with its evidence, and its files.

    `pages` says by what the files were made. `line` is how the state wrote it down, as long as nothing is other since.
    """

    digest: Digest | None = None
    refused: tuple[Cause, str] | None = None
    problem: str | None = None
    pages: str = ""
    files: dict[str, Written] = field(default_factory=dict)
    line: bytes | None = None


@dataclass
class State:
    """`files` are those of no single session; `made` is by what each of the costly ones was made.

    `shared` are mappings that many sessions have in common, by their place in lines; `changes` is history's memory.
    """

    sessions: dict[str, Kept] = field(default_factory=dict)
    files: dict[str, Written] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    shared: list[dict[str, str]] = field(default_factory=list)
    changes: Plain = field(default_factory=dict)


@cache
def program() -> str:
    """The digest of this program: what another one wrote is not believed."""
    root = Path(plumbline.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".toml"):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root).as_posix()}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()[:24]


def take(out: Path) -> State:
    """The state of the last run, taken away from the folder; an empty one where there is none that can be used."""
    path = out / STATE
    try:
        content = path.read_bytes() if not path.is_symlink() else b""
    except OSError:
        return State()
    path.unlink(missing_ok=True)
    seal, _, body = content.partition(b"\n")
    if seal != _seal(body):
        return State()
    try:
        return _restored(body.split(b"\n"))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return State()


def keep(out: Path, state: State) -> None:
    """Leave the state for the next run."""
    body = b"\n".join(_lines(state))
    write(out, STATE, _seal(body) + b"\n" + body)


def _seal(body: bytes) -> bytes:
    """Of this program, and of the bytes: half a file is none."""
    return f"{program()} {hashlib.sha256(body).hexdigest()}".encode("ascii")


class _Shared:
    """Mappings that many sessions have in common are written once; those of lines written before keep their place."""

    def __init__(self, table: list[dict[str, str]]) -> None:
        self.table = table
        self._by_content = {tuple(its.items()): place for place, its in enumerate(table)}

    def place(self, its: Mapping[str, str]) -> int:
        known = self._by_content.setdefault(tuple(its.items()), len(self.table))
        if known == len(self.table):
            self.table.append(dict(its))
        return known


def _lines(state: State) -> Iterator[bytes]:
    """First what is common, then a line for each session: those that are as they were are not written down anew."""
    shared = _Shared(state.shared)
    lines = [one.line or _line(key, one, shared) for key, one in sorted(state.sessions.items())]
    yield to_json(
        {"shared": shared.table, "files": state.files, "made": state.made, "changes": state.changes}
    )
    yield from lines


def _line(key: str, one: Kept, shared: _Shared) -> bytes:
    plain = None
    if one.digest is not None:
        plain = dumped(one.digest)
        labels = one.digest.extract.labels
        plain["extract"]["labels"] = {subject: shared.place(its) for subject, its in labels.items()}
        plain["extract"]["environment"] = plain["environment"] = shared.place(one.digest.environment)
    return to_json([key, plain, one.refused, one.problem, one.pages, one.files])


def _restored(lines: Sequence[bytes]) -> State:
    common = from_json(lines[0])
    table: list[dict[str, str]] = common["shared"]
    sessions: dict[str, Kept] = {}
    for line in lines[1:]:
        key, plain, refused, problem, pages, files = from_json(line)
        small = None
        if plain is not None:
            its = plain["extract"]
            its["labels"] = {subject: table[place] for subject, place in its["labels"].items()}
            its["environment"] = plain["environment"] = table[plain["environment"]]
            small = restored(plain)
        sessions[key] = Kept(
            digest=small,
            refused=None if refused is None else (refused[0], refused[1]),
            problem=problem,
            pages=pages,
            files={path: (size, stamp) for path, (size, stamp) in files.items()},
            line=line,
        )
    return State(
        sessions=sessions,
        files={path: (size, stamp) for path, (size, stamp) in common["files"].items()},
        made=common["made"],
        shared=table,
        changes=common["changes"],
    )
