"""The origin of a session's numbers: the checkout, the tools and the host that measure, as the session begins.

A record names one origin. So nobody goes on with a session by another checkout, by other tools or on another host, be
it the same machine with another kernel. A trial counts only if the files that every trial reads anew did not change.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path

from plumbline.machine.tools.download import file_sha256
from plumbline.machine.tools.git import commit_of
from plumbline.measuring.build.store import inputs_sha256
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.verdicts.judge.wording import listed
from .context import Context
from .journal import Origin

# The files that pin everything that is not in the commit itself.
LOCKS = (
    "apps/pom.xml",
    "apps/control/pom.xml",
    "bench.toml",
    "harness/plumbline/machine/tools/pins.toml",
    "harness/requirements.lock",
    "k6/go.sum",
)
# The folders of load, golden answers and schema, which every trial reads anew; and with that of the harness. Changes in
# them may be in no commit.
READ_BY_TRIALS = ("k6", "apps/contract")
MEASURING = ("harness/plumbline", *READ_BY_TRIALS)


def origin_of(context: Context) -> Origin:
    """Return the checkout, the tools and the host as they are now. A checkout without git has no commit."""
    commit, dirty = commit_of(context.root)
    jdk, k6, host = context.jdk, context.k6, context.host
    return Origin(
        commit=commit,
        # A variant from outside the tree (`--app`) is in no commit of it.
        dirty=None if dirty is None else dirty or bool(context.catalog.guests),
        locks={name: file_sha256(path) for name in LOCKS if (path := context.root / name).is_file()},
        python=f"{platform.python_implementation()} {platform.python_version()}",
        jdk=f"{jdk.vendor} {jdk.build}",
        k6=f"k6 {k6.version} ({k6.origin})",
        measuring={name: _digest(context.root, name) for name in MEASURING},
        host={
            "the kernel": host.kernel,
            "its command line": host.kernel_command_line,
            "the CPU": host.cpu_model,
            "its microcode": host.microcode or "",
            "the operating system": host.operating_system,
        },
    )


def _digest(root: Path, name: str) -> str:
    return inputs_sha256([root / name], [])


def require_same_origin(session: str, begun: Origin | None, now: Origin) -> None:
    """Check that a session goes on by the checkout and the tools with which it was begun, and on the same host. Raises
    UsageError.
    """
    anew = "start a new session by `./bench run`."
    if begun is None:
        raise UsageError(
            f"The session {session} was begun by an older harness, which did not note what measured it.",
            anew.capitalize(),
        )
    changed = [
        name
        for name, before, after in (
            ("the commit", begun.commit, now.commit),
            ("Python", begun.python, now.python),
            ("the JDK", begun.jdk, now.jdk),
            ("k6", begun.k6, now.k6),
            *((name, begun.locks.get(name), now.locks.get(name)) for name in sorted(begun.locks | now.locks)),
            *((f"{name}/", begun.measuring.get(name), now.measuring.get(name)) for name in MEASURING),
            *((name, begun.host.get(name), now.host[name]) for name in now.host),
        )
        if before != after
    ]
    if changed:
        raise UsageError(_sentence(session, begun, changed), f"Bring that state back and resume again, or {anew}")


def require_unchanged(session: str, command: str, begun: Origin, root: Path) -> None:
    """Check that a trial that has just ended read what the session was begun with. Raises CannotGoOn."""
    changed = [f"{name}/" for name in READ_BY_TRIALS if _has_changed(begun, root, name)]
    if changed:
        raise CannotGoOn(
            _sentence(session, begun, changed),
            "The trial that has just ended does not count. Bring that state back, and go on by "
            f"`./bench {command} --resume {session}`.",
        )


def _has_changed(begun: Origin, root: Path, name: str) -> bool:
    try:
        return begun.measuring.get(name) != _digest(root, name)
    except OSError:
        # A file came or went, or can't be read any more.
        return True


def _sentence(session: str, begun: Origin, changed: Sequence[str]) -> str:
    at = "" if begun.commit is None else f" (commit {begun.commit[:12]})"
    return (
        f"Since the session {session} was begun{at}, {listed(changed)} changed, and its record can name but one state "
        "of them."
    )
