"""Runs both sides of a pair at once, each in a place of its own: CPUs, database, load generator, supervisor.

    place one   look around │ restore │ start │ probes │ warm-up │ open@rate │ after
    place two   look around │ restore │ start │ probes │ warm-up │ open@rate │ after
                            ↑         ↑                ↑         ↑
                            neither place goes on before the other is there

Two servers rather than two databases in one: restoring one side, its checkpoint, its statistics and its log then never
touch the other, and each place keeps its server when the sides swap.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from plumbline.model.evidence import Evidence
from .job import Job
from .progress import Progress
from .rendezvous import Rendezvous
from .testbed import Testbed
from .trial import run_trial

# The time between two looks of the main thread, which is the one that Ctrl-C reaches.
LOOK_S = 0.2
# After an interruption the supervisors end all processes within seconds, and the two threads notice.
NOTICE_S = 15.0


class Duet:
    """Runs two trials that wait for each other before each step; when one ends early, the other does not wait."""

    def __init__(self, testbeds: Sequence[Testbed], progress: Progress) -> None:
        self._testbeds, self._progress = testbeds, progress
        self._threads: list[threading.Thread] = []

    def run(self, jobs: Sequence[Job]) -> tuple[Evidence, ...]:
        """Run both trials at once, and return their evidence in the order of `jobs`. Raises what a trial raised."""
        meeting = Rendezvous(len(jobs))
        results: list[Evidence | BaseException | None] = [None] * len(jobs)

        def run_place(place: int) -> None:
            progress = self._progress if place == 0 else _Silent()
            try:
                evidence = run_trial(self._testbeds[place], jobs[place], progress, meeting=meeting.at(place))
                results[place] = evidence
                if evidence.failure is not None:
                    meeting.end()
            except BaseException as error:
                results[place] = error
                meeting.end()

        self._threads = [
            threading.Thread(target=run_place, args=(place,), name=f"place-{place + 1}", daemon=True)
            for place in range(len(jobs))
        ]
        for thread in self._threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in self._threads):
                self._threads[0].join(LOOK_S)
                self._threads[-1].join(LOOK_S)
        except BaseException:
            meeting.end()
            raise
        all_evidence = [result for result in results if isinstance(result, Evidence)]
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return tuple(all_evidence)

    def wait(self) -> None:
        """Wait until both threads have noticed that their processes were ended."""
        for thread in self._threads:
            thread.join(NOTICE_S)


class _Silent(Progress):
    """The progress of the second place, which reports nothing: its phases are those of the first place."""
