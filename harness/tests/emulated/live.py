"""In the emulated host, as the runner's user: a session with an application and a load, until somebody ends it.

python -m tests.emulated.live    prints `lives` once all of it is there
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from plumbline.launch.sandboxed import Sandboxed
from plumbline.model.host import CpuSets
from plumbline.place.launcher import INSIDE, Launcher, enter
from plumbline.place.providers.sandbox import Sandbox

HARNESS = Path(__file__).resolve().parents[2]


def inside(namespace: str) -> None:
    sandbox = Sandbox(Launcher(), namespace)
    sandbox.prepare("live", CpuSets(app=(1,), db=(0,), load=(0,), housekeeping=(0,)))
    spawner = Sandboxed(sandbox.launcher, "live")
    work = sandbox.work_folder
    for role in ("app", "db", "load"):
        spawner.spawn(role=role, argv=["/bin/sleep", "100000"], cwd=work, env={}, stdout=work / f"{role}.log")
    print("lives", flush=True)
    time.sleep(100000)


def main() -> int:
    if (namespace := os.environ.get(INSIDE)) is not None:
        inside(namespace)
        return 0
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(HARNESS)}
    return enter(Launcher(), [sys.executable, "-m", __spec__.name], Path("/"), env)


if __name__ == "__main__":
    sys.exit(main())
