"""R16: every subject gives the same answers."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from plumbline.model.evidence import LoadResult, Probe
from ..alike import usual
from ..facts import SessionFacts, TrialFacts, declared
from ..rule import OWN_LOAD, Check, Rule, Said, broken, not_applicable, passed, unknown
from ..wording import counted, percent

# Dates and ids have a fixed width, so trials of one subject differ by the headers of a few connections at
# most.
WIRE_BYTES_MAX = 0.001

_COMPARED = ("status", "protocol", "encoding", "keep_alive", "body_bytes", "body_sha256")
# Of a program without a server.
_COMPARED_OF_PROGRAMS = ("body_bytes", "body_sha256")
# A server may close the connection after an error, and its words for a path that nobody serves are its own; errors
# that the contract words are compared with their golden answers.
_COMPARED_OF_ERRORS = ("status",)
# What a setting may change, if a subject declares it.
_SETTING_OF = {"keep_alive": "keep-alive", "protocol": "http", "encoding": "compression"}


# Operations whose answers are longer or shorter by what was asked, or by how long it took: of some thousand of them the
# mean is no constant.
_VARYING = ("GET /benchmark?", "POST /orders")
_AS_LONG_AS_ASKED = not_applicable(
    "Answers differ in length by what was asked, so that their mean is no constant."
)


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[Said]:
    """Probes against golden answers and the other subjects'; bytes an answer against its other trials."""
    yield None, _probes(trial, session)
    for facts in trial.phases():
        if trial.loads_itself:
            wire = OWN_LOAD
        elif trial.scenario.operation.startswith(_VARYING):
            wire = _AS_LONG_AS_ASKED
        else:
            wire = _wire(trial, session, facts.load)
        yield facts.phase.name, [wire]


def _probes(trial: TrialFacts, session: SessionFacts) -> list[Check]:
    probes = trial.evidence.probes
    if not probes:
        return [unknown("No request of the contract was sent.")]
    checks = [
        broken(f"{probe.method} {probe.path} was answered wrongly: {probe.problem}")
        for probe in probes
        if probe.problem is not None
    ]
    checks += [check for probe in probes for check in _alike(probe, trial, session)]
    well = f"{counted(len(probes), 'answer')} equal the golden ones and those of the other subjects."
    return [*checks, passed(well, len(probes), "answers")]


def _alike(probe: Probe, trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    if (
        (probe.status is None and not trial.loads_itself)
        or probe.body_sha256 is None
        or probe.body_bytes is None
    ):
        yield unknown(f"The answer to {probe.method} {probe.path} was not kept.")
        return
    theirs = [
        other
        for facts in session.of_scenario(trial.planned.scenario)
        for other in facts.evidence.probes
        if other.name == probe.name and other.method == probe.method
    ]
    mine = declared(trial.planned.subject)
    for field in _fields(probe.status):
        if _SETTING_OF.get(field) in mine:
            continue
        values = [getattr(other, field) for other in theirs]
        if len(set(values)) > 1 and (reference := usual(values)) != getattr(probe, field):
            usually = f"in most trials {reference}" if reference is not None else "in other trials another"
            name = field.replace("_", " ")
            yield broken(f"{probe.method} {probe.path}: {name} is {getattr(probe, field)}, {usually}.")


def _fields(status: int | None) -> tuple[str, ...]:
    if status is None:
        return _COMPARED_OF_PROGRAMS
    return _COMPARED if 200 <= status < 300 else _COMPARED_OF_ERRORS


def _wire(trial: TrialFacts, session: SessionFacts, load: LoadResult | None) -> Check:
    if load is None or load.requests <= 0 or load.received_bytes <= 0:
        return unknown("Received bytes were not counted.")
    sizes = [
        other.received_bytes / other.requests
        for facts in session.of_scenario(trial.planned.scenario)
        if facts.planned.contender == trial.planned.contender
        for other in facts.evidence.load
        if other.phase == load.phase and other.requests > 0 and other.received_bytes > 0
    ]
    mine = load.received_bytes / load.requests
    off = mine / statistics.median(sizes or [mine]) - 1
    reading = f"{mine:.1f} bytes were received an answer"
    if abs(off) <= WIRE_BYTES_MAX:
        return passed(f"{reading}, as in this subject's other trials.", off, "share", WIRE_BYTES_MAX)
    way = "more" if off > 0 else "less"
    reading = f"{reading}, {percent(abs(off))} {way} than in this subject's other trials."
    return broken(reading, off, "share", WIRE_BYTES_MAX)


RULE = Rule(
    id="R16",
    title="Same answers",
    source="probes of the contract, and k6's count of bytes",
    mistake="an empty or compressed body wins",
    kind="correctness",
    required=True,
    needs=("probes", "load"),
    judge=judge,
)
