"""One session's files, made by a process of its own where there are many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from plumbline.model.subject import Subject
from plumbline.record.difference import Refused
from plumbline.record.gate import check
from plumbline.report.parts.clean import clean_text
from plumbline.report.parts.subjects import names
from ..addresses import compare_file, run_file, run_page
from ..assets import Look
from ..axes import Axes, axes_of
from ..digest import Digest, digest
from ..model.integrity import Cause
from ..output import Written, write
from ..pages import Names, Pages, Site
from ..reading import evidence_of, read
from ..safe import Hostile, slug_of
from .certificate import certificate
from .comparing import comparing
from .timeline import timeline


@dataclass(frozen=True)
class Place:
    """Where records are read and pages written, and what every page of a session knows."""

    data: Path
    out: Path
    look: Look
    address: str | None
    repository: str | None
    title: str
    axes: Mapping[str, Axes]


@dataclass(frozen=True)
class Job:
    """One session: its folder below the data, and whether it is among the newest ones. `digest_too`: not yet read."""

    key: str
    folder: str
    recent: bool
    digest_too: bool


@dataclass(frozen=True)
class Done:
    """What became of it: the files written, the digest where it was asked for, or why the record is left out.

    `problem` is what is wrong with its evidence.
    """

    job: Job
    digest: Digest | None
    files: dict[str, Written]
    refused: tuple[Cause, str] | None
    problem: str | None


def work(place: Place, job: Job) -> Done:
    """Read one record, and write all files of its session."""
    folder = place.data / job.folder
    try:
        record, stated = read(folder)
    except (Refused, Hostile) as why:
        return Done(job, None, {}, (why.cause, why.problem), None)
    evidence, problem = evidence_of(folder, record, stated) if job.recent else ({}, None)
    # What is made up says so on every page; of a measured session the figures that are shown follow from its evidence.
    provable = len(evidence) == len(record.trials) > 0 and not record.plan.simulated
    if provable and (difference := check(folder).difference) is not None:
        return Done(job, None, {}, ("changed", difference.problem), None)
    try:
        small = digest(record) if job.digest_too else None
        files = _written(place, job, record, evidence, stated)
    except Exception as error:
        # What validates can still contradict itself so that no session can have left it, in ways that nobody can list.
        return Done(job, None, {}, ("shape", f"It contradicts itself ({type(error).__name__})."), None)
    return Done(job, small, files, None, problem)


def _written(
    place: Place, job: Job, record: Record, evidence: Mapping[int, Evidence], stated: Mapping[str, str]
) -> dict[str, Written]:
    session = record.plan.session
    run = certificate(record, evidence, recent=job.recent, folder=job.folder, files=stated)
    documents: dict[str, BaseModel] = {
        run_file(session): run,
        compare_file(session): comparing(record, evidence, recent=job.recent),
    }
    for trial in run.trials:
        if trial.timeline is not None:
            its = next(one for one in record.trials if one.number == trial.number)
            documents[trial.timeline] = timeline(record, its, evidence[trial.number])
    contents = {path: to_bytes(one) for path, one in documents.items()}
    path = f"{run_page(session)}index.html"
    site = Site(place.title, record.plan.simulated, place.address, place.repository, None, 0, 0)
    contents[path] = _pages(place.look).render("run", path, run, site, names_of(record, place.axes))
    return {path: write(place.out, path, content) for path, content in contents.items()}


def to_bytes(document: BaseModel) -> bytes:
    """A document as a file: fields in the order of the model."""
    return document.model_dump_json().encode("utf-8") + b"\n"


def names_of(record: Record, axes: Mapping[str, Axes]) -> Names:
    """The entries that a page of one session needs, from that session alone."""
    subjects = {}
    for id_, name in names(record.plan).items():
        subject = Subject.parse(id_)
        its = axes_of(subject.variant, axes, None)
        subjects[slug_of(id_)] = {
            "id": id_,
            "slug": slug_of(id_),
            "short": name.short,
            "mark": name.mark,
            "framework": its.framework,
            "concurrency": its.concurrency,
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
            slug_of(one.id): {
                "id": one.id,
                "slug": slug_of(one.id),
                "name": one.name,
                "version": one.version,
                "operation": clean_text(one.operation),
                "workload": clean_text(one.workload),
            }
            for one in record.plan.scenarios
        },
    }


_kept: dict[str, Pages] = {}


def _pages(look: Look) -> Pages:
    if look.digest not in _kept:
        _kept[look.digest] = Pages(look)
    return _kept[look.digest]
