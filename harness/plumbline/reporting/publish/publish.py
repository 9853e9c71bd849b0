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
from .output import MARKER, claim, remove_links, remove_others, write
from .quiet import read_quiet
from .reading import folders, left_out, read
from .session.work import Made, Place, SessionJob, Unusable, session_writers
from .table import Nightly


@dataclass(frozen=True)
class PublishOptions:
    """The options of publishing. `address` is where the site will lie, `repository` where its sources do; both end in a
    slash, or are None.

    `checkout` has `apps/` and `docs/`. `processes` work at once. So many of the newest sessions as `recent` says have
    timelines and curves; the evidence of older ones is left to the data branch.
    """

    checkout: Path
    assets: Assets
    address: str | None = None
    repository: str | None = None
    processes: int = 2
    recent: int = 90


@dataclass(frozen=True)
class Published:
    """The result of publishing. `written` and `removed` count files; `left_out` and `evidence` say what lacks."""

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
        # An empty site would take the place of the one that is there.
        raise UsageError(
            f"{data} holds no session.", "Record a session first, or name a checkout of the data branch."
        )
    claim(out, data)
    remove_links(out)
    place = Place(
        data=data,
        out=out,
        assets=options.assets,
        address=options.address,
        repository=options.repository,
        title=TITLE,
        axes=known_axes(options.checkout / "apps"),
    )
    shown, bad = _sessions(names, place, options, say)
    ledger, problem = _ledger(data)
    quiet, noisy = read_quiet(data, (one.digest.host for one in shown))
    bad = sorted([*bad, *problem, *noisy], key=lambda one: (one.folder, one.cause, one.problem))
    evidence = tuple(
        left_out(one.job.folder, "unreadable", one.problem)
        for one in sorted(shown, key=lambda one: one.job.folder)
        if one.problem is not None
    )
    digests, nightly = _points_in_a_table(shown)
    folder_of = {one.digest.session: one.job.folder for one in shown}

    def read_again(session: str) -> Record:
        return read(data / folder_of[session])[0]

    content = site.Content(
        place=place,
        digests=digests,
        nightly=nightly,
        recent=digests[-options.recent :],
        ledger=ledger,
        quiet=quiet,
        left_out=tuple(bad),
        evidence=evidence,
        records=len(names),
        docs=options.checkout / "docs",
    )
    sizes: dict[str, int] = {}
    written = sum(one.written for one in shown)
    for path, its in site.files(content, read_again):
        written += write(out, path, its)
        sizes[path] = len(its)
    for one in shown:
        sizes.update(one.files)
    return Published(
        sessions=len(digests),
        series=sum(path.startswith("badges/") for path in sizes),
        files=len(sizes),
        bytes=sum(sizes.values()),
        written=written,
        removed=remove_others(out, {*sizes, MARKER}),
        simulated=any(one.simulated for one in digests),
        left_out=tuple(bad),
        evidence=evidence,
    )


def _sessions(
    names: Sequence[str], place: Place, options: PublishOptions, say: Callable[[str], None]
) -> tuple[list[Made], list[LeftOut]]:
    """Write the files of all sessions; return the sessions that are shown, in the order of time, and the records that
    are left out.

    The names of folders tell which sessions are probably the newest, so that most records are read once. The files of a
    session are written again if the names were wrong, or if two records say that they are that session.
    """
    newest = set(sorted(names, key=lambda name: (name.rpartition("/")[2], name))[-options.recent :])
    jobs = [SessionJob(name, name in newest) for name in names]
    with session_writers(place, len(jobs), options.processes, say) as write_sessions:
        results = {one.job.folder: one for one in write_sessions(jobs)}
        claims = Counter(one.digest.session for one in results.values() if isinstance(one, Made))
        while True:
            shown, bad = _shown([results[name] for name in names])
            first_recent = len(shown) - options.recent
            jobs = [
                SessionJob(one.job.folder, at >= first_recent)
                for at, one in enumerate(shown)
                if one.job.recent != (at >= first_recent) or claims[one.digest.session] > 1
            ]
            if not jobs:
                return shown, bad
            claims.clear()
            results |= {one.job.folder: one for one in write_sessions(jobs)}


def _shown(results: Iterable[Made | Unusable]) -> tuple[list[Made], list[LeftOut]]:
    """Return the sessions that are shown, in the order of time, and the reason why others are left out.

    The same record in two folders counts once. If two records say that they are the same session, the first by its
    folder counts. Made-up sessions are not shown beside measured ones.
    """
    results = list(results)
    measured = any(isinstance(one, Made) and not one.digest.simulated for one in results)
    keys: set[str] = set()
    of_session: dict[str, Made] = {}
    bad: list[LeftOut] = []
    for one in results:
        if isinstance(one, Unusable):
            bad.append(left_out(one.job.folder, one.cause, one.problem))
            continue
        if one.key in keys:
            continue
        keys.add(one.key)
        session = one.digest.session
        if one.digest.simulated and measured:
            bad.append(left_out(one.job.folder, "simulated", "It is made up, and the others were measured."))
        elif session in of_session:
            said = f"Another record of the session {session} lies in {of_session[session].job.folder}."
            bad.append(left_out(one.job.folder, "twice", said))
        else:
            of_session[session] = one
    return sorted(of_session.values(), key=lambda one: (one.digest.t, one.digest.session)), bad


def _points_in_a_table(shown: Iterable[Made]) -> tuple[list[Digest], Nightly]:
    """Return the digests without their points, and the points of all of them in columns."""
    nightly = Nightly()
    for one in shown:
        nightly.add(one.digest)
    return [without_points(one.digest) for one in shown], nightly


def _ledger(data: Path) -> tuple[tuple[Alert, ...], list[LeftOut]]:
    try:
        return read_ledger(data).alerts, []
    except UsageError as error:
        return (), [LeftOut(folder="alerts.json", cause="ledger", problem=clean_text(error.problem))]
