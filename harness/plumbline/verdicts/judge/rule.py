"""The types of a rule and of its checks, and functions that many rules use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import pairwise

from plumbline.model.evidence import Window
from plumbline.model.host import HostReading
from plumbline.model.plan import PhaseKind
from plumbline.model.record import GRAVITY, Finding, Kind, Outcome
from .facts import MEASURED, PhaseFacts, SessionFacts, TrialFacts
from .wording import no_window


@dataclass(frozen=True)
class Check:
    """A condition of a rule, and how far the condition was met.

    `reading` is a sentence for people; `value` in `unit` was compared with `threshold`. `kind` replaces the rule's own
    kind for this condition.
    """

    outcome: Outcome
    reading: str
    value: float | None = None
    unit: str | None = None
    threshold: float | None = None
    kind: Kind | None = None


PhaseChecks = tuple[str | None, Sequence[Check]]
"""The checks of one phase, by its name, or of the whole trial (None); the gravest of them is the finding."""


@dataclass(frozen=True)
class Rule:
    """A rule of the referee.

    `source` names the source of its evidence, `mistake` the published mistake that the rule would have caught. `kind`
    decides how strict the rule is on which class of host. A rule `of_database` does not apply without a database. If a
    `required` rule is unknown, the trial is at best advisory. `needs` names the evidence without which the rule can't
    pass: fields of Evidence, or `series:` and a column; `a|b` is a or b.
    """

    id: str
    title: str
    source: str
    mistake: str
    kind: Kind
    judge: Callable[[TrialFacts, SessionFacts], Iterable[PhaseChecks]]
    of_database: bool = False
    required: bool = True
    needs: tuple[str, ...] = ()


# Each of these functions takes a reading, and the value, unit and threshold of a Check where a number decided.
passed = partial(Check, "pass")
"""A check whose condition is met."""
doubtful = partial(Check, "warn")
"""A check whose condition is not met, so that the trial is at best advisory."""
broken = partial(Check, "invalid")
"""A check whose condition is not met, so that the trial is invalid."""
unknown = partial(Check, "unknown")
"""A check without evidence; the reading says which evidence is missing."""
not_applicable = partial(Check, "n/a")
"""A check of a rule that does not apply; the reading says why."""


def as_doubt(check: Check) -> Check:
    """Return the check, with a breach of its condition as a mere doubt."""
    return replace(check, outcome="warn") if check.outcome == "invalid" else check


NO_DATABASE = not_applicable("The scenario does not use the database.")
"""The answer of rules about the database in a scenario without one."""

OWN_LOAD = not_applicable("The program makes its own load: no load generator stands beside it.")
"""The answer of rules about the load generator and HTTP for a program without a server."""


def in_windows(
    trial: TrialFacts,
    checks: Callable[[PhaseFacts, Window], Iterable[Check]],
    kinds: tuple[PhaseKind, ...] = MEASURED,
) -> Iterator[PhaseChecks]:
    """Yield the checks of each phase of these kinds within its window; a phase that left no window is unknown."""
    for facts in trial.phases(kinds):
        name, window = facts.phase.name, facts.window
        yield name, [unknown(no_window(name))] if window is None else list(checks(facts, window))


def gravest(rule: str, phase: str | None, checks: Sequence[Check]) -> Finding:
    """Return the finding of the gravest check, the first if several are equally grave. `checks` is not empty."""
    check = min(checks, key=lambda candidate: GRAVITY.index(candidate.outcome))
    return Finding(
        rule=rule,
        phase=phase,
        outcome=check.outcome,
        reading=check.reading,
        value=check.value,
        unit=check.unit,
        threshold=check.threshold,
    )


def usual(values: Iterable[Hashable]) -> Hashable | None:
    """Return the most frequent value; None when there is no value, or when two are equally frequent."""
    frequent = Counter(values).most_common(2)
    if not frequent or (len(frequent) == 2 and frequent[0][1] == frequent[1][1]):
        return None
    return frequent[0][0]


def usual_of_contenders(values: Iterable[tuple[TrialFacts, Hashable]], control: str) -> Hashable | None:
    """Return the value of most contenders, however many trials each has; of a tie the control decides.

    A contender has the value of most of its trials. None when no value is the usual one.
    """
    by_contender: dict[object, list[Hashable]] = {}
    for trial, value in values:
        by_contender.setdefault(trial.planned.contender, []).append(value)
    votes = {contender: usual(own_values) for contender, own_values in by_contender.items()}
    of_most = usual(vote for vote in votes.values() if vote is not None)
    return votes.get((None, control)) if of_most is None else of_most


def is_odd(own: object, values: Sequence[tuple[TrialFacts, object]], control: str) -> bool:
    """Return whether trials differ, and a trial has another value than most contenders; None is a value as well.

    Where nobody knows which of two values is right, both are odd.
    """
    in_words = [(trial, str(value)) for trial, value in values]
    return len({words for _, words in in_words}) > 1 and usual_of_contenders(in_words, control) != str(own)


@dataclass(frozen=True)
class CounterGrowth:
    """The growth of each CPU's counter in one stretch of a session, and the seconds in which the session ran for sure.

    After a stretch that `was_interrupted` the host was read when the session was resumed, so that some of the growth
    may be of the time in between.
    """

    counts: Mapping[int, int]
    seconds: float
    was_interrupted: bool


def counter_growth(
    session: SessionFacts, counter: Callable[[HostReading], Mapping[int, int]]
) -> list[CounterGrowth] | None:
    """Return the growth in each stretch of a session in which a trial ran; the last stretch was not interrupted.

    If no trial ran in any stretch by the times of the readings, the last stretch is returned.
    None where a counter or a time was not read, where the CPUs changed, or where the host was booted in between, since
    its counters began anew.
    """
    readings = session.host.readings
    if len(readings) < 2:
        return None
    growths: list[CounterGrowth] = []
    for before, after in pairwise(readings):
        first, last = counter(before), counter(after)
        if not first or set(first) != set(last) or before.uptime_s is None or after.uptime_s is None:
            return None
        if after.uptime_s <= before.uptime_s or any(last[cpu] < first[cpu] for cpu in first):
            return None
        was_interrupted = after is not readings[-1]
        try:
            ran_s = _ran_s(session, before, after)
            if after.uptime_s < _moment_s(after.read_at) - _moment_s(before.read_at):
                return None
        except (ValueError, OverflowError):
            return None
        if ran_s > 0 or not (was_interrupted or growths):
            seconds = ran_s if was_interrupted else after.uptime_s - before.uptime_s
            counts = {cpu: last[cpu] - first[cpu] for cpu in first}
            growths.append(CounterGrowth(counts, seconds, was_interrupted))
    return growths


def _ran_s(session: SessionFacts, before: HostReading, after: HostReading) -> float:
    """Return the seconds from a reading to the end of the last load before the next one; 0 if there was no load."""
    began_s = _moment_s(before.read_at)
    return max(
        (
            _moment_s(facts.evidence.started_at) + facts.evidence.windows[-1].end_s - began_s
            for facts in (*session.trials.values(), *session.proofs.values())
            if facts.evidence.windows and before.read_at <= facts.evidence.started_at < after.read_at
        ),
        default=0.0,
    )


def _moment_s(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
