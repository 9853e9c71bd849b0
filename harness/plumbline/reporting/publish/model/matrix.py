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
    """A session that cells come from. `host` is a slug, `commit` the one that was measured."""

    session: Link
    host: str
    commit: str | None


class Column(Frozen):
    """A measure: a metric of a phase. `sound`: means something on this class of host.

    `source` is a place in `sources`: the session that ranks are of, the newest one that could decide this measure.
    `surely` has pairs of places in `rows`, the better one first, whose order was decided in a session that measured
    both; `alike` those that were found equivalent. Of any other two nothing is decided.
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

    `ratio` is the value over that of the best of the class in the same blocks, with the interval by which the order is
    decided. `word`: `best`, that one; `equivalent` closer than 2 %; `behind` for sure; `ahead` of it for sure, in
    another session; `undecided`; `apart`: not compared. `shade` grows with the distance, and is there only where that
    is decided. `rank` and `tied` are among those of the class in the session that the ranks of the column are of.
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


class MatrixRow(Frozen):
    """A subject; `cells` are those of the columns, None where no figure of a warm program counts."""

    subject: str
    short: str
    mark: int | None
    data_access: AccessClass | None
    cells: tuple[Cell | None, ...]


class SparkLine(Frozen):
    """A subject in a small chart: a place in `rows`, and the time and the ratio to the control of each night."""

    row: int
    points: tuple[tuple[int, float], ...]


class Spark(Frozen):
    """A small trend chart of the first subjects by a measure: a place in `columns`, and what its axes span."""

    column: int
    since: int
    until: int
    low: float
    high: float
    lines: tuple[SparkLine, ...]


class Matrix(Document):
    """`api/v1/matrix/CLASS/SCENARIO.json`. Each column says which of `sources` its ranks are of.

    A cell of another source is of a subject that the column's session has no figure of. `classes` are the titles of the
    classes that have a row.
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
    """A matrix in the list of all."""

    host_class: HostClass
    scenario: str
    page: str
    path: str
    subjects: int


class MatrixIndex(Document):
    """`api/v1/matrix.json`: every matrix, the most telling class of hosts first."""

    kind: Literal["matrix-index"] = "matrix-index"
    matrices: tuple[MatrixEntry, ...]
