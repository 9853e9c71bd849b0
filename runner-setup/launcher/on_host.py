"""Commands that have to run in the host's own namespaces, from which the launcher's unit is separated."""

from __future__ import annotations

import subprocess

from .config import Refused


def run_on_host(*words: str) -> None:
    """Run a command as root beside the launcher, and wait for its end. Raises Refused with its error output.

    If the launcher itself made a mount or a network namespace, nobody else would see it.
    """
    process = subprocess.run(
        ["systemd-run", "--quiet", "--pipe", "--wait", "--collect", "--", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        raise Refused(f"{' '.join(words)}: {process.stderr.strip() or 'failed'}")
