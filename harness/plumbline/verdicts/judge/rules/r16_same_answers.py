"""R16: every subject gives the same answers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable

from plumbline.model.evidence import LoadResult, Probe, Series, Window
from plumbline.model.plan import vus_of
from plumbline.verdicts.contract.changed_row import has_changeable_text
from plumbline.verdicts.contract.probes import path_of
from plumbline.verdicts.figures.series import increase
from ..cpu import pause_within
from ..facts import PhaseFacts, SessionFacts, TrialFacts
from ..rule import (
    OWN_LOAD,
    Check,
    PhaseChecks,
    Rule,
    broken,
    doubtful,
    is_odd,
    not_applicable,
    passed,
    unknown,
    usual_of_contenders,
)
from ..waits import waits
from ..wording import counted, no_window, percent

# Dates and ids have a fixed width, so trials of one subject differ only by the heads of a few connections.
WIRE_BYTES_MAX = 0.001
# The probe before the load and the requests of the load get the same answer, to the byte. Only counts in cookies and
# the like may differ.
PROBE_BYTES_MAX = 4
# A server sends no more than this to agree on TLS: its certificate, of a kilobyte or two, and tickets.
HANDSHAKE_BYTES_MAX = 8192
# A server may close each hundredth connection, as Tomcat does by default. A server that closes every connection is far
# above.
OPENED_MAX = 0.02
# So many connections say nothing of a short load: the use cases of a mix have clients of their own, and k6 opens a
# connection before it begins.
FEW_CLIENTS = 50
# An answer and its statements take 12 to 14 packets, so that half a packet more an answer is some 3 %. In the 128
# closed phases of results/repeats and results/families, in which nothing was wrong, none was off by more than 0.9 %.
PACKET_BYTES_MAX = 0.03
# If there are fewer packets, too large a part of them may belong to other programs that talk over loopback. The phases
# named above had 230,000 and more.
PACKETS_MIN = 100_000
# The harness opens some connections itself: it asks k6 for its count, and the database for its own.
OWN_OPENS_PER_S = 4
# An application that remembers an answer shows the changed row in no compared answer, or in a few. Twenty phases of
# four honest applications, on a machine that others kept busy, showed it in 0.9 times the fewest and 1.3 times the most
# answers that were expected. An answer that is kept for less than half a second is not found.
FRESH_MIN = 0.5
STALE_MAX = 2.0
# The more answers are expected, the less chance can hide, so that an application that remembers every other answer is
# found. The limit is 0.9 of the expected answers, as honest applications show, less three times the scatter of a count
# by Poisson's law.
FRESH_HONEST, FRESH_SIGMAS = 0.9, 3.0
# If fewer answers are expected, chance alone may leave out all of them.
FRESH_EXPECTED_MIN = 20

_COMPARED = ("status", "protocol", "encoding", "keep_alive", "body_bytes", "body_sha256")
# Fields of the answers of a program without a server.
_COMPARED_OF_PROGRAMS = ("body_bytes", "body_sha256")
# A server may close the connection after an error, and its words for a path that nobody serves are its own; errors
# that the contract words are compared with their golden answers.
_COMPARED_OF_ERRORS = ("status",)


# Operations whose answers differ in length by what was asked, or by how long it took: even the mean of some thousand
# answers is no constant.
_VARYING = ("GET /benchmark?", "POST /orders")
_AS_LONG_AS_ASKED = not_applicable("Answers differ in length by what was asked, so that their mean is no constant.")


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Probes against golden answers and other subjects; answers, bytes, packets and connections of each phase
    against both; and whether its requests waited for their sleep, and its orders for their six sources.
    """
    yield None, _probes(trial, session)
    for facts in trial.phases():
        if trial.loads_itself:
            against_others = [OWN_LOAD]
        elif trial.scenario.operation.startswith(_VARYING):
            against_others = [_AS_LONG_AS_ASKED]
        else:
            against_others = [*_packets(trial, session, facts), _wire(trial, session, facts.load)]
        yield facts.phase.name, [*_under_load(trial, session, facts), *against_others]


