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
from .rounds import Adaptive, Round, UntilDecided, rounds, unit_of, whole
from .testbed import Elsewhere, Testbed, revive_database
from .trial import run_trial


@dataclass(frozen=True)
class CpuUse:
    """Readings at the start of a trial. `machine_s` is what all CPUs of the host were busy."""

    began_s: float
    machine_s: float
    harness_s: float

    @classmethod
    def now(cls) -> CpuUse:
        """Read the clocks."""
        times = os.times()
        return cls(time.monotonic(), _busy_s(Path("/proc")), times.user + times.system)

    def elapsed_s(self) -> float:
        """Return seconds since then."""
        return time.monotonic() - self.began_s

    def since(self, evidence: Evidence) -> dict[str, float]:
        """Return CPU seconds since then: `session` (the machine), `harness` (this process), `sampler` (out of it)."""
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
    """Runs the rounds of a plan once. `require_room` raises if the disk has no room for another trial, and `open_other`
    opens the testbed of a proof that has CPUs of its own.
    """

    def __init__(
        self,
        context: Context,
        journaled: Journaled,
        plan: Plan,
        folder: Path,
        progress: Progress,
        require_room: Callable[[], None],
        open_other: OpenOther,
    ) -> None:
        self._open_other = open_other
        self._plan, self._folder, self._progress, self._require_room = plan, folder, progress, require_room
        self._warm_starts = WarmStarts(plan)
        self._journal, self._done = Journal(folder), whole(plan, journaled.trials)
        self._adaptive = Adaptive(plan, context.host, journaled.took_s)
        self._course = (
            None if plan.budget is None else UntilDecided(plan, plan.budget, context.host, journaled.took_s)
        )
        self._pace: list[tuple[float, float]] = []
        self._count, self._of = len(self._done), len(plan.trials)

    def run(self, testbeds: Sequence[Testbed | Elsewhere], built: Built, duet: Duet | None) -> None:
        """Run every round that is still wanted."""
        (self._folder / "evidence").mkdir(exist_ok=True)
        left = [round_ for round_ in rounds(self._plan) if round_[0].number not in self._done]
        for round_ in rounds(self._plan):
            if round_[0].number in self._done:
                known = {trial.number: read_evidence(self._folder, trial) for trial in round_}
                self._know(known, 0.0)
        for index, round_ in enumerate(left):
            if not self._wants(round_):
                continue
            self._require_room()
            likely = self._likely(left[index:])
            self._of = self._count + sum(map(len, likely))
            remaining_s = self._took_so_far() * sum(map(self._expected_s, chain.from_iterable(likely)))
            if (
                duet is not None
                and len(round_) > 1
                and not any(t.contender in built.not_built for t in round_)
            ):
                self._at_once(testbeds, built, duet, round_, remaining_s)
            else:
                self._one_by_one(testbeds[0], built, round_, remaining_s)

    def _at_once(
        self,
        testbeds: Sequence[Testbed | Elsewhere],
        built: Built,
        duet: Duet,
        round_: Round,
        remaining_s: float,
    ) -> None:
        use = CpuUse.now()
        self._progress.trial_began(round_[0], self._count + 1, self._of, remaining_s)
        evidence = duet.run([built.job(trial) for trial in round_])
        took_s = use.elapsed_s()
        if any(one.failure is not None for one in evidence):
            self._require_room()
        for testbed, trial, one in zip(testbeds, round_, evidence, strict=True):
            self._keep(testbed, one, use if trial is round_[0] else CpuUse.now(), took_s / len(round_))
        self._learn(round_, evidence, took_s)

    def _one_by_one(
        self, testbed: Testbed | Elsewhere, built: Built, round_: Round, remaining_s: float
    ) -> None:
        evidence = []
        took_s = 0.0
        for trial in round_:
            self._progress.trial_began(trial, self._count + 1, self._of, max(0.0, remaining_s - took_s))
            use = CpuUse.now()
            with testbed_for(trial, testbed, self._open_other) as its:
                problem = built.not_built.get(trial.contender)
                if problem is not None:
                    one = failed_trial(trial, "build", problem)
                else:
                    if self._warm_starts.needs_start(trial):
                        self._start_once(its, built, trial)
                    one = run_trial(its, built.job(trial), self._progress)
                elapsed_s = use.elapsed_s()
                if one.failure is not None:
                    # What failed for want of room is run again when there is some.
                    self._require_room()
                self._keep(its, one, use, elapsed_s)
            evidence.append(one)
            took_s += elapsed_s
        self._learn(round_, evidence, took_s)

    def _start_once(self, testbed: Testbed | Elsewhere, built: Built, trial: PlannedTrial) -> None:
        rehearse(testbed, built.job(trial), self._progress)
        keep_logs(testbed.work, self._folder / "logs" / f"{trial.number:04d}-before")
        revive_database(testbed, self._progress)

    def _keep(self, testbed: Testbed | Elsewhere, evidence: Evidence, use: CpuUse, took_s: float) -> None:
        self._count += 1
        write_evidence(self._folder, evidence)
        keep_logs(testbed.work, self._folder / "logs" / f"{evidence.trial:04d}")
        self._journal.write(
            "trial", number=evidence.trial, cpu_s=use.since(evidence), took_s=round(took_s, 3)
        )
        trial = next(trial for trial in self._plan.trials if trial.number == evidence.trial)
        failure = evidence.failure
        problem = None if failure is None else f"in the phase {failure.phase}: {failure.problem}"
        scenario = self._plan.scenario_of(trial)
        self._progress.trial_ended(trial, headline(evidence, scenario, self._plan.sets_of(trial)), problem)
        revive_database(testbed, self._progress)

    def _learn(self, round_: Round, evidence: Sequence[Evidence], took_s: float) -> None:
        self._pace.append((took_s, sum(self._expected_s(trial) for trial in round_)))
        seen = self._know({one.trial: one for one in evidence}, took_s)
        if seen is not None and round_[0].side is not None:
            self._say_look(round_, seen)

    def _wants(self, round_: Round) -> bool:
        if self._course is None:
            return self._adaptive.wants(round_)
        wanted = self._course.wants(round_)
        for line in self._course.news():
            self._progress.say(line)
        return wanted

    def _know(self, evidence: Mapping[int, Evidence], took_s: float) -> Comparison | None:
        if self._course is not None:
            self._course.learn(evidence, took_s)
        return self._adaptive.learn(evidence, took_s)

    def _say_look(self, round_: Round, seen: Comparison) -> None:
        """Say the result of the look that was just taken, in a line."""
        unit = unit_of(round_)
        its = [one for one in seen.answers if one.primary and one.unit == unit]
        usable = sum(pair.used for pair in seen.pairs if pair.unit == unit)
        if any(one.looks and one.looks[-1].pairs == usable for one in its):
            said = "; ".join(f"{one.metric} {one.words}" for one in its)
            _, head, scenario = unit
            self._progress.say(f"look at {usable} pairs of {head} under {scenario}: {said}")

    def _likely(self, left: Sequence[Round]) -> list[Round]:
        """Return the remaining rounds that will be run if nothing is decided before the budget is spent."""
        return self._adaptive.likely(left) if self._course is None else self._course.likely(left)

    def _took_so_far(self) -> float:
        """Return the time that trials took, as shares of the time that was expected."""
        took, expected = (sum(column) for column in zip(*self._pace, strict=True)) if self._pace else (1, 1)
        return took / expected

    def _expected_s(self, trial: PlannedTrial) -> float:
        return trial_s(self._plan.scenario_of(trial))


