"""Makes the view of a record and its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from .parts.clean import clean
from .parts.comparison import comparison_view, reproduction_view
from .parts.naming import names
from .parts.origin import builds, cpus_in_words, provenance, reproduce, verify
from .parts.scenarios import scenario_view
from .parts.study import study_view
from .parts.trials import columns, trial_views
from .parts.trust import reasons, rules, trust
from .view import ScenarioView, View


def compose(record: Record, evidence: Mapping[int, Evidence], record_folder: str | None = None) -> View:
    """Return the view of a session. Trials without evidence keep their figures and have no curves.

    The commands that check the record name `record_folder`, or without it the folder in which the session was measured.
    """
    subject_names = names(record.plan)
    comparison, reproduction = comparison_view(record), reproduction_view(record)
    # Standings, curves and timelines are by subject; the two sides of a comparison may be the same subject.
    ranked_scenarios = () if comparison is not None else record.plan.scenarios
    scenarios = tuple(
        scenario_view(record, scenario, evidence, names(record.plan, scenario)) for scenario in ranked_scenarios
    )
    return clean(
        View(
            session=record.plan.session,
            suite=record.plan.suite,
            lead=next((part.sentence for part in (reproduction, comparison) if part is not None), None)
            or _lead(scenarios),
            when=record.provenance.started_at,
            host=f"{record.host.name}: {cpus_in_words(record.host)}",
            host_class=record.host.host_class,
            trust=trust(record),
            scenarios=scenarios,
            reasons=reasons(record, evidence, subject_names),
            rules=rules(record),
            trials=trial_views(record, evidence, subject_names),
            trial_columns=columns(record),
            builds=builds(record),
            provenance=provenance(record),
            reproduce=reproduce(record, record_folder),
            verify=verify(record, record_folder),
            comparison=comparison,
            reproduction=reproduction,
            study=study_view(record, evidence, subject_names),
        )
    )


def _lead(scenarios: Sequence[ScenarioView]) -> str:
    """Return one text with the first answer of each scenario."""
    sentences = [
        f"{claim.title}, {scenario.id}: {claim.sentence}" for scenario in scenarios for claim in scenario.claims[:1]
    ]
    return " ".join(sentences) or "Nothing was measured that counts."