def _under_load(trial: TrialFacts, session: SessionFacts, facts: PhaseFacts) -> Iterable[Check]:
    """Yield the checks of answers under load, which probes before the load do not see."""
    if trial.loads_itself or facts.load is None:
        return
    if facts.window is None:
        yield unknown(no_window(facts.phase.name))
        return
    comparison = session.plan.comparison
    sides = 2 if comparison is not None and comparison.design == "duet" and trial.planned.side is not None else 1
    yield from _connections(trial.evidence.series, facts.load, facts.window, sides)
    yield from _fresh(trial, facts.load, facts.window)
    yield from _as_probed(trial, facts.load)
    yield from waits(trial, session.operation_of(trial), facts.load)


def _as_probed(trial: TrialFacts, load: LoadResult) -> Iterable[Check]:
    """Yield the check of the bytes of an answer, against the whole answer that the probe of the same path got.

    The load must have requests of one kind only; over TLS each connection may add its handshake.
    """
    if "(" in trial.scenario.operation:
        return
    handshakes = 0.0
    if trial.evidence.http_tls is not None:
        handshakes = HANDSHAKE_BYTES_MAX * _clients(load) / max(1, load.requests)
    path = path_of(trial.scenario)
    probe = next(
        (probe for probe in trial.evidence.probes if (probe.method, probe.path, probe.status) == ("GET", path, 200)),
        None,
    )
    if probe is None or probe.wire_bytes is None or load.wrong_length is None or load.failed or not load.requests:
        return
    off = load.received_bytes / load.requests - probe.wire_bytes
    allowed = max(PROBE_BYTES_MAX, WIRE_BYTES_MAX * probe.wire_bytes)
    if off < -allowed or off > allowed + handshakes:
        way = "more" if off > 0 else "less"
        reading = f"Under load an answer had {abs(off):.0f} bytes {way} than the {probe.wire_bytes} when it was probed"
        yield broken(f"{reading}: another header, or another encoding.", off, "bytes", PROBE_BYTES_MAX)


def _clients(load: LoadResult) -> int:
    """Return how many clients a load has at the most, each of which opens a connection once."""
    generators = max(1, len(load.began_ms))
    return load.connections or max(FEW_CLIENTS, vus_of(load.rate_per_s or 0, load.window_s, generators))


def _connections(series: Series, load: LoadResult, window: Window, sides: int) -> Iterable[Check]:
    """Yield the checks of connections that were opened while the load went on, beyond one for each client.

    The load generator counts its own connections, the kernel counts everybody's on the host. Where the generator told
    nothing, the kernel's count decides; where the generator's connections were kept alive, it is only a doubt. In a
    duet the kernel counts those of both `sides`.
    """
    opened = increase(series, "tcp.passive_opens", window)
    if opened is None and load.reused is None:
        yield unknown("Connections that were opened during the phase were not counted.")
        return
    clients = _clients(load)
    if load.reused is not None:
        opened_share = 1 - load.reused - clients / max(1, load.requests)
        if opened_share > OPENED_MAX:
            reading = f"{percent(1 - load.reused)} of the requests opened a connection"
            yield broken(f"{reading}: they were not kept alive.", opened_share, "share", OPENED_MAX)
            return
    surplus = (opened or 0) - sides * (clients + OWN_OPENS_PER_S * (window.end_s - window.start_s))
    share = max(0.0, surplus) / max(1, load.requests)
    if share > OPENED_MAX:
        reading = f"{counted(opened or 0, 'connection')} were opened for {counted(load.requests, 'request')}"
        if load.reused is None:
            yield broken(f"{reading}: they were not kept alive.", share, "share", OPENED_MAX)
        else:
            cause = "the load kept its own alive, so a neighbour or the application opened them"
            yield doubtful(f"{reading}: {cause}.", share, "share", OPENED_MAX)


