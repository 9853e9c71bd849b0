"""The studies page: `studies.toml` beside the newest measurement of the same question."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from plumbline.figures.metrics import METRICS
from plumbline.model.record import Record
from plumbline.record.standings import of_metric
from plumbline.report.parts.numbers import unit_of, with_interval
from .digest import Digest
from .model.studies import Measured, StudiesFile, Study, StudyFigure
from .overview import Reader, link
from .safe import slug_of

_FILE = Path(__file__).with_name("studies.toml")
_OTHER_HOST = "Other hardware and other versions: the order of subjects can be compared, the figures can't."


def studies_file(digests: Sequence[Digest], read: Reader, simulated: bool) -> StudiesFile:
    """Every study with its figures. `read` gives the record of a session."""
    return StudiesFile(
        simulated=simulated,
        studies=tuple(
            Study(
                id=one["id"],
                title=one["title"],
                year=one["year"],
                question=one["question"],
                caught=tuple(one["caught"]),
                figures=tuple(_figure(its, digests, read) for its in one["figure"]),
            )
            for one in _studies()
        ),
    )


@cache
def _studies() -> tuple[Mapping[str, Any], ...]:
    return tuple(tomllib.loads(_FILE.read_text(encoding="utf-8"))["study"])


def _figure(its: Mapping[str, Any], digests: Sequence[Digest], read: Reader) -> StudyFigure:
    subject = its.get("subject")
    measured = None if subject is None else _measured(its, subject, digests, read)
    notes = [its["note"]] if "note" in its else []
    if measured is not None:
        notes.append(_OTHER_HOST)
    return StudyFigure(
        system=its["system"],
        subject=None if subject is None or measured is None else slug_of(subject),
        what=its["what"],
        published=its["published"],
        measured=measured,
        note=" ".join(notes),
    )


def _measured(
    its: Mapping[str, Any], subject: str, digests: Sequence[Digest], read: Reader
) -> Measured | None:
    for one in reversed(digests):
        for scenario in one.scenarios:
            if scenario.partition("@")[0] == its["scenario"] and scenario in one.worst.get(subject, {}):
                text = _text(read(one.session), scenario, its["phase"], its["metric"], subject)
                return (
                    None if text is None else Measured(text=text, host=slug_of(one.host), session=link(one))
                )
    return None


def _text(record: Record, scenario: str, kind: str, name: str, subject: str) -> str | None:
    metric, planned = METRICS[name], record.plan.scenario(scenario)
    for phase in planned.phases:
        if phase.kind != kind:
            continue
        for row in of_metric(record.plan, planned, phase.name, metric, record.trials):
            if row.subject == subject and row.mean is not None:
                unit = unit_of(metric.unit, [row.mean])
                mean, low, high = (None if v is None else v / unit.per for v in (row.mean, row.low, row.high))
                return f"{with_interval(mean or 0.0, low, high)} {unit.symbol}"
    return None
