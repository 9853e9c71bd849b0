"""R13: connections to the database and requests to the application are encrypted as declared, and alike."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.verdicts.figures.series import is_covered, rows_inside
from ..facts import MEASURED, SessionFacts, TrialFacts
from ..rule import NO_DATABASE, Check, PhaseChecks, Rule, broken, passed, unknown
from ..wording import counted, listed

# The contract asks for one version and one cipher for all, so that no driver negotiates an advantage for itself.
TLS_VERSION = "TLSv1.3"


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Connections against the settings `db-tls` and `http-tls`, their cipher against the others'."""
    over_http = session.settings(trial.planned.subject).get("http-tls") == "on"
    of_http = _of_http(trial, session) if over_http else []
    if not trial.scenario.uses_database:
        yield None, of_http or [NO_DATABASE]
        return
    uses = trial.evidence.tls
    setting = session.settings(trial.planned.subject).get("db-tls")
    if not any(use.connections for use in uses) or setting is None:
        yield None, [*of_http, unknown("The database did not say whether connections are encrypted.")]
        return
    plain = sum(use.connections for use in uses if use.version is None)
    encrypted = sum(use.connections for use in uses if use.version is not None)
    meanwhile = _under_load(trial, setting)
    if setting == "off":
        yield None, [*of_http, *meanwhile, _encryption_check(encrypted, plain, "plain", "encrypted")]
        return
    after_load = _encryption_check(plain, encrypted, "encrypted", "plain")
    yield None, [*of_http, *meanwhile, after_load, *_alike(trial, session)]


def _of_http(trial: TrialFacts, session: SessionFacts) -> list[Check]:
    use = trial.evidence.http_tls
    if use is None:
        return [unknown("The handshake over which the application serves was not seen.")]
    own_kind = (use.version or "none", use.cipher or "?")
    kinds = {
        (other_use.version or "none", other_use.cipher or "?")
        for facts in session.trials.values()
        if (other_use := facts.evidence.http_tls) is not None
    }
    if own_kind[0] != TLS_VERSION:
        return [broken(f"HTTP is served over {_in_words({own_kind})} where {TLS_VERSION} is asked for.")]
    if len(kinds) > 1:
        return [
            broken(
                f"Ciphers of HTTP differ in this session: {_in_words(kinds)}; this trial has {_in_words({own_kind})}."
            )
        ]
    return [passed(f"HTTP is served over {_in_words({own_kind})}, as declared, for every subject alike.")]


def _under_load(trial: TrialFacts, setting: str) -> Iterable[Check]:
    """Yield the check of the connections in each measured phase: those after the load may be others."""
    declared, actual = ("plain", "encrypted") if setting == "off" else ("encrypted", "plain")
    series = trial.evidence.series
    for facts in trial.phases(MEASURED):
        if facts.window is None or not is_covered(series, "db.tls_connections", facts.window):
            yield unknown(f"How many connections were encrypted was not read throughout {facts.phase.name}.")
            continue
        connections, encrypted = (
            rows_inside(series, f"db.{column}", facts.window) for column in ("connections", "tls_connections")
        )
        plain = [whole - part for whole, part in zip(connections, encrypted, strict=False)]
        wrong = max(encrypted if setting == "off" else plain, default=0.0)
        if wrong > 0:
            reading = f"Up to {counted(wrong, 'connection')} to the database at once"
            reading += f" {'was' if wrong == 1 else 'were'} {actual} in {facts.phase.name}"
            yield broken(f"{reading} where {declared} ones are declared.", wrong, "connections", 0)


def _encryption_check(wrong: int, right: int, declared: str, actual: str) -> Check:
    if wrong:
        reading = f"{counted(wrong, 'connection')} to the database {'is' if wrong == 1 else 'are'} {actual}"
        return broken(f"{reading} where {declared} ones are declared.", wrong, "connections", 0)
    return passed(f"All {right} connections to the database are {declared}, as declared.", 0, "connections", 0)


def _alike(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    own_kinds = _kinds(trial)
    if any(version != TLS_VERSION for version, _ in own_kinds):
        yield broken(f"Connections use {_in_words(own_kinds)} where {TLS_VERSION} is asked for.")
    kinds = {
        kind
        for facts in session.trials.values()
        if session.settings(facts.planned.subject).get("db-tls") != "off"
        for kind in _kinds(facts)
    }
    if len(kinds | own_kinds) > 1:
        yield broken(
            f"Ciphers differ in this session: {_in_words(kinds | own_kinds)}; this trial has {_in_words(own_kinds)}."
        )


def _kinds(trial: TrialFacts) -> set[tuple[str, str]]:
    return {(use.version, use.cipher or "?") for use in trial.evidence.tls if use.version is not None}


def _in_words(kinds: set[tuple[str, str]]) -> str:
    return listed(f"{version} with {cipher}" for version, cipher in sorted(kinds))


RULE = Rule(
    id="R13",
    title="Encryption is as declared",
    source="pg_stat_ssl, and the handshake for HTTP",
    mistake="18,668 requests/s became 14,956 by encrypted connections to the database (study 000)",
    kind="correctness",
    needs=("tls", "series:db.tls_connections"),
    judge=judge,
)