def _fresh(trial: TrialFacts, load: LoadResult, window: Window) -> Iterable[Check]:
    """Yield the check of answers that show the row as the harness had changed it, against the answers that had to."""
    change = next((change for change in trial.evidence.freshness if change.phase == load.phase), None)
    if change is None or load.fresh is None:
        if has_changeable_text(trial.scenario.workload) and load.wrong_length is not None:
            yield unknown("No row that is served was changed during the phase.")
        return
    if pause_within(trial.evidence.series, window, load.completed / max(load.window_s, 1.0)) is not None:
        yield unknown(
            "A process stood still for a while, or may have (R4): answers from then say nothing of a changed row."
        )
        return
    changed_window = window.model_copy(
        update={
            "start_s": max(change.changed_s, window.start_s),
            "end_s": min(change.restored_s, window.end_s),
        }
    )
    length_s = max(0.0, changed_window.end_s - changed_window.start_s)
    fewest, most = _expected(trial.evidence.series, load, changed_window, length_s)
    if fewest < FRESH_EXPECTED_MIN:
        yield unknown(f"Only some {fewest:.0f} compared answers fell on the {length_s:.1f} s of a changed row.")
        return
    reading = (
        f"A row that is served was changed for {length_s:.1f} s: {counted(load.fresh, 'answer')} showed it, of some "
        f"{fewest:.0f} that were compared then"
    )
    least = max(FRESH_MIN, FRESH_HONEST - FRESH_SIGMAS / math.sqrt(fewest))
    if load.fresh < least * fewest:
        yield broken(f"{reading}: others came from memory.", load.fresh / fewest, "share", least)
    elif load.fresh > STALE_MAX * most:
        yield broken(f"{reading}: later ones came from memory.", load.fresh / most, "share", STALE_MAX)


def _expected(series: Series, load: LoadResult, changed_window: Window, length_s: float) -> tuple[float, float]:
    """Return the fewest and the most answers that were compared in a window: by the window's share of the time, and by
    k6's running count.

    Answers come in bursts if an application is slow, and k6's count is read once a second.
    """
    if length_s <= 0 or load.window_s <= 0 or load.requests <= 0:
        return 0.0, 0.0
    by_time = load.checks_passed * length_s / load.window_s
    answers = increase(series, "load.requests", changed_window)
    by_count = by_time if answers is None else load.checks_passed * answers / load.requests
    return min(by_time, by_count), max(by_time, by_count)


def _packets(trial: TrialFacts, session: SessionFacts, facts: PhaseFacts) -> Iterable[Check]:
    """Yield the check of the mean packet over loopback, as the kernel counts, against this subject's other trials.

    No check where the load goes another way. The packets are everybody's on the host, so another mean is only a doubt.
    """
    if facts.load is None or facts.window is None:
        return
    own_size = _packet_bytes(trial, facts.load, facts.window)
    if own_size is None:
        yield unknown("Packets over loopback were not counted.")
    elif own_size > 0:
        sizes = [
            size
            for other in session.of_scenario(trial.planned.scenario)
            if other.planned.contender == trial.planned.contender
            for peer in other.phases()
            if peer.phase.name == facts.phase.name and peer.load is not None and peer.window is not None
            if (size := _packet_bytes(other, peer.load, peer.window))
        ]
        off = own_size / statistics.median(sizes) - 1
        if abs(off) > PACKET_BYTES_MAX:
            way = "larger" if off > 0 else "smaller"
            reading = f"Packets over loopback were {percent(abs(off))} {way} than in this subject's other trials"
            cause = "answers or statements went in other pieces, or somebody else spoke there"
            yield doubtful(f"{reading}: {cause}.", off, "share", PACKET_BYTES_MAX)


