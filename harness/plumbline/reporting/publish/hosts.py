"""The hosts page: what each is made of, which conditions it met, what its newest session could not guarantee."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plumbline.archive.history.noise import equal_sides_rate
from plumbline.archive.record.names import Hostile, seconds
from plumbline.model.host import Condition, HostReading
from plumbline.model.record import Record
from plumbline.model.subject import slug_of
from plumbline.reporting.report.parts.clean import clean_text
from plumbline.reporting.report.parts.naming import MIB, plain
from plumbline.reporting.report.parts.trust import rules, trust
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.judge.rules import RULES
from plumbline.verdicts.judge.wording import counted
from .digest import Digest
from .model.hosts import AaRate, DoctorLine, EnvironmentChange, HostFile, HostQuiet, HostsFile, IsolationLine
from .model.runs import Fact
from .overview import link

_ABOUT_HOST = {rule.id: rule for rule in RULES if rule.kind in ("isolation", "capacity")}
_DOCTOR_LINES = 200
# A condition that was met before a session and not after it is shown as it was after it.
_GRAVITY = ("unfit", "unknown", "fit", "n/a")
_CHANGES = 200


def hosts_file(
    digests: Sequence[Digest], records: Mapping[str, Record], quiet: Mapping[str, HostQuiet], simulated: bool
) -> HostsFile:
    """Return every host by name. `records` holds the newest record of each host, by session; `quiet` is by host."""
    grouped: dict[str, list[Digest]] = {}
    for one in digests:
        grouped.setdefault(one.host, []).append(one)
    return HostsFile(
        simulated=simulated,
        hosts=tuple(
            _host(its, records[its[-1].session], quiet.get(name)) for name, its in sorted(grouped.items())
        ),
    )


def _host(its: Sequence[Digest], newest: Record, quiet: HostQuiet | None) -> HostFile:
    host = newest.host
    sets = newest.plan.sets
    facts = (
        ("CPU", f"{host.cpu_model}, {counted(host.cpus, 'CPU')}"),
        ("Microcode", host.microcode or "not readable"),
        ("Memory", f"{plain(host.memory_bytes / MIB / 1024)} GiB"),
        ("System", host.operating_system),
        ("Kernel", host.kernel),
        ("Kernel command line", host.kernel_command_line),
        ("Virtual machine", "yes" if host.hypervisor else "no"),
        ("Held on their CPUs by", newest.plan.placement),
        *(
            (f"CPUs of {name}", ", ".join(map(str, cpus)))
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
        sessions=len(its),
        first=link(its[0]),
        newest=link(its[-1]),
        not_guaranteed=tuple(clean_text(one) for one in trust(newest).cautions),
        isolation=tuple(
            IsolationLine(
                rule=one.id, title=clean_text(one.title), worst=one.worst, reading=clean_text(one.reading)
            )
            for one in rules(newest)
            if one.id in _ABOUT_HOST
        ),
        doctor_t=_seconds(host.readings[-1].read_at) if host.readings else None,
        doctor=_lines(host.readings),
        aa=_aa(its),
        quiet=quiet,
        changes=tuple(_changes(its))[-_CHANGES:],
    )


def _changes(its: Sequence[Digest]) -> Iterator[EnvironmentChange]:
    before = its[0].environment
    for one in its[1:]:
        if one.environment is not before and one.environment != before:
            for name in sorted({*before, *one.environment}):
                if before.get(name) != one.environment.get(name):
                    yield EnvironmentChange(
                        t=one.t,
                        session=one.session,
                        component=name,
                        before=before.get(name),
                        after=one.environment.get(name),
                    )
        before = one.environment


def _seconds(text: str) -> int | None:
    try:
        return seconds(text)
    except Hostile:
        return None


def _lines(readings: Sequence[HostReading]) -> tuple[DoctorLine, ...]:
    """Return a line for each condition, by the worst of its readings in the session."""
    worst: dict[str, Condition] = {}
    for one in (condition for reading in readings for condition in reading.conditions):
        known = worst.setdefault(one.id, one)
        if _GRAVITY.index(one.verdict) < _GRAVITY.index(known.verdict):
            worst[one.id] = one
    return tuple(
        DoctorLine(
            name=clean_text(one.title),
            outcome=one.verdict,
            reading=clean_text(one.reading),
            mend=None if one.command is None else clean_text(one.command),
        )
        for one in list(worst.values())[:_DOCTOR_LINES]
    )


def _aa(its: Sequence[Digest]) -> AaRate | None:
    found = equal_sides_rate(one.extract for one in its)
    if found is None:
        return None
    return AaRate(
        looks=found.sessions,
        flags=len(found.flagged),
        rate=rounded(found.rate),
        low=rounded(found.low),
        high=rounded(found.high),
        about="sessions that compared a subject with itself, and in which any question told the sides apart",
    )
