"""Makes the views of a comparison (answers, then the pairs that they rest on) and of a session that was run again."""

from __future__ import annotations

from collections import Counter

from plumbline.archive.record.sentence import change_words
from plumbline.model.comparison import Agreement, Answer, Comparison, ComparisonPlan, Pair, SideSource
from plumbline.model.host import CpuSets
from plumbline.model.plan import Scenario
from plumbline.model.record import Record, Trial
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.wording import counted, percent, sized
from ..comparison_view import (
    AgreementRow,
    AnswerView,
    ComparisonView,
    ContestView,
    PairRow,
    ReproductionView,
    Tone,
)
from .naming import phase_in_words, phases_in_words, plain_number, signed, unit_of

_ENDED = {
    "decided": "every leading question is decided",
    "budget": "the budget was spent before every leading question was decided",
    "unusable": "no pair of a contest counts, since each has an invalid trial",
    "pairs": "all planned pairs were measured, and not every leading question is decided",
}
_TONES: dict[str, Tone] = {"faster": "better", "slower": "worse", "equivalent": "same"}


def comparison_view(record: Record) -> ComparisonView | None:
    """Return the view of a record's comparison; None for a session that compares no two sides."""
    plan, comparison = record.plan.comparison, record.comparison
    if plan is None or comparison is None:
        return None
    return ComparisonView(
        sentence=comparison.sentence,
        fails=comparison.fails,
        facts=_facts(record, plan, comparison),
        notes=(*_same_program(record, plan), *plan.notes),
        contests=tuple(
            _contest_view(record, comparison, contest.base, contest.head, scenario)
            for contest in plan.contests
            for scenario in record.plan.scenarios
        ),
    )


def _facts(record: Record, plan: ComparisonPlan, comparison: Comparison) -> tuple[tuple[str, str], ...]:
    unused = sum(not pair.used for pair in comparison.pairs)
    left_out = f", {counted(unused, 'pair')} left out since a trial is invalid" if unused else ""
    # A session that is run again runs every pair of the record, whatever time that takes.
    ended = "pairs" if comparison.ended == "budget" and record.plan.reproduces is not None else comparison.ended
    facts = [
        ("Base", side_in_words(plan.base)),
        ("Head", side_in_words(plan.head)),
        ("Design", _design(record, plan)),
        ("Ended", f"{_ENDED[ended]}; {counted(len(comparison.pairs), 'pair')}{left_out}"),
        ("Asked", _looks_in_words(plan)),
    ]
    if plan.not_slower_than is not None:
        facts.append((f"Not slower than {percent(plan.not_slower_than)}?", _bound_in_words(record, comparison)))
    return tuple(facts)


def _bound_in_words(record: Record, comparison: Comparison) -> str:
    """Return `yes: Throughput at full load; no: ...`; where several contests were asked, questions name theirs."""
    leading = [answer for answer in comparison.answers if answer.primary]
    several = len({answer.unit for answer in leading}) > 1
    questions: dict[str, list[str]] = {}
    for answer in leading:
        base, head, scenario = answer.unit
        where = phase_in_words(record.plan.scenario(scenario), answer.phase)
        contest = f" ({scenario}, {_contest_title(base, head)})" if several else ""
        questions.setdefault(answer.not_slower or "no look yet", []).append(
            f"{METRICS[answer.metric].title} {where}{contest}"
        )
    return "; ".join(f"{answer}: {', '.join(names)}" for answer, names in questions.items())


def _contest_title(base: str, head: str) -> str:
    return base if base == head else f"{base} against {head}"


def _looks_in_words(plan: ComparisonPlan) -> str:
    planned = f"after {', '.join(map(str, plan.looks))} pairs"
    final_pairs = sorted({look.pairs for look in plan.final_looks})
    final = f", and at the end after {' or '.join(map(str, final_pairs))}" if final_pairs else ""
    return f"{planned}{final}, each time at a level of {percent(plan.level)}"


def side_in_words(source: SideSource) -> str:
    """Return `main (0123456789ab)`, `worktree (on 0123456789ab, with changes)`, or a subject's id."""
    if source.kind == "subject":
        return source.given
    commit = (source.commit or "no commit")[:12]
    if source.kind == "ref":
        return f"{source.given} ({commit})"
    return f"{source.given} (on {commit}{', with changes that are in no commit' if source.dirty else ''})"


def _design(record: Record, plan: ComparisonPlan) -> str:
    if plan.design == "interleaved":
        return "interleaved: one trial after the other, in ABBA order with a random start"
    places = list(dict.fromkeys(trial.sets for trial in record.plan.trials if trial.sets is not None))
    return f"duet: both sides at once, swapped in each pair; {'; '.join(map(_place_in_words, places))}"


def _place_in_words(sets: CpuSets) -> str:
    def cpus(numbers: tuple[int, ...]) -> str:
        return f"CPU{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"

    if sets.app == sets.db:
        return f"one place has {cpus(sets.app)} for application, database server and k6 together"
    return f"one place has {cpus(sets.app)} for the application, {cpus(sets.db)} for its database server and k6"


def _same_program(record: Record, plan: ComparisonPlan) -> tuple[str, ...]:
    """Return a note if both sides ran the same artifacts: then the host is compared with itself."""
    if plan.base.kind == "subject":
        return ()
    digests = {(artifact.side, artifact.subject): artifact.sha256 for artifact in record.ran}
    subjects = [
        contest.base
        for contest in plan.contests
        if digests.get(("base", contest.base), "") == digests.get(("head", contest.head))
    ]
    if not subjects:
        return ()
    return (f"Both sides run the same artifact of {', '.join(subjects)}: what is compared is this host with itself.",)


