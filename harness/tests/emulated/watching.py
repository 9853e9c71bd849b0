"""In the emulated host, as root, while a session runs: what becomes of its slices, seen from outside of it.

    python3 -I watching.py RESULT.json

Role -> kinds of partition, CPUs and users of processes that were seen; and the CPUs that were left to everybody else.
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


def look(seen: dict[str, dict[str, set[str]]]) -> None:
    """Add what is there now."""
    for group in GROUPS.glob("plumbline_*_*_*.slice"):
        role = group.name.removesuffix(".slice").rpartition("_")[2]
        one = seen.setdefault(role, {"partition": set(), "cpus": set(), "users": set()})
        one["partition"].add((group / "cpuset.cpus.partition").read_text().strip())
        one["cpus"].add((group / "cpuset.cpus.effective").read_text().strip())
        for processes in group.glob("*.service/cgroup.procs"):
            for pid in processes.read_text().split():
                # As root and in parentheses: systemd, which is about to become the program.
                if not Path(f"/proc/{pid}/comm").read_text().startswith("("):
                    one["users"].add(str(os.stat(f"/proc/{pid}").st_uid))
    rest = seen.setdefault("everybody else", {"cpus": set()})
    rest["cpus"].add((GROUPS / "cpuset.cpus.effective").read_text().strip())


def main() -> None:
    """Looks until it is ended; the file is whole at every moment."""
    result, seen = Path(sys.argv[1]), dict[str, dict[str, set[str]]]()
    while True:
        # A unit may have ended since it was listed.
        with contextlib.suppress(OSError):
            look(seen)
        new = result.with_suffix(".new")
        new.write_text(json.dumps(seen, default=sorted))
        new.rename(result)
        time.sleep(_LOOK_S)


if __name__ == "__main__":
    main()
