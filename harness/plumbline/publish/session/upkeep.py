"""Digests and files of all sessions, brought up to date with the records that were found."""

from __future__ import annotations

import gc
import hashlib
import json
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial

from ..reading import Found
from ..state import Kept, State, program
from .work import Done, Job, Place, work

# Starting processes takes as long as some sessions do.
_ALONE_BELOW = 12
_AT_ONCE = 4


class Sessions:
    """Brings digests and files of sessions up to date, several at once where there are many.

    `recent` is how many of the newest have timelines and curves.
    """

    def __init__(
        self,
        place: Place,
        state: State,
        here: dict[str, int],
        recent: int,
        processes: int,
        say: Callable[[str], None],
    ) -> None:
        self._place, self._state, self._here, self._recent = place, state, here, recent
        self._processes, self._say = processes, say
        self.written = 0

    def read_new(self, found: Sequence[Found]) -> None:
        """What was never read; which are the newest is guessed by the names of their folders."""
        newest = {one.key for one in sorted(found, key=_by_name)[-self._recent :]}
        self._do(
            [
                Job(one.key, one.folder, one.key in newest, True)
                for one in found
                if one.key not in self._state.sessions
            ]
        )

    def bring_up_to_date(self, found: Sequence[Found], sessions: Sequence[str]) -> None:
        """Files that are missing or made of something else, of the sessions that are shown, in the order of time."""
        shown, newest = set(sessions), set(sessions[-self._recent :])
        jobs = []
        for one in found:
            known = self._state.sessions[one.key]
            if known.digest is not None and known.digest.session in shown:
                recent = known.digest.session in newest
                if known.pages != self._pages(one, recent) or not self._all_there(known):
                    jobs.append(Job(one.key, one.folder, recent, False))
        self._do(jobs)

    def _do(self, jobs: Sequence[Job]) -> None:
        for done in self._done(jobs):
            self._take(done)

    def _take(self, done: Done) -> None:
        job = done.job
        kept = self._state.sessions.setdefault(job.key, Kept())
        kept.line = None
        if job.digest_too:
            kept.digest, kept.refused = done.digest, done.refused
        elif done.refused is not None:
            kept.digest, kept.refused = None, done.refused
        kept.problem, kept.files = done.problem, done.files
        kept.pages = "" if done.refused is not None else self._pages(Found(job.folder, job.key), job.recent)
        self._here.update({path: size for path, (size, _) in done.files.items()})
        self.written += len(done.files)

    def _all_there(self, known: Kept) -> bool:
        return all(self._here.get(path) == size for path, (size, _) in known.files.items())

    def _pages(self, one: Found, recent: bool) -> str:
        """By what the files of a session are made."""
        place = self._place
        parts = [program(), place.look.digest, one.key, one.folder, recent, place.address, place.repository]
        axes = {name: list(its) for name, its in sorted(place.axes.items())}
        return hashlib.sha256(json.dumps([*parts, axes]).encode()).hexdigest()[:24]

    def _done(self, jobs: Sequence[Job]) -> Iterator[Done]:
        one = partial(work, self._place)
        if len(jobs) < _ALONE_BELOW or self._processes < 2:
            yield from map(one, jobs)
            return
        self._say(f"{len(jobs)} sessions to read.")
        with ExitStack() as stack:
            context = multiprocessing.get_context("spawn")
            pool = stack.enter_context(
                ProcessPoolExecutor(self._processes, mp_context=context, initializer=gc.disable)
            )
            yield from pool.map(one, jobs, chunksize=_AT_ONCE)


def _by_name(one: Found) -> tuple[str, str]:
    return one.folder.rpartition("/")[2], one.folder
