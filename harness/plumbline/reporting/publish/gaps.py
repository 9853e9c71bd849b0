"""Sessions in which a chart has no point, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.archive.history.series import FigureSeries
from plumbline.verdicts.figures.metrics import METRICS
from .digest import Digest
from .model.series import Refused


@dataclass(frozen=True)
class Gaps:
    """The sessions of a data branch without a point, by host, subject and scenario.

    `refused`: every trial was refused. `unsteady`: a phase, the last part of the key, was not proven steady.
    """

    refused: dict[tuple[str, str, str], list[Refused]]
    unsteady: dict[tuple[str, str, str, str], list[Refused]]

    def of(self, series: FigureSeries) -> list[Refused]:
        """Return the gaps of a series, in the order of time."""
        its = [*self.refused.get((series.host, series.subject, series.scenario), ())]
        if METRICS[series.metric].proven_by is not None:
            its += self.unsteady.get((series.host, series.subject, series.scenario, series.phase), ())
        return sorted(its, key=lambda one: one.t)


def gaps_of(digests: Sequence[Digest]) -> Gaps:
    """Return the gaps of all sessions, which are in the order of time."""
    found = Gaps({}, {})
    for one in digests:
        for subject, scenarios in one.gaps.items():
            for scenario, reason in scenarios.items():
                gap = Refused(t=one.t, session=one.session, reason=reason)
                found.refused.setdefault((one.host, subject, scenario), []).append(gap)
        for subject, its in one.unsteady.items():
            for scenario, phases in its.items():
                for phase, reason in phases.items():
                    gap = Refused(t=one.t, session=one.session, reason=reason, unsteady=True)
                    found.unsteady.setdefault((one.host, subject, scenario, phase), []).append(gap)
    return found
