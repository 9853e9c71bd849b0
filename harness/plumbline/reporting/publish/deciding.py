"""Chooses the session that a measure is shown of: the newest one that could decide an order of most of the subjects.

The choice looks at who has a rank, never at who is ahead: a session that compared and decided nothing is chosen, too.
A session too short for any order (a glance, a start that was looked at twice) hides no older one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plumbline.archive.record.standings import Basis
from .digest import Digest
from .measures import PhaseMetric, place_of

# A rotation takes a week to come round; what was not measured for a month is measured no more.
PRESENT_S = 30 * 86_400

# A session with only a few of the usual subjects (one that was narrowed) does not take the place of a whole one:
# it needs this share of the subjects of the fullest among so many.
_WHOLE_SHARE, _WHOLE_AMONG = 2 / 3, 10

_ENOUGH: tuple[tuple[Basis, ...], ...] = (
    ("ranked",),
    ("ranked", "steady"),
    ("ranked", "steady", "warming"),
)


def superseded(scenarios: Iterable[str]) -> set[str]:
    """Return the scenarios of which there is a newer version: they come last on a page. Ids are `name@version`."""
    all_ = set(scenarios)
    newest: dict[str, int] = {}
    for one in all_:
        name, version = _version(one)
        newest[name] = max(version, newest.get(name, version))
    return {one for one in all_ if newest[_version(one)[0]] > _version(one)[1]}


def _version(scenario: str) -> tuple[str, int]:
    name, _, version = scenario.partition("@")
    # A session at a smaller scale says so behind its version.
    return name, int(version.partition("x")[0])


def present(counting: Sequence[Digest]) -> list[Digest]:
    """Return the sessions of the last month before the newest of them, in the order of time."""
    return [one for one in counting if one.t >= counting[-1].t - PRESENT_S]


def measures_of(sessions: Sequence[Digest], scenario: str) -> list[PhaseMetric]:
    """Return the measures that these sessions have a figure of, in the order of pages."""
    found = dict.fromkeys(measure for one in reversed(sessions) for measure in one.told.get(scenario, {}))
    return sorted(found, key=place_of)


def deciding(sessions: Sequence[Digest], scenario: str, measure: PhaseMetric) -> Digest | None:
    """Return the session that a measure is shown of, None where no session has a figure. `sessions` go by time.

    The newest session that ranks most of the subjects that the fullest of the last ten ranks. Where no session ranks
    anybody, a figure of a warm program is enough; where there is none, any figure.
    """
    for enough in _ENOUGH:
        counted = [
            (one, sum(its in enough for its in _told(one, scenario, measure).values())) for one in sessions
        ]
        among = [(one, count) for one, count in counted if count][-_WHOLE_AMONG:]
        most = max((count for _, count in among), default=0)
        if among:
            return next(one for one, count in reversed(among) if count >= _WHOLE_SHARE * most)
    return None


def others(sessions: Sequence[Digest], base: Digest, scenario: str, measure: PhaseMetric) -> list[Digest]:
    """Return the other sessions that say something of subjects which `base`, or a newer session, leaves open.

    First those that rank a subject which nobody before them ranks, the newest first; then those that have a figure of a
    warm program.
    """
    found: dict[str, Digest] = {}
    known: set[str] = set()
    for enough in _ENOUGH[:2]:
        known |= _subjects(base, scenario, measure, enough)
        for one in reversed(sessions):
            its = _subjects(one, scenario, measure, enough)
            if one is not base and not its <= known:
                found.setdefault(one.session, one)
                known |= its
    return list(found.values())


def _subjects(one: Digest, scenario: str, measure: PhaseMetric, enough: Sequence[Basis]) -> set[str]:
    return {subject for subject, its in _told(one, scenario, measure).items() if its in enough}


def _told(one: Digest, scenario: str, measure: PhaseMetric) -> dict[str, Basis]:
    return one.told.get(scenario, {}).get(measure, {})
