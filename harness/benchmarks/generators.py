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
# The index of the starved generator: its arrivals are late, and its CPU is used up.
STARVED = 17
USED, USED_UP = 0.45, 0.93
ON_TIME_MS, LATE_MS = 0.6, 60.0
(R4,) = (rule for rule in RULES if rule.id == "R4")


def of_length(seconds: int, generators: int) -> Scenario:
    """Return a scenario whose open phase lasts `seconds`, at the rate that these generators can prove."""
    base = scenario()
    phases = tuple(
        phase.model_copy(update={"duration_s": seconds, "rate_per_s": generators * ARRIVALS_A_CPU})
        if phase.name == PHASE
        else phase
        for phase in base.phases
    )
    return base.model_copy(update={"phases": phases})


def summary_text(params: LoadParams, index: int, draw: random.Random) -> str:
    """Return the summary that k6 leaves of one generator."""
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


def own_series(trial_series: Series, index: int, draw: random.Random) -> Series:
    """Return the rows that one generator leaves: the trial's columns of the load, with the generator's own counters."""
    used = USED_UP if index == STARVED else USED
    times = trial_series.t_s
    busy_us = [1e6 * max(0.0, t_s - START_S) * used * draw.uniform(0.999, 1) for t_s in times]
    columns = {name: values for name, values in trial_series.columns.items() if _is_of_load(name)}
    columns["cpu.load.user_us"] = tuple(0.8 * us for us in busy_us)
    columns["cpu.load.system_us"] = tuple(0.2 * us for us in busy_us)
    columns["set.load.busy_us"] = tuple(busy_us)
    columns["set.load.idle_us"] = tuple(1e6 * t_s - us for t_s, us in zip(times, busy_us, strict=True))
    columns["load.requests"] = tuple(ARRIVALS_A_CPU * max(0.0, t_s - START_S) for t_s in times)
    return Series(t_s=times, columns=columns)


def summed(trial_series: Series, all_series: Sequence[Series]) -> Series:
    """Return the rows of the trial, with the load of all generators."""
    total = {
        name: tuple(
            sum(value for value in row if value is not None)
            for row in zip(*(generator_series.columns[name] for generator_series in all_series), strict=True)
        )
        for name in all_series[0].columns
    }
    return Series(t_s=trial_series.t_s, columns={**trial_series.columns, **total})


def _is_of_load(column: str) -> bool:
    return "load" in column.split(".")[:2]


def refused(
    facts: TrialFacts,
    session_facts: SessionFacts,
    all_series: Sequence[Series],
    results: Sequence[LoadResult],
) -> list[int]:
    """Return the generators that R4 doesn't pass, each judged by its own rows and its own lag."""
    indices = []
    for index, (generator_series, load) in enumerate(zip(all_series, results, strict=True)):
        rows = facts.evidence.series
        combined_series = Series(t_s=rows.t_s, columns={**rows.columns, **generator_series.columns})
        own_evidence = facts.evidence.model_copy(update={"series": combined_series, "load": (load,)})
        findings = findings_of(R4, TrialFacts(facts.planned, facts.scenario, own_evidence), session_facts)
        if any(finding.phase == PHASE and finding.outcome != "pass" for finding in findings):
            indices.append(index)
    return indices


def evidence_of(seconds: int, session_facts: SessionFacts) -> Evidence:
    """Return the evidence of a trial whose open phase lasts `seconds`."""
    trial = session_facts.plan.trials[1]
    times = {**TIMES, PHASE: (START_S, START_S + seconds)}
    base = evidence(trial, session_facts.plan.sets)
    windows = tuple(base_window for base_window in base.windows if base_window.phase != PHASE)
    window = Window(phase=PHASE, kind="open", start_s=START_S, end_s=START_S + seconds)
    rows = series(trial.subject, session_facts.plan.sets, random.Random(1), times, math.ceil(window.end_s) + 2)
    return base.model_copy(update={"series": rows, "windows": (*windows, window)})


def main(words: Sequence[str] | None = None) -> int:
    """Make up summaries, merge and judge them, and print the cost; `words` None: those of the command line."""
    parser = argparse.ArgumentParser(
        prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--generators", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=600)
    arguments = parser.parse_args(words)
    if arguments.generators <= STARVED or arguments.seconds < 1:
        parser.error(f"it takes more than {STARVED} generators, and a second")
    draw, base_session = random.Random(4711), session()
    long_scenario = of_length(arguments.seconds, arguments.generators)
    phase: Phase = next(phase for phase in long_scenario.phases if phase.name == PHASE)
    target = Target(base_url="http://application:8080", name="", golden="x" * 5123)
    params = params_of(phase, long_scenario, target, Path("stdout"), generators=arguments.generators)
    base = evidence_of(arguments.seconds, base_session)
    texts = [summary_text(params, index, draw) for index in range(arguments.generators)]
    rows = [own_series(base.series, index, draw).model_dump_json() for index in range(arguments.generators)]

    began_s = time.process_time()
    outcomes = [parse(text, params) for text in texts]
    all_series = [Series.model_validate_json(text) for text in rows]
    merged_load = merged(outcomes).result
    read_s = time.process_time()
    trial = base.model_copy(update={"series": summed(base.series, all_series), "load": (*base.load[:-1], merged_load)})
    facts = TrialFacts(base_session.plan.trials[1], long_scenario, trial)
    starved = refused(facts, base_session, all_series, [outcome.result for outcome in outcomes])
    judged_s = time.process_time()
    session_facts = SessionFacts.of(
        base_session.plan,
        base_session.host,
        {**base_session.trials, trial.trial: facts},
        base_session.provenance,
        base_session.builds,
    )
    for rule in RULES:
        findings_of(rule, facts, session_facts)
    ended_s = time.process_time()

    took_s, mb = ended_s - began_s, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(
        f"{arguments.generators} generators of {arguments.seconds} s: {merged_load.requests:,} requests\n"
        f"  read and merged       {read_s - began_s:6.2f} s\n"
        f"  each judged by R4     {judged_s - read_s:6.2f} s\n"
        f"  the trial by all      {ended_s - judged_s:6.2f} s\n"
        f"  together              {took_s:6.2f} s of CPU time, of at most {BUDGET_S:g}\n"
        f"  memory                {mb:6.0f} MB, of at most {BUDGET_MB:g}\n"
        f"  refused               {', '.join(str(index) for index in starved) or 'none'}"
    )
    return 0 if took_s <= BUDGET_S and mb <= BUDGET_MB and starved == [STARVED] else 1


if __name__ == "__main__":
    sys.exit(main())
