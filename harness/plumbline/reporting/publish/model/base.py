"""The base of all published documents."""

from __future__ import annotations

from typing import Literal

from plumbline.model.base import Frozen

API = "v1"


class Document(Frozen):
    """A file of the API. `simulated` says that the records were made up, and pages must say so."""

    api: Literal["v1"] = "v1"
    simulated: bool


class Link(Frozen):
    """A session with its page, and when it was measured."""

    session: str
    t: int
    page: str
