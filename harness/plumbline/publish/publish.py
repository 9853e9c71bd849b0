"""From a folder of records to a site: a pure function, which goes on from what it wrote the last time.

folders -> manifests -> records -> digests -> newest 90 -> files of sessions
                                      |
                                      +-> trends, standings, alerts, ... -> files of the site -> take away the rest
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from plumbline.history.alerts import Alert
from plumbline.history.ledger import read_ledger
from plumbline.history.memory import Memory
from plumbline.model.errors import UsageError
from plumbline.model.record import Record
from plumbline.report.parts.clean import clean_text
from . import site
from .assets import Look
from .axes import known_axes
from .catalogue import TITLE
from .collector import without_collector
from .digest import Digest, without_points
from .model.integrity import LeftOut
from .output import MARKER, Written, claim, present, remove_others
from .reading import Found, checked, folders, left_out, read
from .session.upkeep import Sessions
from .session.work import Place
from .state import State, keep, take
from .writer import Writer


@dataclass(frozen=True)
class Options:
    """`address` is where the site will lie, `repository` where its sources do; both end in a slash, or are None.

    `checkout` has `apps/` and `docs/`. `processes` work at once. So many of the newest sessions as `recent` says have
    timelines and curves; the evidence of older ones is left to the data branch.
    """

    checkout: Path
    look: Look
    address: str | None = None
    repository: str | None = None
    processes: int = 2
    recent: int = 90


@dataclass(frozen=True)
class Published:
    """What was done. `written` and `removed` count files; `left_out` and `evidence` are the integrity page's."""

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
    data: Path, out: Path, options: Options, say: Callable[[str], None] = lambda text: None
) -> Published:
    """Write the site of the records below `data` into `out`.

    Raises UsageError where `data` is no folder, holds no session, or `out` is somebody else's. Records that can't be
    used are left out.
    """
    with without_collector():
        return _publish(data, out, options, say)


def _publish(data: Path, out: Path, options: Options, say: Callable[[str], None]) -> Published:
    names = folders(data)
    if not names:
        # An empty site would take the place of the one that is there.
        raise UsageError(
            f"{data} holds no session.", "Record a session first, or name a checkout of the data branch."
        )
    claim(out, data)
    with ThreadPoolExecutor(1) as aside:
        # Reading and hashing leave this thread its time.
        checking = aside.submit(checked, data, names)
        before = take(out)
        here = present(out)
        found, bad = checking.result()
    found = _once(found)
    place = Place(
        data=data,
        out=out,
        look=options.look,
        address=options.address,
        repository=options.repository,
        title=TITLE,
        axes=known_axes(options.checkout / "apps"),
    )
    ledger, problem = _ledger(data)
    bad += problem
    state = State(
        sessions={one.key: before.sessions[one.key] for one in found if one.key in before.sessions},
        nightly=before.nightly,
    )
    sessions = Sessions(place, state, here, options.recent, options.processes, say)
    sessions.read_new(found)
    chosen, folder_of, more = _kept(found, state)
    bad += more
    digests = _with_points_added(chosen, state)
    sessions.bring_up_to_date(found, [one.session for one in digests])
    shown = {one.session for one in digests}
    evidence = tuple(
        LeftOut(folder=clean_text(one.folder) or ".", cause="unreadable", problem=clean_text(its.problem))
        for one in found
        if (its := state.sessions[one.key]).problem is not None
        and its.digest is not None
        and its.digest.session in shown
    )

    def read_again(session: str) -> Record:
        return read(data / folder_of[session])[0]

    bad.sort(key=lambda one: (one.folder, one.cause, one.problem))
    writer = Writer(out, before, state, here)
    content = site.Content(
        place=place,
        digests=digests,
        nightly=state.nightly,
        recent=digests[-options.recent :],
        ledger=ledger,
        left_out=tuple(bad),
        evidence=evidence,
        records=len(names),
        docs=options.checkout / "docs",
        memory=Memory(before.changes),
    )
    series = 0
    for path, made_of, content_of in site.files(content, read_again):
        writer.put(path, made_of, content_of)
        series += path.startswith("badges/")
    kept: dict[str, Written] = dict(writer.files)
    keys = {key for key, _ in chosen}
    # Of a session that is not shown nothing is kept but why it can't be: the points of the others are in the table.
    state.sessions = {key: one for key, one in state.sessions.items() if key in keys or one.digest is None}
    for key in keys:
        kept.update(state.sessions[key].files)
    removed = remove_others(out, here, {**kept, MARKER: None})
    state.files, state.changes = writer.files, content.memory.plain()
    keep(out, state)
    return Published(
        sessions=len(digests),
        series=series,
        files=len(kept),
        bytes=sum(size for size, _ in kept.values()),
        written=writer.written + sessions.written,
        removed=removed,
        simulated=any(one.simulated for one in digests),
        left_out=tuple(bad),
        evidence=evidence,
    )


def _once(found: Sequence[Found]) -> list[Found]:
    """The same record in two folders counts once: in the first of them."""
    first: dict[str, Found] = {}
    for one in found:
        first.setdefault(one.key, one)
    return list(first.values())


def _kept(
    found: Sequence[Found], state: State
) -> tuple[list[tuple[str, Digest]], dict[str, str], list[LeftOut]]:
    """Keys and digests in the order of time, the folder of each session, and what is left out.

    Of two records that say they are the same session the first by its folder counts; made-up sessions do not stand
    beside measured ones.
    """
    bad: list[LeftOut] = []
    chosen: list[tuple[str, Digest]] = []
    folder_of: dict[str, str] = {}
    measured = any((its := state.sessions[one.key].digest) is not None and not its.simulated for one in found)
    for one in found:
        kept = state.sessions[one.key]
        if kept.digest is None:
            cause, problem = kept.refused or ("shape", "It can't be used.")
            bad.append(left_out(one.folder, cause, problem))
        elif kept.digest.simulated and measured:
            bad.append(left_out(one.folder, "simulated", "It is made up, and the others were measured."))
        elif kept.digest.session in folder_of:
            said = f"Another record of the session {kept.digest.session} lies in {folder_of[kept.digest.session]}."
            bad.append(left_out(one.folder, "twice", said))
        else:
            folder_of[kept.digest.session] = one.folder
            chosen.append((one.key, kept.digest))
    chosen.sort(key=lambda one: (one[1].t, one[1].session))
    return chosen, folder_of, bad


def _with_points_added(chosen: Sequence[tuple[str, Digest]], state: State) -> list[Digest]:
    """Bring the table of all nights up to these sessions; answers their digests without points."""
    known = set(state.nightly.keys)
    digests = []
    for key, one in chosen:
        if key in known:
            digests.append(one)
        else:
            state.nightly.add(key, one)
            state.sessions[key].digest = without_points(one)
            digests.append(without_points(one))
    order = [key for key, _ in chosen]
    if order != state.nightly.keys:
        state.nightly = state.nightly.arranged(order)
    state.nightly.table.controls = {one.extract.control for one in digests}
    return digests


def _ledger(data: Path) -> tuple[tuple[Alert, ...], list[LeftOut]]:
    try:
        return read_ledger(data).alerts, []
    except UsageError as error:
        return (), [LeftOut(folder="alerts.json", cause="ledger", problem=clean_text(error.problem))]
