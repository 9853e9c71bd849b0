"""The studies page: `studies.toml` beside the newest measurement of the same question."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from plumbline.figures.metrics import METRICS
from plumbline.model.record import Record
from plumbline.record.standings import of_metric
from plumbline.report.parts.numbers import unit_of, with_interval
from .digest import Digest, to_digits
from .model.studies import Measured, StudiesFile, Study, StudyFigure, StudyTable
from .overview import Reader, link
from .safe import slug_of

_FILE = Path(__file__).with_name("studies.toml")
_RATIO_DIGITS = 3

Place = tuple[Digest, str]
"""A session and the id of a scenario in it."""
Places = dict[str, list[Place]]
"""name of a scenario -> where it was measured, newest first"""


def studies_file(digests: Sequence[Digest], read: Reader, simulated: bool) -> StudiesFile:
    """Every study with its figures. `read` gives the record of a session."""
    newest: Places = {}
    for digest in reversed(digests):
        for scenario in digest.scenarios:
            newest.setdefault(scenario.partition("@")[0], []).append((digest, scenario))
    return StudiesFile(
        simulated=simulated,
        studies=tuple(
            Study(
                id=one["id"],
                title=one["title"],
                year=one["year"],
                question=one["question"],
                caught=tuple(one["caught"]),
                tables=tuple(_table(its, newest, read) for its in one["table"]),
                command=f"./bench run --suite {one['suite']}",
            )
            for one in _studies()
        ),
    )


@cache
def _studies() -> tuple[Mapping[str, Any], ...]:
    return tuple(tomllib.loads(_FILE.read_text(encoding="utf-8"))["study"])


class _Found(NamedTuple):
    """`mean` is None where every trial was refused."""

    text: str
    mean: float | None
    of: Digest


def _table(its: Mapping[str, Any], newest: Places, read: Reader) -> StudyTable:
    rows = its["rows"]
    against = next(
        row for row in rows if "value" in row and row["system"] == its.get("against", row["system"])
    )
    places = _fullest_first(newest.get(its["scenario"], ()), {row["subject"] for row in rows})
    base = _measured(its, against["subject"], places, read)
    return StudyTable(
        what=its["what"],
        scenario=its["scenario"],
        metric=its["metric"],
        against=against["system"],
        figures=tuple(
            _figure(row, against["value"], _measured(its, row["subject"], places, read), base) for row in rows
        ),
    )


def _figure(
    row: Mapping[str, Any], published: float, found: _Found | None, base: _Found | None
) -> StudyFigure:
    measured = None
    if found is not None:
        ratio = None
        if base is not None and base.of is found.of and base.mean and found.mean:
            ratio = to_digits(found.mean / base.mean, _RATIO_DIGITS)
        measured = Measured(
            text=found.text,
            refused=found.mean is None,
            ratio=ratio,
            host=slug_of(found.of.host),
            session=link(found.of),
        )
    return StudyFigure(
        system=row["system"],
        subject=None if found is None else slug_of(row["subject"]),
        published=row["published"],
        ratio=to_digits(row["value"] / published, _RATIO_DIGITS) if "value" in row else None,
        measured=measured,
        note=row.get("note", ""),
    )


def _fullest_first(places: Sequence[Place], subjects: set[str]) -> Sequence[Place]:
    """Newest first, but before all the newest with the most of the subjects: only there they are set against others."""

    def measured(place: Place) -> int:
        one, scenario = place
        return sum(scenario in one.worst.get(subject, {}) for subject in subjects)

    return [max(places, key=measured), *places] if places else places


def _measured(its: Mapping[str, Any], subject: str, places: Sequence[Place], read: Reader) -> _Found | None:
    """The first figure; where there is none, the first reason why all trials were refused."""
    refused = None
    for one, scenario in places:
        if scenario in one.worst.get(subject, {}):
            found = _figure_of(read(one.session), scenario, its["phase"], its["metric"], subject)
            if found is not None:
                return _Found(*found, one)
        elif refused is None and scenario in one.gaps.get(subject, {}):
            refused = _Found(one.gaps[subject][scenario], None, one)
    return refused


def _figure_of(record: Record, scenario: str, kind: str, name: str, subject: str) -> tuple[str, float] | None:
    metric, planned = METRICS[name], record.plan.scenario(scenario)
    for phase in planned.phases:
        if phase.kind != kind:
            continue
        for row in of_metric(record.plan, planned, phase.name, metric, record.trials):
            if row.subject == subject and row.mean is not None:
                unit = unit_of(metric.unit, [row.mean])
                mean, low, high = (None if v is None else v / unit.per for v in (row.mean, row.low, row.high))
                return f"{with_interval(mean or 0.0, low, high)} {unit.symbol}", row.mean
    return None