def _contest_view(record: Record, comparison: Comparison, base: str, head: str, scenario: Scenario) -> ContestView:
    unit = (base, head, scenario.id)
    answers = [answer for answer in comparison.answers if answer.unit == unit]
    pairs = [pair for pair in comparison.pairs if pair.unit == unit]
    leading = [answer for answer in answers if answer.primary]
    trials = {trial.number: trial for trial in record.trials}
    return ContestView(
        title=_contest_title(base, head),
        scenario=scenario.id,
        operation=scenario.operation,
        phases=phases_in_words(scenario),
        primary=tuple(_answer_view(answer, scenario) for answer in leading),
        secondary=tuple(_answer_view(answer, scenario) for answer in answers if not answer.primary),
        headings=tuple(f"{METRICS[answer.metric].title}, {_unit_symbol(answer)}" for answer in leading),
        pairs=tuple(_pair_row(pair, leading, trials) for pair in pairs),
        unused=sum(not pair.used for pair in pairs),
    )


def _answer_view(answer: Answer, scenario: Scenario) -> AnswerView:
    metric = METRICS[answer.metric]
    has_result = answer.ratio is not None
    return AnswerView(
        title=metric.title,
        where=phase_in_words(scenario, answer.phase),
        better=answer.better,
        primary=answer.primary,
        verdict=answer.words,
        tone=_TONES.get(answer.verdict or "", "open"),
        ratio="" if answer.ratio is None else f"{answer.ratio:.4g}",
        interval=change_words(answer).replace("99 % interval ", "") if has_result else "",
        change=_percent(answer.ratio),
        low=_percent(answer.low),
        high=_percent(answer.high),
        detectable="" if answer.detectable is None else sized(answer.detectable),
        p="" if answer.p_adjusted is None else _p_value_text(answer.p_adjusted),
        pairs=answer.pairs,
        note=_note(answer) if has_result else "",
    )


def _percent(ratio: float | None) -> float | None:
    return None if ratio is None else (ratio - 1) * 100


def _p_value_text(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"{value:.2g}"


def _note(answer: Answer) -> str:
    if answer.refused:
        return answer.refused
    if answer.heterogeneous:
        return "Robust estimates contradict the mean: a few trials decide it."
    return answer.would_decide or "" if answer.primary else ""


def _pair_row(pair: Pair, leading: list[Answer], trials: dict[int, Trial]) -> PairRow:
    return PairRow(
        block=pair.block,
        order="base first" if pair.order == "AB" else "head first",
        base=pair.base,
        head=pair.head,
        figures=tuple(_figures(answer, trials[pair.base], trials[pair.head]) for answer in leading),
        used=pair.used,
        reason=pair.reason or "",
    )


def _figures(answer: Answer, base: Trial, head: Trial) -> tuple[str, str, str]:
    values = [trial.figures.get(answer.phase, {}).get(answer.metric) for trial in (base, head)]
    per = unit_of(METRICS[answer.metric].unit, ()).per
    texts = ["–" if value is None else plain_number(value / per) for value in values]
    has_ratio = values[0] is not None and values[1] is not None and values[0] > 0
    ratio = f"{values[1] / values[0]:.3f}" if has_ratio and values[0] and values[1] is not None else "–"
    return texts[0], texts[1], ratio


def _unit_symbol(answer: Answer) -> str:
    return unit_of(METRICS[answer.metric].unit, ()).symbol


_AGREEMENT_TONES = {"agrees": "better", "disagrees": "worse"}


def reproduction_view(record: Record) -> ReproductionView | None:
    """Return the view of a record that repeats another record; None for any other record."""
    repeated = record.plan.reproduces
    if repeated is None:
        return None
    counts: Counter[str] = Counter(agreement.word for agreement in record.agreements)
    results = ", ".join(
        f"{counts[word]} {verb}"
        for word, verb in (("agrees", "agree"), ("disagrees", "disagree"), ("can't tell", "can't be told"))
        if counts[word]
    )
    total = counted(len(record.agreements), "ratio")
    return ReproductionView(
        sentence=f"Of {total} of {repeated.session} ({repeated.host}), {results or 'none could be measured'}.",
        facts=(
            ("Runs again", f"{repeated.session} of {repeated.host}"),
            ("Commit", repeated.commit or "unknown"),
            ("Its record", f"SHA-256 {repeated.record_sha256}"),
            (
                "Agrees",
                "the ratio here is within 5 % of the ratio there, for sure; disagrees: it is not, for sure; neither is "
                "said where a drift that the phases leave open could turn it round",
            ),
        ),
        rows=tuple(_agreement_row(record, agreement) for agreement in record.agreements),
    )


def _agreement_row(record: Record, agreement: Agreement) -> AgreementRow:
    difference = ""
    if agreement.difference is not None and agreement.low is not None and agreement.high is not None:
        difference = f"{signed(agreement.difference)} ({signed(agreement.low)} to {signed(agreement.high)})"
    return AgreementRow(
        title=METRICS[agreement.metric].title,
        where=phase_in_words(record.plan.scenario(agreement.scenario), agreement.phase),
        scenario=agreement.scenario,
        subject=agreement.subject,
        against=agreement.against,
        theirs=f"{agreement.theirs:.3f}",
        ours="" if agreement.ours is None else f"{agreement.ours:.3f}",
        difference=difference,
        detectable="" if agreement.detectable is None else sized(agreement.detectable),
        word=f"{agreement.word} (a drift could turn it round)" if agreement.undone_by_drift else agreement.word,
        tone=_AGREEMENT_TONES.get(agreement.word, "open"),
    )
