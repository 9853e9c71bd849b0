"""R14: every subject asks the database for the same work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from plumbline.model.evidence import DatabaseWork, LoadResult
from plumbline.verdicts.contract.budgets import kind_of
from ..facts import LOADED, PhaseFacts, SessionFacts, TrialFacts, declared
from ..rule import Check, Rule, Said, broken, not_applicable, passed, unknown
from ..wording import listed
from .r08_tally import in_flight

# The contract allows whole numbers of statements and rows. A smaller difference comes from counting at another moment.
DIFFERENCE_MAX = 0.005
# A busy backend reports its commits once a second. So the commits of the last second may be missing, and those of the
# second before the phase may be counted.
COMMITS_LATE_S = 1.0
# Settings that can't change what is asked of the database. One that is not listed declares that it may.
_SAME_SQL = frozenset(
    (
        *("cpu-share", "cpus", "db-disk", "db-timeout", "db-tls", "gc", "heap"),
        *("page-cache", "pool", "profile", "run-in", "spin"),
    )
)

Key = tuple[str, str, str]
_TRANSACTIONS: Key = ("", "", "transactions")


@dataclass(frozen=True)
class _Work:
    """The mean work of a request, by (table, verb, calls or rows), and the possible error of its count."""

    subject: str
    a_request: Mapping[Key, float]
    in_flight: float
    late: float

    def slack(self, key: Key) -> float:
        """Amount a request by which counting alone may be off: requests under way, and commits not reported yet."""
        value = self.a_request.get(key, 0.0)
        # A request under way may be the whole of what is asked for seldom, such as the writes of a mix.
        return self.in_flight * max(1.0, value) + (self.late * value if key == _TRANSACTIONS else 0.0)


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[Said]:
    """Calls and rows of each kind of statement, and transactions, a request: against the other subjects'."""
    others = _others(trial, session)
    says = [f"{name}={value}" for name, value in _declaring(trial.planned.subject).items()]
    counted = any(work.statements for facts in session.trials.values() for work in facts.evidence.database)
    for facts in trial.phases():
        mine = _work(trial, facts) if counted else None
        if _finds_or_inserts(trial, facts):
            check = not_applicable(
                "Whether a request finds or inserts follows from what the table holds by then, so that who is faster "
                "asks for other work; R17 says how far it drifted."
            )
        elif mine is None:
            check = unknown("Statements or requests were not counted.")
        else:
            theirs = [work for other in others if (work := _work_of(other, facts.phase.name)) is not None]
            check = _check(mine, theirs, session.plan.control, says)
        yield facts.phase.name, [check]


def _finds_or_inserts(trial: TrialFacts, facts: PhaseFacts) -> bool:
    """Whether rows came that no request had to write: the database decided (as in R8)."""
    load, work = facts.load, facts.work
    if load is None or work is None or not trial.scenario.grows:
        return False
    return load.writes == 0 and sum(work.rows_inserted.values()) > 0


def _declaring(subject: str) -> dict[str, str]:
    return {name: value for name, value in declared(subject).items() if name not in _SAME_SQL}


def _others(trial: TrialFacts, session: SessionFacts) -> list[TrialFacts]:
    """Return the first trial of each other subject that has to do the same work: the same operation, and no other
    declared way.

    A subject whose requests failed did not do the work.
    """
    first: dict[str, TrialFacts] = {}
    for facts in session.asked_alike(trial):
        its = facts.evidence
        whole = its.failure is None and not any(load.failed for load in its.load)
        if whole and not _declaring(facts.planned.subject):
            first.setdefault(facts.planned.subject, facts)
    first.pop(trial.planned.subject, None)
    return list(first.values())


def _work_of(trial: TrialFacts, phase: str) -> _Work | None:
    return next((_work(trial, facts) for facts in trial.phases() if facts.phase.name == phase), None)


def _work(trial: TrialFacts, facts: PhaseFacts) -> _Work | None:
    load, work = facts.load, facts.work
    if load is None or work is None or load.requests <= 0:
        return None
    return _Work(
        subject=trial.planned.subject,
        a_request=_by_kind(trial.planned.parsed.engine, work, load),
        in_flight=in_flight(load) / load.requests,
        late=COMMITS_LATE_S * (_rate(load) + _rate(_before(trial, facts))) / load.requests,
    )


def _before(trial: TrialFacts, facts: PhaseFacts) -> LoadResult | None:
    """The load of the phase before this one."""
    loads: list[LoadResult | None] = [None]
    for one in trial.phases(LOADED):
        if one.phase.name == facts.phase.name:
            break
        loads.append(one.load)
    return loads[-1]


def _rate(load: LoadResult | None) -> float:
    return load.requests / load.window_s if load is not None and load.window_s > 0 else 0.0


def _by_kind(engine: str, work: DatabaseWork, load: LoadResult) -> dict[Key, float]:
    found: dict[Key, float] = {}
    for statement in work.statements:
        kind = kind_of(statement.query)
        if kind is not None:
            for what, count in (("calls", statement.calls), ("rows", statement.rows)):
                found[(*kind, what)] = found.get((*kind, what), 0.0) + count / load.requests
    # MySQL does not count a statement that commits by itself.
    if engine != "mysql":
        found[_TRANSACTIONS] = (work.commits + work.rollbacks) / load.requests
    return found


def _check(mine: _Work, others: list[_Work], control: str, says: list[str]) -> Check:
    if not others:
        return not_applicable("No other subject was asked for the same.")
    keys = {key for work in (mine, *others) for key in work.a_request}
    odd = [said for key in sorted(keys) if (said := _difference(key, mine, others, control)) is not None]
    calls, rows = (
        sum(value for key, value in mine.a_request.items() if key[2] == what) for what in ("calls", "rows")
    )
    if not odd:
        reading = f"{calls:.3g} statements and {rows:.3g} rows a request, as of the others."
        return passed(reading, calls, "statements/request")
    more = f", and {len(odd) - 1} more that differ" if len(odd) > 1 else ""
    if says:
        return passed(f"{odd[0]}{more}, as {listed(says)} declares.", calls, "statements/request")
    return broken(f"{odd[0]}{more}: other work, not the same work faster.", calls, "statements/request")


def _difference(key: Key, mine: _Work, others: list[_Work], control: str) -> str | None:
    """Return how the work of a subject differs from that of most subjects, or else from the control's."""
    value = mine.a_request.get(key, 0.0)
    with_me = [work for work in others if _alike(key, mine, work)]
    against = [work for work in others if not _alike(key, mine, work)]
    if not against:
        return None
    usual = max(against, key=lambda one: sum(_alike(key, one, other) for other in others))
    most = sum(_alike(key, usual, other) for other in others)
    mine_is = len(with_me) + 1
    of_control = next((work for work in (mine, *others) if work.subject == control), None)
    if mine_is > most or (mine_is == most and of_control is not None and _alike(key, mine, of_control)):
        return None
    theirs = of_control if mine_is == most and of_control in against and of_control else usual
    return f"{_named(key)}: {value:.3g} a request, {theirs.a_request.get(key, 0.0):.3g} of {theirs.subject}"


def _alike(key: Key, one: _Work, other: _Work) -> bool:
    mine, theirs = one.a_request.get(key, 0.0), other.a_request.get(key, 0.0)
    return abs(mine - theirs) <= DIFFERENCE_MAX * max(mine, theirs) + one.slack(key) + other.slack(key)


def _named(key: Key) -> str:
    table, verb, what = key
    return "Transactions" if key == _TRANSACTIONS else f"{what.capitalize()} of {verb} on {table}"


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
