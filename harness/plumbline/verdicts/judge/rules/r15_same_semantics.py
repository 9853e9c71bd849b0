"""R15: a transaction means the same to every subject, and a commit is on disk. The rule observes both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from plumbline.model.evidence import DatabaseWork, LoadResult, Series, Window
from plumbline.verdicts.figures.series import increase, rows_inside
from ..facts import LOADED, PhaseFacts, SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, doubtful, passed, unknown
from ..wording import counted, listed, no_window

# The contract asks for it: a stricter level costs more, a looser one checks less.
ISOLATION = "read committed"
# The application has to see this value through its own connection: a driver or a pool may change it for its sessions.
COMMIT = "on"
# What a server has to say of itself, by engine, for a commit to be on disk when it is answered.
DURABLE: Mapping[str, Mapping[str, str]] = {
    "PostgreSQL": {"fsync": "on", "full_page_writes": "on"},
    "MySQL": {"innodb_flush_log_at_trx_commit": "1", "innodb_doublewrite": "ON"},
}
# An inserted row makes a record of the log, and the end of its transaction makes another one. Half of them may be
# missing, since the backends may not have reported the last second yet.
RECORDS_PER_ROW_MIN = 1.0
# Fewer rows may all be written within the second by which counters may be late.
ROWS_MIN = 200
# Each connection waits for its own commit, so one flush serves each connection at most once. The limit is twice that:
# who writes while a flush is under way waits for the next one, and counters may be late.
COMMITS_PER_FLUSH_AND_CONNECTION_MAX = 2.0
# These values of wal_sync_method open the log so that each write waits for the disk.
FLUSHED_BY_WRITING = "open_"

_ISOLATION_SAID = re.compile(
    r"isolation(?:\s+level\s+|\S*\s*(?:=|to)\s*)(?P<level>\S.*?)\s*(?:,|;|$|\bread only|\bread write)"
)
_COMMIT_SAID = re.compile(
    r"^set\s+(?:(?:local|session|global|persist)\s+)?(?:synchronous_commit\b|\S*(?:flush_log|sql_log_bin))"
)
# MySQL runs what stands in `/*! ... */`.
_COMMENTS = re.compile(r"/\*(?!!)[\s\S]*?\*/|/\*!\d*|--.*")
# A value that statistics of statements leave out.
_HIDDEN = ("$", "?")
_SET_UNSEEN = re.compile(r"\bset_config\s*\(|^do\b")


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Isolation and durability: as application and server say, and as settings, statements and log show by phase."""
    yield None, [*_of_application(trial), _of_server(trial.evidence.database_settings)]
    for facts in trial.phases(LOADED):
        if facts.window is None or facts.work is None:
            missing = no_window(facts.phase.name) if facts.window is None else "What the database did was not read."
            yield facts.phase.name, [unknown(missing)]
            continue
        yield facts.phase.name, _observed(trial.evidence.series, facts, facts.window, facts.work)


def _of_application(trial: TrialFacts) -> Iterable[Check]:
    isolation = trial.environment("database", "isolation")
    commit = trial.environment("database", "synchronous_commit")
    if isolation is None or commit is None:
        yield unknown("The application did not say what its transactions promise.")
        return
    if isolation != ISOLATION:
        yield broken(f"Transactions are {isolation} where the contract asks for {ISOLATION}.")
    if commit != COMMIT:
        yield broken(f"The application's connections have synchronous_commit {commit}: commits are answered too early.")


def _of_server(settings: Mapping[str, str]) -> Check:
    loose = _loose(settings)
    if loose is None:
        return unknown("The server did not say whether a commit is on disk when it is answered.")
    if loose:
        return broken(f"The server has {listed(loose)}: a commit may be lost, which makes every write cheaper.")
    return passed(f"Transactions are {ISOLATION}, and a commit is on disk when it is answered.")


def _loose(settings: Mapping[str, str]) -> list[str] | None:
    """Return the settings that are not as they must be, in words; None when an engine's settings were not all read."""
    for required in DURABLE.values():
        if required.keys() <= settings.keys():
            return [f"{name} {settings[name]}" for name in required if settings[name].lower() != required[name].lower()]
    return None


