"""Says whether the numbers may be believed: the verdict, what the host cannot guarantee, and what the rules found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from plumbline.model.evidence import Evidence
from plumbline.model.host import ROLES, CpuSets, Role
from plumbline.model.plan import Scenario
from plumbline.model.record import (
    GRAVITY,
    Finding,
    Outcome,
    Record,
    Steadiness,
    Trial,
    Verdict,
    gravity_of,
)
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.rules import REQUIRED
from plumbline.verdicts.judge.steadiness import LEAST_BOUND
from plumbline.verdicts.judge.wording import ROLE_NAMES, counted, listed, percent, sized, uncapitalized
from plumbline.verdicts.stats.compare import MINIMUM_PAIRS
from ..view import Name, Reason, RuleView, Trust
from .naming import names, phase_in_words, phases_in_words
from .trials import measured_trials, title_of

_ROLE_NAMES = {**ROLE_NAMES, "housekeeping": "harness"}
# From this size on, a reader should know that the session may have missed a change, even on a lab host.
LARGE_CHANGE = 0.05

_WORDS: dict[Verdict, str] = {
    "valid": "Every measured trial passed the referee, on a host made for measuring.",
    "advisory": "Good for comparing these subjects with each other here, not for a ranking elsewhere.",
    "invalid": "No measured trial counts.",
}


def verdict_of_counting(trials: Iterable[Trial]) -> Verdict:
    """Return the verdict on the trials that count, which is their worst verdict; `invalid` where no trial counts."""
    counting = {trial.verdict for trial in trials} - {"invalid"}
    return "advisory" if "advisory" in counting else "valid" if counting else "invalid"


def trust(record: Record) -> Trust:
    """Return the verdict on the record, the sentences that support it, and the cautions on host and checkout."""
    measured = [trial for trial in record.trials if trial.role == "measured"]
    left_out = [trial for trial in measured if trial.verdict == "invalid"]
    counting = len(left_out) < len(measured)
    # One invalid trial makes the record's verdict invalid, but figures rest on the others: their verdict comes first.
    verdict = verdict_of_counting(measured)
    first_sentence = _WORDS[verdict] if verdict != "valid" or not left_out else "On a host made for measuring."
    sentences = [first_sentence]
    if left_out and counting:
        sentences.append(
            f"{len(left_out)} of {counted(len(measured), 'measured trial')} "
            f"{'is' if len(left_out) == 1 else 'are'} invalid and left out of every figure; the reasons are below."
        )
    elif measured and counting:
        all_count = f"All {len(measured)} measured trials count."
        sentences.append(all_count if len(measured) > 1 else "The only measured trial counts.")
    unfinished = len(record.plan.trials) - len(record.trials)
    if unfinished > 0:
        sentences.append(f"{counted(unfinished, 'planned trial')} did not run.")
    return Trust(
        verdict=verdict,
        word=verdict.capitalize() + (f", {len(left_out)} left out" if left_out and counting else ""),
        sentences=tuple(sentences),
        cautions=tuple(_cautions(record)),
        short=()
        if record.host.host_class == "lab"
        else (f"A {record.host.host_class} host: {record.host.why_class}.",),
    )


def _cautions(record: Record) -> list[str]:
    cautions = []
    host = record.host.host_class
    comparison = record.plan.comparison
    if comparison is not None and comparison.design == "duet":
        cautions.append(
            f"A duet on a host of class {host} ({record.host.why_class}): both sides ran at once, and swapped places "
            "in each pair. Each place had CPUs, a database server and a load generator of its own. What disturbs the "
            "host disturbs both sides alike. Ratios of CPU per request, and of latency at one fixed rate, carry over; "
            "absolute figures and throughput do not."
        )
    elif host == "small":
        sharing = f": {_sharing(record.plan.sets)}" if record.plan.network != "cluster" else ""
        cautions.append(
            f"A small host ({record.host.why_class}){sharing}. Everything that shares CPUs may limit the throughput."
            " CPU per request, latency at a modest rate, start and memory still describe the application, so they come"
            " first."
        )
    elif host == "shared":
        cautions.append(
            f"A shared host ({record.host.why_class}): others may have slowed any trial, and absolute figures do not"
            " carry over to another day."
        )
    cautions += _host_cautions(record)
    if record.plan.scale != 1.0:
        cautions.append(
            f"At scale {record.plan.scale:g} of the suite: times and batches are that share of what it asks. Shorter "
            "phases see less of a program that is still getting faster, so these numbers are not set beside "
            "those of another scale."
        )
    if comparison is None:
        cautions += _detectable_cautions(record)
    if record.provenance.dirty:
        cautions.append("The checkout had changes that are in no commit: others can't run quite the same.")
    if record.provenance.commit is None:
        cautions.append("No commit is known: others can't run the same.")
    if record.provenance.resumed:
        cautions.append(f"The session was interrupted and taken up again {counted(record.provenance.resumed, 'time')}.")
    return cautions


def _host_cautions(record: Record) -> list[str]:
    cautions = []
    if record.parts:
        hosts = listed(f"{part.plan.host} ({counted(part.plan.blocks, 'block')})" for part in record.parts)
        cautions.append(
            f"Joined from the sessions of {hosts}: differences are taken within blocks, and so within a host. The "
            "answer is that of these hosts."
        )
    if record.lost_hosts:
        cautions.append(
            f"{listed(record.lost_hosts)} left no session: the blocks that "
            f"{'it was' if len(record.lost_hosts) == 1 else 'they were'} to measure are missing."
        )
    return cautions


def _detectable_cautions(record: Record) -> list[str]:
    host, detectable = record.host.host_class, record.plan.detectable
    if record.plan.budget is not None and record.plan.blocks != detectable.trials:
        # `detectable` is for the trials expected to fit the budget; the intervals of figures are for the actual trials.
        return []
    start = f"With {counted(detectable.trials, 'trial')} a subject"
    if detectable.change is None:
        return [f"{start} there are too few blocks for an order: it takes {MINIMUM_PAIRS}."]
    if host != "lab" or detectable.change >= LARGE_CHANGE:
        change = sized(detectable.change)
        return [f"{start}, differences of steady subjects under about {change} may go unseen ({detectable.basis})."]
    return []


def _sharing(sets: CpuSets) -> str:
    """Return `the application has CPU 0; database, load generator and harness share CPU 1`."""
    groups: dict[tuple[int, ...], list[Role]] = {}
    for role in ROLES:
        groups.setdefault(sets.of(role), []).append(role)
    phrases = []
    for cpus, roles in groups.items():
        where = f"CPU{'s' if len(cpus) > 1 else ''} {listed(str(cpu) for cpu in cpus)}"
        verb = "share" if len(roles) > 1 else "has"
        phrases.append(
            f"{'the ' if len(roles) == 1 else ''}{listed(_ROLE_NAMES[role] for role in roles)} {verb} {where}"
        )
    return "; ".join(phrases)


# At most this many readings of invalid trials are shown one by one.
MOST_READINGS = 5


def reasons(record: Record, evidence: Mapping[int, Evidence], names: Mapping[str, Name]) -> tuple[Reason, ...]:
    """Return a reason for each rule and outcome: invalid ones first, then warnings, each by the number of trials."""
    grouped: dict[tuple[str | None, Outcome], list[tuple[Trial, str]]] = {}
    for trial in record.trials:
        if trial.role != "discarded":
            unknown = _unknown(trial) if record.host.host_class == "lab" else []
            for rule, outcome, reading in (*_findings_against(trial, evidence.get(trial.number)), *unknown):
                grouped.setdefault((rule, outcome), []).append((trial, reading))
    entries = [
        Reason(
            rule=rule,
            title=title_of(rule),
            outcome=outcome,
            trials=_by_subject([trial for trial, _ in trial_readings], names),
            readings=_distinct_readings(trial_readings, MOST_READINGS if outcome == "invalid" else 1),
        )
        for (rule, outcome), trial_readings in grouped.items()
    ]
    return tuple(
        sorted(
            entries,
            key=lambda reason: (
                GRAVITY.index(reason.outcome),
                -sum(len(numbers) for _, numbers in reason.trials),
            ),
        )
    )


def _by_subject(trials: Sequence[Trial], names: Mapping[str, Name]) -> tuple[tuple[Name, tuple[int, ...]], ...]:
    numbers: dict[str, set[int]] = {}
    for trial in trials:
        numbers.setdefault(trial.subject, set()).add(trial.number)
    order = sorted(numbers, key=[*names].index)
    return tuple((names[id_], tuple(sorted(numbers[id_]))) for id_ in order)


def _distinct_readings(trial_readings: Sequence[tuple[Trial, str]], most: int) -> tuple[str, ...]:
    """Return the first `most` different readings, each with its trial, and then the number of the other readings."""
    first = {reading: trial.number for trial, reading in reversed(trial_readings)}
    distinct = sorted((number, reading) for reading, number in first.items())
    remainder = [f"(and {counted(len(distinct) - most, 'more reading')} of this kind)"] if len(distinct) > most else []
    return (*(f"Trial {number}: {reading}" for number, reading in distinct[:most]), *remainder)


def rules(record: Record) -> tuple[RuleView, ...]:
    """Return the view of every rule that was asked, in the order of the record; a trial counts by its worst phase."""
    by_rule: dict[str, dict[int, Finding]] = {}
    for trial in record.trials:
        if trial.role != "discarded":
            for finding in trial.findings:
                worst_of_trials = by_rule.setdefault(finding.rule, {})
                worst = worst_of_trials.setdefault(trial.number, finding)
                if worst is not finding and gravity_of(finding) < gravity_of(worst):
                    worst_of_trials[trial.number] = finding
    return tuple(_rule_view(rule, list(trials.values())) for rule, trials in by_rule.items())


def _rule_view(rule: str, worst: list[Finding]) -> RuleView:
    gravest = min(worst, key=gravity_of)
    counts = Counter(finding.outcome for finding in worst)
    return RuleView(
        id=rule,
        title=title_of(rule),
        worst=gravest.outcome,
        counts={outcome: counts[outcome] for outcome in GRAVITY if counts[outcome]},
        reading=gravest.reading,
    )


def _findings_against(trial: Trial, evidence: Evidence | None) -> list[tuple[str | None, Outcome, str]]:
    findings: list[tuple[str | None, Outcome, str]] = []
    if evidence is not None and evidence.failure is not None:
        findings.append((None, "invalid", f"In the phase {evidence.failure.phase}: {evidence.failure.problem}"))
    return findings + [
        (finding.rule, finding.outcome, finding.reading)
        for finding in trial.findings
        if finding.outcome in ("invalid", "warn")
    ]


def _unknown(trial: Trial) -> list[tuple[str | None, Outcome, str]]:
    """Return the rules that need evidence and had none: on a host made for measuring they make a trial advisory."""
    return [
        (finding.rule, finding.outcome, finding.reading)
        for finding in trial.findings
        if finding.outcome == "unknown" and finding.rule in REQUIRED
    ]


def steady_words(record: Record, scenario: Scenario) -> str:
    """Return the sentences on subjects that were not proven steady and why, and on how far the other figures may still
    drift.

    An older record has no rows on steadiness, but the result of rule R29 for all of its trials.
    """
    rows = [row for row in record.steadiness if row.scenario == scenario.id and row.subject in record.plan.subjects]
    return _steadiness_by_subject(record, scenario, rows) if rows else _steadiness_by_rule(record, scenario)


def _steadiness_by_subject(record: Record, scenario: Scenario, rows: Sequence[Steadiness]) -> str:
    subject_names = names(record.plan)
    unsteady = {id_: [row for row in rows if row.subject == id_ and not row.proven] for id_ in record.plan.subjects}
    unsteady = {id_: unproven for id_, unproven in unsteady.items() if unproven}
    bounds = [row.bound for row in rows if row.subject not in unsteady and row.bound is not None]
    bound = percent(max(LEAST_BOUND, *bounds)) if bounds else ""
    if not unsteady:
        return (
            f"Steady within {bound} in every subject that was loaded; no order is claimed that such a drift could turn"
            " round."
        )
    of_figures: dict[str, list[str]] = {}
    for id_, unproven in unsteady.items():
        of_figures.setdefault(_figures_in_words(scenario, unproven), []).append(subject_names[id_].short)
    subjects = "; ".join(f"{listed(shorts)} in {figures}" for figures, shorts in of_figures.items())
    first = next(iter(unsteady))
    steady_sentence = f" The others are steady within {bound}." if bound else ""
    return (
        f"Not proven steady: {subjects}. {subject_names[first].short}: {unsteady[first][0].words}. Longer phases may "
        f"give other figures and another order.{steady_sentence}"
    )


def _figures_in_words(scenario: Scenario, rows: Iterable[Steadiness]) -> str:
    """Return `throughput and mean latency at full load (50 connections), mean latency at 100 requests/s`."""
    titles: dict[str, list[str]] = {}
    for row in rows:
        title = uncapitalized(METRICS[row.metric].title)
        titles.setdefault(phase_in_words(scenario, row.phase), []).append(title)
    return ", ".join(f"{listed(of_phase)} {phase}" for phase, of_phase in titles.items())


def _steadiness_by_rule(record: Record, scenario: Scenario) -> str:
    trials = measured_trials(record, scenario)
    proven = [
        trial
        for trial in trials
        if any(finding.rule == "R29" and finding.outcome == "pass" for finding in trial.findings)
    ]
    if trials and len(proven) == len(trials):
        return "Proven steady: rule R29 passed in every measured trial."
    share = f" ({counted(len(proven), 'trial was', 'trials were')}, of {len(trials)})" if proven else ""
    return (
        f"Not proven steady{share}: after {phases_in_words(scenario).split(', then ')[0]} the JIT compiler may still"
        " have been at work. Longer phases may give other figures and another order."
    )
