"""The trials of a session, round by round: each leaves evidence, logs and a journaled line before the next begins."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from plumbline.archive.record.evidence_file import read_evidence, write_evidence
from plumbline.machine.host.kernel import utc_now
from plumbline.model.comparison import Comparison
from plumbline.model.evidence import Evidence, Failure, Series
from plumbline.model.host import CpuSets
from plumbline.model.plan import Plan, PlannedTrial, Scenario
from plumbline.subjects.catalog.settings import is_cold
from plumbline.subjects.plan.duration import trial_s
from plumbline.verdicts.figures.compute import figures
from plumbline.verdicts.figures.metrics import WARMING
from plumbline.verdicts.figures.proof import COST, RATE
from .built import Built, Contender
from .context import Context
from .duet import Duet
from .journal import Journal, Journaled
from .local import keep_logs
from .opening import OpenOther, testbed_for
from .prepare import rehearse
from .progress import Progress
from .rounds import Adaptive, Round, UntilDecided, rounds, trials_of_whole_rounds, unit_of
from .testbed import RemoteTestbed, Testbed, revive_database
from .trial import run_trial


@dataclass(frozen=True)
class CpuUse:
    """Readings at the start of a trial. `machine_s` is the time that all CPUs of the host were busy."""

    began_s: float
    machine_s: float
    harness_s: float

    @classmethod
    def now(cls) -> CpuUse:
        """Read the clocks."""
        times = os.times()
        return cls(time.monotonic(), _busy_s(Path("/proc")), times.user + times.system)

    def elapsed_s(self) -> float:
        """Return the seconds since these readings."""
        return time.monotonic() - self.began_s

    def since(self, evidence: Evidence) -> dict[str, float]:
        """Return the CPU seconds since: `session` (the machine), `harness` (this process), `sampler` (a part of it)."""
        later = CpuUse.now()
        sampled = [value for value in evidence.series.columns.get("sampler.us", ()) if value is not None]
        return {
            "session": round(later.machine_s - self.machine_s, 3),
            "harness": round(later.harness_s - self.harness_s, 3),
            "sampler": round(max(sampled, default=0.0) / 1e6, 4),
        }


def _busy_s(proc: Path) -> float:
    """Return user, nice, system, irq, softirq and steal time of all CPUs; ticks are 10 ms."""
    fields = [int(text) for text in (proc / "stat").read_text().split("\n", 1)[0].split()[1:9]]
    return math.fsum(value for index, value in enumerate(fields) if index not in (3, 4)) / 100


class Measuring:
    """Runs the rounds of a plan once. `require_room` raises if the disk has no room for another trial,
    `require_unchanged` if a trial that has ended read other files than the session began with. `open_other` opens the
    testbed of a proof that has CPUs of its own.
    """

    def __init__(
        self,
        context: Context,
        journaled: Journaled,
        plan: Plan,
        folder: Path,
        progress: Progress,
        require_room: Callable[[], None],
        require_unchanged: Callable[[], None],
        open_other: OpenOther,
    ) -> None:
        self._open_other, self._require_unchanged = open_other, require_unchanged
        self._plan, self._folder, self._progress, self._require_room = plan, folder, progress, require_room
        self._warm_starts = WarmStarts(plan)
        self._journal, self._done = Journal(folder), trials_of_whole_rounds(plan, journaled.trials)
        self._adaptive = Adaptive(plan, context.host, journaled.took_s)
        # A session that is run again has the blocks of the record, whatever they decide: the control closes them there.
        self._until_decided = (
            None
            if plan.budget is None or plan.reproduces is not None
            else UntilDecided(plan, plan.budget, context.host, journaled.took_s)
        )
        self._pace: list[tuple[float, float]] = []
        self._done_count, self._expected_count = len(self._done), len(plan.trials)

    def run(self, testbeds: Sequence[Testbed | RemoteTestbed], built: Built, duet: Duet | None) -> None:
        """Run every round that is still wanted."""
        (self._folder / "evidence").mkdir(exist_ok=True)
        remaining = [round_ for round_ in rounds(self._plan) if round_[0].number not in self._done]
        for round_ in rounds(self._plan):
            if round_[0].number in self._done:
                evidence = {trial.number: read_evidence(self._folder, trial) for trial in round_}
                self._update_decisions(evidence, 0.0)
        for index, round_ in enumerate(remaining):
            if not self._wants(round_):
                continue
            self._require_room()
            likely = self._likely_rounds(remaining[index:])
            self._expected_count = self._done_count + sum(map(len, likely))
            remaining_s = self._pace_ratio() * sum(map(self._expected_s, chain.from_iterable(likely)))
            if duet is not None and len(round_) > 1 and not any(trial.contender in built.not_built for trial in round_):
                self._run_at_once(testbeds, built, duet, round_, remaining_s)
            else:
                self._run_one_by_one(testbeds, built, round_, remaining_s)

    def _run_at_once(
        self,
        testbeds: Sequence[Testbed | RemoteTestbed],
        built: Built,
        duet: Duet,
        round_: Round,
        remaining_s: float,
    ) -> None:
        use = CpuUse.now()
        self._progress.trial_began(round_[0], self._done_count + 1, self._expected_count, remaining_s)
        evidence = duet.run([built.job(trial) for trial in round_])
        took_s = use.elapsed_s()
        if any(trial_evidence.failure is not None for trial_evidence in evidence):
            self._require_room()
        for testbed, trial, trial_evidence in zip(testbeds, round_, evidence, strict=True):
            self._keep_evidence(
                testbed, trial_evidence, use if trial is round_[0] else CpuUse.now(), took_s / len(round_)
            )
        self._learn(round_, evidence, took_s)

    def _run_one_by_one(
        self, testbeds: Sequence[Testbed | RemoteTestbed], built: Built, round_: Round, remaining_s: float
    ) -> None:
        evidence = []
        took_s = 0.0
        for trial in round_:
            self._progress.trial_began(
                trial, self._done_count + 1, self._expected_count, max(0.0, remaining_s - took_s)
            )
            use = CpuUse.now()
            # Beside a side that was not built, the other one of a duet runs alone, on its own place.
            usual = next((testbed for testbed in testbeds if testbed.sets == trial.sets), testbeds[0])
            with testbed_for(trial, usual, self._open_other) as testbed_of_trial:
                problem = built.not_built.get(trial.contender)
                if problem is not None:
                    trial_evidence = failed_trial(trial, "build", problem)
                else:
                    if self._warm_starts.needs_start(trial):
                        self._start_once(testbed_of_trial, built, trial)
                    trial_evidence = run_trial(testbed_of_trial, built.job(trial), self._progress)
                elapsed_s = use.elapsed_s()
                if trial_evidence.failure is not None:
                    # A trial that failed for lack of room is run again once there is room.
                    self._require_room()
                self._keep_evidence(testbed_of_trial, trial_evidence, use, elapsed_s)
            evidence.append(trial_evidence)
            took_s += elapsed_s
        self._learn(round_, evidence, took_s)

    def _start_once(self, testbed: Testbed | RemoteTestbed, built: Built, trial: PlannedTrial) -> None:
        rehearse(testbed, built.job(trial), self._progress)
        keep_logs(testbed, self._folder / "logs" / f"{trial.number:04d}-before")
        revive_database(testbed, self._progress)

    def _keep_evidence(self, testbed: Testbed | RemoteTestbed, evidence: Evidence, use: CpuUse, took_s: float) -> None:
        self._require_unchanged()
        self._done_count += 1
        write_evidence(self._folder, evidence)
        keep_logs(testbed, self._folder / "logs" / f"{evidence.trial:04d}")
        self._journal.write("trial", number=evidence.trial, cpu_s=use.since(evidence), took_s=round(took_s, 3))
        trial = next(trial for trial in self._plan.trials if trial.number == evidence.trial)
        failure = evidence.failure
        problem = None if failure is None else f"in the phase {failure.phase}: {failure.problem}"
        scenario = self._plan.scenario_of(trial)
        self._progress.trial_ended(trial, headline(evidence, scenario, self._plan.sets_of(trial)), problem)
        revive_database(testbed, self._progress)

    def _learn(self, round_: Round, evidence: Sequence[Evidence], took_s: float) -> None:
        self._pace.append((took_s, sum(self._expected_s(trial) for trial in round_)))
        comparison = self._update_decisions(
            {trial_evidence.trial: trial_evidence for trial_evidence in evidence}, took_s
        )
        if comparison is not None and round_[0].side is not None:
            self._say_look(round_, comparison)

    def _wants(self, round_: Round) -> bool:
        if self._until_decided is None:
            return self._adaptive.wants(round_)
        wanted = self._until_decided.wants(round_)
        for line in self._until_decided.news():
            self._progress.say(line)
        return wanted

    def _update_decisions(self, evidence: Mapping[int, Evidence], took_s: float) -> Comparison | None:
        if self._until_decided is not None:
            self._until_decided.learn(evidence, took_s)
        return self._adaptive.learn(evidence, took_s)

    def _say_look(self, round_: Round, comparison: Comparison) -> None:
        """Say the result of the look that was just taken, in a line."""
        unit = unit_of(round_)
        answers = [answer for answer in comparison.answers if answer.primary and answer.unit == unit]
        usable = sum(pair.used for pair in comparison.pairs if pair.unit == unit)
        if any(answer.looks and answer.looks[-1].pairs == usable for answer in answers):
            results = "; ".join(f"{answer.metric} {answer.words}" for answer in answers)
            _, head, scenario = unit
            self._progress.say(f"look at {usable} pairs of {head} under {scenario}: {results}")

    def _likely_rounds(self, remaining: Sequence[Round]) -> list[Round]:
        """Return the remaining rounds that will be run if nothing is decided before the budget is spent."""
        return (
            self._adaptive.likely(remaining) if self._until_decided is None else self._until_decided.likely(remaining)
        )

    def _pace_ratio(self) -> float:
        """Return the time that trials took so far, as a multiple of the time that was expected."""
        took, expected = (sum(column) for column in zip(*self._pace, strict=True)) if self._pace else (1, 1)
        return took / expected

    def _expected_s(self, trial: PlannedTrial) -> float:
        return trial_s(self._plan.scenario_of(trial))


def with_trials_run(plan: Plan, evidence: Mapping[int, Evidence]) -> Plan:
    """Return the plan with the trials that were run. A plan that ends when all is decided names all that might run."""
    if plan.comparison is None and plan.budget is None:
        return plan
    trials = tuple(trial for trial in plan.trials if trial.number in evidence)
    if plan.budget is None:
        return plan.model_copy(update={"trials": trials})
    blocks = max((trial.block for trial in trials if trial.role == "measured"), default=0)
    return plan.model_copy(update={"trials": trials, "blocks": blocks})


def failed_trial(trial: PlannedTrial, phase: str, problem: str) -> Evidence:
    """Return evidence that holds only why the trial failed."""
    first, *tail = problem.splitlines()
    return Evidence(
        trial=trial.number,
        subject=trial.subject,
        scenario=trial.scenario,
        started_at=utc_now(),
        clock_step_ms=None,
        host_before=None,
        artifact_sha256="",
        processes=(),
        start=None,
        environment=None,
        environment_after=None,
        probes=(),
        windows=(),
        series=Series(),
        load=(),
        database=(),
        database_settings={},
        tls=(),
        threads=(),
        affinity=(),
        logs={},
        failure=Failure(phase=phase, problem=first, tail=tuple(line.strip() for line in tail if line.strip())),
    )


def headline(evidence: Evidence, scenario: Scenario, sets: CpuSets) -> str:
    """Return a trial's first figures in words: start, length of the warm-up, throughput or rate, CPU per request.

    All trials of a subject together decide whether a phase was steady, so none of these figures is claimed yet.
    """
    figures_by_phase = figures(evidence, scenario, sets)
    parts = []
    for phase, values in figures_by_phase.items():
        rate, cost = (values.get(metric, values.get(WARMING[metric])) for metric in (RATE, COST))
        if phase == "start" and "first_response_ms" in values:
            parts.append(f"first response {values['first_response_ms'] / 1000:.2f} s")
        if "warm_up_s" in values:
            warm_up = "warm" if values["warm_up_over"] else "not yet warm"
            parts.append(f"{warm_up} after {values['warm_up_s']:.0f} s of load")
        if rate is not None:
            parts.append(f"{rate:,.0f} requests/s")
        elif "achieved_rate_per_s" in values and not any("requests/s" in part for part in parts):
            parts.append(f"{values['achieved_rate_per_s']:,.0f} requests/s at a fixed rate")
        else:
            continue
        if cost is not None:
            parts.append(f"{cost:.0f} µs CPU each")
    return ", ".join(parts) or "no figures"


class WarmStarts:
    """Keeps warm starts warm in a session that also has cold starts; without a cold subject no start is needed.

        cold trial of A -> page cache empty -> a start of B, thrown away -> warm trial of B

    A cold trial empties the page cache of the whole machine, files of all other subjects included.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._has_cold = any(self._is_cold(trial) for trial in plan.trials)
        # Rehearsals of cold subjects emptied the cache as well.
        self._warm: set[Contender] = set()

    def needs_start(self, trial: PlannedTrial) -> bool:
        """Return whether the subject of the next trial has to be started once before it; call once for each trial."""
        if not self._has_cold:
            return False
        if self._is_cold(trial):
            self._warm.clear()
            return False
        is_warm = trial.contender in self._warm
        self._warm.add(trial.contender)
        return not is_warm

    def _is_cold(self, trial: PlannedTrial) -> bool:
        return is_cold({**self._plan.defaults, **self._plan.subject(trial.subject).settings})
