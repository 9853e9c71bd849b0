"""In the emulated host, as root, while a session runs: what becomes of its slices, seen from outside of it.

    python3 -I watching.py RESULT.json

The document maps each role to the observed kinds of partition, CPUs and users of processes; and "everybody else" to the
CPUs that were left to them.
Standard library only.
"""

import contextlib
import json
import os
import sys
import time
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
_LOOK_S = 0.5


def look(observed_of_role: dict[str, dict[str, set[str]]]) -> None:
    """Add the state of each role's slice at this moment."""
    for group in GROUPS.glob("plumbline_*_*_*.slice"):
        role = group.name.removesuffix(".slice").rpartition("_")[2]
        observed = observed_of_role.setdefault(role, {"partition": set(), "cpus": set(), "users": set()})
        observed["partition"].add((group / "cpuset.cpus.partition").read_text().strip())
        observed["cpus"].add((group / "cpuset.cpus.effective").read_text().strip())
        for processes in group.glob("*.service/cgroup.procs"):
            for pid in processes.read_text().split():
                # A name in parentheses, as root: systemd, which is about to become the program.
                if not Path(f"/proc/{pid}/comm").read_text().startswith("("):
                    observed["users"].add(str(os.stat(f"/proc/{pid}").st_uid))
    everybody_else = observed_of_role.setdefault("everybody else", {"cpus": set()})
    everybody_else["cpus"].add((GROUPS / "cpuset.cpus.effective").read_text().strip())


def main() -> None:
    """Look until this process is ended; the file is whole at every moment."""
    result, observed_of_role = Path(sys.argv[1]), dict[str, dict[str, set[str]]]()
    while True:
        # A unit may have ended since it was listed.
        with contextlib.suppress(OSError):
            look(observed_of_role)
        new = result.with_suffix(".new")
        new.write_text(json.dumps(observed_of_role, default=sorted))
        new.rename(result)
        time.sleep(_LOOK_S)


if __name__ == "__main__":
    main()
