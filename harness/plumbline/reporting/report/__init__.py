"""The report of a session: terminal, Markdown, and one self-contained page.

Promises that a reader in a hurry sees who is ahead, by how much for sure, and whether to trust it; that what a host
can't measure never leads; that ties read as ties and invalid trials stay visible with their reasons. All formats are
fed by one view (`view.py`), so that they can't say different things. Refuses to know how a trial is run, and computes
no figure of its own: those of the record are shown, and the methods of `stats` are used for what it doesn't rank.

Every string of a record is taken to be hostile: cleaned once (`parts/clean.py`), and escaped by each format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.model.evidence import Evidence
from plumbline.model.record import Record


@dataclass(frozen=True)
class Written:
    """The paths of the files of a report."""

    html: Path
    markdown: Path


def write(record: Record, evidence: Mapping[int, Evidence], folder: Path, kept: str | None = None) -> Written:
    """Write every file of the report into a folder that exists. `evidence` is by trial number, and may have gaps.

    `kept` is the folder of the record, as for `compose`.
    """
    from .compose import compose
    from .html import page
    from .markdown import document

    view = compose(record, evidence, kept)
    made = Written(html=folder / "report.html", markdown=folder / "report.md")
    made.html.write_text(page(view), encoding="utf-8")
    made.markdown.write_text(document(view), encoding="utf-8")
    return made
