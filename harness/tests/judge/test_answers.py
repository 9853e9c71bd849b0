"""R16: the same answers, byte for byte, from every subject."""

from __future__ import annotations

import pytest

from plumbline.model.evidence import Evidence, HttpTlsUse
from plumbline.verdicts.judge.facts import SessionFacts
from tests.judge.damage import (
    NUMBER,
    both,
    damaged,
    each,
    each_measured,
    findings,
    first,
    measured,
    with_column,
    with_fields,
    with_load,
)
from tests.judge.evidence import session
from tests.judge.planned import SUBJECTS


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("body_bytes", 12),
        ("body_sha256", "f" * 64),
        ("encoding", "gzip"),
        ("keep_alive", False),
        ("status", 204),
    ],
)
def test_a_subject_that_answers_otherwise(field: str, value: object) -> None:
    whole = session()

    def change(evidence: Evidence) -> Evidence:
        probes = (evidence.probes[0].model_copy(update={field: value}), *evidence.probes[1:])
        return evidence.model_copy(update={"probes": probes})

    whole = each_measured(whole, SUBJECTS[1], change)
    found = findings(whole, first(whole, SUBJECTS[1]), "R16")[None]
    assert found.outcome == "invalid"
    assert f"GET /fruits: {field.replace('_', ' ')} is" in found.reading
    assert findings(whole, first(whole, SUBJECTS[0]), "R16")[None].outcome == "pass"


def test_a_row_that_was_changed_for_others_alone_is_unknown() -> None:
    def change(evidence: Evidence) -> Evidence:
        repeated = evidence.probes[0].model_copy(update={"name": f"{evidence.probes[0].name}, changed"})
        unserved = evidence.probes[0].model_copy(update={"name": "of another route"})
        return evidence.model_copy(update={"probes": (*evidence.probes, repeated, unserved)})

    whole = each_measured(session(), SUBJECTS[1], change)
    found = findings(whole, first(whole, SUBJECTS[0]), "R16")[None]
    assert found.outcome == "unknown"
    assert found.reading == "The answer to fruits, changed is missing, and other trials have it."
    assert findings(whole, first(whole, SUBJECTS[1]), "R16")[None].outcome == "pass"


def test_an_answer_that_is_not_golden() -> None:
    whole = session()
    number = first(whole, SUBJECTS[0])

    def change(evidence: Evidence) -> Evidence:
        probes = (evidence.probes[0].model_copy(update={"problem": "byte 17 differs."}), *evidence.probes[1:])
        return evidence.model_copy(update={"probes": probes})

    found = findings(damaged(whole, number, change), number, "R16")[None]
    assert (found.outcome, found.reading) == (
        "invalid",
        "GET /fruits was answered wrongly: byte 17 differs.",
    )


def mostly_reads(evidence: Evidence) -> Evidence:
    """The evidence as if each twentieth answer were the answer to a write."""
    loads = tuple(
        load.model_copy(update={"received_bytes": int(load.received_bytes * 0.952)}) for load in evidence.load
    )
    return evidence.model_copy(update={"load": loads})


def with_handshakes(evidence: Evidence) -> Evidence:
    """As if each connection of the closed phase had begun with 3 kB of a certificate, and nothing else were new."""
    loads = tuple(
        load.model_copy(update={"received_bytes": load.received_bytes + 3000 * (load.connections or 0)})
        for load in evidence.load
    )
    return evidence.model_copy(update={"load": loads})


def test_only_a_load_of_one_thing_has_the_bytes_of_its_probe_and_over_tls_a_handshake_more() -> None:
    whole = session()
    scenario = whole.trials[NUMBER].scenario
    mixed = scenario.model_copy(update={"operation": "GET /fruits (5% POST)"})
    over_tls = with_fields(http_tls=HttpTlsUse(version="TLSv1.3", cipher="X"))
    words = "when it was probed"
    assert words in of_closed(damaged(whole, NUMBER, mostly_reads))
    assert words not in of_closed(damaged(whole, NUMBER, mostly_reads, mixed))
    assert words in of_closed(damaged(whole, NUMBER, both(mostly_reads, over_tls)))
    assert words not in of_closed(damaged(whole, NUMBER, both(with_handshakes, over_tls)))


