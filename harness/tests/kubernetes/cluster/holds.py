"""`python -m tests.kubernetes.cluster.holds`: a cluster with a pod, until it is told to go on, to fail, or ended.

It prints the name spaces of all that runs in the cluster, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from .cluster import Cluster
from .trial import load_images, open_trial

_KINDS = ("mnt", "net", "pid", "ipc", "uts")


def name_spaces() -> dict[str, set[int]]:
    """The processes of this host by their name spaces."""
    processes: dict[str, set[int]] = {}
    for folder in Path("/proc").iterdir():
        for kind in _KINDS if folder.name.isdecimal() else ():
            try:
                processes.setdefault(os.readlink(folder / "ns" / kind), set()).add(int(folder.name))
            except OSError:
                break
    return processes


def main() -> None:
    """Hold a cluster until standard input says how to end."""
    before = name_spaces()
    with Cluster() as cluster:
        load_images(cluster)
        with open_trial(cluster, "holds", 1) as trial:
            trial.application  # noqa: B018 - it is made when it is asked for
            print(json.dumps(sorted(set(name_spaces()) - set(before))), flush=True)
            if sys.stdin.readline() == "fail\n":
                raise ValueError("as told")


if __name__ == "__main__":
    main()
