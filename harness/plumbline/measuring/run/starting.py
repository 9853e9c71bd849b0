"""Start one application on the testbed and wait until it answers: for a trial, for training, or for a person."""

from __future__ import annotations

from plumbline.machine.host.foreign import remove_tree
from plumbline.measuring.launch.contained import Contained
from plumbline.measuring.launch.interface import RunningProcess, StartRequest
from plumbline.measuring.launch.prober import ProbedStart, probe_start
from plumbline.measuring.observe.readers.identity import rss_bytes
from plumbline.model.java import FOLDER, JAVA
from plumbline.model.subject import is_native
from plumbline.subjects.catalog.settings import cpus_asked_for
from plumbline.verdicts.contract.endpoint import Endpoint
from plumbline.verdicts.contract.probes import first_path_of
from .application import Command, application_command
from .containing import start_contained
from .job import Job
from .testbed import Testbed, sets_of


def spawn_application(
    testbed: Testbed,
    job: Job,
    *,
    port: int | None,
    log_name: str = "app.log",
    extra: tuple[str, ...] = (),
    words: tuple[str, ...] = (),
) -> RunningProcess:
    """Spawn the subject's process with its log in the testbed's folder."""
    if testbed.temporary is not None:
        # Each process begins with an empty folder, whatever the process before it left.
        remove_tree(testbed.temporary)
        testbed.temporary.mkdir()
        if job.image is None:
            extra = (f"-Djava.io.tmpdir={testbed.temporary}", *extra)
    # A JVM that crashes would write its reports into the artifact's folder, and change the artifact.
    reports = {"ErrorFile": "hs_err", "ReplayDataFile": "replay"}
    extra = (*(f"-XX:{flag}={testbed.work / name}_pid%p.log" for flag, name in reports.items()), *extra)
    command, log = command_of(testbed, job, port=port, extra=extra, words=words), testbed.work / log_name
    if job.image is not None:
        return start_contained(testbed, job, command, log)
    request = StartRequest(role="app", argv=command.argv, cwd=command.cwd, env=command.env, stdout=log)
    if cpus_asked_for(job.settings) is not None:
        request["cpus"] = sets_of(testbed, job.settings).app
    return testbed.spawner.spawn(**request)


def command_of(
    testbed: Testbed,
    job: Job,
    *,
    port: int | None,
    extra: tuple[str, ...] = (),
    words: tuple[str, ...] = (),
) -> Command:
    """Return the command that starts the subject on this testbed; for a container the command inside of it.

    `extra` are flags of the harness for the JVM, `words` the program's last arguments.
    """
    return application_command(
        run=(*job.run_words, *words),
        folder=job.artifact.folder if job.image is None else FOLDER,
        java=job.java if job.image is None else JAVA,
        settings=job.settings,
        processors=len(sets_of(testbed, job.settings).app),
        port=port,
        database=testbed.database.address,
        environ=testbed.environ,
        extra=extra,
        sources=_sources_url(testbed, job),
        native=is_native(job.subject.packaging),
        engine=job.subject.engine,
        http_tls=testbed.http_tls,
        agent=job.agent,
        service=job.variant.id,
    )


def endpoint_of(testbed: Testbed, job: Job, port: int) -> Endpoint:
    """Return the subject's endpoint at that port: plain, or over TLS checked against the session's authority."""
    over_tls = job.settings["http-tls"] == "on"
    return Endpoint(port, testbed.http_tls.client if over_tls and testbed.http_tls is not None else None)


def _sources_url(testbed: Testbed, job: Job) -> str | None:
    latency_ms = job.scenario.source_latency_ms
    return None if latency_ms is None or testbed.sources is None else testbed.sources.url(latency_ms)


def await_answers(testbed: Testbed, job: Job, process: RunningProcess, port: int) -> ProbedStart:
    """Poll until the application is healthy, then send the first request. Raises AnswerIsNo if it ends or is late."""
    started = probe_start(
        endpoint=endpoint_of(testbed, job, port),
        path_health="/health",
        path_first=first_path_of(job.scenario),
        t0_s=process.spawned_at_s,
        deadline_s=testbed.deadline_s,
        process_alive=lambda: process.poll() is None,
        read_rss=lambda: _idle_rss(testbed, process),
    )
    if isinstance(process, Contained):
        process.wait_until_known()
    return started


def _idle_rss(testbed: Testbed, process: RunningProcess) -> int | None:
    """Return the idle memory; None for an unseen process: to wait for the engine would delay the first request."""
    pid = process.seen_pid(testbed.roots.proc) if isinstance(process, Contained) else process.pid
    return None if pid is None else rss_bytes(testbed.roots, pid)