def _observed(series: Series, facts: PhaseFacts, window: Window, work: DatabaseWork) -> list[Check]:
    checks = [*_settings(series, window, work), *_statements(work)]
    if work.unlogged:
        checks.append(broken(f"No log keeps the rows of {listed(work.unlogged)}: they are gone after a crash."))
    if work.rewritten:
        reading = f"{listed(work.rewritten)} lay in another file after this phase than before"
        checks.append(doubtful(f"{reading}: somebody wrote it anew, and its rows may have been in no log meanwhile."))
    if facts.load is not None:
        checks += _log(series, window, work, facts.load)
    return [*checks, passed("No statement, no setting and no table changed what a commit means.")]


def _settings(series: Series, window: Window, work: DatabaseWork) -> Iterable[Check]:
    durable = rows_inside(series, "db.durable", window)
    if not work.settings or not durable:
        yield unknown("Whether the server kept commits durable throughout the phase was not read.")
    for moment, settings in zip(("before", "after"), work.settings, strict=False):
        if loose := _loose(settings):
            yield broken(f"The server had {listed(loose)} {moment} this phase: a commit may be lost.")
    if durable and min(durable) < 1:
        off = sum(1 for value in durable if value < 1)
        reading = f"In {off} of {len(durable)} seconds the server did not have each commit on disk before it answered"
        yield broken(f"{reading}: fsync, full_page_writes or synchronous_commit was off.", off, "s", 0)


def _statements(work: DatabaseWork) -> Iterable[Check]:
    """Yield the checks of settings that transactions asked for themselves and that change something."""
    for statement in work.statements:
        text = _COMMENTS.sub(" ", statement.query.lower()).replace('"', "").strip()
        times = counted(statement.calls, "time")
        isolation = _ISOLATION_SAID.search(text) if not text.startswith(("select", "insert", "update")) else None
        if isolation is not None and isolation["level"].startswith(_HIDDEN):
            yield doubtful(f"'{statement.query}' was sent {times}: which level it sets is not seen.")
        elif isolation is not None and isolation["level"].strip("'\"").replace("-", " ") != ISOLATION:
            yield broken(f"'{statement.query}' was sent {times} where the contract asks for {ISOLATION}.")
        elif _COMMIT_SAID.match(text):
            yield broken(f"'{statement.query}' was sent {times}: whether a commit is waited for is not its to say.")
        elif _SET_UNSEEN.search(text):
            yield doubtful(f"'{statement.query}' was sent {times}: what it sets is not seen.")


def _log(series: Series, window: Window, work: DatabaseWork, load: LoadResult) -> Iterable[Check]:
    """Yield the checks of what the server did: rows written leave records in the log, and commits wait for the log."""
    rows = sum(work.rows_inserted.values())
    if rows < ROWS_MIN:
        return
    records, flushes = (increase(series, f"db.wal_{counter}", window) for counter in ("records", "syncs"))
    connections = max(rows_inside(series, "db.connections", window), default=0.0)
    if records is None or flushes is None or connections <= 0:
        yield unknown("Records and flushes of the server's log were not counted.")
        return
    if records / rows < RECORDS_PER_ROW_MIN:
        reading = f"{counted(rows, 'row')} written left {counted(records, 'record')} in the log"
        yield broken(f"{reading}: a crash would lose them.", records / rows, "records/row", RECORDS_PER_ROW_MIN)
    if load.parts:
        # Nobody knows how many rows a transaction of a mix wrote.
        return
    if any(settings.get("wal_sync_method", "").startswith(FLUSHED_BY_WRITING) for settings in work.settings):
        yield unknown("The server flushes its log by each write, and counts no flushes.")
        return
    share = rows / (flushes * connections) if flushes > 0 else float("inf")
    if share > COMMITS_PER_FLUSH_AND_CONNECTION_MAX:
        flushed = counted(flushes, "flush", "flushes")
        reading = f"{counted(rows, 'row')} were committed with {flushed} of the log to disk"
        yield broken(
            f"{reading}, over {connections:.0f} connections: commits were answered before they were on disk.",
            flushes,
            "flushes",
            rows / connections / COMMITS_PER_FLUSH_AND_CONNECTION_MAX,
        )


RULE = Rule(
    id="R15",
    title="Transactions mean the same",
    source="GET /environment, the server's settings, its statements, tables and log",
    mistake="another isolation, or commits that nobody waits for, on one of two sides (studies 000 and 001)",
    kind="correctness",
    of_database=True,
    needs=("environment", "database_settings", "database", "series:db.durable"),
    judge=judge,
)
