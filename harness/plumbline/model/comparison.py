"""A comparison of two sides: what is asked, and the result.

Ratios are head over base as measured. `low` and `high` are the ends of an interval that holds in 99 of 100 comparisons,
looks included; shares are of 1 (0.02 is 2 %).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Frozen, sparse

Side = Literal["base", "head"]
SIDES: tuple[Side, Side] = ("base", "head")
Design = Literal["interleaved", "duet"]
ComparisonVerdict = Literal["faster", "slower", "equivalent", "inconclusive"]
Ended = Literal["decided", "budget", "pairs", "unusable"]

LEAST_PAIRS_OF_FINAL_LOOK = 4
"""Two pairs in each order: fewer pairs detect next to nothing."""

Unit = tuple[str, str, str]
"""The base, the head and the scenario of a question."""


class SideSource(Frozen):
    """The source of one side: `given` is the text that the user named it by.

    `commit` is the commit of a ref, or the commit on which a `worktree` (the files as they lie there) stands. `dirty`
    says that the compared files are in no commit. A side that is a subject comes out of the checkout like everything
    else.
    """

    given: str
    kind: Literal["ref", "worktree", "subject"]
    commit: str | None = None
    dirty: bool = False


class Contest(Frozen):
    """Two subjects that are compared under every scenario; in a comparison of two refs both are the same subject."""

    base: str
    head: str


class _OfUnit(Frozen):
    scenario: str
    base_subject: str
    head_subject: str

    @property
    def unit(self) -> Unit:
        """The two subjects that are compared, and their scenario."""
        return self.base_subject, self.head_subject, self.scenario


class FinalLook(_OfUnit):
    """The look that a contest took under a scenario at the end of the comparison, after so many usable `pairs`.

    It took the place of the next planned look, which was not reached. A question that fewer pairs answer was asked
    after those.
    """

    pairs: int


class ComparisonPlan(Frozen):
    """The plan of a comparison. `looks` are the numbers of pairs after which its questions are asked, `level` is the
    level of each look.

    `final_looks` were added at the end. Older records have such a look among `looks`, for all contests.
    `budget_s` bounds the time of its trials. `notes` are sentences on what is compared, for everyone who reads the
    result.
    """

    design: Design
    base: SideSource
    head: SideSource
    contests: tuple[Contest, ...]
    looks: tuple[int, ...]
    level: float
    budget_s: float
    not_slower_than: float | None = None
    notes: tuple[str, ...] = ()
    final_looks: tuple[FinalLook, ...] = sparse(())

    def looks_of(self, unit: Unit, pairs: int | None = None) -> tuple[int, ...]:
        """Return the looks of a unit: those that are planned, up to the final one that took the place of the next.

        A question that only so many `pairs` of the unit answer has its final look after these.
        """
        final = next((look.pairs for look in self.final_looks if look.unit == unit), None)
        if final is None:
            return self.looks
        if pairs is not None and LEAST_PAIRS_OF_FINAL_LOOK <= pairs < final:
            final = pairs
        return (*(look for look in self.looks if look < final), final)

    def source(self, side: Side) -> SideSource:
        """Return the source of a side."""
        return self.base if side == "base" else self.head


class Pair(_OfUnit):
    """Two trials that are compared with each other, by number. `order` is AB where base ran first, or had the first
    CPUs.

    A pair that is not `used` says why: an invalid trial takes its partner with it.
    """

    block: int
    base: int
    head: int
    order: Literal["AB", "BA"]
    used: bool
    reason: str | None = None


class InterimResult(Frozen):
    """The result of one look; `p` is two-sided and not adjusted for other questions."""

    pairs: int
    ratio: float
    low: float
    high: float
    p: float


class Answer(_OfUnit):
    """The answer to one question: a metric of a phase, between two subjects, under one scenario.

    `verdict` is None before the first look, with everything that follows from one. `p_adjusted` is by Holm over all
    primary questions of the comparison, by Benjamini-Hochberg over the others. `detectable` is the change that as many
    pairs with this much noise find in 95 of 100 comparisons, `further_pairs` the number of further pairs that would
    decide the question. `falls` and `rises` say how far the log of the ratio may still fall and rise by the drifts that
    the phases of both sides leave open: no verdict is given that they could turn round.
    """

    phase: str
    metric: str
    better: Literal["higher", "lower"]
    primary: bool
    pairs: int
    verdict: ComparisonVerdict | None = None
    words: str
    within_margin: bool = False
    heterogeneous: bool = False
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    falls: float = sparse(0.0)
    rises: float = sparse(0.0)
    spread: float | None = Field(default=None, description="standard deviation of a log ratio")
    p: float | None = None
    p_adjusted: float | None = None
    detectable: float | None = None
    further_pairs: int | None = None
    would_decide: str | None = sparse(None, "what would decide an open question, in a sentence")
    looks: tuple[InterimResult, ...] = ()
    refused: str | None = Field(default=None, description="why the order of the pairs forbids a verdict")
    not_slower: Literal["yes", "no", "undecided"] | None = None


class Comparison(Frozen):
    """The result of a comparison. `sentence` is what a reviewer needs.

    `fails`: a contest has trials of base that count, and none of head; or head is slower in a leading question, and not
    surely within the margin. If `not_slower_than` was asked, only its answer `no` fails a leading question.
    """

    design: Design
    pairs: tuple[Pair, ...]
    answers: tuple[Answer, ...]
    ended: Ended
    sentence: str
    fails: bool


class Ratio(Frozen):
    """A ratio of two subjects in one session: mean of the log, its standard error and degrees of freedom.

    `falls` and `rises` say how far the log may still fall and rise by the drifts that the phases of both subjects leave
    open.
    """

    scenario: str
    phase: str
    metric: str
    subject: str
    against: str
    log_ratio: float
    error: float
    degrees: float
    falls: float = 0.0
    rises: float = 0.0


class Reproduces(Frozen):
    """The session that is run again, and its ratios, which are all that another host can be held to."""

    session: str
    record_sha256: str
    commit: str | None
    host: str
    ratios: tuple[Ratio, ...]


class Agreement(Frozen):
    """The agreement of a ratio of a published session with its repetition here.

    `difference` is ours over theirs, itself a ratio, with its 99 % interval.
    `detectable` is the difference that would have been found in 95 of 100 such reproductions.
    `undone_by_drift` says that the two ratios would agree or disagree, if no drift of one of the four figures could
    change that.
    """

    scenario: str
    phase: str
    metric: str
    subject: str
    against: str
    theirs: float
    ours: float | None
    difference: float | None
    low: float | None
    high: float | None
    detectable: float | None
    word: Literal["agrees", "disagrees", "can't tell"]
    undone_by_drift: bool = False
