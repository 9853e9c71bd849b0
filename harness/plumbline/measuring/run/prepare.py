"""Prepare the first trial: train AOT caches, rehearse contenders, and set the rates that wait for a capacity.

A cache is trained on the measuring host, as an unmeasured step: from the verified artifact, at its fixed path, with the
JDK and the flags of the trial. The JVM refuses a cache under another path, class path, collector or heap, and
`-XX:AOTMode=on` makes that an error instead of a slow start. A resumed session goes on with its caches if they fit.

A rehearsal is a start whose evidence is discarded. It warms the page cache, shows within seconds whether an application
starts and answers at all, and, where rates are shares of capacity, measures the capacity of the slowest once warm.
"""

from __future__ import annotations

import http.client
import os
import shutil
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from plumbline.machine.host.foreign import open_regular
from plumbline.machine.tools.download import file_sha256
from plumbline.measuring.load.summary import LoadFailed
from plumbline.model.errors import AnswerIsNo
from plumbline.model.evidence import Evidence
from plumbline.model.plan import Phase, Plan, PlannedTrial, Scenario
from plumbline.model.record import Training
from plumbline.model.subject import has_aot_cache
from plumbline.subjects.plan.duration import capacity_s
from plumbline.subjects.plan.phases import finding_capacity, needs_capacity, with_rates, without_load
from plumbline.verdicts.contract.endpoint import Endpoint
from plumbline.verdicts.judge.rules.r07_no_errors import WARM_UP_FAILED_SHARE_MAX
from .built import Built, Contender, file_name, words_of
from .caches import Caches
from .conditions import why_conditions_unavailable
from .drivers import send_load
from .job import Job
from .local import keep_logs
from .progress import Progress
from .starting import await_answers, endpoint_of, spawn_application
from .testbed import RemoteTestbed, Testbed, revive_database
from .trial import run_trial

# A fixed number of requests of each scenario: enough to load every class of its operations, reads and writes alike, and
# too few for compiled code to matter. One after another, since an application answers slowly while the JVM records it.
REQUESTS, CONNECTIONS = 300, 1
# The longest time that these requests may take: a single batch of study 001 may take seconds.
LONGEST_S = 30.0
_ANSWER_S = 30.0
# The JVM writes the cache when it ends, by a second JVM, which takes half a minute on one slow CPU.
WRITE_S = 180.0
# Several times the largest cache of the catalogue.
MOST_CACHE_BYTES = 1 << 29


def train(testbed: Testbed, job: Job, cache: Path, scenarios: Sequence[Scenario]) -> Training:
    """Train the cache of a subject into `cache`, by the load generator's own requests of these scenarios.

    Raises AnswerIsNo when the application or the JVM refuses.
    """
    began_s = time.monotonic()
    # The application must know the six sources of orders from its start.
    with_sources = (candidate for candidate in scenarios if candidate.source_latency_ms is not None)
    job = replace(job, scenario=next(with_sources, scenarios[0]))
    trained = testbed.work / "trained.aot"
    try:
        _run_training(testbed, job, trained, scenarios)
        _copy_cache(trained, cache, job.subject.id)
    finally:
        # A cache is no log, be it of a training that failed. What is no file is never kept.
        with suppress(OSError):
            trained.unlink()
    return Training(
        subject=job.subject.id,
        wall_s=round(time.monotonic() - began_s, 3),
        size_bytes=cache.stat().st_size,
        sha256=file_sha256(cache),
    )


def _run_training(testbed: Testbed, job: Job, trained: Path, scenarios: Sequence[Scenario]) -> None:
    """Run the application under these requests; its JVM writes the cache when it ends. Raises AnswerIsNo."""
    port = testbed.free_port()
    process = spawn_application(testbed, job, port=port, log_name="train.log", extra=(f"-XX:AOTCacheOutput={trained}",))
    try:
        await_answers(testbed, job, process, port)
        endpoint = endpoint_of(testbed, job, port)
        _ask_environment(endpoint)
        for scenario in scenarios:
            _send_requests(testbed, endpoint, scenario)
    finally:
        process.terminate(WRITE_S)


