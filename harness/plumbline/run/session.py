"""A session from plan to record.

    lock -> what dead sessions left -> builds -> database -> training, rehearsal -> trials -> record

The journal grows with every step. Everything the session starts is a child of the warden, which ends it all when the
session goes away, however it goes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime
from pathlib import Path

from plumbline.build.builder import BuildFailed
from plumbline.build.store import Artifact
from plumbline.launch.lock import MachineLock
from plumbline.model.errors import AnswerIsNo, CannotGoOn, UsageError
from plumbline.model.evidence import Evidence
from plumbline.model.plan import PlannedTrial
from plumbline.model.record import Training
from plumbline.plan.duration import trial_s
from plumbline.plan.phases import needs_capacity, with_rates
from plumbline.record.evidence_file import read_evidence, write_evidence
from .cpu_use import CpuUse
from .failed_trial import failed_trial
from .finish import Done, finish
from .headline import headline
from .interruption import interruptible
from .job import Job
from .journal import Journal, Journaled, has_trials, read_journal
from .local import RUNNING, clear_finished, keep_logs, remove_running
from .opening import open_stage, sweep
from .progress import Progress
from .rehearse import capacity_per_s, rehearse
from .room import out_of_room, require_room, require_room_for_trial, says_full
from .stage import Stage
from .train import train
from .trial import run_trial
from .workshop import Workshop


def new_session(
    workshop: Workshop,
    suite: str | None,
    progress: Progress,
    *,
    only: Sequence[str] = (),
    only_scenarios: Sequence[str] = (),
    night: date | None = None,
    blocks: int | None = None,
    seed: int | None = None,
    apps: Sequence[Path] = (),
) -> Session:
    """Plan a session and open its journal. Raises UsageError before anything is made when a name is unknown."""
    plan = workshop.plan(
        suite, only=only, only_scenarios=only_scenarios, night=night, blocks=blocks, seed=seed
    )
    folder = workshop.paths.results / RUNNING / plan.session
    options = {"apps": [str(app.resolve()) for app in apps], "command_line": sys.argv}
    journaled = Journaled(plan, _now(), options)
    return Session(workshop, journaled, folder, progress, is_new=True)


def resumed_session(workshop: Workshop, folder: Path, progress: Progress) -> Session:
    """Take up the interrupted session of a folder. Raises UsageError when this host is not the one that began it."""
    journaled = read_journal(folder)
    if journaled.plan.sets != workshop.sets or journaled.plan.host != workshop.host_name:
        raise UsageError(
            f"The session {folder.name} was begun on {journaled.plan.host} with other CPUs.",
            "Resume it there, or start a new one by `./bench run`.",
        )
    return Session(workshop, journaled, folder, progress, is_new=False)


class Session:
    """One session. `run` goes through it once."""

    def __init__(
        self, workshop: Workshop, journaled: Journaled, folder: Path, progress: Progress, *, is_new: bool
    ) -> None:
        self._workshop, self._journaled, self._folder, self._progress = workshop, journaled, folder, progress
        self._is_new = is_new
        self._plan = journaled.plan
        self._journal = Journal(folder)
        self._artifacts: dict[str, Artifact] = {}
        self._not_built: dict[str, str] = {}
        self._caches: dict[str, Path] = {}
        self._training: list[Training] = []
        self._database_settings: Mapping[str, str] = {}

    def run(self) -> Done:
        """Everything up to the record.

        Raises CannotGoOn (exit 3) where the session can't go on, or when a person or a signal ended it: what was
        measured stays, and the message says how to go on. Raises UsageError (exit 2) with no trace left when something
        has to be put right first.
        """
        with interruptible(self._plan.session, lambda: has_trials(self._folder)), MachineLock() as lock:
            sweep(self._workshop)
            require_room(self._workshop.paths, self._workshop.free_bytes)
            clear_finished(self._workshop.paths.results)
            self._find_tools()
            self._build()
            try:
                return self._run(lock.descriptor)
            except (UsageError, KeyboardInterrupt):
                if not has_trials(self._folder):
                    remove_running(self._folder)
                raise
            except OSError as error:
                if says_full(error):
                    raise out_of_room(self._workshop.paths, self._workshop.free_bytes) from error
                raise

    def _run(self, lock: int) -> Done:
        self._begin()
        with ExitStack() as stack:
            stage = open_stage(
                stack,
                self._workshop,
                session=self._plan.session,
                sets=self._plan.sets,
                folder=self._folder,
                lock=lock,
            )
            self._database_settings = stage.database.settings
            self._prepare(stage)
            self._measure(stage)
        return self._finish()

    def _find_tools(self) -> None:
        """What is missing is refused before minutes go into builds."""
        self._progress.say(f"JDK {self._workshop.jdk.build}, k6 {self._workshop.k6.version}")

    def _build(self) -> None:
        builder = self._workshop.builder()
        for text in (self._plan.control, *self._plan.subjects):
            try:
                self._artifacts[text] = builder.build(self._workshop.catalog.subject(text))
            except BuildFailed as error:
                self._not_built[text] = error.problem
                self._progress.say(f"{error.problem}{error.next_step}")
        if not self._artifacts:
            raise CannotGoOn("No subject could be built.", "The words of Maven stand above.")

    def _begin(self) -> None:
        built = {
            artifact.build.artifact: artifact.build.inputs_sha256 for artifact in self._artifacts.values()
        }
        if self._is_new:
            self._folder.mkdir(parents=True)
            self._write_plan()
            self._journal.write("built", artifacts=built)
            return
        for artifact, inputs_sha256 in self._journaled.artifacts.items():
            if built.get(artifact) != inputs_sha256:
                raise UsageError(
                    f"{artifact} is not what it was when the session {self._plan.session} began.",
                    "Bring its sources back to that state, or start a new session by `./bench run`.",
                )
        self._journal.mend()
        self._journal.write("resumed", at=_now())
        self._journaled.resumed += 1

    def _write_plan(self) -> None:
        self._journal.write(
            "plan",
            plan=self._plan.model_dump(mode="json"),
            started_at=self._journaled.started_at,
            options=self._journaled.options,
        )

    def _prepare(self, stage: Stage) -> None:
        """Train AOT caches, rehearse every subject, and set the rates that wait for a capacity."""
        capacities: dict[str, list[float]] = {}
        for text in self._artifacts:
            for index, scenario in enumerate(self._plan.scenarios):
                wants_capacity = needs_capacity(scenario) and not self._journaled.trials
                if index and not wants_capacity:
                    continue
                trial = PlannedTrial(number=0, block=0, subject=text, scenario=scenario.id, role="discarded")
                if index == 0:
                    self._train(stage, trial)
                self._progress.say(f"rehearsing {text} under {scenario.id}")
                evidence = rehearse(stage, self._job(trial), self._progress)
                self._keep_logs(stage, f"rehearsal-{scenario.name}-{text.replace('/', '-')}")
                self._revive_database(stage)
                if evidence.failure is not None:
                    self._progress.say(f"{text} failed its rehearsal: {evidence.failure.problem}")
                elif evidence.start is not None:
                    self._progress.say(
                        f"{text} first answered after {evidence.start.first_response_ms or 0:.0f} ms"
                    )
                if wants_capacity and (capacity := capacity_per_s(evidence)) and text != self._plan.control:
                    capacities.setdefault(scenario.id, []).append(capacity)
        if capacities:
            self._set_rates({id_: min(found) for id_, found in capacities.items()})

    def _set_rates(self, slowest: Mapping[str, float]) -> None:
        scenarios = tuple(
            with_rates(scenario, slowest[scenario.id]) if scenario.id in slowest else scenario
            for scenario in self._plan.scenarios
        )
        self._plan = self._plan.model_copy(update={"scenarios": scenarios})
        for id_, capacity in slowest.items():
            self._progress.say(
                f"the slowest subject serves {capacity:.0f} requests/s under {id_}: rates are set"
            )
        self._write_plan()

    def _train(self, stage: Stage, trial: PlannedTrial) -> None:
        subject = self._workshop.catalog.subject(trial.subject)
        if subject.packaging != "aot":
            return
        self._progress.say(f"training the AOT cache of {trial.subject}")
        cache = stage.work.parent / "aot" / f"{trial.subject.replace('/', '-')}.aot"
        try:
            stage.database.restore()
            self._training.append(train(stage, self._job(trial), cache))
        except AnswerIsNo as error:
            self._not_built[trial.subject] = error.problem
            self._progress.say(error.problem)
        else:
            self._caches[trial.subject] = cache
        self._keep_logs(stage, f"training-{trial.subject.replace('/', '-')}")

    def _measure(self, stage: Stage) -> None:
        (self._folder / "evidence").mkdir(exist_ok=True)
        left = [trial for trial in self._plan.trials if trial.number not in self._journaled.trials]
        took_s: list[float] = []
        expected = {scenario.id: trial_s(scenario) for scenario in self._plan.scenarios}
        for index, trial in enumerate(left):
            pace = sum(took_s) / sum(expected[done.scenario] for done in left[:index]) if took_s else 1.0
            remaining_s = pace * sum(expected[other.scenario] for other in left[index:])
            self._require_room()
            self._progress.trial_began(trial, len(self._plan.trials), remaining_s)
            use = CpuUse.now()
            evidence = self._one_trial(stage, trial)
            took_s.append(use.elapsed_s())
            if evidence.failure is not None:
                # What failed for want of room is run again when there is some.
                self._require_room()
            write_evidence(self._folder, evidence)
            self._keep_logs(stage, f"{trial.number:04d}")
            self._journal.write("trial", number=trial.number, cpu_s=use.since(evidence))
            failure = evidence.failure
            problem = None if failure is None else f"in the phase {failure.phase}: {failure.problem}"
            scenario = self._plan.scenario(trial.scenario)
            self._progress.trial_ended(trial, headline(evidence, scenario, self._plan.sets), problem)
            self._revive_database(stage)

    def _require_room(self) -> None:
        require_room_for_trial(self._workshop.paths, self._workshop.free_bytes)

    def _revive_database(self, stage: Stage) -> None:
        if not stage.database.answers():
            self._progress.say("starting the database again")
            stage.database.start_again()

    def _one_trial(self, stage: Stage, trial: PlannedTrial) -> Evidence:
        if trial.subject in self._not_built:
            return failed_trial(trial, "build", self._not_built[trial.subject])
        return run_trial(stage, self._job(trial), self._progress)

    def _job(self, trial: PlannedTrial) -> Job:
        catalog = self._workshop.catalog
        subject = catalog.subject(trial.subject)
        return Job(
            trial=trial,
            scenario=self._plan.scenario(trial.scenario),
            subject=subject,
            variant=catalog.variant(subject.variant),
            artifact=self._artifacts[trial.subject],
            settings=catalog.settings_of(subject),
            aot_cache=self._caches.get(trial.subject),
        )

    def _keep_logs(self, stage: Stage, name: str) -> None:
        keep_logs(stage.work, self._folder / "logs" / name)

    def _finish(self) -> Done:
        journaled = read_journal(self._folder)
        evidence = {number: read_evidence(self._folder, number) for number in sorted(journaled.trials)}
        return finish(
            self._workshop,
            journaled,
            self._folder,
            evidence,
            builds=[artifact.build for artifact in self._artifacts.values()],
            training=self._training,
            database_settings=self._database_settings,
            ended_at=_now(),
        )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
