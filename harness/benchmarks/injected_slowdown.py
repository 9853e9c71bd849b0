"""Is the effect that a plan prints really found? A slowdown of that size, injected into a real application.

    python -m benchmarks.injected_slowdown [--blocks 12] [--share 0.05] [--equal results/local/SESSION]

Two sessions on this machine, phases and scenario of the suite `aa`. The first measures `vertx-pg` against itself: it
shows how trials scatter here and what a request costs. From that the plan of the second prints what it could detect;
that share of the cost, in microseconds of CPU time, is burnt in every request of one side (setting `spin`), and the two
sides are compared. `--share` injects another share than the one printed; `--equal` names an earlier session of
`./bench run --suite aa` instead of a first one. Records stay in results/local.

Exit status 0 when the slowdown is found, and nothing was found before it was injected; else 1.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from plumbline.catalog.bench import SuiteSpec
from plumbline.cli.progress import TerminalProgress
from plumbline.history.extract import extract
from plumbline.history.within import AGAINST_ITSELF
from plumbline.model.record import Record
from plumbline.plan.detectable import Noise
from plumbline.record.read import read_record
from plumbline.report import write as write_report
from plumbline.run.session import new_session
from plumbline.run.workshop import Workshop, open_workshop
from plumbline.stats.compare import Comparison, compare, differences

ROOT = Path(__file__).resolve().parents[2]
PLAIN = "vertx-pg/jvm/pg"
METRIC = "app_cpu_us_per_request"
PHASE = "closed"


def main() -> int:
    """Measure, inject, look."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--share", type=float)
    parser.add_argument("--equal", type=Path)
    options = parser.parse_args()
    with TerminalProgress() as progress:
        if options.equal is None:
            before = measured(open_workshop(ROOT, (), progress.say), progress, (PLAIN,), options.blocks)
        else:
            before = read_record(options.equal)
        words = extract(before).equal_sides
        cost_us = fmean(by_block(before, PLAIN).values())
        workshop = open_workshop(ROOT, (), progress.say)
        noise = known_noise(workshop)
        plan = with_suite(workshop, (PLAIN, PLAIN)).plan("injected", blocks=options.blocks)
        share = options.share or plan.detectable.change or 0.0
        spin_us = math.ceil(share * cost_us)
        slowed = f"{PLAIN}+spin={spin_us}"
        after = measured(workshop, progress, (PLAIN, slowed), options.blocks)
    found = told_apart(after, slowed)
    print(f"Equal sides: {', '.join(f'{question}: {word}' for question, word in sorted(words.items()))}")
    print(f"A request costs {cost_us:.1f} us of CPU time; trials scatter by {noise.cv:.2%} ({noise.where}).")
    print(f"The plan of {options.blocks} pairs would find {plan.detectable.change or 0:.1%}.")
    print(f"Injected: {spin_us} us in every request, {spin_us / cost_us:.1%}.")
    print(
        f"Found: {found.verdict}, {math.expm1(-found.effect):+.1%} CPU time a request "
        f"(99 % interval {math.expm1(-found.high):+.1%} to {math.expm1(-found.low):+.1%}) in {found.pairs} pairs."
    )
    calm = not {"faster", "slower"} & set(words.values())
    return 0 if calm and found.verdict == "slower" else 1


def with_suite(workshop: Workshop, subjects: tuple[str, ...]) -> Workshop:
    """The workshop with a suite of these subjects, measured as the suite `aa` is."""
    bench = workshop.catalog.bench
    like = bench.suites[AGAINST_ITSELF]
    name = AGAINST_ITSELF if len(subjects) == 1 else "injected"
    suites: Mapping[str, SuiteSpec] = {**bench.suites, name: like.model_copy(update={"subjects": subjects})}
    catalog = replace(workshop.catalog, bench=bench.model_copy(update={"suites": suites}))
    return replace(workshop, catalog=catalog)


def measured(
    workshop: Workshop, progress: TerminalProgress, subjects: tuple[str, ...], blocks: int
) -> Record:
    """A real session of these subjects."""
    suite = AGAINST_ITSELF if len(subjects) == 1 else "injected"
    done = new_session(with_suite(workshop, subjects), suite, progress, blocks=blocks).run()
    write_report(done.record, done.evidence, done.folder)
    return done.record


def by_block(record: Record, subject: str) -> dict[int, float]:
    """CPU time of a request by block, in microseconds, of trials that are not invalid."""
    return {
        trial.block: trial.figures[PHASE][METRIC]
        for trial in record.trials
        if (trial.subject, trial.role) == (subject, "measured") and trial.verdict != "invalid"
    }


def told_apart(record: Record, slowed: str) -> Comparison:
    """The two sides of a session, pair by pair."""
    base, head = by_block(record, PLAIN), by_block(record, slowed)
    pairs = [(base[block], head[block]) for block in sorted(base.keys() & head.keys())]
    return compare(differences(pairs, "lower"))


def known_noise(workshop: Workshop) -> Noise:
    """What the sessions so far say of this metric."""
    return next(one for key, one in workshop.noise.items() if key[1:] == (PHASE, METRIC))


if __name__ == "__main__":
    sys.exit(main())
