"""Makes the hosts page: parts of each host, conditions that it met, and what its newest session could not guarantee."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plumbline.archive.history.extract import PHASES
from plumbline.archive.history.noise import equal_sides_rate
from plumbline.archive.history.points import differing
from plumbline.archive.record.names import Hostile, seconds
from plumbline.model.host import Condition, HostReading
from plumbline.model.record import Record
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.origin import cpus_in_words, memory_in_words
from plumbline.reporting.report.parts.trust import rules, trust
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.judge.rules import RULES
from .digest import Digest
from .model.hosts import AaRate, DoctorLine, EnvironmentChange, HostFile, HostQuiet, HostsFile, IsolationLine
from .model.runs import Fact
from .overview import link

_ABOUT_HOST = {rule.id: rule for rule in RULES if rule.kind in ("isolation", "capacity")}
_DOCTOR_LINES = 200
# The gravest first: a condition that was met before a session, but not after the session, is shown as not met.
_GRAVITY = ("unfit", "unknown", "fit", "n/a")
_CHANGES = 200


def hosts_file(
    digests: Sequence[Digest], records: Mapping[str, Record], quiet: Mapping[str, HostQuiet], simulated: bool
) -> HostsFile:
    """Return every host by name. `records` holds the newest record of each host, by session; `quiet` goes by host."""
    grouped: dict[str, list[Digest]] = {}
    for digest in digests:
        grouped.setdefault(digest.host, []).append(digest)
    return HostsFile(
        simulated=simulated,
        hosts=tuple(
            _host(digests_of_host, records[digests_of_host[-1].session], quiet.get(name))
            for name, digests_of_host in sorted(grouped.items())
        ),
    )


def _host(digests: Sequence[Digest], newest: Record, quiet: HostQuiet | None) -> HostFile:
    host = newest.host
    sets = newest.plan.sets
    # A cluster shows how many CPUs it has, and neither what they are nor which of them a role has.
    is_cluster = newest.plan.network == "cluster"
    facts = (
        ("CPU", cpus_in_words(host)),
        *(() if is_cluster else (("Microcode", host.microcode or "not readable"), ("Memory", memory_in_words(host)))),
        ("System", host.operating_system),
        ("Kernel", host.kernel),
        ("Kernel command line", host.kernel_command_line),
        ("Virtual machine", "yes" if host.hypervisor else "no"),
        ("Held on their CPUs by", newest.plan.placement),
        *(
            (f"CPUs of {name}", str(len(cpus)) if is_cluster else ", ".join(map(str, cpus)))
            for name, cpus in (
                ("the application", sets.app),
                ("the database", sets.db),
                ("the load generator", sets.load),
                ("the harness", sets.housekeeping),
            )
        ),
    )
    return HostFile(
        name=host.name,
        slug=slug_of(host.name),
        host_class=host.host_class,
        why_class=clean_text(host.why_class),
        facts=tuple(Fact(name=name, value=clean_text(value)) for name, value in facts),
        sessions=len(digests),
        first=link(digests[0]),
        newest=link(digests[-1]),
        not_guaranteed=tuple(clean_text(caution) for caution in trust(newest).cautions),
        isolation=tuple(
            IsolationLine(
                rule=rule.id, title=clean_text(rule.title), worst=rule.worst, reading=clean_text(rule.reading)
            )
            for rule in rules(newest)
            if rule.id in _ABOUT_HOST
        ),
        doctor_t=_seconds(host.readings[-1].read_at) if host.readings else None,
        doctor=_lines(host.readings),
        aa=_aa_rate(digests),
        quiet=quiet,
        changes=tuple(_changes(digests))[-_CHANGES:],
    )


def _changes(digests: Sequence[Digest]) -> Iterator[EnvironmentChange]:
    before = digests[0].environment
    for digest in digests[1:]:
        if digest.environment is not before and digest.environment != before:
            for name in differing(before, digest.environment):
                if name != PHASES:
                    yield EnvironmentChange(
                        t=digest.t,
                        session=digest.session,
                        component=name,
                        before=before.get(name),
                        after=digest.environment.get(name),
                    )
        before = digest.environment


def _seconds(text: str) -> int | None:
    try:
        return seconds(text)
    except Hostile:
        return None


def _lines(readings: Sequence[HostReading]) -> tuple[DoctorLine, ...]:
    """Return a line for each condition, with the worst of the condition's readings in the session."""
    worst: dict[str, Condition] = {}
    for condition in (condition for reading in readings for condition in reading.conditions):
        worst_so_far = worst.setdefault(condition.id, condition)
        if _GRAVITY.index(condition.verdict) < _GRAVITY.index(worst_so_far.verdict):
            worst[condition.id] = condition
    return tuple(
        DoctorLine(
            name=clean_text(condition.title),
            outcome=condition.verdict,
            reading=clean_text(condition.reading),
            mend=None if condition.command is None else clean_text(condition.command),
        )
        for condition in list(worst.values())[:_DOCTOR_LINES]
    )


def _aa_rate(digests: Sequence[Digest]) -> AaRate | None:
    equal_sides = equal_sides_rate(digest.extract for digest in digests)
    if equal_sides is None:
        return None
    return AaRate(
        sessions=equal_sides.sessions,
        looks=equal_sides.sessions,
        flags=len(equal_sides.flagged),
        rate=rounded(equal_sides.rate),
        low=rounded(equal_sides.low),
        high=rounded(equal_sides.high),
        about="sessions that compared a subject with itself, and in which any question told the sides apart",
    )
