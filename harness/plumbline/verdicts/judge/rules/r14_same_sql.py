"""R14: every subject asks the database for the same work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from plumbline.model.comparison import Side
from plumbline.model.evidence import DatabaseWork, LoadResult
from plumbline.verdicts.contract.budgets import kind_of
from ..facts import LOADED, PhaseFacts, SessionFacts, TrialFacts, declared
from ..rule import Check, PhaseChecks, Rule, broken, not_applicable, passed, unknown
from ..wording import listed
from .r08_tally import in_flight

# The contract allows whole numbers of statements and rows. A smaller difference comes from counting at another moment.
DIFFERENCE_MAX = 0.005
# A busy backend reports its commits once a second. So the commits of the last second may be missing, and those of the
# second before the phase may be counted.
COMMITS_LATE_S = 1.0
# The settings that declare another way to ask the database. No other setting excuses a difference.
_OTHER_SQL = frozenset({"sql", "second-level-cache", "sessions", "remove"})

Key = tuple[str, str, str]
_TRANSACTIONS: Key = ("", "", "transactions")


@dataclass(frozen=True)
class _Work:
    """The mean work of a request, by (table, verb, calls or rows), and the possible error of its count."""

    subject: str
    a_request: Mapping[Key, float]
    uneven: float
    late: float

    def slack(self, key: Key) -> float:
        """Return by how much a request the count may be off: requests that did other work, and commits not reported
        yet."""
        value = self.a_request.get(key, 0.0)
        # A request may be the only one of a rare kind, such as the writes of a mix.
        return self.uneven * max(1.0, value) + (self.late * value if key == _TRANSACTIONS else 0.0)


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Calls and rows of each kind of statement, and transactions, a request: against the other subjects'."""
    others = _other_trials(trial, session)
    counted = any(work.statements for facts in session.trials.values() for work in facts.evidence.database)
    for facts in trial.phases():
        own_work = _work(trial, facts) if counted else None
        if _finds_or_inserts(trial, facts):
            yield (
                facts.phase.name,
                [
                    not_applicable(
                        "Whether a request finds or inserts follows from what the table holds by then, so that who is "
                        "faster asks for other work; R17 says how far it drifted."
                    )
                ],
            )
        elif own_work is None:
            yield facts.phase.name, [unknown("Statements or requests were not counted.")]
        else:
            yield facts.phase.name, list(_checks(own_work, others, facts.phase.name, session.plan.control))


def _checks(own_work: _Work, others: list[TrialFacts], phase: str, control: str) -> Iterable[Check]:
    """Yield the check against subjects that declare nothing, and the check against those that declare the same.

    What a subject declares explains a difference from the former. Of the latter the contract asks for the same work.
    """
    own = _declaring(own_work.subject)
    plain = [other for other in others if not _declaring(other.planned.subject)]
    yield _check(own_work, _works_of(plain, phase), control, [f"{name}={value}" for name, value in own.items()])
    declaring_alike = [other for other in others if own and _declaring(other.planned.subject) == own]
    if works := _works_of(declaring_alike, phase):
        yield _check(own_work, works, control, [])


def _finds_or_inserts(trial: TrialFacts, facts: PhaseFacts) -> bool:
    """Return whether rows came that no request had to write: the database decided (as in R8)."""
    load, work = facts.load, facts.work
    if load is None or work is None or not trial.scenario.grows:
        return False
    return load.writes == 0 and sum(work.rows_inserted.values()) > 0


def _declaring(subject: str) -> dict[str, str]:
    return {name: value for name, value in declared(subject).items() if name in _OTHER_SQL}


def _other_trials(trial: TrialFacts, session: SessionFacts) -> list[TrialFacts]:
    """Return the first trial of each other contender with the same operation.

    Two sides of one subject are two contenders. A contender whose measured requests failed did not do the work.
    """
    first: dict[tuple[Side | None, str], TrialFacts] = {}
    for facts in session.asked_alike(trial, discarded=session.plan.comparison is not None):
        evidence = facts.evidence
        failed = any(phase.load is not None and phase.load.failed for phase in facts.phases())
        complete = evidence.failure is None and not failed
        if complete:
            first.setdefault(facts.planned.contender, facts)
    first.pop(trial.planned.contender, None)
    return list(first.values())


def _works_of(trials: Iterable[TrialFacts], phase: str) -> list[_Work]:
    """Return the work of these trials in a phase, by its name."""
    works = (_work(trial, facts) for trial in trials for facts in trial.phases() if facts.phase.name == phase)
    return [work for work in works if work is not None]


