"""The matrix: every subject by every measure of one scenario on one class of hosts."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.data_access import AccessClass
from plumbline.model.host import HostClass
from plumbline.verdicts.figures.metrics import Better
from .base import Document, Link

CellWord = Literal["best", "equivalent", "undecided", "behind", "ahead", "apart"]


class Source(Frozen):
    """A session from which cells come. `host` is a slug, `commit` the commit that was measured."""

    session: Link
    host: str
    commit: str | None


class Column(Frozen):
    """A measure: a metric of a phase. `sound` says whether the metric means something on this class of host.

    `source` is an index in `sources`: the session of the ranks, the newest one that could decide this measure. `surely`
    has the pairs of indices in `rows`, the better row first, whose order was decided in a session that measured both;
    `alike` has the pairs that were found equivalent. The order of any other pair is not decided.
    """

    source: int
    phase: str
    metric: str
    title: str
    where: str
    symbol: str
    per: float
    better: Better
    sound: bool
    surely: tuple[tuple[int, int], ...]
    alike: tuple[tuple[int, int], ...]


class Cell(Frozen):
    """A subject by a measure, from one session of `sources`. `text` is mean and interval for people, in the shown unit.

    `ratio` is the value over the value of the best subject of the class in the same blocks, with the interval by which
    the order is decided; where subjects share rank 1, the best is the subject with the best mean. `word` compares with
    this best subject: `best` is that subject; `equivalent`: closer than 2 %; `behind`: surely; `ahead`: surely, in
    another session; `undecided`: also of all that share rank 1 without being equivalent; `apart`: not compared. `shade`
    grows with the distance, and is there only where the distance is decided. `rank` and `tied` are within the class, in
    the session from which the column has its ranks. `trend` is the address of the page with the cell's chart; None
    where there is no chart.
    """

    source: int
    mean: float
    low: float | None
    high: float | None
    text: str
    rank: int | None
    tied: bool
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    word: CellWord
    shade: int | None
    trend: str | None


class MatrixRow(Frozen):
    """A subject; `cells` has one cell for each column, None where no figure of a warm program counts."""

    subject: str
    short: str
    mark: int | None
    data_access: AccessClass | None
    cells: tuple[Cell | None, ...]


class SparkLine(Frozen):
    """A subject in a small chart: an index in `rows`, and the time and the ratio to the control of each night."""

    row: int
    points: tuple[tuple[int, float], ...]


class Spark(Frozen):
    """A small trend chart of the first subjects by a measure: an index in `columns`, and the ranges of the axes."""

    column: int
    since: int
    until: int
    low: float
    high: float
    lines: tuple[SparkLine, ...]


class Matrix(Document):
    """`api/v1/matrix/CLASS/SCENARIO.json`. Each column says from which of `sources` its ranks come.

    A cell of another source is about a subject of which the column's session has no figure. `classes` has the titles of
    the classes that have a row.
    """

    kind: Literal["matrix"] = "matrix"
    host_class: HostClass
    scenario: str
    heading: str
    page: str
    sources: tuple[Source, ...]
    columns: tuple[Column, ...]
    classes: dict[AccessClass, str]
    rows: tuple[MatrixRow, ...]
    sparks: tuple[Spark, ...]


class MatrixEntry(Frozen):
    """A matrix in the list of all matrices."""

    host_class: HostClass
    scenario: str
    page: str
    path: str
    subjects: int


class MatrixIndex(Document):
    """`api/v1/matrix.json`: every matrix, the most telling class of hosts first."""

    kind: Literal["matrix-index"] = "matrix-index"
    matrices: tuple[MatrixEntry, ...]
