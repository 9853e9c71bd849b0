"""What two subjects of a session, or two sessions, are compared by: trial values, latency curves, warm-up curves."""

from __future__ import annotations

from typing import Literal

from plumbline.figures.metrics import Better
from plumbline.model.base import Frozen
from .base import Document
from .runs import Band


class Values(Frozen):
    """One metric of one phase: for each trial that counts its block and its value, in the order of the blocks.

    Two subjects are compared by the logarithms of their values, paired by block.
    """

    phase: str
    metric: str
    title: str
    where: str
    symbol: str
    per: float
    better: Better
    blocks: tuple[int, ...]
    values: tuple[float, ...]


class Latency(Frozen):
    """Latencies of all trials that count as one mixture, (quantile, ms), where each has 100 beyond."""

    phase: str
    where: str
    rate_per_s: int | None
    samples: int
    trials: int
    points: tuple[tuple[float, float], ...]


class WarmUp(Frozen):
    """Requests a second from the first load on: the median of the trials that count, in pieces, over its phases."""

    bands: tuple[Band, ...]
    pieces: tuple[tuple[tuple[float, float], ...], ...]


class Contender(Frozen):
    """One subject by one scenario. Curves are there for the newest 90 sessions, else empty or None."""

    subject: str
    short: str
    mark: int | None
    control: bool
    scenario: str
    values: tuple[Values, ...]
    latency: tuple[Latency, ...]
    warm_up: WarmUp | None


class CompareFile(Document):
    """`api/v1/compare/<session>.json`. `t_quantiles[n - 1]` is Student's quantile 0.975 for n degrees of freedom.

    With d the differences of log values in common blocks, the ratio is exp(mean(d)), its 95 % interval
    exp(mean(d) +- t * sd(d) / sqrt(n)); fewer than two blocks give none.
    """

    kind: Literal["compare"] = "compare"
    session: str
    t: int
    host: str
    blocks: int
    recent: bool
    contenders: tuple[Contender, ...]
    t_quantiles: tuple[float, ...]
