"""Makes a site of a folder of records: a pure function of the records.

folders -> records -> digests and files of each session -> newest 90
                                  |
                                  +-> trends, standings, alerts, ... -> files of the site -> take away the rest
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbline.archive.history.alerts import Alert, read_ledger
from plumbline.model.errors import UsageError
from plumbline.model.record import Record
from plumbline.reporting.report.parts.clean import clean_text
from . import site
from .assets import Assets
from .axes import known_axes
from .catalogue import TITLE
from .digest import Digest, without_points
from .model.site import LeftOut
from .output import MARKER, claim_folder, remove_links, remove_others, write
from .quiet import read_quiet
from .reading import folders, omission, read_record
from .session.work import PublishContext, SessionJob, Unusable, WrittenSession, session_writers
from .table import Nightly


@dataclass(frozen=True)
class PublishOptions:
    """The options of publishing. `address` is the address of the site, `repository` that of its sources; both end in a
    slash, or are None.

    `checkout` has `apps/` and `docs/`. `processes` is the number of processes that work at once. `recent` is the number
    of the newest sessions that have timelines and curves; the evidence of older sessions stays on the data branch.
    """

    checkout: Path
    assets: Assets
    address: str | None = None
    repository: str | None = None
    processes: int = 2
    recent: int = 90


@dataclass(frozen=True)
class Published:
    """The result of publishing. `written` and `removed` count files; `left_out` and `evidence` list what is missing."""

    sessions: int
    series: int
    files: int
    bytes: int
    written: int
    removed: int
    simulated: bool
    left_out: tuple[LeftOut, ...]
    evidence: tuple[LeftOut, ...]


def publish(
    data: Path, out: Path, options: PublishOptions, say: Callable[[str], None] = lambda text: None
) -> Published:
    """Write the site of the records below `data` into `out`.

    Raises UsageError if `data` is no folder, if it holds no session, or if `out` belongs to somebody else. Records that
    can't be used are left out.
    """
    names = folders(data)
    if not names:
        # An empty site would replace the site that is there.
        raise UsageError(f"{data} holds no session.", "Record a session first, or name a checkout of the data branch.")
    claim_folder(out, data)
    remove_links(out)
    place = PublishContext(
        data=data,
        out=out,
        assets=options.assets,
        address=options.address,
        repository=options.repository,
        title=TITLE,
        axes=known_axes(options.checkout / "apps"),
    )
    sessions, omitted = _write_sessions(names, place, options, say)
    ledger, ledger_problems = _ledger(data)
    quiet, quiet_problems = read_quiet(data, (session.digest.host for session in sessions))
    omitted = sorted(
        [*omitted, *ledger_problems, *quiet_problems],
        key=lambda omission: (omission.folder, omission.cause, omission.problem),
    )
    evidence = tuple(
        omission(session.job.folder, "unreadable", session.problem)
        for session in sorted(sessions, key=lambda session: session.job.folder)
        if session.problem is not None
    )
    digests, nightly = _tabulated(sessions)
    folder_of = {session.digest.session: session.job.folder for session in sessions}

    def read_again(session: str) -> Record:
        return read_record(data / folder_of[session])[0]

    content = site.Content(
        place=place,
        digests=digests,
        nightly=nightly,
        recent=digests[-options.recent :],
        ledger=ledger,
        quiet=quiet,
        left_out=tuple(omitted),
        evidence=evidence,
        records=len(names),
        docs=options.checkout / "docs",
    )
    sizes: dict[str, int] = {}
    written = sum(session.written for session in sessions)
    for path, file_bytes in site.files(content, read_again):
        written += write(out, path, file_bytes)
        sizes[path] = len(file_bytes)
    for session in sessions:
        sizes.update(session.files)
    return Published(
        sessions=len(digests),
        series=sum(path.startswith("badges/") for path in sizes),
        files=len(sizes),
        bytes=sum(sizes.values()),
        written=written,
        removed=remove_others(out, {*sizes, MARKER}),
        simulated=any(digest.simulated for digest in digests),
        left_out=tuple(omitted),
        evidence=evidence,
    )


def _write_sessions(
    names: Sequence[str], place: PublishContext, options: PublishOptions, say: Callable[[str], None]
) -> tuple[list[WrittenSession], list[LeftOut]]:
    """Write the files of all sessions; return the sessions that are shown, in the order of time, and the records that
    are left out.

    The names of folders tell which sessions are probably the newest, so that most records are read only once. The files
    of a session are written again if the names were wrong, or if two records say that they are of that session.
    """
    newest = set(sorted(names, key=lambda name: (name.rpartition("/")[2], name))[-options.recent :])
    jobs = [SessionJob(name, name in newest) for name in names]
    with session_writers(place, len(jobs), options.processes, say) as write_sessions:
        results = {result.job.folder: result for result in write_sessions(jobs)}
        claims = Counter(result.digest.session for result in results.values() if isinstance(result, WrittenSession))
        while True:
            shown, omitted = _select_shown([results[name] for name in names])
            first_recent = len(shown) - options.recent
            jobs = [
                SessionJob(session.job.folder, index >= first_recent)
                for index, session in enumerate(shown)
                if session.job.recent != (index >= first_recent) or claims[session.digest.session] > 1
            ]
            if not jobs:
                return shown, omitted
            claims.clear()
            results |= {result.job.folder: result for result in write_sessions(jobs)}


def _select_shown(results: Iterable[WrittenSession | Unusable]) -> tuple[list[WrittenSession], list[LeftOut]]:
    """Return the sessions that are shown, in the order of time, and the records that are left out, with the reason.

    The same record in two folders counts once. If two records say that they are of the same session, the record whose
    folder comes first counts. Made-up sessions are not shown beside measured ones.
    """
    results = list(results)
    measured = any(isinstance(result, WrittenSession) and not result.digest.simulated for result in results)
    keys: set[str] = set()
    of_session: dict[str, WrittenSession] = {}
    omitted: list[LeftOut] = []
    for result in results:
        if isinstance(result, Unusable):
            omitted.append(omission(result.job.folder, result.cause, result.problem))
            continue
        if result.key in keys:
            continue
        keys.add(result.key)
        session = result.digest.session
        if result.digest.simulated and measured:
            omitted.append(omission(result.job.folder, "simulated", "It is made up, and the others were measured."))
        elif session in of_session:
            problem = f"Another record of the session {session} lies in {of_session[session].job.folder}."
            omitted.append(omission(result.job.folder, "twice", problem))
        else:
            of_session[session] = result
    return sorted(of_session.values(), key=lambda result: (result.digest.t, result.digest.session)), omitted


def _tabulated(sessions: Iterable[WrittenSession]) -> tuple[list[Digest], Nightly]:
    """Return the digests without their points, and the points of all sessions in columns."""
    nightly = Nightly()
    for session in sessions:
        nightly.add(session.digest)
    return [without_points(session.digest) for session in sessions], nightly


def _ledger(data: Path) -> tuple[tuple[Alert, ...], list[LeftOut]]:
    try:
        return read_ledger(data).alerts, []
    except UsageError as error:
        return (), [LeftOut(folder="alerts.json", cause="ledger", problem=clean_text(error.problem))]
