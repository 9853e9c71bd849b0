"""The report of life-cycle measurements for the terminal and as Markdown: rows are metrics, columns are subjects."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from plumbline.archive.record.markdown import escaped, table
from plumbline.measuring.lifecycle.steps import STEPS
from plumbline.model.lifecycle import Lifecycle, LifecycleFigure
from .parts.clean import clean
from .terminal import printed_text

_MIB = 2**20
NOTHING = "–"


@dataclass(frozen=True)
class MetricRow:
    """A metric with a cell for each subject: `12.3 s ± 0.4`, or a dash where the subject has no figure."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class LifecycleView:
    """The view of a life-cycle document. `notes` say how it was measured, `absences` which steps are missing and why,
    `problems` which runs failed.
    """

    session: str
    lead: str
    subjects: tuple[str, ...]
    rows: tuple[MetricRow, ...]
    notes: tuple[str, ...]
    absences: tuple[str, ...]
    problems: tuple[str, ...]


def lifecycle_view(document: Lifecycle) -> LifecycleView:
    """Return the view of a life-cycle document, with every string cleaned."""
    figures = {(figure.subject, figure.metric): figure for figure in document.figures}
    rows = [
        MetricRow(words, tuple(_cell(figures.get((subject, metric))) for subject in document.subjects))
        for step in STEPS.values()
        for metric, words in step.metrics.items()
        if any((subject, metric) in figures for subject in document.subjects)
    ]
    return clean(
        LifecycleView(
            session=document.session,
            lead=_lead(document),
            subjects=document.subjects,
            rows=tuple(rows),
            notes=_notes(document),
            absences=tuple(
                f"{absence.subject}, {absence.step}: {absence.kind}; {absence.why}" for absence in document.absent
            ),
            problems=tuple(
                f"Run {run.number}, {run.subject}, {run.step}: {run.problem}"
                for run in document.runs
                if run.problem is not None
            ),
        )
    )


def _lead(document: Lifecycle) -> str:
    subjects = f"{len(document.subjects)} subject{'' if len(document.subjects) == 1 else 's'}"
    if not document.whole:
        begun = max((run.block for run in document.runs), default=0)
        interruption = f"interrupted in block {begun} of {document.blocks}"
        return f"Life cycle of {subjects}, {interruption}: the runs that ended count."
    runs = f"{document.blocks} runs" if document.blocks > 1 else "one run"
    return f"Life cycle of {subjects}, {runs} of each step after one that is thrown away."


def _notes(document: Lifecycle) -> tuple[str, ...]:
    cpus = len(document.sets.app)
    figures = "Means with 95 % intervals" if document.blocks > 1 else "One run a figure, so no intervals"
    return (
        f"{figures}, on {cpus} CPU{'' if cpus == 1 else 's'} of {document.host.cpu_model}, "
        f"a host of the class {document.host.host_class}.",
        f"Builds are the variant's own, offline, by Maven {document.provenance.maven} on {document.provenance.jdk}; "
        "the modules that all variants share were built before.",
        f"Memory is read after {document.requests:,} requests over connections that are kept.",
    )


def _cell(figure: LifecycleFigure | None) -> str:
    if figure is None:
        return NOTHING
    if figure.mean is None:
        return "failed"
    half = None if figure.high is None else figure.high - figure.mean
    failed = f" ({figure.failed_runs} failed)" if figure.failed_runs else ""
    return amount(figure.metric, figure.mean, half) + failed


def amount(metric: str, mean: float, half: float | None) -> str:
    """Return a figure in the unit that its metric names, with half the width of its interval."""
    if metric.endswith("_bytes"):
        return _number_with_unit(mean / _MIB, None if half is None else half / _MIB, "MiB", 1)
    if metric.endswith("_ms"):
        return _number_with_unit(mean, half, "ms", 0)
    return _number_with_unit(mean, half, "s", 2)


def _number_with_unit(mean: float, half: float | None, unit: str, places: int) -> str:
    return f"{mean:,.{places}f} {unit}" + ("" if half is None else f" ± {half:,.{places}f}")


def render_lifecycle(view: LifecycleView, width: int, colour: bool) -> str:
    """Return the report as text of at most `width` columns; with escape sequences only when `colour` is set."""
    return printed_text(lambda console: _print(console, view), width, colour)


def _print(console: Console, view: LifecycleView) -> None:
    console.print()
    console.print(Text(view.lead, "bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    for subject in view.subjects:
        table.add_column(Text(subject), justify="right")
    for row in view.rows:
        table.add_row(Text(row.name), *(Text(cell) for cell in row.cells))
    console.print(Padding(table, (1, 0)))
    for sentence in (*view.notes, *view.absences, *view.problems):
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))


def lifecycle_markdown(view: LifecycleView) -> str:
    """Return the whole view as a Markdown document."""
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
