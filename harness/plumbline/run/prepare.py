"""Prepare the first trial: train AOT caches, rehearse contenders, and set the rates that wait for a capacity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from plumbline.model.errors import AnswerIsNo
from plumbline.model.plan import Plan, PlannedTrial, Scenario
from plumbline.plan.phases import needs_capacity, with_rates
from .built import Built, Contender, file_name, words_of
from .conditions import asked_for, not_to_be_had
from .job import Job
from .local import keep_logs
from .progress import Progress
from .rehearse import capacity_per_s, rehearse
from .testbed import Testbed, revive_database
from .train import train


def prepare(testbed: Testbed, built: Built, logs: Path, progress: Progress, *, begun: bool) -> Plan:
    """Return the plan with its rates. A session that has begun (`begun`) keeps its rates.

    Raises AnswerIsNo if a rate waits for a capacity, and no subject came through the rehearsal.
    """
    plan = built.plan
    leading: dict[str, list[float]] = {}
    others: dict[str, list[float]] = {}
    for contender in built.artifacts:
        side, text = contender
        for index, scenario in enumerate(_taken(plan, contender)):
            wants_capacity = needs_capacity(scenario) and not begun
            if index and not wants_capacity:
                continue
            trial = PlannedTrial(
                number=0, block=0, subject=text, scenario=scenario.id, role="discarded", side=side
            )
            if index == 0:
                if (lacking := _lacking(testbed, built.job(trial))) is not None:
                    built.not_built[contender] = f"{words_of(contender)} is unavailable: {lacking}"
                    progress.say(built.not_built[contender])
                    break
                _train(testbed, built, trial, logs, progress)
            progress.say(f"rehearsing {words_of(contender)} under {scenario.id}")
            evidence = rehearse(testbed, built.job(trial), progress)
            keep_logs(testbed.work, logs / f"rehearsal-{scenario.name}-{file_name(contender)}")
            revive_database(testbed, progress)
            if evidence.failure is not None:
                progress.say(f"{words_of(contender)} failed its rehearsal: {evidence.failure.problem}")
            elif evidence.start is not None:
                first_ms = evidence.start.first_response_ms or 0
                progress.say(f"{words_of(contender)} first answered after {first_ms:.0f} ms")
            # In a comparison the base's capacity sets the rate, else that of the slowest.
            measured = side is not None or text != plan.control
            if wants_capacity and measured and (capacity := capacity_per_s(evidence)):
                found = leading if plan.comparison is None or side == "base" else others
                found.setdefault(scenario.id, []).append(capacity)
    wanted = [] if begun else [scenario.id for scenario in plan.scenarios if needs_capacity(scenario)]
    # A base that failed its rehearsal may still come through its trials.
    capacities = {id_: leading.get(id_) or others.get(id_) for id_ in wanted}
    for id_, seen in capacities.items():
        if not seen:
            raise AnswerIsNo(
                f"No subject came through its rehearsal under {id_}, so that no rate could be set.",
                f"The logs are in {logs}; `./bench start SUBJECT` shows one by itself.",
            )
    return _rated(plan, {id_: min(seen) for id_, seen in capacities.items() if seen}, progress.say)


def _lacking(testbed: Testbed, job: Job) -> str | None:
    """Return why this host can't give the conditions that a subject is measured under, if it can't."""
    if not asked_for(job.settings):
        return None
    cpus, folder = len(testbed.sets.app), testbed.database.data_folder
    return not_to_be_had(testbed.placement, job.settings, cpus, folder, testbed.roots.proc)


def _taken(plan: Plan, contender: Contender) -> list[Scenario]:
    """Return the scenarios that a contender has trials of."""
    ids = {trial.scenario for trial in plan.trials if trial.contender == contender}
    return [scenario for scenario in plan.scenarios if scenario.id in ids]


def _rated(plan: Plan, slowest: Mapping[str, float], say: Callable[[str], None]) -> Plan:
    whose = "the slowest subject" if plan.comparison is None else "base"
    for id_, capacity in slowest.items():
        say(f"{whose} serves {capacity:.0f} requests/s under {id_}: rates are set")
    scenarios = tuple(
        with_rates(scenario, slowest[scenario.id]) if scenario.id in slowest else scenario
        for scenario in plan.scenarios
    )
    return plan.model_copy(update={"scenarios": scenarios})


def _train(testbed: Testbed, built: Built, trial: PlannedTrial, logs: Path, progress: Progress) -> None:
    job = built.job(trial)
    if job.subject.packaging != "aot":
        return
    name = words_of(trial.contender)
    progress.say(f"training the AOT cache of {name}")
    cache = testbed.work.parent / "aot" / f"{file_name(trial.contender)}.aot"
    try:
        testbed.database.restore()
        built.training.append(train(testbed, job, cache))
    except AnswerIsNo as error:
        built.not_built[trial.contender] = error.problem
        progress.say(error.problem)
    else:
        built.caches[trial.contender] = cache
    keep_logs(testbed.work, logs / f"training-{file_name(trial.contender)}")
