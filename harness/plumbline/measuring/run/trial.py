"""Run one trial: restore, start, probe, load phase by phase, read once more, stop. It always leaves evidence.

    restore -> limits -> spawn (0 ms) -> first responses -> probes -> [snapshot, load, snapshot] x phases -> after, stop

The samplers start after the first response, so that they take nothing from the application while it starts. A warm-up
is cycle after cycle of load, with pauses between them. A cycle ends by itself with every request answered: no cycle is
cut short once the application is warm.
"""

from __future__ import annotations

import os
import pwd
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from plumbline.measuring.launch.contained import Contained
from plumbline.measuring.launch.interface import RunningProcess, exit_in_words, last_words_in
from plumbline.measuring.load.summary import LoadFailed, LoadOutcome, cycles_merged
from plumbline.measuring.observe.observer import Observer
from plumbline.measuring.observe.readers.affinity import read_affinity
from plumbline.measuring.observe.readers.database import work_between
from plumbline.measuring.observe.readers.flags import in_force
from plumbline.measuring.observe.readers.host_before import read_host_before
from plumbline.measuring.observe.readers.identity import identify, pss_bytes, rss_bytes
from plumbline.measuring.observe.readers.probe import CounterReader, probe_of
from plumbline.measuring.observe.targets import Targets
from plumbline.measuring.place.interface import PLACED_ROLES
from plumbline.measuring.place.mounts import quotas_around
from plumbline.model.errors import AnswerIsNo, CannotGoOn, PlumblineError
from plumbline.model.evidence import Evidence, Freshness, LoadResult, SourcesWork, Start
from plumbline.model.plan import Phase
from plumbline.subjects.catalog.settings import is_cold
from plumbline.verdicts.figures.steady import Loads, is_over
from .conditions import impose, lift
from .containing import accounts_and_counters, database_accounts
from .draft import Draft, Halted, log_bytes, window_of
from .drivers import Driver, HttpDriver, ProgramDriver
from .job import Job
from .progress import Progress
from .rendezvous import ALONE, Meeting
from .testbed import RemoteTestbed, Testbed, sets_of


