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
from .points import Interned, Nights, Point, PointColumns, Points
from .series import FigureSeries

Key = tuple[str, str, str, str, str]
"""host, subject, scenario, phase, metric"""


@dataclass
class PointTable:
    """The points of all series. `columns` are by series; `controls` are the subjects that were the control of a
    session; `data_access` is the class of each scenario and subject in the newest session that has both.
    """

    nights: Nights = field(default_factory=Nights)
    labels: Interned = field(default_factory=Interned)
    columns: dict[Key, PointColumns] = field(default_factory=dict)
    controls: set[str] = field(default_factory=set)
    data_access: dict[tuple[str, str], AccessClass] = field(default_factory=dict)

    def add(self, one: Extract) -> None:
        """Add a session, which is later than those in the table."""
        at = self.nights.add(one.t, one.session, one.commit, one.environment)
        self.controls.add(one.control)
        for scenario, classes in one.data_access.items():
            self.data_access |= {(scenario, subject): access for subject, access in classes.items()}
        against = one.values.get(one.control, {})
        for subject, scenarios in one.values.items():
            label = self.labels.place(one.labels.get(subject, {}))
            for scenario, phases in scenarios.items():
                for phase, metrics in phases.items():
                    control = against.get(scenario, {}).get(phase, {}) if subject != one.control else {}
                    for metric, value in metrics.items():
                        key = (one.host, subject, scenario, phase, metric)
                        its = self.columns.get(key)
                        if its is None:
                            its = self.columns[key] = PointColumns()
                        its.add(at, value, control.get(metric), label)

    def series(self) -> tuple[FigureSeries, ...]:
        """Return all series, by their key."""
        return tuple(
            FigureSeries(
                id=f"{subject} {scenario} {phase} {metric} on {host}",
                better=METRICS[metric].better,
                points=Points(self.nights, its, self.labels),
                control=subject in self.controls,
                subject=subject,
                scenario=scenario,
                phase=phase,
                metric=metric,
                host=host,
                data_access=self.data_access.get((scenario, subject), "unknown"),
            )
            for (host, subject, scenario, phase, metric), its in sorted(self.columns.items())
        )


def sessions(data: Path, cache: Path, *, unreadable: list[str] | None = None) -> list[Extract]:
    """Return the sessions below a folder, by time. A record that is there twice (the same session) counts once.

    `cache` is a folder of our own; it may vanish at any time. Raises UsageError where there is no record, or one that
    can't be read or is not what its manifest says; with `unreadable` those are left out, each adds a sentence to it,
    and no record at all is no error.
    """
    if not data.is_dir():
        raise UsageError(f"{data} is no folder.", "Name a folder that holds sessions.")
    found: dict[str, Extract] = {}
    for folder in session_folders(data):
        try:
            one = _extracted(folder, cache)
        except PlumblineError as error:
            problem = f"{folder / RECORD}: {error.problem}"
            if unreadable is not None:
                unreadable.append(problem)
                continue
            raise UsageError(problem, "See `./bench verify`, and take it out.") from None
        found[one.session] = one
    if not found and unreadable is None:
        raise UsageError(f"There is no record below {data}.", "Name a folder that holds sessions.")
    return sorted(found.values(), key=lambda one: (one.t, one.session))


def series_of(extracts: Iterable[Extract]) -> tuple[FigureSeries, ...]:
    """Return a series for each host, subject, scenario, phase and metric, by id. `extracts` go by time."""
    table = PointTable()
    for one in extracts:
        table.add(one)
    return table.series()


def _extracted(folder: Path, cache: Path) -> Extract:
    """Return the extract of one record, out of the cache if it was made before."""
    digest = stated_files(folder)[RECORD]
    if (known := _kept(cache, digest)) is not None:
        return known
    try:
        made = extract(read_record(folder))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # What validates can still be made so that no session can have left it.
        raise AnswerIsNo(f"It contradicts itself ({error!r:.200}).") from None
    _keep(cache, digest, made)
    return made


def _kept(cache: Path, digest: str) -> Extract | None:
    try:
        document = json.loads((cache / f"{digest}.json").read_bytes())
    except (OSError, ValueError):
        return None
    # Written by us under the digest of what it was made from, so that checking each value again buys nothing.
    return (
        Extract.model_construct(**document)
        if document.get("form") == Extract.model_fields["form"].default
        else None
    )


def _keep(cache: Path, digest: str, made: Extract) -> None:
    """Write the extract beside its place and rename it: two writers never leave half of one. A full disk is fine."""
    beside = cache / f".{digest}.{os.getpid()}"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(made.model_dump(mode="json")), encoding="utf-8")
        beside.rename(cache / f"{digest}.json")
    except OSError:
        with suppress(OSError):
            beside.unlink()


# What is measured by a comparison; every other component of `env` starts a segment.
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
    """Return the series of a file, its points in the order given. Raises UsageError, naming what is wrong."""
    given = read_json(path, _Given, _FORM)
    points = []
    for one in given.series:
        parts = one.env if isinstance(one.env, dict) else {} if one.env is None else {"env": one.env}
        words = {name: str(value) for name, value in parts.items()}
        points.append(
            Point(
                t=one.t,
                session=str(one.t),
                value=one.value,
                control=one.control,
                environment={name: word for name, word in words.items() if name not in LABELS},
                labels={name: word for name, word in words.items() if name in LABELS},
            )
        )
    return FigureSeries(id=given.name, better=given.better, points=Points.of(points))


_FORM = (
    'Write it as {"series": [{"t": "2026-09-01", "value": 4012.5, "control": 5200.0, "env": "lab1"}, ...]}.'
)
