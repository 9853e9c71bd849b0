"""The points of all series, to which one session after the other is added."""

from __future__ import annotations

from dataclasses import dataclass, field

from plumbline.figures.metrics import METRICS
from plumbline.model.data_access import AccessClass
from .extract import Extract
from .points import Interned, Nights, PointColumns, Points
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