def until_warm(
    phase: Phase,
    load: Callable[[Phase], tuple[LoadResult, Loads]],
    is_over: Callable[[Loads], bool],
    meet: Callable[[], None],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[LoadResult, Loads]:
    """Run the cycles of a warm-up, and return all of them as one result, with their times.

    `is_over` is asked after each cycle from `least_cycles` on, with the times of all cycles; `meet` is called before
    the next cycle.
    """
    results: list[LoadResult] = []
    loads: Loads = ()
    while len(results) < phase.cycles:
        # Each cycle has a name of its own, for the files that k6 writes and for the rows that a load adds.
        cycle = phase.one_cycle.model_copy(update={"name": f"{phase.name}.{len(results) + 1}"})
        result, times = load(cycle)
        results.append(result)
        loads = (*loads, *times)
        sleep(phase.pause_s)
        if len(results) >= (phase.least_cycles or 1) and is_over(loads):
            break
        meet()
    return cycles_merged(results, phase.name), loads


# Commits of a phase's last moment that the backends report later than this are left to the one-second series.
SETTLE_S = 0.3
# k6 has made its VUs by then, and the threads that serve have come to life.
AFFINITY_AFTER_S = 1.0


def run_trial(testbed: Testbed | RemoteTestbed, job: Job, progress: Progress, *, meeting: Meeting = ALONE) -> Evidence:
    """Run one trial. The testbed's folders `work` and `private` must be empty, and hold the trial's logs afterwards.

    In a duet the `meeting` waits for the other side before each step.
    """
    if isinstance(testbed, RemoteTestbed):
        return testbed.run_trial(job, progress)
    return _Trial(testbed, job, progress, meeting).run()


class _Trial:
    def __init__(self, testbed: Testbed, job: Job, progress: Progress, meeting: Meeting) -> None:
        self._testbed, self._job, self._progress = testbed, job, progress
        self._meeting = meeting
        self._draft = Draft(job)
        has_server = job.variant.spec.serves_on != "cli"
        self._driver: Driver = HttpDriver(testbed, job) if has_server else ProgramDriver(testbed, job)
        self._process: RunningProcess | None = None
        self._observer: Observer | None = None
        self._zero_s = time.monotonic()

    def run(self) -> Evidence:
        """Run all phases in order. A failure of the application, the database or k6 becomes part of the evidence."""
        try:
            self._restore()
            impose(self._testbed, self._job.settings)
            process = self._start()
            self._send_probes(process)
            for phase in self._job.scenario.phases:
                if phase.duration_s:
                    self._run_phase(phase)
            self._read_after(process)
        except Halted as error:
            self._draft.failure = error.failure
        finally:
            self._stop()
            lift(self._testbed, self._job.settings)
        testbed = self._testbed
        return self._draft.evidence(testbed.work, testbed.database.settings, k6_logs=testbed.private)

    @cached_property
    def _database_probe(self) -> CounterReader:
        """The probe of the database as it was restored, since MySQL may then be at another port."""
        return probe_of(self._testbed.database.target, settle_s=SETTLE_S)

    def _restore(self) -> None:
        self._progress.phase_began("restore")
        database = self._testbed.database
        databases = (database, *self._testbed.other_databases)
        backing_pids = (*self._testbed.backing_pids, *(pid for server in databases for pid in server.pids))
        all_own_pids = (*self._testbed.own_pids, *self._testbed.other_supervisors, *backing_pids)
        self._draft.found_before = self._testbed.spawner.end_strays(backing_pids)
        self._meet_other_side("start")
        self._draft.host_before = read_host_before(self._testbed.roots, all_own_pids)
        self._meet_other_side("start")
        try:
            database.restore(self._job.scenario.prepare)
        except PlumblineError as error:
            raise Halted("start", f"The database was not restored: {error.problem}") from error
        self._meet_other_side("start")

    def _meet_other_side(self, phase: str) -> None:
        if not self._meeting.meet():
            raise Halted(phase, "The other side of the pair ended early.")

    def _start(self) -> RunningProcess:
        self._progress.phase_began("start")
        testbed, job = self._testbed, self._job
        gc_log = f"-Xlog:gc:file={testbed.work / 'gc.log'}:time,uptime,level,tags"
        process = self._process = self._driver.start((gc_log, *job.aot_flags))
        self._zero_s = process.spawned_at_s
        try:
            probed = self._driver.await_answers(process, self._why_stop)
        except AnswerIsNo as error:
            raise Halted("start", self._why_stop() or error.problem, self._last_log_lines()) from error
        self._draft.start = Start(
            resolution_ms=round(probed.resolution_ms, 3),
            healthy_ms=round(probed.healthy_ms, 3),
            first_response_ms=round(probed.first_response_ms, 3),
            rss_idle_bytes=probed.rss_idle_bytes,
            rss_first_response_bytes=rss_bytes(testbed.roots, process.pid),
            pss_idle_bytes=pss_bytes(testbed.roots, process.pid),
            page_cache="cold" if is_cold(job.settings) else "warm",
        )
        return process

    def _send_probes(self, process: RunningProcess) -> None:
        self._progress.phase_began("probe")
        testbed = self._testbed
        self._observer = Observer(testbed.roots, self._targets(process), zero_s=self._zero_s)
        self._observer.start()
        self._draft.environment = self._driver.environment(self._why_stop)
        self._draft.http_tls = self._driver.http_tls
        try:
            self._draft.probes = self._driver.probes(self._why_stop)
        except LoadFailed as error:
            raise Halted("probe", self._why_stop() or error.problem, self._last_log_lines()) from error
        self._identify("app", process.pid)
        for pid in testbed.database.pids[:1]:
            self._identify("db", pid)
        self._check_alive("probe")

    def _run_phase(self, phase: Phase) -> None:
        self._progress.phase_began(phase.name)
        self._meet_other_side(phase.name)
        database = self._database_probe if self._job.scenario.uses_database else None
        before = database.before() if database else None
        answered_before = self._answered(phase.name)
        log_start = log_bytes(self._testbed.work)
        if phase.least_cycles is None:
            result, loads = self._run_load(phase, phase.name)
        else:
            result, loads = until_warm(
                phase,
                lambda cycle: self._run_load(cycle, phase.name),
                lambda loads: self._meeting.all_say(self._is_warm(loads)),
                lambda: self._meet_other_side(phase.name),
            )
        self._draft.windows.append(window_of(phase, loads))
        self._draft.load.append(result)
        if phase.kind == "warm-up":
            self._draft.warming_log = (log_start, log_bytes(self._testbed.work))
        after = database.after() if database else None
        answered = self._answered(phase.name)
        if before is not None and after is not None:
            self._draft.database.append(work_between(phase.name, before, after))
        if answered_before is not None and answered is not None:
            self._draft.sources.append(SourcesWork(phase=phase.name, answered=answered - answered_before))
        self._check_alive(phase.name)

    def _answered(self, phase: str) -> Counter[str] | None:
        """Return how often each source of an order answered so far; None where the scenario asks no sources."""
        sources, latency_ms = self._testbed.sources, self._job.scenario.source_latency_ms
        if sources is None or latency_ms is None:
            return None
        try:
            return sources.answered(latency_ms)
        except CannotGoOn as error:
            raise Halted(phase, self._why_stop() or error.problem) from error

    def _is_warm(self, loads: Loads) -> bool:
        return self._observer is not None and is_over(self._observer.so_far(), loads)

    def _run_load(self, phase: Phase, planned_phase: str) -> tuple[LoadResult, Loads]:
        """Run one load, and note its time; `planned_phase` names the phase that the load belongs to."""
        outcome = self._outcome_of(phase, planned_phase)
        wall_at_zero_s = time.time() - time.monotonic() + self._zero_s
        start_s, end_s = (round(ms / 1000 - wall_at_zero_s, 4) for ms in outcome.window)
        if outcome.asked is not None:
            self._draft.probes += (outcome.asked,)
        if outcome.changed is not None:
            changed_s, restored_s = (round(at_s - self._zero_s, 3) for at_s in outcome.changed)
            self._draft.freshness.append(Freshness(phase=planned_phase, changed_s=changed_s, restored_s=restored_s))
        return outcome.result, ((start_s, end_s),)

    def _outcome_of(self, phase: Phase, planned_phase: str) -> LoadOutcome:
        timers: list[threading.Timer] = []

        def on_started(pids: tuple[int, ...], rest_addresses: tuple[str, ...]) -> None:
            self._aim_observer(load=pids, addresses=rest_addresses)
            for pid in pids:
                self._identify("load", pid)
            timer = threading.Timer(min(AFFINITY_AFTER_S, phase.duration_s / 2), self._read_affinity)
            timer.start()
            timers.append(timer)

        try:
            return self._driver.load(phase, on_started, self._why_stop)
        except LoadFailed as error:
            # The load generator may be the first to notice that another process is gone.
            problem = self._why_stop()
            tail = error.tail if problem is None else self._last_log_lines()
            raise Halted(planned_phase, problem or error.problem, tail) from error
        finally:
            for timer in timers:
                timer.join()
            self._aim_observer(load=(), addresses=())

    def _read_after(self, process: RunningProcess) -> None:
        self._progress.phase_began("after")
        self._draft.rss_after_bytes = rss_bytes(self._testbed.roots, process.pid)
        self._draft.pss_after_bytes = pss_bytes(self._testbed.roots, process.pid)
        self._draft.tls = self._database_probe.tls()
        self._draft.environment_after = self._driver.environment(self._why_stop)
        if self._observer is not None:
            roots, jcmd = self._testbed.roots, self._job.java.with_name("jcmd")
            self._draft.jvm = in_force(roots, jcmd, process.pid, roots.jvm_counters(self._observer.targets))
        self._check_alive("after")

    def _stop(self) -> None:
        if self._observer is not None:
            self._draft.series = self._observer.stop()
            self._draft.threads = self._observer.thread_use(self._draft.windows)
            self._observer.write_threads(self._testbed.private / "threads.jsonl.gz")
        if self._process is not None:
            early_code = self._process.poll()
            exit_code = self._process.terminate(self._testbed.stop_s) if early_code is None else early_code
            self._draft.application_ended(exit_code, early=early_code is not None)
            self._draft.left_behind = self._testbed.spawner.end_strays(self._testbed.backing_pids)
        self._driver.close()

    def _targets(self, process: RunningProcess) -> Targets:
        testbed = self._testbed
        accounts = {role: testbed.placement.accounting(role) for role in PLACED_ROLES}
        counters = _counters_of(process.pid)
        if isinstance(process, Contained):
            accounts["app"], counters = accounts_and_counters(testbed, process)
        cgroups = {
            **{role: (account,) for role, account in accounts.items() if account},
            "db": database_accounts(testbed, accounts["db"]),
        }
        return Targets(
            sets=sets_of(testbed, self._job.settings),
            pids={"app": (process.pid,), "db": testbed.backing_pids, "harness": testbed.own_pids},
            cgroups=cgroups,
            above={"harness": quotas_around(testbed.roots.proc, cgroups)},
            database=testbed.database.target,
            hsperfdata=counters,
            data_folder=testbed.database.data_folder,
            results=self._driver.results,
        )

    def _aim_observer(self, *, load: tuple[int, ...], addresses: tuple[str, ...]) -> None:
        if self._observer is not None:
            targets = self._observer.targets
            aimed = replace(targets, pids={**targets.pids, "load": load}, load_addresses=addresses)
            self._observer.aim(aimed)

    def _identify(self, role: Literal["app", "db", "load"], pid: int) -> None:
        if (process := identify(self._testbed.roots, role, pid)) is not None:
            self._draft.processes.append(process)

    def _read_affinity(self) -> None:
        if self._observer is not None:
            t_s = time.monotonic() - self._zero_s
            self._draft.affinity += read_affinity(self._testbed.roots, self._observer.targets, t_s)

    def _why_stop(self) -> str | None:
        """Return why going on is of no use, or None. Looks only at processes: it is called while load is measured."""
        if self._process is not None and (status := self._process.poll()) is not None:
            return f"The application ended by itself: {exit_in_words(status)}."
        if (status := self._testbed.database.exit_status()) is not None:
            return f"The database ended by itself: {exit_in_words(status)}."
        sources = self._testbed.sources if self._job.scenario.source_latency_ms is not None else None
        if sources is not None and (status := sources.exit_status()) is not None:
            return f"The sources of the orders ended by themselves: {exit_in_words(status)}."
        return None

    def _check_alive(self, phase: str) -> None:
        if (problem := self._why_stop()) is not None:
            raise Halted(phase, problem, self._last_log_lines())

    def _last_log_lines(self) -> tuple[str, ...]:
        return last_words_in(self._testbed.work / "app.log")


def _counters_of(pid: int) -> Path | None:
    """Return the folder where a JVM of our own maps its counters; None for a user id without a name."""
    try:
        # HotSpot takes the name of the effective user, whatever $USER and java.io.tmpdir say.
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return None
    return Path("/tmp") / f"hsperfdata_{user}" / str(pid)
