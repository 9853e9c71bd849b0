"""Writes the files of many sessions, in several processes where there are many."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from .work import SessionJob, Made, Place, SessionWriter, Unusable

# Starting processes takes as long as some sessions do.
_ALONE_BELOW = 12
_AT_ONCE = 4

_of_process: list[SessionWriter] = []


def do(
    jobs: Sequence[SessionJob], place: Place, processes: int, say: Callable[[str], None]
) -> Iterator[Made | Unusable]:
    """Do the jobs; answers their results in the order of the jobs."""
    if len(jobs) < _ALONE_BELOW or processes < 2:
        yield from map(SessionWriter(place).do, jobs)
        return
    say(f"{len(jobs)} sessions to read.")
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=_begin, initargs=(place,)) as pool:
        yield from pool.map(_do, jobs, chunksize=_AT_ONCE)


def _begin(place: Place) -> None:
    """In each process, once."""
    gc.disable()
    _of_process.append(SessionWriter(place))


def _do(job: SessionJob) -> Made | Unusable:
    return _of_process[0].do(job)