def _copy_cache(trained: Path, cache: Path, subject: str) -> None:
    """Copy a trained cache to where no application writes. Raises AnswerIsNo without one of a possible size."""
    try:
        source = open_regular(trained)
    except OSError:
        raise AnswerIsNo(
            f"The JVM left no AOT cache of {subject}.", "Its words are in the training's log of this session."
        ) from None
    with source:
        if (size := os.fstat(source.fileno()).st_size) > MOST_CACHE_BYTES:
            raise AnswerIsNo(f"The AOT cache of {subject} has {size:,} bytes, more than {MOST_CACHE_BYTES:,}.")
        with cache.open("wb") as target:
            shutil.copyfileobj(source, target)
    # The application may be another user's.
    cache.chmod(0o644)


def _ask_environment(endpoint: Endpoint) -> None:
    """Ask once for the environment, whose classes belong into the cache. Raises AnswerIsNo."""
    connection = endpoint.connection(_ANSWER_S)
    try:
        connection.request("GET", "/environment")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException) as error:
        raise AnswerIsNo(
            f"GET /environment was not answered while the AOT cache was trained: {error!r}.",
            "The application's words are in the training's log of this session.",
        ) from error
    finally:
        connection.close()


def _send_requests(testbed: Testbed, endpoint: Endpoint, scenario: Scenario) -> None:
    phase = Phase(kind="warm-up", name=f"training-{scenario.name}", duration_s=LONGEST_S, connections=CONNECTIONS)
    try:
        # Answers are compared in the trials: here rows are added while others are read.
        result = send_load(testbed, endpoint, phase, scenario, golden=None, requests=REQUESTS).result
    except LoadFailed as error:
        raise AnswerIsNo(error.problem) from error
    if result.failed:
        raise AnswerIsNo(
            f"{result.failed} of {result.requests} requests of {scenario.id} failed while the AOT cache was trained.",
            "The application's words are in the training's log of this session.",
        )


def rehearse(
    testbed: Testbed | RemoteTestbed, job: Job, progress: Progress, *, finds_capacity: bool = False
) -> Evidence:
    """Run the rehearsal of a job's subject; its evidence is not kept in the record."""
    trial = PlannedTrial(number=0, block=0, subject=job.subject.id, scenario=job.scenario.id, role="discarded")
    scenario = finding_capacity(job.scenario) if finds_capacity else without_load(job.scenario)
    return run_trial(testbed, replace(job, trial=trial, scenario=scenario), progress)


def capacity_per_s(evidence: Evidence) -> float | None:
    """Return the requests a second that the rehearsal's closed phase completed; None if it did not come that far.

    A subject that fails has no capacity: it would set the rate of all others.
    """
    for load in evidence.load:
        if load.phase == "closed" and load.window_s > 0 and evidence.failure is None:
            fails = load.failed > WARM_UP_FAILED_SHARE_MAX * load.requests
            return None if fails else load.completed / load.window_s
    return None


