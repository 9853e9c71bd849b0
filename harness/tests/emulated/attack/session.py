"""In the emulated host, as the runner's user: a session of the sandbox whose application attacks.

    python -m tests.emulated.attack.session FACTS.json

It enters a namespace, joins it, and starts a load that sleeps, and the application. It prints one line of JSON: the
facts, and what the application said of each attempt.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from plumbline.measuring.launch.sandboxed import Sandboxed
from plumbline.measuring.place.launcher import INSIDE, Launcher, enter
from plumbline.measuring.place.providers.sandbox import Sandbox
from plumbline.model.host import CpuSets
from .attempts import ATTEMPTS

HERE = Path(__file__).resolve().parent
APPLICATION_CPU, OTHER_CPU = 1, 0
PYTHON = "/usr/bin/python3"
SCRATCH = Path("/var/lib/plumbline/scratch")


def inside(namespace: str, facts: dict[str, object]) -> None:
    sandbox = Sandbox(Launcher(), namespace)
    other_cpus = (OTHER_CPU,)
    sandbox.prepare("attack", CpuSets(app=(APPLICATION_CPU,), db=other_cpus, load=other_cpus, housekeeping=other_cpus))
    spawner = Sandboxed(sandbox.launcher, "attack")
    # As a session makes them (run/opening.py).
    work, private, aot = sandbox.work_folder, SCRATCH / "private", SCRATCH / "aot"
    private.mkdir(mode=0o700)
    aot.mkdir(mode=0o755)
    load = spawner.spawn(role="load", argv=["/bin/sleep", "3000"], cwd=private, env={}, stdout=private / "k6.log")
    facts |= {
        "private": str(private),
        "aot": str(aot),
        "harness": os.getpid(),
        "load": load.pid,
        "database": str(sandbox.database_folder),
        "other_cpu": OTHER_CPU,
    }
    outcomes: list[object] = []
    names_in_one_unit = [attempt.name for attempt in ATTEMPTS if not attempt.alone]
    names_alone = [[attempt.name] for attempt in ATTEMPTS if attempt.alone for _ in range(attempt.times)]
    for names in (names_in_one_unit, *names_alone):
        log = work / "app.log"
        request = json.dumps({"attempts": names, "facts": facts})
        argv = [PYTHON, "-I", str(HERE / "application.py"), request]
        application = spawner.spawn(role="app", argv=argv, cwd=work, env={"PATH": "/usr/bin"}, stdout=log)
        status = application.wait(600)
        lines = [line for line in log.read_text().splitlines() if line.startswith("{")]
        outcomes += [json.loads(line) for line in lines] or [
            {"attempt": names[0], "done": False, "said": f"it ended with {status}"}
        ]
        sandbox.empty_work()
    print(json.dumps({"said": outcomes, "facts": facts}), flush=True)
    # The session stays alive, so that the test can inspect it from outside.
    time.sleep(float(str(facts["stay_s"])))
    sandbox.close()


def main() -> int:
    facts = json.loads(Path(sys.argv[1]).read_text())
    if (namespace := os.environ.get(INSIDE)) is not None:
        inside(namespace, facts)
        return 0
    launcher = Launcher()
    try:
        words = [sys.executable, "-m", __spec__.name, *sys.argv[1:]]
        env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(HERE.parents[2])}
        return enter(launcher, words, Path("/var/lib/plumbline/cache"), env)
    finally:
        launcher.close()


if __name__ == "__main__":
    sys.exit(main())
