"""Makes the view of a session that repeats a published one: whether the ratios of both agree."""

from __future__ import annotations

from collections import Counter

from plumbline.figures.metrics import METRICS
from plumbline.judge.wording import counted
from plumbline.model.comparison import Agreement
from plumbline.model.record import Record
from ..comparison_view import AgreementRow, ReproductionView
from .naming import where
from .numbers import plain, signed

_TONES = {"agrees": "better", "disagrees": "worse"}


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
                "the ratio here is within 5 % of the ratio there, for sure; disagrees: it is not, for sure",
            ),
        ),
        rows=tuple(_row(record, one) for one in record.agreements),
    )


def _row(record: Record, one: Agreement) -> AgreementRow:
    difference = ""
    if one.difference is not None and one.low is not None and one.high is not None:
        change, low, high = ((end - 1) * 100 for end in (one.difference, one.low, one.high))
        difference = f"{signed(change)} % ({signed(low)} to {signed(high)} %)"
    return AgreementRow(
        title=METRICS[one.metric].title,
        where=where(record.plan.scenario(one.scenario), one.phase),
        scenario=one.scenario,
        subject=one.subject,
        against=one.against,
        theirs=f"{one.theirs:.3f}",
        ours="" if one.ours is None else f"{one.ours:.3f}",
        difference=difference,
        detectable="" if one.detectable is None else f"{plain(one.detectable * 100, 2)} %",
        word=one.word,
        tone=_TONES.get(one.word, "open"),
    )
