"""Interventions in the database of a trial, which show answers that do not come from it.

A row that is being served is changed in the middle of a load, and put back: answers from memory don't show it.

    k6 is started ─ chance decides how long ─ changed ─ HELD_S ─ put back ─ ... end of the phase

Where the load asks for another row each time, the harness asks for that one itself: before, meanwhile and after.

A write is sent while the tables are locked: an answer before the unlock comes before the write is made.

    tables held ─ request sent ─ LOCKED_S without an answer ─ tables let go ─ answer
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait

from plumbline.measuring.services.interface import DatabaseService
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
# k6 takes a moment to start; then between these parts of the phase, so that the row is back before its end.
K6_STARTS_S = 0.5
EARLIEST, LATEST = 0.3, 0.6


class AskedRow:
    """What the harness is answered for a row, before it has another text, meanwhile, and after."""

    def __init__(self, endpoint: Endpoint, probe: ProbeSpec, row: ChangedRow) -> None:
        assert probe.body is not None, "the row was chosen of it"
        other = changed_answer(probe.body.decode(), row).encode()
        self._endpoint, self._probe = endpoint, probe
        self._bodies = [probe.body, other, probe.body]
        self._answers: list[Probe] = []

    def look(self) -> None:
        """Ask once more."""
        wanted = self._probe.model_copy(update={"body": self._bodies[len(self._answers)]})
        self._answers += send_probes(self._endpoint, [wanted])

    def answer(self) -> Probe | None:
        """Return the last answer, with what was wrong of any; None where the row was not changed."""
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
        database: DatabaseService,
        row: ChangedRow,
        duration_s: float,
        asked: AskedRow | None = None,
    ) -> None:
        """`asked` is who asks for the row; None where the load itself asks for it all the time."""
        self._database, self._row, self._asked = database, row, asked
        # Nobody may know when: not by a seed that stands in the plan either.
        self._wait_s = K6_STARTS_S + duration_s * random.SystemRandom().uniform(EARLIEST, LATEST)
        self._ended = threading.Event()
        self._times: list[float] = []
        self._thread = threading.Thread(target=self._run, name="plumbline-freshness", daemon=True)

    def start(self) -> None:
        """Start the thread when the load starts."""
        self._thread.start()

    def end(self) -> tuple[float, float] | None:
        """End the thread after the load, with the row as it was, and return when the row was changed and put back, on
        the monotonic clock.

        None when it was not.
        """
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()
        return (self._times[0], self._times[1]) if len(self._times) == 2 else None

    def _run(self) -> None:
        if self._ended.wait(self._wait_s):
            return
        row = self._row
        self._look()
        try:
            if self._rewrite(row.before, row.after):
                self._look()
                self._ended.wait(HELD_S)
                self._rewrite(row.after, row.before)
                self._look()
        except PlumblineError:
            # The database is gone, which whoever watches it tells better.
            return

    def _look(self) -> None:
        if self._asked is not None:
            self._asked.look()

    def _rewrite(self, before: str, after: str) -> bool:
        row = self._row
        done = self._database.rewrite(
            row.table, row.column, row.id, before, after, primary_key=row.primary_key
        )
        if done:
            self._times.append(time.monotonic())
        return done


def row_to_change(phase: Phase, workload: str, golden: str | None) -> ChangedRow | None:
    """Return a row that the answers of a phase are made of; None for phases that are too short, or not measured."""
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
