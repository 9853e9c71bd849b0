"""Renders static HTML with the templates of `site/`, with autoescape, from the same documents as the JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from pydantic import BaseModel

from plumbline.reporting.report.html import prose
from plumbline.reporting.report.parts.naming import plain_number, signed
from plumbline.verdicts.judge.wording import counted
from .assets import Assets


class Site(NamedTuple):
    """The facts of the site that every page needs. `address` ends in a slash; `newest` is a date."""

    title: str
    simulated: bool
    address: str | None
    repository: str | None
    newest: str | None
    sessions: int
    left_out_records: int


Names = Mapping[str, Mapping[str, Any]]
"""`hosts`, `subjects` and `scenarios`: slug -> entry of the index."""


class Pages:
    """Renders pages; each process makes one object of this class."""

    def __init__(self, assets: Assets) -> None:
        self._assets = assets
        self._environment = Environment(
            loader=FileSystemLoader(assets.templates),
            autoescape=True,
            extensions=["jinja2.ext.do"],
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            bytecode_cache=None if assets.compiled is None else FileSystemBytecodeCache(str(assets.compiled)),
        )
        self._environment.filters.update(
            date=date,
            when=when,
            number=plain_number,
            prose=prose,
            decade=place_on_log_axis,
            change=signed,
            counted=counted,
        )

    def render(self, page: str, path: str, model: BaseModel, site: Site, names: Names) -> bytes:
        """Return the page of a template for a document; the page will lie at `path`."""
        root = "../" * path.count("/")
        # A server shows this page at any depth, so only full addresses lead to a page.
        if page == "404":
            root = site.address or ""
        return (
            self._environment.get_template(f"{page}.html")
            .render(
                page=page,
                path=path,
                root=root,
                site=site._asdict(),
                assets=self._assets.of_page(page),
                model=model,
                names=names,
            )
            .encode("utf-8")
        )


def date(t: int) -> str:
    """Return `2026-11-21`, of seconds since 1970."""
    return datetime.fromtimestamp(t, UTC).strftime("%Y-%m-%d")


def when(t: int) -> str:
    """Return `2026-11-21 07:00 UTC`, of seconds since 1970."""
    return datetime.fromtimestamp(t, UTC).strftime("%Y-%m-%d %H:%M UTC")


def place_on_log_axis(value: float, first: int, last: int) -> float:
    """Return a value's place on a logarithmic axis: 0 at 10^first, 1 at 10^last; a value beyond lies at the end."""
    exponent = math.log10(value) if value > 0 else first
    return (min(max(exponent, first), last) - first) / (last - first)
