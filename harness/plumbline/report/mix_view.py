"""The view of a mix: the distribution of response times of each subject, over all and by use case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .name import Name


@dataclass(frozen=True)
class Box:
    """Response times of one subject in ms: quantile -> value where enough requests lie beyond it, and the mean."""

    name: Name
    mean: float
    quantiles: Mapping[float, float]
    requests: int
    trials: int


@dataclass(frozen=True)
class Boxes:
    """The view of one use case, or of all use cases together; `asks` are its requests in order."""

    use_case: str
    asks: str
    rows: tuple[Box, ...]


@dataclass(frozen=True)
class RequestMeans:
    """Mean response time in ms of one request within a use case, by subject; None where none was made."""

    use_case: str
    request: str
    means: tuple[tuple[Name, float | None], ...]


@dataclass(frozen=True)
class MixView:
    """The view of one open phase of a mix."""

    phase: str
    where: str
    boxes: tuple[Boxes, ...]
    requests: tuple[RequestMeans, ...]
