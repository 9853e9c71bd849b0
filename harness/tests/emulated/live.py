"""In the emulated host, as the runner's user: a session with an application and a load, until somebody ends it.

    python -m tests.emulated.live

It prints `lives` once all processes are there. From then on it asks for a session in the session, which asks for
another: when one ends, the next one is asked for.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

from plumbline.measuring.launch.sandboxed import Sandboxed
from plumbline.measuring.place.launcher import INSIDE, Launcher, enter
from plumbline.measuring.place.providers.sandbox import Sandbox
from plumbline.model.errors import PlumblineError
from plumbline.model.host import CpuSets

HARNESS = Path(__file__).resolve().parents[2]
AGAIN = "again"
_BETWEEN_S = 0.1


def inside(namespace: str) -> None:
    sandbox = Sandbox(Launcher(), namespace)
    sandbox.prepare("live", CpuSets(app=(1,), db=(0,), load=(0,), housekeeping=(0,)))
    spawner = Sandboxed(sandbox.launcher, "live")
    work = sandbox.work_folder
    for role in ("app", "db", "load"):
        spawner.spawn(role=role, argv=["/bin/sleep", "100000"], cwd=work, env={}, stdout=work / f"{role}.log")
    print("lives", flush=True)


def enter_again(*words: str) -> int:
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(HARNESS)}
    launcher = Launcher()
    try:
        return enter(launcher, [sys.executable, "-m", __spec__.name, *words], Path("/"), env)
    finally:
        launcher.close()


def main() -> int:
    namespace = os.environ.get(INSIDE)
    if namespace is None:
        return enter_again()
    if sys.argv[1:] != [AGAIN]:
        inside(namespace)
    while True:
        with contextlib.suppress(PlumblineError):
            enter_again(AGAIN)
        time.sleep(_BETWEEN_S)


if __name__ == "__main__":
    sys.exit(main())
