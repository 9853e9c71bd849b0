"""The documents of comparisons, of two subjects of a session or of two sessions: trial values, latency curves, warm-up
curves.
"""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.data_access import AccessClass
from plumbline.model.record import Verdict
from plumbline.reporting.report.view import Band
from plumbline.verdicts.figures.metrics import Better
from .base import Document


class CompareRule(Frozen):
    """The rule by which the page decides between two sides (`docs/method.md`): the thresholds of `./bench compare`,
    without interim analyses.

    With d the differences of log values in common blocks, turned so that above zero is better, the ratio is
    exp(mean(d)) and the interval of confidence 1 - `level` is exp(mean(d) +- t sd(d) / sqrt(n)). Within a session the
    level of a question is that of its class and measure (`Values.level`), so that every page has one word for it;
    between two sessions the t test's p is adjusted for all measures asked at once (Holm over primary ones,
    Benjamini-Hochberg over the others). Sides differ where p is below `level`, and no drift could turn the order round;
    they are equivalent where the whole interval lies within `margin`, a log ratio.
    A mean trimmed by `trimmed_share` and the Hodges-Lehmann estimate have to lie in the interval and on the same side,
    and from `trimmed_from` pairs on the p of Yuen's test may not exceed `trimmed_doubts_above`. Fewer than
    `minimum_pairs` say nothing.
    """

    level: float
    margin: float
    minimum_pairs: int
    trimmed_share: float
    trimmed_from: int
    trimmed_doubts_above: float


class Measure(Frozen):
    """A metric of a phase. `primary` measures are judged as one family, the others as another."""

    phase: str
    metric: str
    title: str
    where: str
    symbol: str
    per: float
    better: Better
    primary: bool


class Values(Frozen):
    """The block and the value of each trial that counts and has the figure, in the order of the blocks; `measure` is an
    index in the file's `measures`. A trial that was not proven steady is left out where another of the subject was.

    Two subjects of one class of data access are compared by the logarithms of their values, paired by block, at the
    `level` of that class and measure: the rule's, divided by the pairs of subjects that are compared. Figures of a
    program that may still have been warming up are compared with nobody; `warming_up` says why, and is empty otherwise.
    `drift` is how far the logarithm may still fall and rise.
    """

    measure: int
    level: float
    warming_up: str
    drift: tuple[float, float]
    blocks: tuple[int, ...]
    values: tuple[float, ...]


class Latency(Frozen):
    """Latencies of all trials that count as one mixture: (quantile, ms), for quantiles with 100 requests above them."""

    phase: str
    where: str
    rate_per_s: int | None
    samples: int
    trials: int
    points: tuple[tuple[float, float], ...]


class WarmUp(Frozen):
    """Requests per second from the first load on: the median of the trials that count, in pieces, over the phases."""

    bands: tuple[Band, ...]
    pieces: tuple[tuple[tuple[float, float], ...], ...]


class Contender(Frozen):
    """A subject under a scenario, and the operation that it ran: the control may have another than the subjects.

    Curves are there for the newest 90 sessions, else empty or None.
    """

    subject: str
    short: str
    mark: int | None
    control: bool
    data_access: AccessClass | None
    scenario: str
    operation: str
    values: tuple[Values, ...]
    latency: tuple[Latency, ...]
    warm_up: WarmUp | None


class CompareFile(Document):
    """`api/v1/compare/<session>.json`: the values by which two subjects of a session are compared, and the `rule`.

    `word` is the verdict on the trials that count. Two sessions measured a scenario alike where its `phases` are equal
    (a text by scenario) and the versions of `workload` and `figures`, which are among the components of `environment`.
    """

    kind: Literal["compare"] = "compare"
    session: str
    t: int
    host: str
    word: Verdict
    environment: dict[str, str]
    phases: dict[str, str]
    blocks: int
    recent: bool
    measures: tuple[Measure, ...]
    contenders: tuple[Contender, ...]
    rule: CompareRule
