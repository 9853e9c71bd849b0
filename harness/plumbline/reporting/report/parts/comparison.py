"""Makes the views of a comparison (answers, then the pairs that they rest on) and of a session that was run again."""

from __future__ import annotations

from collections import Counter

from plumbline.archive.record.sentence import moved
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
from .naming import phases_in_words, plain, signed, unit_of, where

_ENDED = {
    "decided": "every leading question is decided",
    "budget": "the budget was spent before every leading question was decided",
    "unusable": "no pair of a contest counts, since each has an invalid trial",
    "pairs": "all planned pairs were measured, and not every leading question is decided",
}
_TONES: dict[str, Tone] = {"faster": "better", "slower": "worse", "equivalent": "same"}


def comparison_view(record: Record) -> ComparisonView | None:
    """Return the view of a record's comparison; None for a session that is none."""
    asked, found = record.plan.comparison, record.comparison
    if asked is None or found is None:
        return None
    return ComparisonView(
        sentence=found.sentence,
        fails=found.fails,
        facts=_facts(record, asked, found),
        notes=(*_same_program(record, asked), *asked.notes),
        contests=tuple(
            _contest(record, found, one.base, one.head, scenario)
            for one in asked.contests
            for scenario in record.plan.scenarios
        ),
    )


def _facts(record: Record, asked: ComparisonPlan, found: Comparison) -> tuple[tuple[str, str], ...]:
    unused = sum(not pair.used for pair in found.pairs)
    left_out = f", {counted(unused, 'pair')} left out since a trial is invalid" if unused else ""
    facts = [
        ("Base", side_in_words(asked.base)),
        ("Head", side_in_words(asked.head)),
        ("Design", _design(record, asked)),
        ("Ended", f"{_ENDED[found.ended]}; {counted(len(found.pairs), 'pair')}{left_out}"),
        (
            "Asked",
            f"after {', '.join(map(str, asked.looks))} pairs, each time at a level of {percent(asked.level)}",
        ),
    ]
    if asked.not_slower_than is not None:
        answers = ", ".join(
            f"{METRICS[one.metric].title}: {one.not_slower or 'no look yet'}"
            for one in found.answers
            if one.primary
        )
        facts.append((f"Not slower than {percent(asked.not_slower_than)}?", answers))
    return tuple(facts)


def side_in_words(source: SideSource) -> str:
    """Return `main (0123456789ab)`, `worktree (on 0123456789ab, with changes)`, or a subject's id."""
    if source.kind == "subject":
        return source.given
    at = (source.commit or "no commit")[:12]
    if source.kind == "ref":
        return f"{source.given} ({at})"
    return f"{source.given} (on {at}{', with changes that are in no commit' if source.dirty else ''})"


def _design(record: Record, asked: ComparisonPlan) -> str:
    if asked.design == "interleaved":
        return "interleaved: one trial after the other, in ABBA order with a random start"
    places = list(dict.fromkeys(trial.sets for trial in record.plan.trials if trial.sets is not None))
    return f"duet: both sides at once, swapped in each pair; {'; '.join(map(_place, places))}"


def _place(sets: CpuSets) -> str:
    def cpus(numbers: tuple[int, ...]) -> str:
        return f"CPU{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"

    if sets.app == sets.db:
        return f"one place has {cpus(sets.app)} for application, database server and k6 together"
    return (
        f"one place has {cpus(sets.app)} for the application, {cpus(sets.db)} for its database server and k6"
    )


def _same_program(record: Record, asked: ComparisonPlan) -> tuple[str, ...]:
    """Return a note if both sides ran the same artifacts: then the host is compared with itself."""
    if asked.base.kind == "subject":
        return ()
    ran = {(one.side, one.subject): one.sha256 for one in record.ran}
    same = [
        one.base for one in asked.contests if ran.get(("base", one.base), "") == ran.get(("head", one.head))
    ]
    if not same:
        return ()
    return (
        f"Both sides run the same artifact of {', '.join(same)}: what is compared is this host with itself.",
    )


def _contest(record: Record, found: Comparison, base: str, head: str, scenario: Scenario) -> ContestView:
    unit = (base, head, scenario.id)
    mine = [one for one in found.answers if one.unit == unit]
    pairs = [one for one in found.pairs if one.unit == unit]
    leading = [one for one in mine if one.primary]
    trials = {trial.number: trial for trial in record.trials}
    return ContestView(
        title=base if base == head else f"{base} against {head}",
        scenario=scenario.id,
        operation=scenario.operation,
        phases=phases_in_words(scenario),
        primary=tuple(_answer(one, scenario) for one in leading),
        rest=tuple(_answer(one, scenario) for one in mine if not one.primary),
        headings=tuple(f"{METRICS[one.metric].title}, {_unit(one)}" for one in leading),
        pairs=tuple(_pair(pair, leading, trials) for pair in pairs),
        unused=sum(not pair.used for pair in pairs),
    )


