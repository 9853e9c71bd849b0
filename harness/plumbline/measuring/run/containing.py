"""Run a subject in a container: the image of its artifact, with the command line and the variables of a process.

Nothing else differs: network, CPUs, the share of their time, nodes of memory, the folder for logs, and paths of files
are the same.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path

from plumbline.machine.host.foreign import remove_tree
from plumbline.measuring.launch.client import OPEN_FILES
from plumbline.measuring.launch.contained import Contained, InContainer, Mount
from plumbline.measuring.place.contained import accounts_of
from plumbline.measuring.place.interface import Account
from plumbline.model.errors import CannotGoOn
from plumbline.model.java import USER
from .application import Command
from .conditions import limit_of
from .job import Job
from .testbed import Testbed, sets_of

# The image has its own values of these. The locale is set to that of a process.
_OF_THE_HOST = frozenset({"PATH", "HOME"})
_LOCALE = {"LC_ALL": "C.UTF-8"}


def start_contained(testbed: Testbed, job: Job, command: Command, log: Path) -> Contained:
    """Start a subject's image on the testbed. Raises CannotGoOn where the testbed has no engine."""
    containers = testbed.containers
    if containers is None or job.image is None:
        raise CannotGoOn(f"There is no engine that would run {job.subject.id} in a container.")
    temporary = _temporary_folder(testbed)
    remove_tree(temporary)
    temporary.mkdir()
    temporary.chmod(0o1777)
    secrets = _secret_files(testbed, job)
    if os.geteuid() == 0:
        for path in (testbed.work, temporary, *secrets):
            os.chown(path, USER, USER)
    request = InContainer(
        image=job.image.sha256,
        argv=tuple(command.argv),
        env={**{name: value for name, value in command.env.items() if name not in _OF_THE_HOST}, **_LOCALE},
        cpus=sets_of(testbed, job.settings).app,
        nodes=testbed.placement.memory_nodes(testbed.sets.app),
        limit=limit_of(testbed, job.settings),
        mounts=(
            Mount(testbed.work, writable=True),
            Mount(temporary, Path("/tmp"), writable=True),
            *(Mount(file) for file in (*_public_files(testbed, job), *secrets)),
        ),
        user=user_words(containers.engine.is_podman, os.geteuid(), os.getegid()),
        parent=containers.engine.parent_words,
        limits=limits_of_a_process(testbed.roots.proc),
    )
    return containers.start(testbed.spawner, request, cwd=testbed.work, stdout=log)


def accounts_and_counters(testbed: Testbed, contained: Contained) -> tuple[dict[Account, Path], Path | None]:
    """Return the control groups that count for a container, and the folder with its JVM's counters, if any."""
    accounts = accounts_of(testbed.roots.proc, contained.pid, contained.container)
    return accounts, next(_temporary_folder(testbed).glob(f"hsperfdata_*/{contained.pid}"), None)


def database_accounts(testbed: Testbed, placed: dict[Account, Path]) -> tuple[dict[Account, Path], ...]:
    """Return the control groups that count for the database, whose processes `placed` has unless they are in a
    container, which the engine puts elsewhere; none where processes are counted, or a server is out of sight.
    """
    database = testbed.database
    if not placed or not database.pids:
        return ()
    if database.container is None:
        return (placed,)
    in_container = accounts_of(testbed.roots.proc, database.pids[0], database.container)
    return (placed, in_container) if in_container else ()


def user_words(is_podman: bool, uid: int, gid: int) -> tuple[str, ...]:
    """Return the engine's options for the user: none for root (the image's user), the caller's own ids for anybody
    else, whose files stay readable to them.

    With podman the caller's ids become those of the image's user; docker can't do that.
    """
    if uid == 0:
        return ()
    return ("--userns", f"keep-id:uid={USER},gid={USER}") if is_podman else ("--user", f"{uid}:{gid}")


def limits_of_a_process(proc: Path) -> tuple[tuple[str, int, int], ...]:
    """Return the limits of open files and processes of a process of the host (name, soft, hard): engines have other
    defaults.

    The limit of processes is at most the kernel's largest pid: podman lowers its own limit to that number, and could
    raise the limit again only with a right over limits (CAP_SYS_RESOURCE).
    """
    largest_pid = int((proc / "sys/kernel/pid_max").read_text())
    soft, hard = (
        largest_pid if limit == resource.RLIM_INFINITY else min(limit, largest_pid)
        for limit in resource.getrlimit(resource.RLIMIT_NPROC)
    )
    return ("nofile", *OPEN_FILES), ("nproc", soft, hard)


def _temporary_folder(testbed: Testbed) -> Path:
    return testbed.work.parent / "tmp"


def _public_files(testbed: Testbed, job: Job) -> list[Path]:
    """Return the files outside of its image that an application reads, and that every user may read."""
    database, tls = testbed.database.address, testbed.http_tls
    files = [database.authority, database.authority_store] if job.subject.engine != "none" else []
    files += [tls.files.certificate] if tls is not None and job.settings["http-tls"] == "on" else []
    files += [job.agent.jar] if job.agent is not None else []
    files += [job.aot_cache] if job.aot_cache is not None else []
    return [file for file in files if file is not None]


def _secret_files(testbed: Testbed, job: Job) -> list[Path]:
    """Return the files that an application reads, and that only their owner may read."""
    tls = testbed.http_tls
    return [] if tls is None or job.settings["http-tls"] != "on" else [tls.files.key, tls.store]
