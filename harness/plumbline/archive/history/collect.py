"""Collect series from a tree of records: every record is read once, and its extract is kept by the record's digest."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field, StrictFloat, StrictInt, StrictStr

from plumbline.archive.record.layout import session_folders, stated_files
from plumbline.archive.record.read import read_record
from plumbline.archive.record.write import RECORD
from plumbline.model.base import Frozen
from plumbline.model.data_access import AccessClass
from plumbline.model.errors import AnswerIsNo, PlumblineError, UsageError
from plumbline.subjects.catalog.reading import read_json
from plumbline.verdicts.figures.metrics import METRICS, Better
from .extract import Extract, extract
from .points import Interned, Point, PointColumns, Points, SessionColumns
from .series import FigureSeries

Key = tuple[str, str, str, str, str]
"""host, subject, scenario, phase, metric"""


@dataclass
class PointTable:
    """The points of all series. `columns` holds them by series; `controls` are the subjects that were the control of a
    session; `data_access` is the class of each scenario and subject in the newest session that has both.
    """

    nights: SessionColumns = field(default_factory=SessionColumns)
    labels: Interned = field(default_factory=Interned)
    columns: dict[Key, PointColumns] = field(default_factory=dict)
    controls: set[str] = field(default_factory=set)
    data_access: dict[tuple[str, str], AccessClass] = field(default_factory=dict)

    def add(self, extracted: Extract) -> None:
        """Add the extract of a session, which is later than all sessions in the table."""
        session_index = self.nights.add(extracted.t, extracted.session, extracted.commit)
        environments: dict[str | None, int] = {}
        self.controls.add(extracted.control)
        for scenario, classes in extracted.data_access.items():
            self.data_access |= {(scenario, subject): access for subject, access in classes.items()}
        control_values = extracted.values.get(extracted.control, {})
        for subject, scenarios in extracted.values.items():
            label = self.labels.place(extracted.labels.get(subject, {}))
            for scenario, phases in scenarios.items():
                for phase, metrics in phases.items():
                    control = control_values.get(scenario, {}).get(phase, {}) if subject != extracted.control else {}
                    rate = extracted.rates.get(scenario, {}).get(phase)
                    if rate not in environments:
                        place = self.nights.environments.place
                        environments[rate] = place(extracted.environment_of(scenario, phase))
                    for metric, value in metrics.items():
                        key = (extracted.host, subject, scenario, phase, metric)
                        columns = self.columns.get(key)
                        if columns is None:
                            columns = self.columns[key] = PointColumns()
                        columns.add(session_index, value, control.get(metric), label, environments[rate])

    def series(self) -> tuple[FigureSeries, ...]:
        """Return all series, sorted by their keys."""
        return tuple(
            FigureSeries(
                id=f"{subject} {scenario} {phase} {metric} on {host}",
                better=METRICS[metric].better,
                points=Points(self.nights, columns, self.labels),
                control=subject in self.controls,
                subject=subject,
                scenario=scenario,
                phase=phase,
                metric=metric,
                host=host,
                data_access=self.data_access.get((scenario, subject), "unknown"),
            )
            for (host, subject, scenario, phase, metric), columns in sorted(self.columns.items())
        )


def sessions(data: Path, cache: Path, *, unreadable: list[str] | None = None) -> list[Extract]:
    """Return the extracts of all sessions below a folder, by time. A session with two records there counts once.

    `cache` is a folder of our own; it may vanish at any time. Raises UsageError where there is no record, or a record
    that can't be read or is not what its manifest says. With a list `unreadable` such records are left out, each adds a
    sentence to the list, and a folder without a record is no error.
    """
    if not data.is_dir():
        raise UsageError(f"{data} is no folder.", "Name a folder that holds sessions.")
    extracts: dict[str, Extract] = {}
    for folder in session_folders(data):
        try:
            extracted = _extract_of(folder, cache)
        except PlumblineError as error:
            problem = f"{folder / RECORD}: {error.problem}"
            if unreadable is not None:
                unreadable.append(problem)
                continue
            raise UsageError(problem, "See `./bench verify`, and take it out.") from None
        extracts[extracted.session] = extracted
    if not extracts and unreadable is None:
        raise UsageError(f"There is no record below {data}.", "Name a folder that holds sessions.")
    return sorted(extracts.values(), key=lambda extracted: (extracted.t, extracted.session))


def series_of(extracts: Iterable[Extract]) -> tuple[FigureSeries, ...]:
    """Return a series for each host, subject, scenario, phase and metric, by id. `extracts` go by time."""
    table = PointTable()
    for extracted in extracts:
        table.add(extracted)
    return table.series()


def _extract_of(folder: Path, cache: Path) -> Extract:
    """Return the extract of one record, from the cache if the extract was made before."""
    digest = stated_files(folder)[RECORD]
    if (cached := _cached(cache, digest)) is not None:
        return cached
    try:
        extracted = extract(read_record(folder))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # A record that validates may still contradict itself, as no session of ours leaves it.
        raise AnswerIsNo(f"It contradicts itself ({error!r:.200}).") from None
    _write_to_cache(cache, digest, extracted)
    return extracted


def _cached(cache: Path, digest: str) -> Extract | None:
    try:
        document = json.loads((cache / f"{digest}.json").read_bytes())
    except (OSError, ValueError):
        return None
    # This program wrote the file, under the digest of the record: a check of each value would find nothing.
    return Extract.model_construct(**document) if document.get("form") == Extract.model_fields["form"].default else None


def _write_to_cache(cache: Path, digest: str, extracted: Extract) -> None:
    """Write the extract under a temporary name and rename it, so that no two writers leave half a file.

    A full disk is no error.
    """
    temporary = cache / f".{digest}.{os.getpid()}"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(extracted.model_dump(mode="json")), encoding="utf-8")
        temporary.rename(cache / f"{digest}.json")
    except OSError:
        with suppress(OSError):
            temporary.unlink()


# The components of `env` that a comparison measures; a change of any other component starts a segment.
LABELS = frozenset({"framework", "jdk", "flags"})

_Number = Annotated[StrictFloat, Field(gt=0)]
_Component = StrictStr | StrictInt | StrictFloat | bool | None


class _GivenPoint(Frozen):
    t: StrictStr | StrictInt | StrictFloat
    value: _Number
    control: _Number | None = None
    env: StrictStr | StrictInt | StrictFloat | dict[str, _Component] | None = None


class _Given(Frozen):
    series: tuple[_GivenPoint, ...] = Field(min_length=1)
    name: str = "series"
    better: Better | None = None


def read_given(path: Path) -> FigureSeries:
    """Return the series of a file, its points in the order of the file. Raises UsageError that names what is wrong."""
    document = read_json(path, _Given, _FORM)
    points = []
    for point in document.series:
        parts = point.env if isinstance(point.env, dict) else {} if point.env is None else {"env": point.env}
        words = {name: str(value) for name, value in parts.items()}
        points.append(
            Point(
                t=point.t,
                session=str(point.t),
                value=point.value,
                control=point.control,
                environment={name: word for name, word in words.items() if name not in LABELS},
                labels={name: word for name, word in words.items() if name in LABELS},
            )
        )
    return FigureSeries(id=document.name, better=document.better, points=Points.of(points))


_FORM = 'Write it as {"series": [{"t": "2026-09-01", "value": 4012.5, "control": 5200.0, "env": "lab1"}, ...]}.'
