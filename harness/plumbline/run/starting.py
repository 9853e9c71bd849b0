"""Starts one application on the stage and waits until it answers: for trials, training, and to look at."""

from __future__ import annotations

import shutil

from plumbline.contract.operations import first_path_of
from plumbline.launch.contained import Contained
from plumbline.launch.dial import Dial
from plumbline.launch.face import Process
from plumbline.launch.prober import ProbedStart, probe_start
from plumbline.model.image import FOLDER, JAVA
from plumbline.model.subject import is_native
from plumbline.observe.readers.memory import rss_bytes
from .application import Command, application_command
from .containing import start_contained
from .job import Job
from .stage import Stage


def spawn_application(
    stage: Stage,
    job: Job,
    *,
    port: int | None,
    log_name: str = "app.log",
    extra: tuple[str, ...] = (),
    words: tuple[str, ...] = (),
) -> Process:
    """Spawn the subject's process with its log in the stage's folder."""
    if stage.temporary is not None:
        # Each process begins with an empty folder, whatever the one before it left.
        shutil.rmtree(stage.temporary, ignore_errors=True)
        stage.temporary.mkdir()
        if job.image is None:
            extra = (f"-Djava.io.tmpdir={stage.temporary}", *extra)
    command, log = command_of(stage, job, port=port, extra=extra, words=words), stage.work / log_name
    if job.image is not None:
        return start_contained(stage, job, command, log)
    return stage.spawner.spawn(role="app", argv=command.argv, cwd=command.cwd, env=command.env, stdout=log)


def command_of(
    stage: Stage,
    job: Job,
    *,
    port: int | None,
    extra: tuple[str, ...] = (),
    words: tuple[str, ...] = (),
) -> Command:
    """How the subject is started on this stage; of one that runs in a container, what is started in there.

    `extra` are flags of the harness for the JVM, `words` the program's last arguments.
    """
    return application_command(
        run=(*job.run_words, *words),
        folder=job.artifact.folder if job.image is None else FOLDER,
        java=job.java if job.image is None else JAVA,
        settings=job.settings,
        processors=len(stage.sets.app),
        port=port,
        database=stage.database.address,
        environ=stage.environ,
        extra=extra,
        sources=_sources_of(stage, job),
        native=is_native(job.subject.packaging),
        engine=job.subject.engine,
        http_tls=stage.http_tls,
        agent=job.agent,
        service=job.variant.id,
    )


def dial_of(stage: Stage, job: Job, port: int) -> Dial:
    """How the subject is reached at that port: plain, or over TLS checked against the session's authority."""
    over_tls = job.settings["http-tls"] == "on"
    return Dial(port, stage.http_tls.client if over_tls and stage.http_tls is not None else None)


def _sources_of(stage: Stage, job: Job) -> str | None:
    latency_ms = job.scenario.source_latency_ms
    return None if latency_ms is None or stage.sources is None else stage.sources.url(latency_ms)


def await_answers(stage: Stage, job: Job, process: Process, port: int) -> ProbedStart:
    """Poll until healthy, then send the first request. Raises AnswerIsNo when it ends or does not answer in time."""
    started = probe_start(
        dial=dial_of(stage, job, port),
        path_health="/health",
        path_first=first_path_of(job.scenario),
        t0_s=process.spawned_at_s,
        deadline_s=stage.deadline_s,
        process_alive=lambda: process.poll() is None,
        read_rss=lambda: _idle_rss(stage, process),
    )
    if isinstance(process, Contained):
        process.wait_until_known()
    return started


def _idle_rss(stage: Stage, process: Process) -> int | None:
    """Not read where an engine has not said yet which process it is: to wait for that would delay the first request."""
    if isinstance(process, Contained) and not process.is_known:
        return None
    return rss_bytes(stage.roots, process.pid)