def _work(trial: TrialFacts, facts: PhaseFacts) -> _Work | None:
    load, work = facts.load, facts.work
    if load is None or work is None or load.requests <= 0:
        return None
    return _Work(
        subject=trial.planned.subject,
        a_request=_by_kind(trial.planned.parsed.engine, work, load),
        uneven=_uneven(load) / load.requests,
        late=COMMITS_LATE_S * (_rate(load) + _rate(_load_before(trial, facts))) / load.requests,
    )


def _uneven(load: LoadResult) -> int:
    """Return how many requests may have done other work than their share: failed ones, and in a mix those at its end,
    where each visitor stops somewhere in its turns.
    """
    in_a_mix = bool(load.parts) or 0 < load.writes < load.requests - load.failed
    return load.failed + (in_flight(load) if in_a_mix else 0)


def _load_before(trial: TrialFacts, facts: PhaseFacts) -> LoadResult | None:
    """Return the load of the phase before this one."""
    loads: list[LoadResult | None] = [None]
    for earlier in trial.phases(LOADED):
        if earlier.phase.name == facts.phase.name:
            break
        loads.append(earlier.load)
    return loads[-1]


def _rate(load: LoadResult | None) -> float:
    return load.requests / load.window_s if load is not None and load.window_s > 0 else 0.0


def _by_kind(engine: str, work: DatabaseWork, load: LoadResult) -> dict[Key, float]:
    by_key: dict[Key, float] = {}
    for statement in work.statements:
        kind = kind_of(statement.query)
        if kind is not None:
            for measure, count in (("calls", statement.calls), ("rows", statement.rows)):
                by_key[(*kind, measure)] = by_key.get((*kind, measure), 0.0) + count / load.requests
    # MySQL does not count a statement that commits by itself.
    if engine != "mysql":
        by_key[_TRANSACTIONS] = (work.commits + work.rollbacks) / load.requests
    return by_key


def _check(own_work: _Work, work_of_others: list[_Work], control: str, declared_settings: list[str]) -> Check:
    if not work_of_others:
        return not_applicable("No other subject was asked for the same.")
    keys = {key for work in (own_work, *work_of_others) for key in work.a_request}
    odd = [
        difference
        for key in sorted(keys)
        if (difference := _difference(key, own_work, work_of_others, control)) is not None
    ]
    calls, rows = (
        sum(value for key, value in own_work.a_request.items() if key[2] == measure) for measure in ("calls", "rows")
    )
    if not odd:
        reading = f"{calls:.3g} statements and {rows:.3g} rows a request, as of the others."
        return passed(reading, calls, "statements/request")
    remainder = f", and {len(odd) - 1} more that differ" if len(odd) > 1 else ""
    if declared_settings:
        return passed(f"{odd[0]}{remainder}, as {listed(declared_settings)} declares.", calls, "statements/request")
    return broken(f"{odd[0]}{remainder}: other work, not the same work faster.", calls, "statements/request")


def _difference(key: Key, own_work: _Work, work_of_others: list[_Work], control: str) -> str | None:
    """Return how the work of a subject differs from that of most subjects, or else from the control's."""
    value = own_work.a_request.get(key, 0.0)
    like_own = [work for work in work_of_others if _alike(key, own_work, work)]
    unlike_own = [work for work in work_of_others if not _alike(key, own_work, work)]
    if not unlike_own:
        return None
    usual = max(unlike_own, key=lambda work: sum(_alike(key, work, other) for other in work_of_others))
    usual_count = sum(_alike(key, usual, other) for other in work_of_others)
    own_count = len(like_own) + 1
    of_control = next((work for work in (own_work, *work_of_others) if work.subject == control), None)
    if own_count > usual_count or (
        own_count == usual_count and of_control is not None and _alike(key, own_work, of_control)
    ):
        return None
    reference = of_control if own_count == usual_count and of_control in unlike_own and of_control else usual
    return f"{_in_words(key)}: {value:.3g} a request, {reference.a_request.get(key, 0.0):.3g} of {reference.subject}"


def _alike(key: Key, first: _Work, second: _Work) -> bool:
    first_value, second_value = first.a_request.get(key, 0.0), second.a_request.get(key, 0.0)
    return abs(first_value - second_value) <= DIFFERENCE_MAX * max(first_value, second_value) + first.slack(
        key
    ) + second.slack(key)


def _in_words(key: Key) -> str:
    table, verb, measure = key
    return "Transactions" if key == _TRANSACTIONS else f"{measure.capitalize()} of {verb} on {table}"


RULE = Rule(
    id="R14",
    title="The same SQL",
    source="pg_stat_statements or performance_schema, and pg_stat_database",
    mistake="a query for each row, a session kept open for the view, a second-level cache that hides the database",
    kind="correctness",
    of_database=True,
    needs=("database", "load"),
    judge=judge,
)
