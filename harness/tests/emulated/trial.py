"""In the emulated host, as the runner's user: one short trial of the control, in the sandbox of its launcher.

    python -m tests.emulated.trial    in the checkout; prints one line of JSON

Enters a namespace as `./bench run --sandbox required` does, opens the stage with a real database, and measures.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from plumbline.launch.lock import MachineLock
from plumbline.model.plan import Phase, PlannedTrial
from plumbline.place.launcher import INSIDE, Launcher, enter
from plumbline.run.opening import open_stage
from plumbline.run.trial import run_trial
from plumbline.run.workshop import open_workshop
from plumbline.tools.postgres import get_postgres

ROOT = Path(__file__).resolve().parents[3]
CONTROL, SCENARIO = "control/jvm/pg", "fruits"
# Of a machine that is emulated: a client gives up after a minute.
_TIMEOUT_S = 60.0
_CONNECTIONS = 2
PHASES = (
    Phase(kind="start", name="start"),
    Phase(kind="probe", name="probe"),
    Phase(kind="warm-up", name="warm-up", duration_s=3, connections=_CONNECTIONS),
    Phase(kind="closed", name="closed", duration_s=5, connections=_CONNECTIONS, saturates=True),
    Phase(kind="after", name="after"),
)


class Told:
    """Progress as lines on standard error."""

    def say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def trial_began(self, trial: PlannedTrial, count: int, of: int, remaining_s: float) -> None:
        self.say(trial.subject)

    def phase_began(self, name: str) -> None:
        self.say(name)

    def trial_ended(self, trial: PlannedTrial, headline: str, problem: str | None) -> None:
        self.say(problem or headline)


def user_of(pid: int) -> int:
    return Path(f"/proc/{pid}").stat().st_uid


def inside() -> None:
    told = Told()
    workshop = open_workshop(ROOT, [], told.say)
    job = workshop.job(CONTROL, SCENARIO)
    job = replace(job, scenario=job.scenario.model_copy(update={"phases": PHASES}))
    users: dict[str, int] = {"harness": os.getuid()}

    class Watched(Told):
        def phase_began(self, name: str) -> None:
            super().phase_began(name)
            users.setdefault("database", user_of(stage.database.pids[0]))

    with MachineLock() as lock, ExitStack() as stack:
        logs = Path(tempfile.mkdtemp(dir=os.environ["PLUMBLINE_SCRATCH"]))
        stage = open_stage(
            stack, workshop, session="emulated", sets=workshop.sets, folder=logs, lock=lock.descriptor
        )
        stage = replace(stage, k6=replace(stage.k6, timeout_s=_TIMEOUT_S))
        evidence = run_trial(stage, job, Watched())
    print(
        json.dumps(
            {
                "placement": stage.placement.name,
                "failure": evidence.failure and evidence.failure.model_dump(mode="json"),
                "load": [[one.phase, one.completed, one.failed] for one in evidence.load],
                "probes": [[probe.name, probe.problem] for probe in evidence.probes],
                "statements": sum(one.calls for work in evidence.database for one in work.statements),
                "rows": [work.table_rows for work in evidence.database],
                "users": users,
            }
        ),
        flush=True,
    )


def main() -> int:
    if INSIDE in os.environ:
        inside()
        return 0
    # There is no network inside: what has to be unpacked is unpacked before.
    get_postgres(open_workshop(ROOT, [], Told().say).box)
    launcher = Launcher()
    try:
        return enter(launcher, [sys.executable, "-m", __spec__.name], ROOT, os.environ)
    finally:
        launcher.close()


if __name__ == "__main__":
    sys.exit(main())
