"""A session from plan to record.

    lock -> what dead sessions left -> builds -> database -> training, rehearsal -> trials -> record

The journal grows with every step. Everything that the session starts is a child of the supervisor, which ends all its
children when the session ends, however it ends.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from types import MappingProxyType

from plumbline.archive.record.evidence_file import read_evidence
from plumbline.machine.host.kernel import utc_now
from plumbline.measuring.launch.lock import MachineLock
from plumbline.model.comparison import Side
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.host import HostReading
from plumbline.model.plan import Plan
from plumbline.model.subject import Engine, has_aot_cache
from .built import Built
from .caches import Caches
from .context import Context
from .duet import Duet
from .finish import FinishedSession, finish, require_whole
from .interruption import interruptible
from .journal import ClusterOptions, Journal, Journaled, SessionOptions, has_trials, read_journal
from .local import RUNNING, clear_finished, remove_running
from .measure import Measuring, with_trials_run
from .opening import open_testbeds, second_testbed_opener, sweep
from .origin import origin_of, require_same_origin, require_unchanged
from .prepare import prepare
from .progress import Progress
from .room import out_of_room, require_room, require_room_for_trial, says_full
from .rounds import trials_of_whole_rounds
from .sources import sources_of
from .testbed import RemoteTestbed, Testbed


def planned_session(
    context: Context,
    plan: Plan,
    progress: Progress,
    apps: Sequence[Path] = (),
    artifacts: Mapping[Side, Path] = MappingProxyType({}),
    cluster: ClusterOptions | None = None,
) -> Session:
    """Return a new session of a plan, with its journal. `artifacts` are files of what was built elsewhere, by side."""
    folder = context.paths.results / RUNNING / plan.session
    options = SessionOptions(
        apps=tuple(str(app.resolve()) for app in apps),
        artifacts={side: str(path.resolve()) for side, path in artifacts.items()},
        command_line=tuple(sys.argv),
        cluster=cluster,
    )
    journaled = Journaled(plan, utc_now(), options)
    return Session(context, journaled, folder, progress, is_new=True)


def resumed_session(context: Context, folder: Path, progress: Progress) -> Session:
    """Return the interrupted session of a folder. Raises UsageError if it began on another host or other CPUs, or by
    another placement.
    """
    journaled = read_journal(folder)
    if journaled.damage is not None:
        progress.say(journaled.damage)
    plan = journaled.plan
    places = {trial.sets for trial in plan.trials if trial.sets is not None and trial.proof is None}
    if plan.host != context.host_name:
        raise UsageError(
            f"The session {folder.name} was begun on host '{plan.host}', and this one is '{context.host_name}'.",
            f"Resume it there (PLUMBLINE_HOST={plan.host} says that this is that host), or start a new one by "
            "`./bench run`.",
        )
    if not (places <= set(context.places) if places else context.gives(plan.sets)):
        raise UsageError(
            f"The session {folder.name} was begun with other CPUs.",
            "Give the host the CPUs that it had, or start a new session by `./bench run`.",
        )
    if plan.placement != context.held_by:
        raise UsageError(
            f"The session {folder.name} was begun with processes placed by {plan.placement}, and here they would be "
            f"placed by {context.held_by}.",
            "Resume it as the user who began it, with the same `placement` in bench.toml.",
        )
    for number in sorted(journaled.trials):
        try:
            read_evidence(folder, plan.trial(number))
        except AnswerIsNo as error:
            progress.say(f"{error.problem} The trials from {number} on are measured again.")
            journaled.lost_from = number
            journaled.lose(number)
            break
    return Session(context, journaled, folder, progress, is_new=False)


class Session:
    """A session, which `run` goes through once."""

    def __init__(
        self, context: Context, journaled: Journaled, folder: Path, progress: Progress, *, is_new: bool
    ) -> None:
        self._context, self._journaled, self._folder, self._progress = context, journaled, folder, progress
        self._is_new = is_new
        self._plan = journaled.plan
        self._journal = Journal(folder)
        self._database_settings: Mapping[str, str] = {}

    def run(self) -> FinishedSession:
        """Run the whole session, up to the record.

        Raises CannotGoOn (exit 3) where the session can't go on, or when a person or a signal ended it: what was
        measured stays, and the message says how to go on. Raises UsageError (exit 2) with no trace left when something
        has to be put right first. Raises AnswerIsNo (exit 1) for a comparison with a side that does not build.
        """
        elsewhere = self._context.elsewhere(self._plan)
        interruptions = interruptible(self._plan.session, lambda: has_trials(self._folder), self._plan.resumed_by)
        with interruptions, MachineLock() as lock:
            sweep(self._context)
            subjects = [self._plan.subject(subject_id) for _, subject_id in self._plan.contenders]
            caches = sum(has_aot_cache(subject.packaging) for subject in subjects)
            require_room(self._context.paths, self._context.free_bytes, caches)
            clear_finished(self._context.paths.results)
            self._find_tools()
            self._find_origin()
            sources = sources_of(self._context, self._plan, self._journaled.artifact_files)
            built = Built(self._plan, sources)
            built.build(self._progress)
            try:
                return self._run(lock.descriptor, built, elsewhere)
            except (UsageError, KeyboardInterrupt):
                if not has_trials(self._folder):
                    remove_running(self._folder)
                raise
            except OSError as error:
                if says_full(error):
                    raise out_of_room(self._context.paths, self._context.free_bytes) from error
                raise

    def _run(self, lock: int, built: Built, elsewhere: AbstractContextManager[RemoteTestbed] | None) -> FinishedSession:
        self._begin(built)
        with ExitStack() as stack:
            duet = None
            # Closed last: the threads of a duet end once the testbeds have ended their processes.
            closed_last = stack.enter_context(ExitStack())
            testbeds: Sequence[Testbed | RemoteTestbed]
            engine: Engine = "pg"
            if elsewhere is not None:
                remote_testbed = stack.enter_context(elsewhere)
                self._write_reading(remote_testbed.read_before())
                testbeds = (remote_testbed,)
            else:
                testbeds = local_testbeds = open_testbeds(
                    stack, self._context, self._plan, folder=self._folder, lock=lock
                )
                self._database_settings = local_testbeds[0].database.settings
                engine = local_testbeds[0].database.address.engine
                if len(local_testbeds) > 1:
                    duet = Duet(local_testbeds, self._progress)
                    closed_last.callback(duet.wait)
            begun = bool(trials_of_whole_rounds(self._plan, self._journaled.trials))
            rotated = self._context.catalog.rotated_in(self._plan.suite)
            self._plan = prepare(
                testbeds[0],
                built,
                Caches(self._folder, self._journaled),
                self._folder / "logs",
                self._progress,
                begun=begun,
                rotated=rotated,
            )
            if self._plan != built.plan:
                built.plan = self._plan
                self._write_plan()
            plan = self._plan
            measuring = Measuring(
                self._context,
                self._journaled,
                plan,
                self._folder,
                self._progress,
                self._require_room,
                self._require_unchanged,
                second_testbed_opener(self._context, plan.session, self._folder, lock, engine),
            )
            measuring.run(testbeds, built, duet)
        return self._finish(built)

    def _find_tools(self) -> None:
        """Find the tools of the session: a missing tool is refused before minutes go into builds."""
        for subject in map(self._plan.subject, self._plan.subjects):
            settings = {**self._context.catalog.bench.defaults, **subject.settings}
            self._context.require_authority(subject.engine, settings)
            self._context.java(settings)
            self._context.agent(settings)
        self._progress.say(f"JDK {self._context.jdk.build}, k6 {self._context.k6.version}")

    def _find_origin(self) -> None:
        """Read what measures. A session that has trials goes on only by what measured them."""
        now, journaled = origin_of(self._context), self._journaled
        if journaled.trials:
            require_same_origin(self._plan.session, journaled.origin, now)
        else:
            journaled.origin = now

    def _begin(self, built: Built) -> None:
        # The host as it was before anything was built or measured.
        reading = self._context.host.readings[-1]
        if self._is_new:
            self._folder.mkdir(parents=True)
            self._write_plan()
            self._write_reading(reading)
            self._write_built(built)
            return
        digests = built.digests
        for contender, digest in self._journaled.artifacts.items() if self._journaled.trials else ():
            if digests.get(contender) != digest:
                raise UsageError(
                    f"{contender} is not what it was when the session {self._plan.session} began: its sources changed, "
                    "or were built anew to other bytes.",
                    "Bring that state back, or start a new session by `./bench run`.",
                )
        self._journal.mend()
        if not self._journaled.trials:
            self._write_built(built)
        self._journal.write("resumed", at=utc_now(), lost_from=self._journaled.lost_from)
        self._write_reading(reading)
        self._journaled.resumed += 1

    def _write_plan(self) -> None:
        self._journal.write(
            "plan",
            plan=self._plan.model_dump(mode="json"),
            started_at=self._journaled.started_at,
            options=self._journaled.options.model_dump(mode="json"),
        )

    def _write_built(self, built: Built) -> None:
        assert self._journaled.origin is not None
        origin = self._journaled.origin.model_dump(mode="json")
        self._journal.write("built", artifacts=built.digests, origin=origin)

    def _write_reading(self, reading: HostReading) -> None:
        self._journal.write("host", reading=reading.model_dump(mode="json"))

    def _require_room(self) -> None:
        require_room_for_trial(self._context.paths, self._context.free_bytes)

    def _require_unchanged(self) -> None:
        assert self._journaled.origin is not None
        require_unchanged(self._plan.session, self._plan.resumed_by, self._journaled.origin, self._context.root)

    def _finish(self, built: Built) -> FinishedSession:
        journaled = read_journal(self._folder)
        ended_trials = trials_of_whole_rounds(journaled.plan, journaled.trials)
        evidence = {
            trial.number: read_evidence(self._folder, trial)
            for trial in journaled.plan.trials
            if trial.number in ended_trials
        }
        journaled.plan = with_trials_run(journaled.plan, evidence)
        require_whole(journaled, evidence)
        return finish(
            self._context,
            journaled,
            self._folder,
            evidence,
            builds=built.builds,
            training=journaled.trainings,
            images=built.images,
            database_settings=self._database_settings,
            ended_at=utc_now(),
        )
