"""Reads sessions and writes their files: pages, documents, values to compare, timelines."""

from __future__ import annotations

import gc
import hashlib
import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from pydantic import BaseModel

from plumbline.archive.record.difference import RecordRefused
from plumbline.archive.record.gate import difference_in
from plumbline.archive.record.names import Hostile
from plumbline.archive.record.write import manifest_bytes
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.naming import names
from ..addresses import compare_file, run_file, run_page
from ..assets import Assets
from ..axes import Axes, axes_of
from ..digest import Digest, digest
from ..model.site import Cause
from ..output import write
from ..pages import Names, Pages, Site
from ..reading import evidence_of, read_record
from .certificate import certificate
from .comparing import compare_document
from .timeline import timeline


@dataclass(frozen=True)
class PublishContext:
    """The folders where records are read and pages written, and the facts that every page of a session needs."""

    data: Path
    out: Path
    assets: Assets
    address: str | None
    repository: str | None
    title: str
    axes: Mapping[str, Axes]


@dataclass(frozen=True)
class SessionJob:
    """Asks for the files of one session: its folder below the data, and whether it is among the newest sessions."""

    folder: str
    recent: bool


@dataclass(frozen=True)
class WrittenSession:
    """The digest of a record with the sizes of the files of its session. `key` is the digest of the record's manifest.

    `written` counts the files that were new or had other content; `problem` is what is wrong with the evidence.
    """

    job: SessionJob
    key: str
    digest: Digest
    files: Mapping[str, int]
    written: int
    problem: str | None


@dataclass(frozen=True)
class Unusable:
    """The reason why the record of a job is left out."""

    job: SessionJob
    cause: Cause
    problem: str


class SessionWriter:
    """Writes the pages of sessions, one session after the other. Templates are compiled once for all of them."""

    def __init__(self, place: PublishContext) -> None:
        self._place = place
        self._pages = Pages(place.assets)

    def do(self, job: SessionJob) -> WrittenSession | Unusable:
        """Read one record, and write all files of its session."""
        folder = self._place.data / job.folder
        try:
            record, files = read_record(folder)
        except (RecordRefused, Hostile) as why:
            return Unusable(job, why.cause, why.problem)
        evidence, problem = evidence_of(folder, record, files) if job.recent else ({}, None)
        # A made-up session says so on every page; the figures of a measured session must follow from its evidence.
        provable = len(evidence) == len(record.trials) > 0 and not record.plan.simulated
        if provable and (difference := difference_in(folder, record, evidence)) is not None:
            return Unusable(job, "changed", difference.problem)
        try:
            session_digest = digest(record)
            contents = self._contents(job, record, evidence, files)
        except Exception as error:
            # A valid record can still contradict itself in ways that nobody can list: no session can have left it.
            return Unusable(job, "shape", f"It contradicts itself ({type(error).__name__}).")
        written = sum(write(self._place.out, path, content) for path, content in contents.items())
        return WrittenSession(
            job=job,
            key=hashlib.sha256(manifest_bytes(files)).hexdigest(),
            digest=session_digest,
            files={path: len(content) for path, content in contents.items()},
            written=written,
            problem=problem,
        )

    def _contents(
        self, job: SessionJob, record: Record, evidence: Mapping[int, Evidence], files: Mapping[str, str]
    ) -> dict[str, bytes]:
        place, session = self._place, record.plan.session
        run = certificate(record, evidence, recent=job.recent, folder=job.folder, files=files)
        documents: dict[str, BaseModel] = {
            run_file(session): run,
            compare_file(session): compare_document(record, evidence, recent=job.recent),
        }
        for trial in run.trials:
            if trial.timeline is not None:
                measured_trial = next(candidate for candidate in record.trials if candidate.number == trial.number)
                documents[trial.timeline] = timeline(record, measured_trial, evidence[trial.number])
        contents = {path: to_bytes(document) for path, document in documents.items()}
        path = f"{run_page(session)}index.html"
        site = Site(place.title, record.plan.simulated, place.address, place.repository, None, 0, 0)
        contents[path] = self._pages.render("run", path, run, site, names_of(record, place.axes))
        return contents


def to_bytes(document: BaseModel) -> bytes:
    """Return the content of a document's file: the fields in the order of the model."""
    return document.model_dump_json().encode("utf-8") + b"\n"


def names_of(record: Record, axes: Mapping[str, Axes]) -> Names:
    """Return the entries that a page of one session needs, from that session alone."""
    subjects = {}
    for id_, name in names(record.plan).items():
        subject = record.plan.subject(id_)
        variant_axes = axes_of(subject.variant, axes, None)
        subjects[slug_of(id_)] = {
            "id": id_,
            "slug": slug_of(id_),
            "short": name.short,
            "mark": name.mark,
            "framework": variant_axes.framework,
            "concurrency": variant_axes.concurrency,
            "packaging": subject.packaging,
            "engine": subject.engine,
            "settings": subject.settings,
            "control": id_ == record.plan.control,
        }
    host = record.host
    return {
        "hosts": {
            slug_of(host.name): {
                "name": host.name,
                "slug": slug_of(host.name),
                "host_class": host.host_class,
                "cpu_model": clean_text(host.cpu_model),
                "cpus": host.cpus,
            }
        },
        "subjects": subjects,
        "scenarios": {
            slug_of(scenario.id): {
                "id": scenario.id,
                "slug": slug_of(scenario.id),
                "name": scenario.name,
                "version": scenario.version,
                "operation": clean_text(scenario.operation),
                "control_operation": clean_text(scenario.control_operation or ""),
                "workload": clean_text(scenario.workload),
            }
            for scenario in record.plan.scenarios
        },
    }


# To start processes takes as long as to write a few sessions.
_ALONE_BELOW = 12
_AT_ONCE = 4

_COLLECTED_AFTER = 25

_writers_of_process: list[SessionWriter] = []
_session_counter = count(1)

WriteSessions = Callable[[Sequence[SessionJob]], Iterator[WrittenSession | Unusable]]
"""Does the jobs, and yields their results in any order."""


@contextmanager
def session_writers(
    place: PublishContext, sessions: int, processes: int, say: Callable[[str], None]
) -> Iterator[WriteSessions]:
    """Yield a function that writes sessions, in processes of its own if there are enough sessions."""
    if sessions < _ALONE_BELOW or processes < 2:
        writer = SessionWriter(place)
        yield lambda jobs: map(writer.do, jobs)
        return
    say(f"{sessions} sessions to read.")
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=_start_worker, initargs=(place,)) as pool:

        def write(jobs: Sequence[SessionJob]) -> Iterator[WrittenSession | Unusable]:
            # The newest take longest, so they come first and one by one: no process waits long for another at the end.
            newest = pool.map(_write_session, [job for job in jobs if job.recent])
            older = pool.map(_write_session, [job for job in jobs if not job.recent], chunksize=_AT_ONCE)
            yield from chain(newest, older)

        yield write


def _start_worker(place: PublishContext) -> None:
    """Prepare a worker process, once."""
    gc.disable()
    _writers_of_process.append(SessionWriter(place))
    # All objects of this moment stay to the end, so that no later search for cycles looks at them.
    gc.freeze()


def _write_session(job: SessionJob) -> WrittenSession | Unusable:
    result = _writers_of_process[0].do(job)
    # Each page leaves the context of its template, which is a cycle of references. A search for such cycles after every
    # few sessions costs nearly nothing; without it thousands of sessions would not fit into memory.
    if next(_session_counter) % _COLLECTED_AFTER == 0:
        gc.collect()
    return result
