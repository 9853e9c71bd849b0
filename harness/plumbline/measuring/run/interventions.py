"""Interventions in the database of a trial, which reveal answers that do not come from the database.

A row that is being served is changed in the middle of a load, and put back: answers from memory lack the change.

    k6 is started ─ chance decides how long ─ changed ─ HELD_S ─ put back ─ ... end of the phase

Where the load asks for another row each time, the harness itself asks for the changed row: before, meanwhile, after.

A write is sent while the tables are locked: an answer before they are unlocked came before the row was written.

    tables held ─ request sent ─ LOCKED_S without an answer ─ tables let go ─ answer
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait

from plumbline.measuring.services.hosted import HostedDatabase
from plumbline.model.errors import PlumblineError
from plumbline.model.evidence import Probe
from plumbline.model.plan import Phase, Scenario
from plumbline.verdicts.contract.changed_row import ChangedRow, changed_answer, choose_row
from plumbline.verdicts.contract.endpoint import Endpoint
from plumbline.verdicts.contract.probes import ProbeSpec, send_probes

# Long enough for tens of compared answers at the lowest rates that are measured, and a small part of any phase.
HELD_S = 1.0
# In a shorter phase the change would take more than a third of the time.
SHORTEST_S = 3.0
# After k6 has started, the row is changed between these shares of the phase, so that it is put back before the end.
K6_STARTS_S = 0.5
EARLIEST, LATEST = 0.3, 0.6


class AskedRow:
    """The answers that the harness gets for a row: before the row has another text, meanwhile, and after."""

    def __init__(self, endpoint: Endpoint, probe: ProbeSpec, row: ChangedRow) -> None:
        assert probe.body is not None, "the row was chosen of it"
        changed_body = changed_answer(probe.body.decode(), row).encode()
        self._endpoint, self._probe = endpoint, probe
        self._bodies = [probe.body, changed_body, probe.body]
        self._answers: list[Probe] = []

    def look(self) -> None:
        """Ask for the row once more."""
        probe = self._probe.model_copy(update={"body": self._bodies[len(self._answers)]})
        self._answers += send_probes(self._endpoint, [probe])

    def answer(self) -> Probe | None:
        """Return the last answer, with the problem of whichever answer had one; None if the row was not changed."""
        if len(self._answers) < len(self._bodies):
            return None
        before, meanwhile, after = self._answers
        problem = before.problem or after.problem
        if problem is None and meanwhile.problem is not None:
            problem = f"under load, while its row had another text: {meanwhile.problem}"
        return after.model_copy(update={"name": f"{after.name}, changed", "problem": problem})


class RowChange:
    """A change of a row within one phase, on a thread of its own."""

    def __init__(
        self,
        database: HostedDatabase,
        row: ChangedRow,
        duration_s: float,
        asked_row: AskedRow | None = None,
    ) -> None:
        """`asked_row` asks for the row apart from the load; None if the load itself asks for this row all the time."""
        self._database, self._row, self._asked_row = database, row, asked_row
        # Nobody may know the moment beforehand, so it does not come from the seed in the plan.
        self._wait_s = K6_STARTS_S + duration_s * random.SystemRandom().uniform(EARLIEST, LATEST)
        self._ended = threading.Event()
        self._times: list[float] = []
        self._thread = threading.Thread(target=self._run, name="plumbline-freshness", daemon=True)

    def start(self) -> None:
        """Start the thread when the load starts."""
        self._thread.start()

    def end(self) -> tuple[float, float] | None:
        """End the thread after the load, with the row as it was. Return when the row was changed and when it was put
        back, on the monotonic clock.

        None when it was not changed.
        """
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()
        return (self._times[0], self._times[1]) if len(self._times) == 2 else None

    def _run(self) -> None:
        if self._ended.wait(self._wait_s):
            return
        row = self._row
        self._ask_row()
        try:
            if self._rewrite(row.before, row.after):
                self._ask_row()
                self._ended.wait(HELD_S)
                self._rewrite(row.after, row.before)
                self._ask_row()
        except PlumblineError:
            # The database is gone; whoever watches it reports that better.
            return

    def _ask_row(self) -> None:
        if self._asked_row is not None:
            self._asked_row.look()

    def _rewrite(self, before: str, after: str) -> bool:
        row = self._row
        is_rewritten = self._database.rewrite(row.table, row.column, row.id, before, after, primary_key=row.primary_key)
        if is_rewritten:
            self._times.append(time.monotonic())
        return is_rewritten


def row_to_change(phase: Phase, workload: str, golden: str | None) -> ChangedRow | None:
    """Return a row that appears in the answers of a phase; None for a phase that is too short, or not measured."""
    if golden is None or phase.kind == "warm-up" or phase.duration_s < SHORTEST_S:
        return None
    return choose_row(workload, golden, random.SystemRandom())


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
    endpoint: Endpoint, database: HostedDatabase, scenario: Scenario, write: ProbeSpec
) -> tuple[Probe, ...]:
    """Send the write, and return its answer, which has a problem if it came early; () if the tables can't be locked."""
    with ThreadPoolExecutor(1) as pool:
        try:
            with database.tables_locked_for_writes(scenario.grows):
                pending = pool.submit(send_probes, endpoint, [write])
                is_early = bool(wait([pending], LOCKED_S).done)
        except PlumblineError:
            # The database is gone; whoever watches it reports that better.
            return ()
        (answer,) = pending.result()
    if is_early and answer.problem is None:
        tables = " and ".join(scenario.grows)
        problem = f"with success while nobody could write to {tables}: before it was made"
        answer = answer.model_copy(update={"problem": problem})
    return (answer.model_copy(update={"name": f"{write.name}, held"}),)