def test_a_load_without_an_answer_has_no_bytes_an_answer() -> None:
    whole = session()
    unanswered = with_load("closed", requests=0, completed=0, checks_passed=0, received_bytes=0)
    assert "when it was probed" not in of_closed(damaged(whole, NUMBER, unanswered))


def of_closed(whole: SessionFacts) -> str:
    return findings(whole, NUMBER, "R16")["closed"].reading


def test_a_trial_that_sends_fewer_bytes() -> None:
    """Where the answer to the probe was as short, the other trials show it."""
    whole = session()
    number = first(whole, SUBJECTS[0])

    def change(evidence: Evidence) -> Evidence:
        loads = tuple(
            load.model_copy(update={"received_bytes": int(load.received_bytes * 0.95)}) for load in evidence.load
        )
        probes = tuple(probe.model_copy(update={"wire_bytes": None}) for probe in evidence.probes)
        return evidence.model_copy(update={"load": loads, "probes": probes})

    found = findings(damaged(whole, number, change), number, "R16")["closed"]
    assert found.outcome == "invalid"
    assert "5.0 % less" in found.reading


@pytest.mark.parametrize(("over_tls", "outcome"), [(True, "pass"), (False, "invalid")])
def test_handshakes_are_a_larger_part_of_a_shorter_load(over_tls: bool, outcome: str) -> None:
    """The load has 25 connections with handshakes of 1,250 bytes, as measured, and answers of 260 bytes."""
    whole = session()
    tls = HttpTlsUse(version="TLSv1.3", cipher="X") if over_tls else None
    for number, requests in zip(measured(whole, SUBJECTS[0]), (4600, 5200, 5200, 5300), strict=False):

        def change(evidence: Evidence, requests: int = requests) -> Evidence:
            probes = tuple(probe.model_copy(update={"wire_bytes": None}) for probe in evidence.probes)
            return evidence.model_copy(update={"probes": probes, "http_tls": tls})

        received = requests * 260 + 25 * 1250
        counts = {"requests": requests, "completed": requests, "received_bytes": received, "connections": 25}
        whole = damaged(whole, number, both(change, with_load("closed", **counts)))
    assert findings(whole, first(whole, SUBJECTS[0]), "R16")["closed"].outcome == outcome


@pytest.mark.parametrize(
    ("column", "factor", "outcome", "words"),
    [
        ("net.lo.packets", 1.04, "warn", "3.8 % smaller than in this subject's other trials"),
        ("net.lo.packets", 0.96, "warn", "4.2 % larger than in this subject's other trials"),
        ("net.lo.packets", 1.02, "pass", "bytes were received for each answer"),
        # Too few to tell.
        ("net.lo.packets", 0.01, "pass", "bytes were received for each answer"),
        # Fewer bytes than the answers alone: the answers went another way.
        ("net.lo.bytes", 0.3, "pass", "bytes were received for each answer"),
    ],
)
def test_a_trial_whose_answers_go_in_other_pieces_is_in_doubt(
    column: str, factor: float, outcome: str, words: str
) -> None:
    whole = session()
    changed = damaged(whole, NUMBER, with_column(column, lambda _, value: value * factor))
    found = findings(changed, NUMBER, "R16")["closed"]
    assert (found.outcome, words in found.reading) == (outcome, True), found.reading


@pytest.mark.parametrize("column", ["net.lo.bytes", "net.lo.packets"])
def test_packets_that_nobody_counted_are_unknown(column: str) -> None:
    found = findings(damaged(session(), NUMBER, with_column(column, None)), NUMBER, "R16")["closed"]
    assert (found.outcome, found.reading) == ("unknown", "Packets over loopback were not counted.")


def test_what_all_trials_of_a_subject_do_alike_is_its_own_way_to_send() -> None:
    whole = session()
    twice = with_column("net.lo.packets", lambda _, value: value * 2)
    for number in measured(whole):
        assert findings(each(whole, SUBJECTS[0], twice), number, "R16")["closed"].outcome == "pass"
