"""Send a write while the tables are locked: an answer before the unlock comes before the write is made.

tables held ─ request sent ─ LOCKED_S without an answer ─ tables let go ─ answer
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait

from plumbline.contract.probes import ProbeSpec, send_probes
from plumbline.launch.endpoint import Endpoint
from plumbline.model.errors import PlumblineError
from plumbline.model.evidence import Probe
from plumbline.model.plan import Scenario
from plumbline.services.interface import DatabaseService

# An answer that waits for nothing comes within milliseconds, also of a program that has just started.
LOCKED_S = 0.5


def write_to_lock_out(scenario: Scenario, probes: Iterable[ProbeSpec]) -> ProbeSpec | None:
    """Return the first write of the workload that succeeds; None where the scenario's own operation writes no row."""
    if "POST" not in scenario.operation or not scenario.grows:
        return None
    for probe in probes:
        if (probe.workload, probe.part, probe.method) == (
            scenario.workload,
            "write",
            "POST",
        ) and probe.status[0] < 300:
            return probe
    return None


def ask_while_locked(
    endpoint: Endpoint, database: DatabaseService, scenario: Scenario, write: ProbeSpec
) -> tuple[Probe, ...]:
    """Return how the write was answered, and whether too early; nothing if the tables can't be locked."""
    with ThreadPoolExecutor(1) as pool:
        try:
            with database.nobody_writes(scenario.grows):
                asked = pool.submit(send_probes, endpoint, [write])
                early = bool(wait([asked], LOCKED_S).done)
        except PlumblineError:
            # The database is gone, which whoever watches it tells better.
            return ()
        (answer,) = asked.result()
    if early and answer.problem is None:
        tables = " and ".join(scenario.grows)
        problem = f"with success while nobody could write to {tables}: before it was made"
        answer = answer.model_copy(update={"problem": problem})
    return (answer.model_copy(update={"name": f"{write.name}, held"}),)
