"""A record as Markdown for a job summary or a comment: numbers and names of ours, all other texts as plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from plumbline.figures.metrics import METRICS, Metric
from plumbline.judge.wording import percent
from plumbline.model.comparison import Answer, Comparison
from plumbline.model.plan import Scenario
from plumbline.model.record import Record, Standing
from plumbline.record.claim import heading, said
from plumbline.record.sentence import moved
from plumbline.record.standings import MetricStandings, in_record
from .workflow import plain, table

ROWS = 60
# The sentence of a comparison, or of standings of four classes with the whole names of subjects.
SENTENCE = 1800
REASONS = 12


def rendered(record: Record, *, heading: str, notes: tuple[str, ...] = ()) -> str:
    """Return the record as Markdown. `notes` are sentences of ours; links in them are ours too."""
    return "\n".join(_parts(record, heading, notes))


def _parts(record: Record, heading: str, notes: tuple[str, ...]) -> Iterator[str]:
    plan = record.plan
    yield f"## {heading}\n"
    if record.comparison is not None:
        yield from _comparison(record.comparison)
    else:
        yield from _standings(record)
    counted = Counter(trial.verdict for trial in record.trials)
    said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counted.items()))
    yield f"{len(record.trials)} trials: {said}.\n"
    yield from _reasons(record)
    where = {
        "lab": "an isolated host",
        "shared": "a shared machine: advisory",
        "small": "a small machine: advisory",
    }
    yield (
        f"Session {_code(plan.session)} of suite {_code(plan.suite)} on {_code(plan.host)} "
        f"({where[plan.host_class]}), commit {_code((record.provenance.commit or 'none')[:12])}.\n"
    )
    for note in notes:
        yield f"{note}\n"


def _comparison(comparison: Comparison) -> Iterator[str]:
    yield f"**{plain(comparison.sentence, SENTENCE)}**\n"
    asked = [answer for answer in comparison.answers if answer.primary]
    yield table(
        ("subject", "scenario", "figure", "verdict", "head against base", "detectable", "pairs"),
        [_answer(answer) for answer in asked[:ROWS]],
        numbers=2,
    )
    if len(asked) > ROWS:
        yield f"{len(asked) - ROWS} more questions are in the record.\n"


def _answer(answer: Answer) -> tuple[str, ...]:
    subject = answer.head_subject
    if answer.base_subject != answer.head_subject:
        subject = f"{answer.base_subject} -> {answer.head_subject}"
    return (
        _code(subject),
        _code(answer.scenario),
        f"{_metric(answer.metric)}, {_code(answer.phase)}",
        answer.verdict or "none yet",
        "" if answer.ratio is None else moved(answer),
        "" if answer.detectable is None else percent(answer.detectable),
        str(answer.pairs),
    )


def _standings(record: Record) -> Iterator[str]:
    """Yield the primary metrics by class, with the sentence of each; those of programs that warm up come last."""
    tables = sorted(_tables(record), key=lambda one: one[3].rows[0].warming_up)
    if not tables:
        yield "No figure stands: see the reasons.\n"
        return
    yield f"### {heading(record.host.host_class)}\n"
    rows = []
    for scenario, phase, metric, found in tables:
        unsteady = " while warming up" if found.rows[0].warming_up else ""
        figure = f"{metric.title}{unsteady}, {_code(phase)}"
        yield f"- {_code(scenario.id)}, {figure}: {plain(said(found, lambda subject: subject), SENTENCE)}\n"
        rows += [(_code(scenario.id), figure, *_row(row)) for row in found.everybody if row.mean is not None]
    yield ""
    yield table(
        ("scenario", "figure", "rank", "class", "subject", "mean", "interval", "trials"),
        rows[:ROWS],
        numbers=3,
    )
    if len(rows) > ROWS:
        yield f"{len(rows) - ROWS} more rows are in the record.\n"


def _tables(record: Record) -> Iterator[tuple[Scenario, str, Metric, MetricStandings]]:
    for scenario in record.plan.scenarios:
        for phase in scenario.phases:
            for metric in METRICS.values():
                if metric.primary and metric.better is not None:
                    found = in_record(record, scenario, phase.name, metric)
                    if found is not None and any(row.mean is not None for row in found.rows):
                        yield scenario, phase.name, metric, found


def _row(row: Standing) -> tuple[str, ...]:
    return (
        "" if row.rank is None else str(row.rank),
        "control" if row.data_access is None else row.data_access,
        _code(row.subject),
        f"{row.mean:,.4g}",
        "" if row.low is None or row.high is None else f"{row.low:,.4g} to {row.high:,.4g}",
        str(row.trials),
    )


def _reasons(record: Record) -> Iterator[str]:
    """Yield what made trials invalid, the most frequent first, each with one of its sentences."""
    found: Counter[str] = Counter()
    example: dict[str, str] = {}
    for trial in record.trials:
        for finding in trial.findings:
            if finding.outcome == "invalid":
                found[finding.rule] += 1
                example.setdefault(finding.rule, f"trial {trial.number}: {finding.reading}")
    if found:
        yield "Why trials are invalid:\n"
        yield "".join(
            f"- {plain(rule, 8)} ({count} times). {plain(example[rule])}\n"
            for rule, count in found.most_common(REASONS)
        )


def _metric(name: str) -> str:
    return METRICS[name].title if name in METRICS else _code(name)


def _code(text: str) -> str:
    """Return a checked name in the letters of code; anything else as plain words."""
    kept = all(letter.isalnum() or letter in "/.+=@%_> -" for letter in text) and text.isascii()
    return f"`{text}`" if kept and len(text) <= 420 else plain(text)
