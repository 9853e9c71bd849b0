"""The classes of data access: the members of each with their releases, the leaders, and the price of an ORM."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen
from plumbline.model.data_access import DataAccess
from plumbline.model.host import HostClass
from .base import Document, Link
from .standings import StartWord, Table


class Member(Frozen):
    """A variant of a class, as it was measured last.

    `release` is the release of the variant's framework, None where the program does not tell it. `since` is the first
    session with this release.
    """

    variant: str
    framework: str
    concurrency: str
    release: str | None
    since: Link | None
    last: Link


class ClassMeasure(Frozen):
    """The result of a class by one more measure, in a sentence."""

    title: str
    where: str
    said: str
    session: Link


class ClassStanding(Frozen):
    """A class under one scenario on one host (slugs): the leading measure as a table, the other measures in words."""

    host: str
    host_class: HostClass
    heading: str
    scenario: str
    table: Table
    others: tuple[ClassMeasure, ...]


class ClassOfAccess(Frozen):
    """One class: `about` says which work its subjects do. Members are sorted by framework and variant."""

    data_access: DataAccess
    title: str
    about: str
    page: str
    members: tuple[Member, ...]
    standings: tuple[ClassStanding, ...]


class OrmPrice(Frozen):
    """A stack with an ORM beside the same stack without one, by one measure.

    `times` is the figure of the stack with an ORM as a multiple of the figure of the stack without, with its interval.
    `word` is the decision about the stack with an ORM.
    """

    with_orm: str
    without: str
    title: str
    where: str
    times: str
    word: StartWord


class OrmPrices(Frozen):
    """The prices of an ORM in one session under one scenario."""

    host: str
    host_class: HostClass
    scenario: str
    session: Link
    confidence: float
    rows: tuple[OrmPrice, ...]


class ClassesFile(Document):
    """`api/v1/classes.json`. `commands` measure the price of an ORM."""

    kind: Literal["classes"] = "classes"
    classes: tuple[ClassOfAccess, ...]
    prices: tuple[OrmPrices, ...]
    commands: tuple[str, ...]
