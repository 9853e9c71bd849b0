"""A study beside a session, as Markdown: in the report, and as the measured part of a page of docs/studies."""

from __future__ import annotations

from .markdown_mix import mix_lines
from .markdown_text import escaped, table
from .study_view import StudyAnswer, StudyView
from .view import View


def study_lines(study: StudyView) -> list[str]:
    """The section of a report."""
    lines = ["", f"## {escaped(study.title)}", "", escaped(study.question)]
    for one in study.tables:
        lines += _table(one, "###")
    lines += ["", "### What keeps the two apart", "", *(f"- {escaped(caveat)}" for caveat in study.caveats)]
    return lines


def measured_block(view: View) -> str:
    """What a page about the study shows of one session: where it ran, how far it is to be trusted, the tables."""
    assert view.study is not None
    lines = [
        f"Session `{escaped(view.session)}` on {escaped(view.host)}. **{escaped(view.trust.word)}.** "
        + escaped(" ".join(view.trust.sentences)),
        "",
        *(f"- {escaped(caution)}" for caution in view.trust.cautions),
    ]
    for one in view.study.tables:
        lines += _table(one, "###")
    for scenario in view.scenarios:
        for mix in scenario.mixes:
            lines += mix_lines(mix)
    return "\n".join(lines) + "\n"


def _table(one: StudyAnswer, heading: str) -> list[str]:
    lines = [
        "",
        f"{heading} {escaped(one.about)}",
        "",
        escaped(f"{one.metric}, {one.where}; {one.unit}."),
        "",
    ]
    lines += table(
        ("System", "Subject", "Published", "Ratio", "Measured here", "Ratio here", "Ratios", "Note"),
        (
            (
                row.system,
                row.subject,
                row.published,
                row.published_ratio,
                row.measured,
                row.ratio,
                row.word,
                row.note,
            )
            for row in one.figures
        ),
    )
    lines += ["", escaped(f"Ratios are to {one.against}. {one.summary} {one.why}")]
    if one.ruled:
        lines += ["", "What the referee said:", ""]
        lines += [
            f"- {escaped(ruled.system)}: "
            + "; ".join(
                f"**{escaped(said.rule)}** {said.outcome}: {escaped(said.reading)}" for said in ruled.said
            )
            for ruled in one.ruled
        ]
    return lines
