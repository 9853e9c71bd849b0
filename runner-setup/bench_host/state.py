"""The state of the host before it was changed: written down before each change, and removed when all is undone."""

from __future__ import annotations

import base64
import json
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .disk import Disk, new_of
from .refused import Refused

FOLDER = Path("var/lib/plumbline-host")
_NAME = "state.json"
_VERSION = 1

Entry = dict[str, Any]


@dataclass
class State:
    """The entries in the order of their changes, and the pending commands that make new files take effect.

    `complete` is false from the first change until all are made, and from the beginning of a rollback on.
    """

    folder: Path
    disk: Disk
    entries: list[Entry] = field(default_factory=list)
    pending: list[list[str]] = field(default_factory=list)
    complete: bool = False

    @property
    def path(self) -> Path:
        """The file of the state."""
        return self.folder / _NAME

    @property
    def exists(self) -> bool:
        """Whether anything was applied, or begun."""
        return self.path.exists()

    def find(self, kind: str, name: str) -> Entry | None:
        """Return the entry of that kind and name; None if there is none."""
        return next((entry for entry in self.entries if (entry["kind"], entry["name"]) == (kind, name)), None)

    def save(self) -> None:
        """Write the state to the disk, before anything else happens."""
        if not self.folder.is_dir():
            if not self.folder.parent.is_dir():
                raise Refused(
                    f"There is no {self.folder.parent}.",
                    "What was there before would have no place: make it.",
                )
            self.disk.make_folder(self.folder)
        self.disk.write(self.path, self._text().encode(), 0o600)

    def _text(self) -> str:
        """Return the document as JSON, with each entry on a line of its own.

        The document is written again for each change, and a large host has thousands of changes. The standard library
        indents in pure Python, which would take a large part of the time of an apply.
        """
        head = json.dumps({"version": _VERSION, "complete": self.complete, "pending": self.pending})
        entries = ",\n".join(map(json.dumps, self.entries))
        return f'{head.removesuffix("}")}, "entries": [\n{entries}\n]}}\n'

    def remove(self) -> None:
        """Remove the state, since everything is undone."""
        for path in (new_of(self.path), self.path):
            self.disk.remove(path)
        if self.folder.is_dir():
            self.disk.remove_folder(self.folder)


def read_state(root: Path, disk: Disk) -> State:
    """Return the state of a host, empty if nothing was applied. Raises Refused for a state that can't be read."""
    state = State(root / FOLDER, disk)
    try:
        document = json.loads(state.path.read_bytes())
    except FileNotFoundError:
        return state
    except PermissionError:
        raise Refused(f"{state.path} may be read by root alone.", "Run it by sudo.") from None
    except (OSError, ValueError):
        document = None
    if not isinstance(document, dict) or document.get("version") != _VERSION:
        raise Refused(f"{state.path} can't be read by this version.", "Use the version of bench-host that wrote it.")
    state.entries, state.pending = document["entries"], document["pending"]
    state.complete = document["complete"]
    return state


def look(path: Path) -> Entry:
    """Return what lies at a path: nothing, a link, or a file with its content, mode and owner."""
    try:
        facts = path.lstat()
    except FileNotFoundError:
        return {"type": "absent"}
    if stat.S_ISLNK(facts.st_mode):
        return {"type": "link", "target": str(path.readlink())}
    if not stat.S_ISREG(facts.st_mode):
        raise Refused(f"{path} is no plain file.", "Put it out of the way.")
    return {
        "type": "file",
        "content": base64.b64encode(path.read_bytes()).decode(),
        "mode": stat.S_IMODE(facts.st_mode),
        "owner": [facts.st_uid, facts.st_gid],
    }


def put_back(disk: Disk, path: Path, before: Entry) -> None:
    """Make a path what it was, byte for byte."""
    if before["type"] == "absent":
        disk.remove(path)
    elif before["type"] == "link":
        disk.link(path, before["target"])
    else:
        uid, gid = before["owner"]
        disk.write(path, base64.b64decode(before["content"]), before["mode"], (uid, gid))
