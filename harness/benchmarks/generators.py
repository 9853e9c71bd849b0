"""What many load generators cost afterwards: merging and judging those of one phase, against a budget.

    ./bench benchmark generators [--generators 100] [--seconds 600]

Makes up what each generator leaves, a summary of k6 and a row a second of its own CPU time and requests, one of them
starved. Then reads and merges all of it, judges each generator by rule R4, and the trial by all rules. Prints CPU
seconds and the most memory, making up left out of the time; exit status 1 when over the budget of 10 s and 500 MB, or
when the starved one is not found.
"""

from __future__ import annotations

import argparse
import math
import random
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from plumbline.measuring.load.params import LoadParams, Target, params_of
from plumbline.measuring.load.summary import Summary, merged, parse
from plumbline.model.evidence import QUANTILES, Evidence, LoadResult, Series, Window
from plumbline.model.plan import Phase, Scenario
from plumbline.subjects.plan.phases import ARRIVALS_A_CPU
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from plumbline.verdicts.judge.referee import findings_of
from plumbline.verdicts.judge.rules import RULES
from tests.judge.evidence import TIMES, evidence, series, session
from tests.judge.planned import OPEN_RATE, scenario

BUDGET_S, BUDGET_MB = 10.0, 500.0
PHASE = f"open@{OPEN_RATE}"
START_S = TIMES[PHASE][0]
# Its arrivals are late, and its CPU is used up.
STARVED = 17
USED, USED_UP = 0.45, 0.93
ON_TIME_MS, LATE_MS = 0.6, 60.0
(R4,) = (rule for rule in RULES if rule.id == "R4")


def of_length(seconds: int, generators: int) -> Scenario:
    """A scenario whose open phase takes so long, at the rate that these generators can prove."""
    its = scenario()
    phases = tuple(
        phase.model_copy(update={"duration_s": seconds, "rate_per_s": generators * ARRIVALS_A_CPU})
        if phase.name == PHASE
        else phase
        for phase in its.phases
    )
    return its.model_copy(update={"phases": phases})


def summary_text(params: LoadParams, index: int, draw: random.Random) -> str:
    """What k6 leaves of one generator."""
    requests = round(ARRIVALS_A_CPU * params.duration_s)
    median_ms = 1.4 * draw.uniform(0.9, 1.1)
    latencies = tuple(round(median_ms * (0.2 + 0.9 * q + 0.02 / (1.001 - q)), 6) for q in QUANTILES)
    return Summary(
        phase=params.phase,
        executor=params.executor,
        started_ms=1.7e12 + draw.uniform(0, 10),
        requests=requests,
        failed=0,
        late=0,
        dropped=0,
        checks_passed=requests // params.check_every,
        checks_failed=0,
        writes=0,
        wrong_length=0,
        fresh=0,
        latency_mean_ms=median_ms,
        latency_min_ms=median_ms * 0.2,
        latency_max_ms=median_ms * 30,
        latency_ms=latencies,
        lag_p99_ms=LATE_MS if index == STARVED else ON_TIME_MS,
        lag_max_ms=2 * (LATE_MS if index == STARVED else ON_TIME_MS),
        received_bytes=requests * 5123,
        sent_bytes=requests * 90,
        connect_errors=0,
        timeouts=0,
        statuses={},
    ).model_dump_json()


def own_series(of_trial: Series, index: int, draw: random.Random) -> Series:
    """What one generator leaves: the trial's columns of its load, with counters of its own."""
    used = USED_UP if index == STARVED else USED
    times = of_trial.t_s
    busy = [1e6 * max(0.0, t_s - START_S) * used * draw.uniform(0.999, 1) for t_s in times]
    columns = {name: values for name, values in of_trial.columns.items() if _of_load(name)}
    columns["cpu.load.user_us"] = tuple(0.8 * us for us in busy)
    columns["cpu.load.system_us"] = tuple(0.2 * us for us in busy)
    columns["set.load.busy_us"] = tuple(busy)
    columns["set.load.idle_us"] = tuple(1e6 * t_s - us for t_s, us in zip(times, busy, strict=True))
    columns["load.requests"] = tuple(ARRIVALS_A_CPU * max(0.0, t_s - START_S) for t_s in times)
    return Series(t_s=times, columns=columns)


