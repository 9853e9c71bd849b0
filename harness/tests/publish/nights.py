"""Digests of many nights, each with one series of a subject and one of the control."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from plumbline.archive.history.alerts import Alert
from plumbline.reporting.publish.digest import Digest, Halves, digest, to_digits
from plumbline.reporting.publish.gaps import Gaps
from plumbline.reporting.publish.model.base import Document
from plumbline.reporting.publish.reading import read_record
from plumbline.reporting.publish.table import Nightly
from plumbline.reporting.publish.trends import Trends, trends
from .data import folders


def nights(branch: Path, count: int) -> list[Digest]:
    """Nights like the newest night of the branch, with the noise of a host."""
    draw = random.Random(1)
    pattern = digest(read_record(folders(branch)[-1])[0])
    subject = next(subject for subject in pattern.subjects if subject != pattern.extract.control)
    return [_night(pattern, subject, night, draw) for night in range(count)]


def of(digests: Sequence[Digest], known_alerts: Sequence[Alert] = ()) -> Trends:
    """The charts of nights."""
    nightly = Nightly()
    for night_digest in digests:
        nightly.add(night_digest)
    return trends(digests, nightly, known_alerts)


def made(charts: Trends) -> dict[str, Document]:
    """The documents of charts without gaps, by path."""
    return dict(charts.files(Gaps({}, {})))


def _night(pattern: Digest, subject: str, night: int, draw: random.Random) -> Digest:
    keep = ("closed", "throughput_per_s")
    scenario = pattern.scenarios[0]
    extract = pattern.extract
    value = extract.values[subject][scenario][keep[0]][keep[1]] * (1 + draw.gauss(0, 0.01))
    control = extract.values[extract.control][scenario][keep[0]][keep[1]] * (1 + draw.gauss(0, 0.01))
    session = f"20260101T{night:06d}Z-sim-lab-{draw.randrange(16**6):06x}"
    values = {
        id_: {scenario: {keep[0]: {keep[1]: figure}}} for id_, figure in ((subject, value), (extract.control, control))
    }
    half = to_digits(abs(draw.gauss(0.01, 0.004)), 3)
    halves: Halves = {id_: {scenario: {keep[0]: {keep[1]: half}}} for id_ in (subject, extract.control)}
    return pattern._replace(
        session=session,
        t=1_450_000_000 + 86_400 * night + draw.randrange(900),
        halves=halves,
        extract=extract.model_copy(update={"session": session, "t": f"{night:06d}", "values": values}),
    )
