"""The files of a report and who writes them: to add a format, copy a neighbour and name it here."""

from __future__ import annotations

from collections.abc import Callable

from .html import page
from .markdown import document
from .view import View

WRITERS: dict[str, Callable[[View], str]] = {
    "report.html": page,
    "report.md": document,
}
