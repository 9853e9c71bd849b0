"""One trial: restore, start, probe, load phase by phase, look once more, stop. Leaves evidence, whatever happens.

    restore -> spawn (0 ms) -> first responses -> probes -> [snapshot, k6, snapshot] x phases -> after -> stop

The samplers start after the first response, so that they take nothing from the application while it starts.
"""

from __future__ import annotations

import getpass
import http.client
import json
import threading
import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from plumbline.contract.probes import fitting, send_probes
from plumbline.launch.face import Process
from plumbline.launch.prober import probe_start
from plumbline.load.failed import LoadFailed
from plumbline.load.params import Target
from plumbline.model.errors import AnswerIsNo, PlumblineError
from plumbline.model.evidence import (
    Affinity,
    DatabaseWork,
    Evidence,
    Failure,
    HostBefore,
    LoadResult,
    LogSummary,
    Probe,
    Series,
    Start,
    ThreadUse,
    TlsUse,
    Window,
)
from plumbline.model.evidence import Process as ProcessFacts
from plumbline.model.plan import Phase
from plumbline.observe.observer import Observer
from plumbline.observe.readers.affinity import read_affinity
from plumbline.observe.readers.clock import ClockWatch
from plumbline.observe.readers.database import DatabaseProbe, Snapshot, work_between
from plumbline.observe.readers.host_before import look_around
from plumbline.observe.readers.identity import identify
from plumbline.observe.readers.logs import self_reported_ms, summarise
from plumbline.observe.readers.memory import pss_bytes, rss_bytes
from plumbline.observe.targets import Targets

from .application import application_command
from .job import Job
from .operations import golden_of, name_of, path_of, prefixes_of
from .progress import Progress
from .stage import Stage, hsperfdata_of

# How long an application may take to end by itself; what is still there then is killed.
STOP_S = 10.0
# Commits of the last moment of a phase that the backends have not reported yet are left to the one-second series.
SETTLE_S = 0.3
# k6 has made its VUs by then, and the threads that serve have come to life.
AFFINITY_AFTER_S = 1.0
TAIL_LINES = 12


class _Failed(Exception):
    """Ends the trial; what was seen so far stays."""

    def __init__(self, phase: str, problem: str, tail: Iterable[str] = ()) -> None:
        self.failure = Failure(phase=phase, problem=problem, tail=tuple(tail))