def prepare(
    testbed: Testbed | RemoteTestbed,
    built: Built,
    caches: Caches,
    logs: Path,
    progress: Progress,
    *,
    begun: bool,
    rotated: Collection[str] = (),
) -> Plan:
    """Return the plan with its rates. A session that has begun (`begun`) keeps its rates, and its `caches` too.

    In a comparison the capacity of the base sets the rate, else the capacity of the slowest subject that is measured
    every time, so that no rate depends on the subjects of a rotation (`rotated`). Other contenders set the rate only if
    none of these came through its rehearsal. The control never sets a rate.

    Raises AnswerIsNo if a rate waits for a capacity, and no subject came through the rehearsal.
    """
    plan = built.plan
    unrated_ids = set() if begun else {scenario.id for scenario in plan.scenarios if needs_capacity(scenario)}
    leading_capacities: dict[str, list[float]] = {}
    other_capacities: dict[str, list[float]] = {}
    for contender in built.artifacts:
        side, subject_id = contender
        is_leading = side == "base" if plan.comparison else subject_id not in rotated
        for index, scenario in enumerate(_scenarios_of(plan, contender)):
            finds_capacity = (
                scenario.id in unrated_ids
                and contender != (None, plan.control)
                and (is_leading or scenario.id not in leading_capacities)
            )
            if index and not finds_capacity:
                continue
            trial = PlannedTrial(
                number=0, block=0, subject=subject_id, scenario=scenario.id, role="discarded", side=side
            )
            if index == 0:
                if (problem := why_conditions_unavailable(testbed, built.job(trial).settings)) is not None:
                    built.not_built[contender] = f"{words_of(contender)} is unavailable: {problem}"
                    progress.say(built.not_built[contender])
                    break
                _provide_cache(testbed, built, trial, caches, logs, progress)
                if contender in built.not_built:
                    break
            up_to = f" at full load, which takes up to {capacity_s(scenario):.0f} s" if finds_capacity else ""
            progress.say(f"rehearsing {words_of(contender)} under {scenario.id}{up_to}")
            evidence = rehearse(testbed, built.job(trial), progress, finds_capacity=finds_capacity)
            keep_logs(testbed, logs / f"rehearsal-{scenario.name}-{file_name(contender)}")
            revive_database(testbed, progress)
            if evidence.failure is not None:
                progress.say(f"{words_of(contender)} failed its rehearsal: {evidence.failure.problem}")
            elif evidence.start is not None:
                first_ms = evidence.start.first_response_ms or 0
                progress.say(f"{words_of(contender)} first answered after {first_ms:.0f} ms")
            if finds_capacity and (capacity := capacity_per_s(evidence)):
                capacities = leading_capacities if is_leading else other_capacities
                capacities.setdefault(scenario.id, []).append(capacity)
    slowest: dict[str, float] = {}
    for id_ in sorted(unrated_ids):
        # A base that failed its rehearsal may still come through its trials.
        if not (measured := leading_capacities.get(id_) or other_capacities.get(id_)):
            raise AnswerIsNo(
                f"No subject came through its rehearsal under {id_}, so that no rate could be set.",
                f"The logs are in {logs}; `./bench start SUBJECT` shows one by itself.",
            )
        slowest[id_] = min(measured)
    return _plan_with_rates(plan, slowest, progress.say)


def _scenarios_of(plan: Plan, contender: Contender) -> list[Scenario]:
    """Return the scenarios that a contender has trials of."""
    ids = {trial.scenario for trial in plan.trials if trial.contender == contender}
    return [scenario for scenario in plan.scenarios if scenario.id in ids]


def _plan_with_rates(plan: Plan, slowest: Mapping[str, float], say: Callable[[str], None]) -> Plan:
    owner = "the slowest subject" if plan.comparison is None else "base"
    for id_, capacity in slowest.items():
        say(f"{owner} serves {capacity:.0f} requests/s under {id_}: rates are set")
    scenarios = tuple(
        with_rates(scenario, slowest[scenario.id]) if scenario.id in slowest else scenario
        for scenario in plan.scenarios
    )
    return plan.model_copy(update={"scenarios": scenarios})


def _provide_cache(
    testbed: Testbed | RemoteTestbed,
    built: Built,
    trial: PlannedTrial,
    caches: Caches,
    logs: Path,
    progress: Progress,
) -> None:
    """Give a contender the cache that its session trained before an interruption, else a newly trained one."""
    contender, job = trial.contender, built.job(trial)
    if not has_aot_cache(job.subject.packaging) or isinstance(testbed, RemoteTestbed):
        return
    cache = testbed.aot / f"{file_name(contender)}.aot"
    if caches.take(contender, cache) and _starts_with(testbed, replace(job, aot_cache=cache), logs, progress):
        built.caches[contender] = cache
        return
    progress.say(f"training the AOT cache of {words_of(contender)}")
    try:
        testbed.database.restore()
        training = train(testbed, job, cache, _scenarios_of(built.plan, contender))
    except AnswerIsNo as error:
        built.not_built[contender] = error.problem
        progress.say(error.problem)
    else:
        caches.keep(contender, cache, training)
        built.caches[contender] = cache
    keep_logs(testbed, logs / f"training-{file_name(contender)}")


def _starts_with(testbed: Testbed, job: Job, logs: Path, progress: Progress) -> bool:
    """Return whether a contender starts with its kept cache, which the JVM refuses for another artifact or JDK."""
    name = words_of(job.trial.contender)
    progress.say(f"starting {name} with the AOT cache that this session trained before")
    evidence = rehearse(testbed, job, progress)
    keep_logs(testbed, logs / f"kept-cache-{file_name(job.trial.contender)}")
    revive_database(testbed, progress)
    if evidence.failure is not None:
        progress.say(f"{name} does not start with it: {evidence.failure.problem}")
    return evidence.failure is None
