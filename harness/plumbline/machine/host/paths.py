"""Paths that the program uses: the checkout, the folders that are kept for the user, and scratch."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.model.errors import UsageError

# Others may pass through but not list: a database that drops root must reach its own folder below.
_PASSABLE = 0o711


@dataclass(frozen=True)
class Paths:
    """The folders that the program uses, of one user. `cache` keeps tools by digest, `scratch` what a session needs."""

    checkout: Path
    cache: Path
    scratch: Path
    uid: int

    @classmethod
    def of(cls, environ: Mapping[str, str], checkout: Path, uid: int, root: Path = Path("/")) -> Paths:
        """Return the paths that `$PLUMBLINE_SCRATCH`, `$XDG_CACHE_HOME` and `$HOME` give; nothing is made yet."""
        home = Path(environ.get("HOME") or root / "var/tmp" / f"plumbline-{uid}")
        cache = Path(environ.get("XDG_CACHE_HOME") or home / ".cache") / "plumbline"
        # A folder that a person names may hold files of that person, so that only a folder below it is swept.
        named = environ.get("PLUMBLINE_SCRATCH")
        scratch = Path(named) / "plumbline" if named else root / "var/tmp" / f"plumbline-{uid}"
        return cls(checkout, cache.absolute(), scratch.absolute(), uid)

    @property
    def tools(self) -> Path:
        """The folder of tools and downloads, by digest."""
        return self.cache / "tools"

    @property
    def results(self) -> Path:
        """The folder of the sessions that were measured here."""
        return self.checkout / "results" / "local"

    def session_scratch(self, session: str) -> Path:
        """Return the scratch folder of a session, made now."""
        self.make_scratch()
        folder = self.scratch / "sessions" / session
        for path in (folder.parent, folder):
            path.mkdir(mode=_PASSABLE, exist_ok=True)
            path.chmod(_PASSABLE)
        return folder

    def make_scratch(self) -> Path:
        """Make the scratch folder, and return it.

        Raises UsageError when it is somebody else's (anybody may make a folder in /var/tmp), when it is no
        folder, or when an unprivileged user could not pass through to it although a database will have to.
        """
        self.refuse_closed_parents()
        for folder in (self.scratch.parent, self.scratch):
            try:
                folder.mkdir(mode=_PASSABLE, parents=True)
                folder.chmod(_PASSABLE)
            except FileExistsError:
                pass
            except OSError as error:
                raise UsageError(
                    f"The scratch folder {self.scratch} can't be made: {error.strerror}.", _ELSEWHERE
                ) from None
        facts = self.scratch.lstat()
        if not stat.S_ISDIR(facts.st_mode):
            raise UsageError(f"The scratch folder {self.scratch} is no folder.", _ELSEWHERE)
        if facts.st_uid != self.uid:
            raise UsageError(f"The scratch folder {self.scratch} belongs to somebody else.", _ELSEWHERE)
        self._refuse_closed(self.scratch, *self.scratch.parents)
        return self.scratch

    def refuse_closed_parents(self) -> None:
        """Raise UsageError when a database that drops root could not pass to the scratch folder; nothing is made."""
        self._refuse_closed(*self.scratch.parents)

    def _refuse_closed(self, *folders: Path) -> None:
        for folder in folders if self.uid == 0 else ():
            if folder.is_dir() and not folder.stat().st_mode & stat.S_IXOTH:
                raise UsageError(
                    f"A database that drops root can't reach the scratch folder {self.scratch}, since "
                    f"{folder} is closed to others.",
                    _ELSEWHERE,
                )


_ELSEWHERE = "Name a folder of your own by PLUMBLINE_SCRATCH."
