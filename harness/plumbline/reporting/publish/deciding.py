"""Chooses the session from which pages show a measure: the newest session that could order most of the subjects.

The choice depends on which subjects have a rank, never on which one is ahead: a session that compared subjects and
decided nothing is chosen, too. A session too short for any order (a glance, a start that was measured only twice) hides
no older session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plumbline.archive.record.standings import Basis
from .digest import Digest
from .measures import PhaseMetric, place_of

# A rotation takes a week to come round; what was not measured for a month counts as no longer measured.
PRESENT_S = 30 * 86_400

# A session that was narrowed to a few of the usual subjects does not take the place of a whole session: a session needs
# at least this share of the subjects of the fullest one among so many of the newest.
_WHOLE_SHARE, _WHOLE_AMONG = 2 / 3, 10

_ENOUGH: tuple[tuple[Basis, ...], ...] = (
    ("ranked",),
    ("ranked", "steady"),
    ("ranked", "steady", "warming"),
)


def superseded(scenarios: Iterable[str]) -> set[str]:
    """Return the scenarios that have a newer version: they come last on a page. Ids are `name@version`."""
    ids = set(scenarios)
    newest: dict[str, int] = {}
    for scenario in ids:
        name, version = _version(scenario)
        newest[name] = max(version, newest.get(name, version))
    return {scenario for scenario in ids if newest[_version(scenario)[0]] > _version(scenario)[1]}


def scale_of(scenario: str) -> float:
    """Return the scale at which a scenario was measured: `fruits@1x0.25` has 0.25, `fruits@1` has 1."""
    return float(scenario.partition("@")[2].partition("x")[2] or 1)


def _version(scenario: str) -> tuple[str, int]:
    name, _, version = scenario.partition("@")
    # A session at another scale than the whole has the scale behind the version: `fruits@1x0.25`.
    return name, int(version.partition("x")[0])


def sessions_of_last_month(counting: Sequence[Digest]) -> list[Digest]:
    """Return the sessions of the month that ends with the newest session, in the order of time."""
    return [digest for digest in counting if digest.t >= counting[-1].t - PRESENT_S]


def measures_of(sessions: Sequence[Digest], scenario: str) -> list[PhaseMetric]:
    """Return the measures of which these sessions have a figure, in the order in which pages show them."""
    measures = dict.fromkeys(measure for digest in reversed(sessions) for measure in digest.bases.get(scenario, {}))
    return sorted(measures, key=place_of)


def deciding_session(sessions: Sequence[Digest], scenario: str, measure: PhaseMetric) -> Digest | None:
    """Return the session from which pages show a measure, None without a figure. `sessions` are in the order of time.

    It is the newest session that ranks at least two thirds as many subjects as the fullest of the last ten does. Where
    no session ranks a subject, a figure of a warm program is enough; where no session has such a figure, any figure.
    """
    for enough in _ENOUGH:
        counted = [
            (digest, sum(basis in enough for basis in _bases(digest, scenario, measure).values()))
            for digest in sessions
        ]
        candidates = [(digest, count) for digest, count in counted if count][-_WHOLE_AMONG:]
        most = max((count for _, count in candidates), default=0)
        if candidates:
            return next(digest for digest, count in reversed(candidates) if count >= _WHOLE_SHARE * most)
    return None


def sessions_before(
    earlier: Sequence[Digest], deciding: Digest, scenario: str, measure: PhaseMetric
) -> dict[str, Digest]:
    """Return the session with which each subject is compared: `deciding`, or else the newest with a steady figure.

    Subjects without a figure of a warm program in any of the `earlier` sessions are left out.
    """
    return {
        subject: digest
        for digest in (*earlier, deciding)
        for subject in _subjects(digest, scenario, measure, _ENOUGH[1])
    }


def supplementing_sessions(
    sessions: Sequence[Digest], base: Digest, scenario: str, measure: PhaseMetric
) -> list[Digest]:
    """Return the other sessions that have a result of a subject for which neither `base` nor a newer session has one.

    First come the sessions that rank a subject which no session before them ranks, the newest first; then the sessions
    that have a figure of a warm program of such a subject.
    """
    chosen: dict[str, Digest] = {}
    covered: set[str] = set()
    for enough in _ENOUGH[:2]:
        covered |= _subjects(base, scenario, measure, enough)
        for digest in reversed(sessions):
            subjects = _subjects(digest, scenario, measure, enough)
            if digest is not base and not subjects <= covered:
                chosen.setdefault(digest.session, digest)
                covered |= subjects
    return list(chosen.values())


def _subjects(digest: Digest, scenario: str, measure: PhaseMetric, enough: Sequence[Basis]) -> set[str]:
    return {subject for subject, basis in _bases(digest, scenario, measure).items() if basis in enough}


def _bases(digest: Digest, scenario: str, measure: PhaseMetric) -> dict[str, Basis]:
    return digest.bases.get(scenario, {}).get(measure, {})
