"""Commands that have to run in the host's own namespaces, which the launcher's unit is kept out of."""

from __future__ import annotations

import subprocess

from .config import Refused


def run_on_host(*words: str) -> None:
    """Run a command as root beside the launcher, and wait for its end. Raises Refused with what it said.

    A mount or a network namespace that the launcher made itself would be seen by nobody else.
    """
    done = subprocess.run(
        ["systemd-run", "--quiet", "--pipe", "--wait", "--collect", "--", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise Refused(f"{' '.join(words)}: {done.stderr.strip() or 'failed'}")
