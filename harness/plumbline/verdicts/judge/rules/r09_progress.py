"""R9: while requests wait for an answer, good answers come and transactions are committed."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.batch import Batch
from plumbline.model.evidence import LoadResult, Series, Window
from plumbline.model.plan import Scenario
from plumbline.verdicts.figures.series import increase
from ..facts import PhaseFacts, SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, in_windows, passed, unknown
from ..wording import counted

# Backends report their commits about once a second, so that shorter windows may see none of a healthy run.
WINDOW_S = 3.0
# An operation that does a whole batch in one request, so that answers come seconds apart. Within twice the time of the
# quickest batch the next one is done. The slowest batch is no measure: a deadlock makes it as long as itself.
QUICKEST_BATCHES = 2
# The harness's own sessions commit a few times a second. A tenth of the answers is more than that, under any load that
# is worth measuring. A healthy run has a commit for each answer, which is far more.
COMMITS_PER_ANSWER_MIN = 0.1
# A deadlocked pool answers each request with an error once its time is over. The harness's own commits outnumber so few
# answers. If nine of ten fail, whoever waits for an answer waits in vain, and single errors are R7's.
GOOD_ANSWERS_MIN = 0.1


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Good answers of each measured phase, and answers and commits in every three seconds of it, or in every two
    batches.
    """

    def checks(facts: PhaseFacts, window: Window) -> list[Check]:
        piece_s = _piece_s(trial.scenario, facts.load)
        return [_check(trial.evidence.series, window, piece_s, _counts_commits(trial)), *_good(facts.load)]

    yield from in_windows(trial, checks)


def _piece_s(scenario: Scenario, load: LoadResult | None) -> float:
    """Return the seconds within which answers and commits have to come."""
    if Batch.asked_by(scenario.operation) is None or load is None or load.latency_min_ms is None:
        return WINDOW_S
    return max(WINDOW_S, QUICKEST_BATCHES * load.latency_min_ms / 1000)


def _counts_commits(trial: TrialFacts) -> bool:
    """Return whether commits are counted: MySQL counts the statement COMMIT, and queries of a batch need none."""
    return Batch.asked_by(trial.scenario.operation) is None or trial.planned.parsed.engine != "mysql"


def _good(load: LoadResult | None) -> Iterable[Check]:
    """Yield the check of good answers, where hardly any was good; the other check judges a phase without requests."""
    if load is None or load.requests <= 0:
        return
    good = (load.requests - load.failed) / load.requests
    if good < GOOD_ANSWERS_MIN:
        reading = f"{load.failed} of {counted(load.requests, 'request')} failed: the work did not go on."
        yield broken(reading, good, "good answers/request", GOOD_ANSWERS_MIN)


def _check(series: Series, whole: Window, piece_s: float, counts_commits: bool) -> Check:
    fewest = float("inf")
    windows = _pieces(whole, series, piece_s)
    gap = windows[0].start_s > whole.start_s or windows[-1].end_s < whole.end_s if windows else True
    for window in windows:
        answers = increase(series, "load.requests", window)
        commits = increase(series, "db.commits", window) if counts_commits else answers
        at_s = window.start_s - whole.start_s
        span = f"from second {at_s:.0f} to {window.end_s - whole.start_s:.0f} of the phase"
        if answers is not None and answers <= 0:
            return broken(f"No request was answered {span}.", 0, "answers", 0)
        if commits is not None and commits <= 0:
            return broken(f"No transaction was committed {span}.", 0, "commits", 0)
        if answers is None or commits is None:
            gap = True
            continue
        if commits < COMMITS_PER_ANSWER_MIN * answers:
            reading = f"{commits:.0f} transactions were committed for {answers:.0f} answers {span}."
            return broken(reading, commits / answers, "commits/answer", COMMITS_PER_ANSWER_MIN)
        fewest = min(fewest, answers)
    if gap or fewest == float("inf"):
        return unknown("Answers or commits were not counted throughout the phase.")
    work = "answers, and commits" if counts_commits else "answers"
    return passed(f"Every {piece_s:.0f} s had at least {fewest:.0f} {work}.", fewest, "answers", 0)


def _pieces(whole: Window, series: Series, piece_s: float) -> list[Window]:
    """Return the window in pieces of so many seconds; a shorter remainder belongs to the last piece.

    Pieces far from any row are left out: a window that begins or ends at 1e308 would have too many pieces to compute.
    """
    count = max(1, int((whole.end_s - whole.start_s) / piece_s))
    first_s, last_s = min(series.t_s, default=whole.start_s), max(series.t_s, default=whole.start_s)
    first = max(0, int((first_s - whole.start_s) / piece_s) - 1)
    stop = min(count, int((last_s - whole.start_s) / piece_s) + 2)
    windows = []
    for index in range(first, stop):
        start_s = whole.start_s + index * piece_s
        end_s = whole.end_s if index == count - 1 else start_s + piece_s
        windows.append(whole.model_copy(update={"start_s": start_s, "end_s": end_s}))
    return windows


RULE = Rule(
    id="R9",
    title="Work goes on all the time",
    source="pg_stat_database and k6's running count",
    mistake="a deadlock: 96 connections, 0 % CPU, and a mean over the time before it (study 000)",
    kind="correctness",
    of_database=True,
    needs=("windows", "series:load.requests", "series:db.commits"),
    judge=judge,
)
