"""The report as Markdown: the whole document for people who read files, and a short form for pull requests."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.archive.record.markdown import escaped, table
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.judge.wording import percent
from .markdown_text import answer_lines, comparison_lines, mix_lines, reproduction_lines, study_lines
from .parts.naming import mebibytes, plain_number, seconds
from .view import Row, ScenarioView, StandingsView, View


def document(view: View) -> str:
    """Return the document of a view."""
    lines = [
        f"# {escaped(view.lead)}",
        *_trust(view),
        "",
        f"Suite {escaped(view.suite)}, {escaped(view.when)}, {escaped(view.host)}.",
    ]
    if view.reproduction is not None:
        lines += reproduction_lines(view.reproduction)
    if view.comparison is not None:
        lines += comparison_lines(view.comparison)
    if view.study is not None:
        lines += study_lines(view.study)
    for scenario in view.scenarios:
        lines += _scenario(scenario)
    lines += _reasons(view)
    lines += ["", "## Check results", ""]
    lines += table(
        ("Rule", "Title", "Worst", "Trials", "A reading of the worst"),
        (
            (
                rule.id,
                rule.title,
                rule.worst,
                ", ".join(f"{count} {outcome}" for outcome, count in rule.counts.items()),
                rule.reading,
            )
            for rule in view.rules
        ),
    )
    lines += ["", "## Builds", ""]
    lines += table(
        ("Artifact", "Time", "Peak memory", "Size", "SHA-256", "Note"),
        (
            (
                build.artifact,
                seconds(build.wall_s),
                mebibytes(build.memory_bytes),
                mebibytes(build.size_bytes),
                build.sha256[:16],
                build.note,
            )
            for build in view.builds
        ),
    )
    lines += ["", "## Where the numbers come from", ""]
    lines += table(("What", "Value"), view.provenance)
    lines += ["", "## Run and check it yourself"]
    # Indented code has no end mark that a string could forge.
    for sentence, commands in (
        ("The same trials in the same order, and which ratios agree with this record:", view.reproduce),
        ("Every figure and check result, computed again from the evidence:", (view.verify,)),
    ):
        lines += ["", sentence, "", *(f"    {command}" for command in commands)]
    return "\n".join(lines) + "\n"


def brief(view: View, heading: str, notes: Sequence[str] = ()) -> str:
    """Return the short form of a view, for the summary of a job or a comment: the answer, the leading metrics, and why
    trials are invalid.

    `heading` and `notes` are Markdown that this project wrote, so they are not escaped.
    """
    lines = [f"## {heading}", "", f"**{escaped(view.lead)}**", *_trust(view)]
    for contest in () if view.comparison is None else view.comparison.contests:
        lines += answer_lines(contest)
    for scenario in view.scenarios:
        lines += ["", f"## {escaped(scenario.id)}: {escaped(scenario.heading)}", "", escaped(scenario.steady)]
        other_primary = (standings for standings in scenario.others if METRICS[standings.metric].primary)
        for standings in (*scenario.claims, *other_primary):
            lines += _standings(standings)
    lines += _reasons(view)
    commit = dict(view.provenance)["Commit"]
    origin = f"Session {view.session}, suite {view.suite}, {view.when}, {view.host}, commit {commit}."
    return "\n".join((*lines, "", escaped(origin), *(line for note in notes for line in ("", note)))) + "\n"


def _trust(view: View) -> list[str]:
    return [
        "",
        f"**{escaped(view.trust.word)}.** {escaped(' '.join(view.trust.sentences))}",
        "",
        *(f"- {escaped(caution)}" for caution in view.trust.cautions),
    ]


def _scenario(scenario: ScenarioView) -> list[str]:
    lines = ["", f"## {escaped(scenario.id)}: {escaped(scenario.operation)}", ""]
    lines += [f"{escaped(scenario.phases)}. {escaped(scenario.steady)}"]
    if scenario.lead:
        lines += ["", f"### {escaped(scenario.heading)}"]
    for standings in scenario.lead:
        lines += _standings(standings)
    if scenario.bounded:
        lines += ["", "### Throughput, and what limited it", ""]
        lines += [f"- {escaped(limit)}" for limit in scenario.limits]
    for standings in scenario.bounded:
        lines += _standings(standings)
    if scenario.unsteady:
        lines += ["", "### While warming up"]
    for standings in scenario.unsteady:
        lines += _standings(standings)
    for mix in scenario.mixes:
        lines += mix_lines(mix)
    return lines


def _standings(standings: StandingsView) -> list[str]:
    rows = (*standings.rows, *((standings.control,) if standings.control else ()))
    return [
        "",
        f"#### {escaped(standings.title)}, {escaped(standings.where)}",
        "",
        escaped(standings.sentence),
        "",
        *table(
            (
                "Rank",
                "Subject",
                f"Mean and {percent(standings.confidence)} interval, {standings.unit}",
                "Times control",
                "Trials",
                "Left out",
            ),
            (_cells(row) for row in rows),
        ),
    ]


def _cells(row: Row) -> tuple[str, ...]:
    ratio = "" if row.ratio is None or row.name.mark is None else plain_number(row.ratio)
    return row.place, row.name.short, row.text, ratio, str(row.trials), str(row.left_out)


def _reasons(view: View) -> list[str]:
    if not view.reasons:
        return ["", "## Invalid trials and doubts", "", "None."]
    rows = (
        (
            reason.outcome,
            reason.rule or "",
            reason.title,
            "; ".join(f"{name.short} {', '.join(map(str, trials))}" for name, trials in reason.trials),
            " ".join(reason.readings),
        )
        for reason in view.reasons
    )
    head = ("Outcome", "Rule", "Title", "Trials by subject", "Readings")
    return ["", "## Invalid trials and doubts", "", *table(head, rows)]