def _answer(one: Answer, scenario: Scenario) -> AnswerView:
    metric = METRICS[one.metric]
    told = one.ratio is not None
    return AnswerView(
        title=metric.title,
        where=where(scenario, one.phase),
        better=one.better,
        primary=one.primary,
        verdict=one.words,
        tone=_TONES.get(one.verdict or "", "open"),
        ratio="" if one.ratio is None else f"{one.ratio:.4g}",
        interval=moved(one).replace("99 % interval ", "") if told else "",
        change=_percent(one.ratio),
        low=_percent(one.low),
        high=_percent(one.high),
        detectable="" if one.detectable is None else sized(one.detectable),
        p="" if one.p_adjusted is None else _p(one.p_adjusted),
        pairs=one.pairs,
        note=_note(one) if told else "",
    )


def _percent(ratio: float | None) -> float | None:
    return None if ratio is None else (ratio - 1) * 100


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"{value:.2g}"


def _note(one: Answer) -> str:
    if one.refused:
        return one.refused
    if one.heterogeneous:
        return "Robust estimates contradict the mean: a few trials decide it."
    return one.would_decide or "" if one.primary else ""


def _pair(pair: Pair, leading: list[Answer], trials: dict[int, Trial]) -> PairRow:
    return PairRow(
        block=pair.block,
        order="base first" if pair.order == "AB" else "head first",
        base=pair.base,
        head=pair.head,
        figures=tuple(_figures(one, trials[pair.base], trials[pair.head]) for one in leading),
        used=pair.used,
        reason=pair.reason or "",
    )


def _figures(one: Answer, base: Trial, head: Trial) -> tuple[str, str, str]:
    values = [trial.figures.get(one.phase, {}).get(one.metric) for trial in (base, head)]
    per = unit_of(METRICS[one.metric].unit, ()).per
    shown = ["–" if value is None else plain(value / per) for value in values]
    there = values[0] is not None and values[1] is not None and values[0] > 0
    ratio = f"{values[1] / values[0]:.3f}" if there and values[0] and values[1] is not None else "–"
    return shown[0], shown[1], ratio


def _unit(one: Answer) -> str:
    return unit_of(METRICS[one.metric].unit, ()).symbol


_AGREEMENT_TONES = {"agrees": "better", "disagrees": "worse"}


def reproduction_view(record: Record) -> ReproductionView | None:
    """Return the view of a record that repeats another; None for others."""
    again = record.plan.reproduces
    if again is None:
        return None
    words: Counter[str] = Counter(one.word for one in record.agreements)
    told = ", ".join(
        f"{words[word]} {said}"
        for word, said in (("agrees", "agree"), ("disagrees", "disagree"), ("can't tell", "can't be told"))
        if words[word]
    )
    total = counted(len(record.agreements), "ratio")
    return ReproductionView(
        sentence=f"Of {total} of {again.session} ({again.host}), {told or 'none could be measured'}.",
        facts=(
            ("Runs again", f"{again.session} of {again.host}"),
            ("Commit", again.commit or "unknown"),
            ("Its record", f"SHA-256 {again.record_sha256}"),
            (
                "Agrees",
                "the ratio here is within 5 % of the ratio there, for sure; disagrees: it is not, for sure; neither is "
                "said where a drift that the phases leave open could turn it round",
            ),
        ),
        rows=tuple(_row(record, one) for one in record.agreements),
    )


def _row(record: Record, one: Agreement) -> AgreementRow:
    difference = ""
    if one.difference is not None and one.low is not None and one.high is not None:
        difference = f"{signed(one.difference)} ({signed(one.low)} to {signed(one.high)})"
    return AgreementRow(
        title=METRICS[one.metric].title,
        where=where(record.plan.scenario(one.scenario), one.phase),
        scenario=one.scenario,
        subject=one.subject,
        against=one.against,
        theirs=f"{one.theirs:.3f}",
        ours="" if one.ours is None else f"{one.ours:.3f}",
        difference=difference,
        detectable="" if one.detectable is None else sized(one.detectable),
        word=f"{one.word} (a drift could turn it round)" if one.undone_by_drift else one.word,
        tone=_AGREEMENT_TONES.get(one.word, "open"),
    )
