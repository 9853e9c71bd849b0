"""R15: a transaction means the same to every subject, and a commit is on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..facts import SessionFacts, TrialFacts
from ..rule import NO_DATABASE, Check, Rule, Said, broken, passed, unknown
from ..wording import listed

# The contract asks for it: a stricter level costs more, a looser one checks less.
ISOLATION = "read committed"
# What the application sees through its own connection; a driver or a pool may change it for its sessions.
COMMIT = "on"
# What a server has to say of itself, by engine, for a commit to be on disk when it is answered.
DURABLE: Mapping[str, Mapping[str, str]] = {
    "PostgreSQL": {"fsync": "on", "full_page_writes": "on"},
    "MySQL": {"innodb_flush_log_at_trx_commit": "1", "innodb_doublewrite": "ON"},
}


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[Said]:
    """Isolation and durability, as the application's own connection and as the server say."""
    del session
    if not trial.scenario.uses_database:
        yield NO_DATABASE
        return
    yield None, [*_of_application(trial), _of_server(trial.evidence.database_settings)]


def _of_application(trial: TrialFacts) -> Iterable[Check]:
    isolation = trial.environment("database", "isolation")
    commit = trial.environment("database", "synchronous_commit")
    if isolation is None or commit is None:
        yield unknown("The application did not say what its transactions promise.")
        return
    if isolation != ISOLATION:
        yield broken(f"Transactions are {isolation} where the contract asks for {ISOLATION}.")
    if commit != COMMIT:
        yield broken(
            f"The application's connections have synchronous_commit {commit}: commits are answered too early."
        )


def _of_server(settings: Mapping[str, str]) -> Check:
    for asked in DURABLE.values():
        if not asked.keys() <= settings.keys():
            continue
        loose = [
            f"{name} {settings[name]}" for name in asked if settings[name].lower() != asked[name].lower()
        ]
        if loose:
            return broken(
                f"The server has {listed(loose)}: a commit may be lost, which makes every write cheaper."
            )
        return passed(f"Transactions are {ISOLATION}, and a commit is on disk when it is answered.")
    return unknown("The server did not say whether a commit is on disk when it is answered.")


RULE = Rule(
    id="R15",
    title="Transactions mean the same",
    source="GET /environment, and the server's settings",
    mistake="another isolation, or commits that nobody waits for, on one of two sides (studies 000 and 001)",
    kind="correctness",
    required=True,
    needs=("environment", "database_settings"),
    judge=judge,
)
