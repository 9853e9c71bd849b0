"""Reads how quiet a host was, from `hosts/<name>/before.json` and `after.json` beside the records.

`bench-host quiet --json` writes these files on the host, outside of any session. They have no evidence, and nothing is
judged by them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from plumbline.archive.record.difference import first_problem
from plumbline.archive.record.files import read_plain
from plumbline.archive.record.names import seconds
from plumbline.model.base import Frozen
from plumbline.model.errors import AnswerIsNo
from plumbline.reporting.report.parts.clean import clean_text
from .model.hosts import HostQuiet, Quiet, QuietCpu, QuietScatter
from .model.site import LeftOut

FOLDER = "hosts"
_MOST_BYTES = 2**20
_MOST_CPUS = 4096

_Share = Annotated[float, Field(ge=0, le=1)]
_Amount = Annotated[float, Field(ge=0)]


class _Jitter(Frozen, extra="ignore"):
    cpu: Annotated[int, Field(ge=0)]
    lost_share: _Share
    longest_us: _Amount


class _Writes(Frozen, extra="ignore"):
    p99_ms: _Amount


class _Control(Frozen, extra="ignore"):
    trials: Annotated[int, Field(ge=2)]
    cv: _Amount


class _Measured(Frozen, extra="ignore"):
    measured_at: str
    applied: bool
    housekeeping: tuple[int, ...]
    jitter: Annotated[tuple[_Jitter, ...], Field(min_length=1, max_length=_MOST_CPUS)]
    writes: _Writes
    control: _Control | None


def read_quiet(data: Path, hosts: Iterable[str]) -> tuple[dict[str, HostQuiet], list[LeftOut]]:
    """Return host -> what was measured before and after `apply`, and the files that can't be used. A host without a
    usable file has no entry.
    """
    quiet_by_host: dict[str, HostQuiet] = {}
    problems: list[LeftOut] = []
    for host in sorted(set(hosts)):
        measurements: dict[str, Quiet] = {}
        for name, applied in (("before", False), ("after", True)):
            path = f"{FOLDER}/{host}/{name}.json"
            if not os.path.lexists(data / path):
                continue
            try:
                measurements[name] = _quiet(data / path, applied)
            except AnswerIsNo as error:
                problems.append(LeftOut(folder=path, cause="quiet", problem=clean_text(error.problem)))
        if measurements:
            quiet_by_host[host] = HostQuiet(before=measurements.get("before"), after=measurements.get("after"))
    return quiet_by_host, problems


def _quiet(path: Path, applied: bool) -> Quiet:
    try:
        measured = _Measured.model_validate_json(read_plain(path, _MOST_BYTES))
    except ValidationError as error:
        raise AnswerIsNo(f"{path.name}: {first_problem(error)}.") from None
    if measured.applied != applied:
        when = "after" if measured.applied else "before"
        raise AnswerIsNo(f"{path.name} was measured {when} `bench-host apply`.")
    return Quiet(
        t=seconds(measured.measured_at),
        cpus=tuple(
            QuietCpu(
                cpu=jitter.cpu,
                housekeeping=jitter.cpu in measured.housekeeping,
                lost_share=jitter.lost_share,
                longest_us=jitter.longest_us,
            )
            for jitter in measured.jitter
        ),
        write_p99_ms=measured.writes.p99_ms,
        scatter=None
        if measured.control is None
        else QuietScatter(trials=measured.control.trials, cv=measured.control.cv),
    )