def summed(of_trial: Series, all_series: Sequence[Series]) -> Series:
    """The rows of the trial, with the load of all generators."""
    total = {
        name: tuple(
            sum(value for value in row if value is not None)
            for row in zip(*(one.columns[name] for one in all_series), strict=True)
        )
        for name in all_series[0].columns
    }
    return Series(t_s=of_trial.t_s, columns={**of_trial.columns, **total})


def _of_load(column: str) -> bool:
    return "load" in column.split(".")[:2]


def refused(
    facts: TrialFacts, whole: SessionFacts, all_series: Sequence[Series], results: Sequence[LoadResult]
) -> list[int]:
    """The generators that R4 doesn't pass, each judged by its own rows and its own lag."""
    found = []
    for index, (its, load) in enumerate(zip(all_series, results, strict=True)):
        rows = facts.evidence.series
        beside = Series(t_s=rows.t_s, columns={**rows.columns, **its.columns})
        own = facts.evidence.model_copy(update={"series": beside, "load": (load,)})
        findings = findings_of(R4, TrialFacts(facts.planned, facts.scenario, own), whole)
        if any(one.phase == PHASE and one.outcome != "pass" for one in findings):
            found.append(index)
    return found


def evidence_of(seconds: int, whole: SessionFacts) -> Evidence:
    """The evidence of a trial whose open phase takes so long."""
    trial = whole.plan.trials[1]
    times = {**TIMES, PHASE: (START_S, START_S + seconds)}
    base = evidence(trial, whole.plan.sets)
    windows = tuple(one for one in base.windows if one.phase != PHASE)
    window = Window(phase=PHASE, kind="open", start_s=START_S, end_s=START_S + seconds)
    rows = series(trial.subject, whole.plan.sets, random.Random(1), times, math.ceil(window.end_s) + 2)
    return base.model_copy(update={"series": rows, "windows": (*windows, window)})


def main(words: Sequence[str] | None = None) -> int:
    """Make up, merge, judge, tell; `words` are the command line's where None."""
    parser = argparse.ArgumentParser(
        prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--generators", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=600)
    chosen = parser.parse_args(words)
    if chosen.generators <= STARVED or chosen.seconds < 1:
        parser.error(f"it takes more than {STARVED} generators, and a second")
    draw, whole = random.Random(4711), session()
    its = of_length(chosen.seconds, chosen.generators)
    phase: Phase = next(phase for phase in its.phases if phase.name == PHASE)
    target = Target(base_url="http://application:8080", name="", golden="x" * 5123)
    params = params_of(phase, its, target, Path("stdout"), generators=chosen.generators)
    base = evidence_of(chosen.seconds, whole)
    texts = [summary_text(params, index, draw) for index in range(chosen.generators)]
    rows = [own_series(base.series, index, draw).model_dump_json() for index in range(chosen.generators)]

    began_s = time.process_time()
    outcomes = [parse(text, params) for text in texts]
    all_series = [Series.model_validate_json(text) for text in rows]
    together = merged(outcomes).result
    read_s = time.process_time()
    trial = base.model_copy(
        update={"series": summed(base.series, all_series), "load": (*base.load[:-1], together)}
    )
    facts = TrialFacts(whole.plan.trials[1], its, trial)
    starved = refused(facts, whole, all_series, [one.result for one in outcomes])
    each_s = time.process_time()
    beside = SessionFacts.of(
        whole.plan, whole.host, {**whole.trials, trial.trial: facts}, whole.provenance, whole.builds
    )
    for rule in RULES:
        findings_of(rule, facts, beside)
    ended_s = time.process_time()

    took_s, mb = ended_s - began_s, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(
        f"{chosen.generators} generators of {chosen.seconds} s: {together.requests:,} requests\n"
        f"  read and merged       {read_s - began_s:6.2f} s\n"
        f"  each judged by R4     {each_s - read_s:6.2f} s\n"
        f"  the trial by all      {ended_s - each_s:6.2f} s\n"
        f"  together              {took_s:6.2f} s of CPU time, of at most {BUDGET_S:g}\n"
        f"  memory                {mb:6.0f} MB, of at most {BUDGET_MB:g}\n"
        f"  refused               {', '.join(str(index) for index in starved) or 'none'}"
    )
    return 0 if took_s <= BUDGET_S and mb <= BUDGET_MB and starved == [STARVED] else 1


if __name__ == "__main__":
    sys.exit(main())