def _packet_bytes(trial: TrialFacts, load: LoadResult, window: Window) -> float | None:
    """Return the bytes of the mean packet; None if packets were not counted, and 0 if answers went another way or
    packets were few.
    """
    total_bytes, packets = (increase(trial.evidence.series, f"net.lo.{unit}", window) for unit in ("bytes", "packets"))
    if total_bytes is None or packets is None:
        return None
    return total_bytes / packets if packets >= PACKETS_MIN and total_bytes >= load.received_bytes else 0.0


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
    checks += [
        unknown(f"The answer to {name} is missing, and other trials have it.") for name in _missing(trial, session)
    ]
    reading = f"{counted(len(probes), 'answer')} equal the golden ones and those of the other subjects."
    return [*checks, passed(reading, len(probes), "answers")]


def _missing(trial: TrialFacts, session: SessionFacts) -> list[str]:
    """Return the probes that were not repeated under load (`orders, changed`), though those of other trials were."""
    own_names = {probe.name for probe in trial.evidence.probes}
    names = {probe.name for other in session.asked_alike(trial) for probe in other.evidence.probes}
    return sorted(name for name in names - own_names if name.partition(", ")[0] in own_names)


def _alike(probe: Probe, trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    if (probe.status is None and not trial.loads_itself) or probe.body_sha256 is None or probe.body_bytes is None:
        yield unknown(f"The answer to {probe.method} {probe.path} was not kept.")
        return
    probes_of_all = [
        (facts, other)
        for facts in session.of_scenario(trial.planned.scenario)
        for other in facts.evidence.probes
        if other.name == probe.name and other.method == probe.method
    ]
    for field in _fields(probe.status):
        own_value = str(getattr(probe, field))
        values = [(facts, str(getattr(other, field))) for facts, other in probes_of_all]
        if is_odd(own_value, values, session.plan.control):
            reference = usual_of_contenders(values, session.plan.control)
            usual_value = f"of most subjects {reference}" if reference is not None else "of others another"
            name = field.replace("_", " ")
            yield broken(f"{probe.method} {probe.path}: {name} is {own_value}, {usual_value}.")


def _fields(status: int | None) -> tuple[str, ...]:
    if status is None:
        return _COMPARED_OF_PROGRAMS
    return _COMPARED if 200 <= status < 300 else _COMPARED_OF_ERRORS


def _wire(trial: TrialFacts, session: SessionFacts, load: LoadResult | None) -> Check:
    if load is None or load.requests <= 0 or load.received_bytes <= 0:
        return unknown("Received bytes were not counted.")
    others = [
        other
        for facts in session.of_scenario(trial.planned.scenario)
        if facts.planned.contender == trial.planned.contender
        for other in facts.evidence.load
        if other.phase == load.phase and other.requests > 0 and other.received_bytes > 0
    ] or [load]
    own_size = load.received_bytes / load.requests
    usual_size = statistics.median(other.received_bytes / other.requests for other in others)
    off = own_size / usual_size - 1
    # Over TLS fewer answers have a larger part of the handshakes each.
    apart = abs(1 / load.requests - 1 / statistics.median(other.requests for other in others))
    handshakes = HANDSHAKE_BYTES_MAX * _clients(load) * apart if trial.evidence.http_tls is not None else 0.0
    reading = f"{own_size:.0f} bytes were received for each answer"
    if abs(off) <= WIRE_BYTES_MAX + handshakes / usual_size:
        return passed(f"{reading}, as in this subject's other trials.", off, "share", WIRE_BYTES_MAX)
    way = "more" if off > 0 else "less"
    reading = f"{reading}, {percent(abs(off))} {way} than in this subject's other trials."
    return broken(reading, off, "share", WIRE_BYTES_MAX)


RULE = Rule(
    id="R16",
    title="Same answers",
    source="probes of the contract, counts and times of k6, counts of kernel and sources, a row changed in mid-phase",
    mistake="an empty or compressed body wins; answers from memory with the same SQL in the background",
    kind="correctness",
    needs=(
        "probes",
        "load",
        "windows",
        "series:tcp.passive_opens",
        "series:net.lo.bytes",
        "series:net.lo.packets",
    ),
    judge=judge,
)
