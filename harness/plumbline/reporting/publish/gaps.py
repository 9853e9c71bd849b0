"""Finds the sessions in which a chart has no point, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.archive.history.extract import AGAINST_ITSELF
from plumbline.archive.history.series import FigureSeries
from .digest import Digest
from .model.series import Refused


@dataclass(frozen=True)
class Gaps:
    """The sessions of a data branch without a point in a chart, by host, subject and scenario.

    `refused` has the sessions in which every trial was refused. `unsteady` has those in which a figure was not proven
    steady; phase and metric are the last parts of its key.
    """

    refused: dict[tuple[str, str, str], list[Refused]]
    unsteady: dict[tuple[str, str, str, str, str], list[Refused]]

    def of(self, series: FigureSeries) -> list[Refused]:
        """Return the gaps of a series, in the order of time."""
        of_subject = (series.host, series.subject, series.scenario)
        gaps = [*self.refused.get(of_subject, ()), *self.unsteady.get((*of_subject, series.phase, series.metric), ())]
        return sorted(gaps, key=lambda gap: gap.t)


def gaps_of(digests: Sequence[Digest]) -> Gaps:
    """Return the gaps of all sessions that could have points; they are in the order of time."""
    gaps = Gaps({}, {})
    for digest in digests:
        if digest.suite == AGAINST_ITSELF:
            continue
        for subject, scenarios in digest.gaps.items():
            for scenario, reason in scenarios.items():
                gap = Refused(t=digest.t, session=digest.session, reason=reason)
                gaps.refused.setdefault((digest.host, subject, scenario), []).append(gap)
        for subject, unsteady_phases in digest.unsteady.items():
            for scenario, phases in unsteady_phases.items():
                for phase, reasons in phases.items():
                    for metric, reason in reasons.items():
                        gap = Refused(t=digest.t, session=digest.session, reason=reason, unsteady=True)
                        gaps.unsteady.setdefault((digest.host, subject, scenario, phase, metric), []).append(gap)
    return gaps
