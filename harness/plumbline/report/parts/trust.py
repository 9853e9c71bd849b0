"""Says whether the numbers may be believed: the verdict, and what this class of host cannot guarantee."""

from __future__ import annotations

from plumbline.judge.wording import ROLE_NAMES, counted, listed
from plumbline.model.host import ROLES, CpuSets, Role
from plumbline.model.record import Record, Verdict
from plumbline.stats.compare import MINIMUM_PAIRS
from ..view import Trust
from .numbers import plain

_ROLE_NAMES = {**ROLE_NAMES, "housekeeping": "harness"}
# From here on a reader should know what the session could not have seen, even on a lab host.
LARGE_CHANGE = 0.05

_WORDS: dict[Verdict, str] = {
    "valid": "Every measured trial passed the referee, on a host made for measuring.",
    "advisory": "Good for comparing these subjects with each other here, not for standings elsewhere.",
    "invalid": "No measured trial counts.",
}


def trust(record: Record) -> Trust:
    """Return the word of the record, what it rests on, and the cautions of host and checkout."""
    measured = [trial for trial in record.trials if trial.role == "measured"]
    left_out = [trial for trial in measured if trial.verdict == "invalid"]
    counting = {trial.verdict for trial in measured} - {"invalid"}
    # One invalid trial makes the record's verdict invalid; the figures stand on the others, so their word comes first.
    best: Verdict = "advisory" if "advisory" in counting else "valid" if counting else "invalid"
    first = _WORDS[best] if counting != {"valid"} or not left_out else "On a host made for measuring."
    sentences = [first]
    if left_out and counting:
        sentences.append(
            f"{len(left_out)} of {counted(len(measured), 'measured trial')} "
            f"{'is' if len(left_out) == 1 else 'are'} invalid and left out of every figure; the reasons are below."
        )
    elif measured and counting:
        whole = f"All {len(measured)} measured trials count."
        sentences.append(whole if len(measured) > 1 else "The only measured trial counts.")
    unfinished = len(record.plan.trials) - len(record.trials)
    if unfinished > 0:
        sentences.append(f"{counted(unfinished, 'planned trial')} did not run.")
    return Trust(
        verdict=best,
        word=best.capitalize() + (f", {len(left_out)} left out" if left_out and counting else ""),
        sentences=tuple(sentences),
        cautions=tuple(_cautions(record)),
        short=()
        if record.host.host_class == "lab"
        else (f"A {record.host.host_class} host: {record.host.why_class}.",),
    )


def _cautions(record: Record) -> list[str]:
    cautions = []
    host = record.host.host_class
    asked = record.plan.comparison
    if asked is not None and asked.design == "duet":
        cautions.append(
            f"A duet on a host of class {host} ({record.host.why_class}): both sides ran at once, each with CPUs, a "
            "database server and a load generator of its own, and swapped places in each pair. What disturbs the host "
            "disturbs both alike; ratios of CPU per request and latency at one fixed rate carry over, absolute figures "
            "and throughput do not."
        )
    elif host == "small":
        cautions.append(
            f"A small host ({record.host.why_class}): {_sharing(record.plan.sets)}. Throughput may be bounded by all"
            " that share it; CPU per request, latency at a modest rate, start and memory still describe the"
            " application, so they come first."
        )
    elif host == "shared":
        cautions.append(
            f"A shared host ({record.host.why_class}): others may have slowed any trial, and absolute figures do not"
            " carry over to another day."
        )
    if record.plan.scale != 1.0:
        cautions.append(
            f"At scale {record.plan.scale:g} of the suite: times, batches and blocks are that share of what it asks. "
            "Shorter phases see less of a program that is still getting faster, so these numbers are not set beside "
            "those of another scale."
        )
    if asked is None:
        cautions += _detectable(record)
    if record.provenance.dirty:
        cautions.append("The checkout had changes that are in no commit: others can't run quite the same.")
    if record.provenance.commit is None:
        cautions.append("No commit is known: others can't run the same.")
    if record.provenance.resumed:
        cautions.append(
            f"The session was interrupted and taken up again {counted(record.provenance.resumed, 'time')}."
        )
    return cautions


def _detectable(record: Record) -> list[str]:
    host, found = record.host.host_class, record.plan.detectable
    if record.plan.budget is not None and record.plan.blocks != found.trials:
        # What was expected to fit; the interval of each figure says how much it did.
        return []
    each = f"With {counted(found.trials, 'trial')} a subject"
    if found.change is None:
        return [f"{each} there are too few blocks for an order: it takes {MINIMUM_PAIRS}."]
    if host != "lab" or found.change >= LARGE_CHANGE:
        change = plain(found.change * 100, 2)
        return [f"{each}, differences under about {change} % may go unseen ({found.basis})."]
    return []


def _sharing(sets: CpuSets) -> str:
    """Return `the application has CPU 0; database, load generator and harness share CPU 1`."""
    groups: dict[tuple[int, ...], list[Role]] = {}
    for role in ROLES:
        groups.setdefault(sets.of(role), []).append(role)
    said = []
    for cpus, roles in groups.items():
        where = f"CPU{'s' if len(cpus) > 1 else ''} {listed(str(cpu) for cpu in cpus)}"
        verb = "share" if len(roles) > 1 else "has"
        said.append(
            f"{'the ' if len(roles) == 1 else ''}{listed(_ROLE_NAMES[role] for role in roles)} {verb} {where}"
        )
    return "; ".join(said)