class TrialRun:
    """Runs one trial. Use `run_trial`."""

    def __init__(self, stage: Stage, job: Job, progress: Progress) -> None:
        self._stage, self._job, self._progress = stage, job, progress
        self._port = stage.free_port()
        self._log = stage.work / "app.log"
        self._process: Process | None = None
        self._observer: Observer | None = None
        self._probe = DatabaseProbe(stage.database.target, settle_s=SETTLE_S)
        self._clock = ClockWatch()
        self._zero_s = time.monotonic()
        self._before: HostBefore | None = None
        self._start: Start | None = None
        self._environment: dict[str, Any] | None = None
        self._environment_after: dict[str, Any] | None = None
        self._probes: tuple[Probe, ...] = ()
        self._windows: list[Window] = []
        self._loads: list[LoadResult] = []
        self._work: list[DatabaseWork] = []
        self._affinity: list[Affinity] = []
        self._facts: list[ProcessFacts] = []
        self._series = Series()
        self._threads: tuple[ThreadUse, ...] = ()
        self._tls: tuple[TlsUse, ...] = ()
        self._after_bytes: tuple[int | None, int | None] = (None, None)
        self._failure: Failure | None = None

    def run(self) -> Evidence:
        """All phases in order. A failure of the application, the database or k6 becomes part of the evidence."""
        started_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        try:
            self._restore()
            self._spawn()
            self._ask()
            for phase in self._job.scenario.phases:
                if phase.duration_s:
                    self._load(phase)
            self._look_after()
        except _Failed as failed:
            self._failure = failed.failure
        finally:
            self._stop()
        return self._evidence(started_at)

    def _restore(self) -> None:
        self._progress.phase_began("restore")
        ours = (*self._stage.own_pids, *self._stage.database.pids)
        self._before = look_around(self._stage.roots, ours)
        try:
            self._stage.database.restore()
        except PlumblineError as error:
            raise _Failed("start", f"The database was not restored: {error.problem}") from error

    def _spawn(self) -> None:
        self._progress.phase_began("start")
        stage, job = self._stage, self._job
        extra = [f"-Xlog:gc:file={stage.work / 'gc.log'}:time,uptime,level,tags"]
        if job.aot_cache is not None:
            extra += [f"-XX:AOTCache={job.aot_cache}", "-XX:AOTMode=on"]
        command = application_command(
            job.subject,
            run=job.run_words,
            folder=job.artifact.folder,
            java=stage.java,
            settings=job.settings,
            processors=len(stage.sets.app),
            port=self._port,
            database=stage.database.address,
            environ=stage.environ,
            extra=tuple(extra),
        )
        process = stage.spawner.spawn(
            role="app", argv=command.argv, cwd=command.cwd, env=command.env, stdout=self._log
        )
        self._process = process
        self._zero_s = process.spawned_at_s
        try:
            probed = probe_start(
                host="127.0.0.1",
                port=self._port,
                path_health="/health",
                path_first=path_of(job.scenario),
                t0_s=process.spawned_at_s,
                deadline_s=stage.deadline_s,
                process_alive=lambda: process.poll() is None,
                read_rss=lambda: rss_bytes(stage.roots, process.pid),
            )
        except AnswerIsNo as error:
            raise _Failed("start", error.problem, self._tail()) from error
        self._start = Start(
            resolution_ms=round(probed.resolution_ms, 3),
            healthy_ms=round(probed.healthy_ms, 3),
            first_response_ms=round(probed.first_response_ms, 3),
            rss_idle_bytes=probed.rss_idle_bytes,
            rss_first_response_bytes=rss_bytes(stage.roots, process.pid),
            pss_idle_bytes=pss_bytes(stage.roots, process.pid),
        )

    def _ask(self) -> None:
        self._progress.phase_began("probe")
        stage, job = self._stage, self._job
        pids = {"app": (self._pid,), "db": stage.database.pids, "harness": stage.own_pids}
        targets = Targets(
            sets=stage.sets,
            pids=pids,  # type: ignore[arg-type]
            cgroups={role: stage.placement.accounting(role) for role in ("app", "db", "load", "harness")},  # type: ignore[misc]
            database=stage.database.target,
            hsperfdata=hsperfdata_of(self._pid, getpass.getuser()),
            data_folder=stage.database.data_folder,
        )
        self._observer = Observer(stage.roots, targets, zero_s=self._zero_s)
        self._observer.start()
        self._environment = self._read_environment()
        wanted = fitting(
            stage.probes,
            serves_on=job.variant.spec.serves_on,
            writes=False,
            prefixes=prefixes_of(job.scenario),
        )
        self._probes = send_probes("127.0.0.1", self._port, wanted)
        self._check_alive("probe")
        self._facts = [
            fact
            for role, pid in (("app", self._pid), *(("db", pid) for pid in stage.database.pids[:1]))
            if (fact := identify(stage.roots, role, pid)) is not None  # type: ignore[arg-type]
        ]

    def _load(self, phase: Phase) -> None:
        self._progress.phase_began(phase.name)
        stage, job = self._stage, self._job
        before = self._snapshot()
        watch: list[threading.Timer] = []

        def on_started(pid: int, rest_address: str) -> None:
            self._aim(load=(pid,), address=rest_address)
            if (fact := identify(stage.roots, "load", pid)) is not None:
                self._facts.append(fact)
            timer = threading.Timer(min(AFFINITY_AFTER_S, phase.duration_s / 2), self._read_affinity)
            timer.start()
            watch.append(timer)

        try:
            outcome = stage.k6.run(
                phase,
                job.scenario,
                Target(
                    base_url=f"http://127.0.0.1:{self._port}",
                    name=name_of(job.scenario),
                    golden=golden_of(job.scenario, stage.probes),
                ),
                folder=stage.work,
                rest_port=stage.free_port(),
                on_started=on_started,
                stop=self._trouble,
            )
        except LoadFailed as error:
            tail = error.tail if self._trouble() is None else self._tail()
            raise _Failed(phase.name, error.problem, tail) from error
        finally:
            for timer in watch:
                timer.join()
            self._aim(load=(), address=None)
        shift_s = time.time() - time.monotonic() + self._zero_s
        self._windows.append(
            Window(
                phase=phase.name,
                kind=phase.kind,
                start_s=round(outcome.window[0] / 1000 - shift_s, 4),
                end_s=round(outcome.window[1] / 1000 - shift_s, 4),
            )
        )
        self._loads.append(outcome.result)
        after = self._snapshot()
        if before is not None and after is not None:
            self._work.append(work_between(phase.name, before, after))
        self._check_alive(phase.name)

    def _look_after(self) -> None:
        self._progress.phase_began("after")
        stage = self._stage
        self._after_bytes = (rss_bytes(stage.roots, self._pid), pss_bytes(stage.roots, self._pid))
        self._tls = self._probe.tls() if stage.database.target is not None else ()
        self._environment_after = self._read_environment()

    def _stop(self) -> None:
        if self._observer is not None:
            self._series = self._observer.stop()
            self._threads = self._observer.thread_use(self._windows)
            self._observer.write_threads(self._stage.work / "threads.jsonl.gz")
        if self._process is not None:
            early = self._process.poll()
            exit_code = self._process.terminate(STOP_S) if early is None else early
            self._facts = [
                fact.model_copy(update={"exit_code": exit_code, "ended_early": early is not None})
                if fact.role == "app"
                else fact
                for fact in self._facts
            ]

    def _evidence(self, started_at: str) -> Evidence:
        stage, job = self._stage, self._job
        started = job.variant.spec.started
        if self._start is not None and started is not None:
            own = self_reported_ms(self._log, started)
            self._start = self._start.model_copy(update={"self_reported_ms": own})
        logs: dict[str, LogSummary] = {}
        for name, path in (("app", self._log), *((f"k6-{p.name}", stage.work / f"{p.name}.k6.log") for p in self._phases)):
            if (summary := summarise(path)) is not None:
                logs[name] = summary
        return Evidence(
            trial=job.trial.number,
            subject=job.subject.id,
            scenario=job.scenario.id,
            started_at=started_at,
            clock_step_ms=self._clock.step_ms(),
            host_before=self._before,
            artifact_sha256=job.artifact.build.sha256,
            processes=tuple(self._facts),
            start=self._start,
            environment=self._environment,
            environment_after=self._environment_after,
            probes=self._probes,
            windows=tuple(self._windows),
            series=self._series,
            load=tuple(self._loads),
            database=tuple(self._work),
            database_settings=stage.database.settings,
            tls=self._tls,
            threads=self._threads,
            affinity=tuple(self._affinity),
            logs=logs,
            rss_after_bytes=self._after_bytes[0],
            pss_after_bytes=self._after_bytes[1],
            failure=self._failure,
        )

    @property
    def _pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def _phases(self) -> tuple[Phase, ...]:
        return tuple(phase for phase in self._job.scenario.phases if phase.duration_s)

    def _aim(self, *, load: tuple[int, ...], address: str | None) -> None:
        if self._observer is not None:
            targets = self._observer.targets
            self._observer.aim(replace(targets, pids={**targets.pids, "load": load}, load_address=address))

    def _read_affinity(self) -> None:
        if self._observer is not None:
            t_s = time.monotonic() - self._zero_s
            self._affinity += read_affinity(self._stage.roots, self._observer.targets, t_s)

    def _snapshot(self) -> Snapshot | None:
        return self._probe.after() if self._job.scenario.uses_database else None

    def _trouble(self) -> str | None:
        """Why going on is of no use, or None."""
        if self._process is not None and (status := self._process.poll()) is not None:
            return f"The application ended by itself ({_status(status)})."
        if not self._stage.database.is_alive():
            return "The database ended by itself."
        return None

    def _check_alive(self, phase: str) -> None:
        if (problem := self._trouble()) is not None:
            raise _Failed(phase, problem, self._tail())

    def _read_environment(self) -> dict[str, Any] | None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=STOP_S)
        try:
            connection.request("GET", "/environment")
            response = connection.getresponse()
            content = response.read()
            found = json.loads(content) if response.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()
        return found if isinstance(found, dict) else None

    def _tail(self) -> list[str]:
        try:
            lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []
        return [line[:300] for line in lines if line.strip()][-TAIL_LINES:]


def _status(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def run_trial(stage: Stage, job: Job, progress: Progress) -> Evidence:
    """Run one trial; the folder `stage.work` must be empty and holds its logs afterwards."""
    return TrialRun(stage, job, progress).run()
