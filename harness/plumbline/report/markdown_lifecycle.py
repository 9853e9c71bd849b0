"""The report of life-cycle measurements in Markdown."""

from __future__ import annotations

from .lifecycle_view import LifecycleView
from .markdown_text import escaped, table


def lifecycle_markdown(view: LifecycleView) -> str:
    """The whole document."""
    lines = [f"# Life cycle, {escaped(view.session)}", "", escaped(view.lead), ""]
    lines += table(("", *view.subjects), ((row.name, *row.cells) for row in view.rows))
    for title, sentences in (
        ("How it was measured", view.notes),
        ("What there is not", view.absences),
        ("Runs that came to nothing", view.problems),
    ):
        if sentences:
            lines += ["", f"## {title}", "", *(f"- {escaped(sentence)}" for sentence in sentences)]
    return "\n".join(lines) + "\n"
