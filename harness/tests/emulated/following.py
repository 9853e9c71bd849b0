"""A person who follows docs/operate.md on an emulated host, word by word."""

from __future__ import annotations

from pathlib import Path

from tests.operate import commands, named
from .box import CACHE
from .machine import Machine, Ran

REPOSITORY = "me/plumbline"
_OWNER = "owner"
CLONE = f"/home/{_OWNER}/plumbline"
# This person is root where the document says so, and the box has no sudo.
_SUDO = '#!/bin/sh\nexec "$@"\n'


def typed(host: Machine, words: str, folder: str) -> str:
    """Return the output of root's commands in a folder with a checkout; they have to succeed."""
    return host.check("bash", "-euc", f"cd {folder}\n{words}")


def set_up_runner(host: Machine, folder: str) -> None:
    """Do step 5 up to its list, from the checkout in a folder."""
    host.put("/usr/local/bin/sudo", _SUDO, 0o755)
    typed(host, commands("5. The runner", "sudo").replace("OWNER/NAME", REPOSITORY), folder)


def take_away_runner(host: Machine, folder: str) -> None:
    """Do the end of step 5."""
    typed(host, named("sudo runner-setup/install-runner.sh --uninstall"), folder)


def clone_and_ask(host: Machine, source: str, java: Path) -> Ran:
    """Run the commands of step 4 as a user that this makes: the clone is in `CLONE`, and the doctor has answered.

    The repository of the document is a folder of the host, `source`; a Python environment is there already.
    """
    environments = f"/home/{_OWNER}/.cache/plumbline/env"
    host.check("useradd", "--create-home", "--shell", "/bin/bash", _OWNER)
    rewritten_address = f"url.file://{source}.insteadOf"
    host.check("git", "config", "--system", rewritten_address, f"https://github.com/{REPOSITORY}")
    host.check("git", "config", "--system", "safe.directory", "*")
    as_owner = ("setpriv", f"--reuid={_OWNER}", f"--regid={_OWNER}", "--clear-groups")
    home = ("env", "-i", f"HOME=/home/{_OWNER}", f"JAVA_HOME={java}", "PATH=/usr/bin:/bin")
    preparation = f"mkdir -p {Path(environments).parent} && ln -s {CACHE}/plumbline/env {environments} && cd"
    script = commands("4. The host", "git clone").replace("OWNER/NAME", REPOSITORY)
    return host.run(*as_owner, *home, "bash", "-uc", f"{preparation}\n{script}")
