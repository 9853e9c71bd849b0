"""Do all readers survive damaged folders of sessions? As many folders as asked for, up to a million.

    ./bench benchmark damage [--from 0] [--cases 1000000] [--processes 2]

A case is known by its number: the same number is the same damage on every machine, until record or evidence get
another field. `--from` goes on where another run ended. The unit tests have the first 10,000. Every 5,000 cases a line
says how far all cases are done, how often a damaged folder was read, and how often it was refused in a sentence. A case
in which a reader did anything else is named with its number, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor

from tests.record.damage import Outcomes, in_own_folders

# The cases that one process runs before it reports: some 20 s.
AT_ONCE = 5_000


def line(numbers: range, outcomes: Outcomes) -> str:
    """Return a line that says how far all cases are done, and with what outcomes."""
    return (
        f"cases {numbers.start:,} to {numbers.stop - 1:,}: {outcomes.total('read'):,} read, "
        f"{outcomes.total('refused'):,} refused in a sentence, {len(outcomes.failures):,} failed; "
        f"{outcomes.cpu_s:,.0f} s of CPU time"
    )


def main() -> int:
    """Run the cases, and print how far they are done."""
    parser = argparse.ArgumentParser(
        prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    if min(arguments.first, arguments.cases - 1, arguments.processes - 1) < 0:
        parser.error("--from is 0 or more, --cases and --processes are 1 or more")
    end = arguments.first + arguments.cases
    pieces = [range(start, min(start + AT_ONCE, end)) for start in range(arguments.first, end, AT_ONCE)]
    outcomes = Outcomes()
    with ProcessPoolExecutor(arguments.processes) as pool:
        for piece, piece_outcomes in zip(pieces, pool.map(in_own_folders, pieces), strict=True):
            outcomes.add(piece_outcomes)
            print(
                *piece_outcomes.failures,
                line(range(arguments.first, piece.stop), outcomes),
                sep="\n",
                flush=True,
            )
    for part in sorted({part for part, _ in outcomes.counts}):
        print(f"  {part}: {outcomes.counts[part, 'read']:,} read, {outcomes.counts[part, 'refused']:,} refused")
    return 1 if outcomes.failures else 0


if __name__ == "__main__":
    sys.exit(main())
