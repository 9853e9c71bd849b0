"""R7: measured phases have no errors. Errors of a warm-up are reported, and refused if they go on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from plumbline.model.evidence import Evidence, LoadResult, Series, Window
from plumbline.model.host import HostClass
from plumbline.verdicts.figures.series import increase
from ..facts import LOADED, SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, doubtful, passed, unknown
from ..wording import ROLE_NAMES, counted, no_window, percent

# An error costs less than an answer, or more. No comparison survives any number of them.
ERRORS_MAX = 0
# While the compiler gets too little CPU, a connection pool or a queue fills, and drops a request now and then. More
# failures than this are no accident of a cold start; and a single failure after the warm-up shows that they go on.
WARM_UP_FAILED_SHARE_MAX = 0.01
# Bodies that are compared are chosen by chance. A fault of this share of all answers has to be found with 99 %.
RARE_FAULT = 0.001
# A rare fault may be missed with this chance: bodies that are compared are chosen by chance.
MISSED_MAX = 0.01
# If more bodies than this share were compared, the chance to miss a wrong one is not worth a word.
NEARLY_ALL = 0.9
_OVERFLOWS = "overflows"


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """The trial as a whole (its end, its processes, the application's log), then each phase with load."""
    evidence = trial.evidence
    yield None, [*_ending(evidence), _log(evidence)]
    for facts in trial.phases(LOADED):
        if facts.window is None or facts.load is None:
            missing = no_window(facts.phase.name) if facts.window is None else "k6 left no result of this phase."
            yield facts.phase.name, [unknown(missing)]
            continue
        if facts.phase.kind == "warm-up":
            yield facts.phase.name, _while_warming(facts.load)
            continue
        network = _network(evidence.series, facts.window, facts.load, session.plan.host_class)
        yield facts.phase.name, _with_cause(_answers(facts.load, measured=True), network) + network


def _ending(evidence: Evidence) -> list[Check]:
    checks = []
    if evidence.failure is not None:
        problem = evidence.failure.problem
        checks.append(broken(f"The trial did not reach its end (phase {evidence.failure.phase}): {problem}"))
    for process in evidence.processes:
        if process.ended_early:
            status = "" if process.exit_code is None else f" with status {process.exit_code}"
            checks.append(broken(f"The {ROLE_NAMES[process.role]} ended in mid-trial{status}."))
    return checks


def _log(evidence: Evidence) -> Check:
    log = evidence.logs.get("app")
    if log is None:
        return unknown("The application's log was not read.")
    problems = log.errors + log.exceptions - log.while_warming
    if problems <= ERRORS_MAX:
        text = "The application's log has no error and no exception."
        if log.while_warming:
            lines = counted(log.while_warming, "line")
            text = f"The application's log has no error and no exception but {lines} of its warm-up: {log.first_error}"
        return passed(text, 0, "lines", ERRORS_MAX)
    first_error = f", first: {log.first_error}" if log.first_error else ""
    kinds = f"{counted(log.errors, 'error')} and {counted(log.exceptions, 'exception')}"
    return broken(f"The application's log has {kinds}{first_error}", problems, "lines", ERRORS_MAX)


def _while_warming(load: LoadResult) -> list[Check]:
    """Return the checks of a warm-up; a wrong body is refused here as well, since being cold is no excuse for it."""
    checks = _answers(load, measured=False)
    failed = max(load.failed, load.connect_errors + load.timeouts)
    share = failed / load.requests if load.requests else 1.0
    right = load.exit_code == 0 and load.checks_failed <= ERRORS_MAX and not load.wrong_length
    if not right or share > WARM_UP_FAILED_SHARE_MAX or checks[0].outcome == "pass":
        return checks
    readings = " ".join(check.reading for check in checks)
    reading = f"While warming up, and counted in no figure: {readings}"
    return [passed(reading, share, "share", WARM_UP_FAILED_SHARE_MAX)]


def _answers(load: LoadResult, measured: bool) -> list[Check]:
    other_statuses = {
        status: count for status, count in load.statuses.items() if not status.startswith("2") and count > 0
    }
    counts = (
        (load.failed, f"{counted(load.failed, 'request')} of {load.requests} failed."),
        (load.connect_errors, f"{counted(load.connect_errors, 'connection')} could not be made."),
        (load.timeouts, f"{counted(load.timeouts, 'request')} timed out."),
        (sum(other_statuses.values()), f"Answers that are no success: {_statuses_in_words(other_statuses)}."),
        (load.checks_failed, f"{counted(load.checks_failed, 'answer')} of those compared had a wrong body."),
        (load.wrong_length or 0, f"{counted(load.wrong_length or 0, 'answer')} had another length."),
    )
    checks = [broken(reading, count, "requests", ERRORS_MAX) for count, reading in counts if count > ERRORS_MAX]
    if load.exit_code != 0:
        checks.append(broken(f"k6 ended with status {load.exit_code}.", load.exit_code, "status", 0))
    if load.requests == 0:
        checks.append(broken("Not one request was made.", 0, "requests"))
    elif measured and load.checks_passed + load.checks_failed == 0:
        checks.append(unknown("No answer's body was compared."))
    return checks or [_compared(load, measured)]


def _compared(load: LoadResult, measured: bool) -> Check:
    """Return how many bodies were compared, and the chance that none of them had a rare fault."""
    compared = counted(load.checks_passed, "body", "bodies")
    sentence = f"None of {counted(load.requests, 'request')} failed, {compared} compared"
    if load.checks_passed == 0:
        return passed(f"{sentence}.", 0, "requests", ERRORS_MAX)
    missed = 0.0 if load.checks_passed >= NEARLY_ALL * load.requests else (1 - RARE_FAULT) ** load.checks_passed
    sentence = f"{sentence}: one wrong answer in {1 / RARE_FAULT:.0f} would have been missed with {percent(missed)}"
    if measured and missed > MISSED_MAX and load.wrong_length is not None:
        return unknown(f"{sentence}, too few to tell.")
    return passed(f"{sentence}.", 0, "requests", ERRORS_MAX)


def _statuses_in_words(other_statuses: dict[str, int]) -> str:
    return ", ".join(f"{count} x {status}" for status, count in sorted(other_statuses.items()))


def _network(series: Series, window: Window, load: LoadResult, host_class: HostClass) -> list[Check]:
    overflows = increase(series, "tcp.listen_overflows", window)
    timeouts = increase(series, "tcp.timeouts", window)
    # These counters are the whole host's. Only on a lab host is nobody else there to blame.
    outcome, whose = (broken, "") if host_class == "lab" else (doubtful, "; whose connections is not known")
    checks = []
    if overflows is None or timeouts is None:
        checks.append(unknown("The kernel's counters of connections were not read."))
    # Counters are interpolated at the edges of the window, so a part of one may belong to it.
    if overflows is not None and overflows > ERRORS_MAX:
        reading = f"The queue of new connections overflowed {_times_in_words(overflows)}"
        if load.failed + load.connect_errors + load.timeouts > 0:
            checks.append(broken(f"{reading}.", overflows, _OVERFLOWS, ERRORS_MAX))
        else:
            checks.append(outcome(f"{reading}{whose}.", overflows, _OVERFLOWS, ERRORS_MAX))
    if timeouts is not None and timeouts > ERRORS_MAX:
        reading = f"TCP waited in vain and sent again {_times_in_words(timeouts)}"
        checks.append(outcome(f"{reading}{whose}.", timeouts, "timeouts", ERRORS_MAX))
    return checks


def _with_cause(checks: list[Check], network: list[Check]) -> list[Check]:
    """Return the checks; if connections were turned away while requests failed, one finding says both."""
    cause = next((check.reading for check in network if check.unit == _OVERFLOWS), None)
    if cause is None:
        return checks
    return [
        replace(check, reading=f"{check.reading} {cause}") if check.outcome == "invalid" else check for check in checks
    ]


def _times_in_words(count: float) -> str:
    return counted(max(count, 1), "time")


RULE = Rule(
    id="R7",
    title="No errors",
    source="k6's summary, /proc/net/netstat, the application's log",
    mistake="10 of 105 requests failed unseen (study 000); a lab's run with 12,522 connection errors",
    kind="correctness",
    needs=("windows", "load", "logs", "series:tcp.listen_overflows", "series:tcp.timeouts"),
    judge=judge,
)
