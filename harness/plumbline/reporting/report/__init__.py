"""The report of a session: terminal, Markdown, and one self-contained page.

Promises that a reader in a hurry sees which subject is ahead, by how much for sure, and whether to trust the result;
that metrics that a host can't measure never lead; that ties read as ties and invalid trials stay visible with their
reasons. One view (`view.py`) feeds all formats, so that they can't say different things. Refuses to know how a trial is
run, and computes no figure of its own: it shows the figures of the record, and uses the methods of `stats` for figures
that the record doesn't rank.

Every string of a record may be hostile: it is cleaned once (`parts/clean.py`), and escaped by each format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.archive.record.files import write_whole
from plumbline.model.evidence import Evidence
from plumbline.model.record import Record


@dataclass(frozen=True)
class ReportPaths:
    """The paths of the files of a report."""

    html: Path
    markdown: Path


def write(
    record: Record, evidence: Mapping[int, Evidence], folder: Path, record_folder: str | None = None
) -> ReportPaths:
    """Write every file of the report into a folder that exists. `evidence` is by trial number, and may have gaps.

    `record_folder` is the folder of the record, as for `compose`.
    """
    from .compose import compose
    from .html import page
    from .markdown import document

    view = compose(record, evidence, record_folder)
    paths = ReportPaths(html=folder / "report.html", markdown=folder / "report.md")
    # The folder may be a stranger's: a link that lies there is replaced, and not followed.
    write_whole(paths.html, page(view).encode())
    write_whole(paths.markdown, document(view).encode())
    return paths