def as_run(plan: Plan, evidence: Mapping[int, Evidence]) -> Plan:
    """Return the plan of what ends when decided, with the trials that were run: it named all that might be."""
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
        failure=Failure(
            phase=phase, problem=first, tail=tuple(line.strip() for line in tail if line.strip())
        ),
    )


def headline(evidence: Evidence, scenario: Scenario, sets: CpuSets) -> str:
    """Return start, length of the warm-up, throughput or rate, and CPU per request, as far as they were measured.

    All trials of a subject decide whether a phase was steady, so none of these figures is claimed yet.
    """
    found = figures(evidence, scenario, sets)
    parts = []
    for phase, values in found.items():
        rate, cost = (values.get(metric, values.get(WARMING[metric])) for metric in (RATE, COST))
        if phase == "start" and "first_response_ms" in values:
            parts.append(f"first response {values['first_response_ms'] / 1000:.2f} s")
        if "warm_up_s" in values:
            ended = "warm" if values["warm_up_over"] else "not yet warm"
            parts.append(f"{ended} after {values['warm_up_s']:.0f} s of load")
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
    """Keeps warm starts warm in a session that has cold ones; without a cold subject it asks for nothing.

        cold trial of A -> page cache empty -> a start of B, thrown away -> warm trial of B

    A cold trial empties the page cache of the whole machine, files of all other subjects included.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._has_cold = any(self._is_cold(trial) for trial in plan.trials)
        # Rehearsals of cold subjects emptied the cache as well.
        self._warm: set[Contender] = set()

    def needs_start(self, trial: PlannedTrial) -> bool:
        """Return whether the subject of the next trial has to be started once before it; ask once a trial."""
        if not self._has_cold:
            return False
        if self._is_cold(trial):
            self._warm.clear()
            return False
        known = trial.contender in self._warm
        self._warm.add(trial.contender)
        return not known

    def _is_cold(self, trial: PlannedTrial) -> bool:
        return is_cold({**self._plan.defaults, **self._plan.subject(trial.subject).settings})
