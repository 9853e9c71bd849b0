"""Makes the view of a record and its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plumbline.model.evidence import Evidence
from plumbline.model.record import Record
from plumbline.verdicts.judge.wording import counted
from .parts.clean import clean
from .parts.comparison import comparison_view, reproduction_view
from .parts.naming import names
from .parts.origin import builds, provenance, reproduce, run_again, verify
from .parts.scenarios import scenario_view
from .parts.study import study_view
from .parts.trials import columns, trial_views
from .parts.trust import reasons, rules, trust
from .view import ScenarioView, View


def compose(record: Record, evidence: Mapping[int, Evidence], kept: str | None = None) -> View:
    """Return the view of a session. Trials without evidence keep their figures and have no curves.

    The commands that check the record name the folder `kept`; that in which it was measured when left out.
    """
    named = names(record.plan)
    compared, again = comparison_view(record), reproduction_view(record)
    # Standings, curves and timelines are by subject; the two sides of a comparison may be one.
    plain = () if compared is not None else record.plan.scenarios
    scenarios = tuple(scenario_view(record, one, evidence, named) for one in plain)
    return clean(
        View(
            session=record.plan.session,
            suite=record.plan.suite,
            lead=next((one.sentence for one in (again, compared) if one is not None), None)
            or _lead(scenarios),
            when=record.provenance.started_at,
            host=f"{record.host.name}: {record.host.cpu_model}, {counted(record.host.cpus, 'CPU')}",
            host_class=record.host.host_class,
            trust=trust(record),
            scenarios=scenarios,
            reasons=reasons(record, evidence, named),
            rules=rules(record),
            trials=trial_views(record, evidence, named),
            trial_columns=columns(record),
            builds=builds(record),
            provenance=provenance(record),
            run_again=run_again(record),
            reproduce=reproduce(record, kept),
            verify=verify(record, kept),
            comparison=compared,
            reproduction=again,
            study=study_view(record, evidence, named),
        )
    )


def _lead(scenarios: Sequence[ScenarioView]) -> str:
    """Return the first answer of each scenario in one sentence."""
    said = [f"{claim.title}, {one.id}: {claim.said}" for one in scenarios for claim in one.claims[:1]]
    return " ".join(said) or "Nothing was measured that counts."
