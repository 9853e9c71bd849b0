"""What publish remembers in `OUT/.state.json`: digests of sessions, and what was written of each.

It may be lost, and may come from elsewhere: it is used only as far as this very program wrote it, and everything in it
can be made again from the records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pydantic_core import from_json, to_json

import plumbline
from plumbline.history.memory import Plain
from plumbline.history.points import Interned
from .digest import Digest, dumped, restored
from .model.integrity import Cause
from .output import STATE, Written, write
from .table import Nightly


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

    `nightly` has the points of the sessions that were shown, whose digests come without; `changes` is history's memory.
    """

    sessions: dict[str, Kept] = field(default_factory=dict)
    files: dict[str, Written] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    nightly: Nightly = field(default_factory=Nightly)
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
        return _restored(body)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return State()


def keep(out: Path, state: State) -> None:
    """Leave the state for the next run."""
    body = b"".join(_parts(state))
    write(out, STATE, _seal(body) + b"\n" + body)


def _seal(body: bytes) -> bytes:
    """Of this program, and of the bytes: half a file is none."""
    return f"{program()} {hashlib.sha256(body).hexdigest()}".encode("ascii")


def _parts(state: State) -> Iterator[bytes]:
    """What is common, a line for each session (those that are as they were are not written down anew), the columns."""
    nightly = state.nightly
    environments = nightly.table.nights.environments
    lines = [one.line or _line(key, one, environments) for key, one in sorted(state.sessions.items())]
    columns = b"".join(nightly.columns())
    yield to_json(
        {
            "bytes": len(columns),
            "keys": nightly.keys,
            "series": nightly.series(),
            "environments": environments.table,
            "labels": nightly.table.labels.table,
            "files": state.files,
            "made": state.made,
            "changes": state.changes,
        }
    )
    for line in lines:
        yield b"\n"
        yield line
    yield b"\n"
    yield columns


def _line(key: str, one: Kept, environments: Interned) -> bytes:
    plain = None
    if one.digest is not None:
        plain = dumped(one.digest)
        plain["extract"]["environment"] = plain["environment"] = environments.place(one.digest.environment)
    return to_json([key, plain, one.refused, one.problem, one.pages, one.files])


def _restored(body: bytes) -> State:
    first, _, rest = body.partition(b"\n")
    common = from_json(first)
    end = len(rest) - common["bytes"]
    environments = Interned(common["environments"])
    sessions: dict[str, Kept] = {}
    for line in rest[: end - 1].split(b"\n") if end > 1 else ():
        key, plain, refused, problem, pages, files = from_json(line)
        small = None
        if plain is not None:
            environment = environments.table[plain["environment"]]
            plain["extract"]["environment"] = plain["environment"] = environment
            small = restored(plain)
        sessions[key] = Kept(
            digest=small,
            refused=None if refused is None else (refused[0], refused[1]),
            problem=problem,
            pages=pages,
            files={path: (size, stamp) for path, (size, stamp) in files.items()},
            line=line,
        )
    nightly = Nightly()
    nightly.table.nights.environments = environments
    nightly.table.labels = Interned(common["labels"])
    of_nights = [(key, one) for key in common["keys"] if (one := sessions[key].digest) is not None]
    nightly.restore(of_nights, common["series"], memoryview(rest)[end:])
    return State(
        sessions=sessions,
        files={path: (size, stamp) for path, (size, stamp) in common["files"].items()},
        made=common["made"],
        nightly=nightly,
        changes=common["changes"],
    )
