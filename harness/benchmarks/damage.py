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

# What one process does before it tells of it: some 20 s.
AT_ONCE = 5_000


def line(numbers: range, found: Outcomes) -> str:
    """How far all cases are done, with what outcomes."""
    return (
        f"cases {numbers.start:,} to {numbers.stop - 1:,}: {found.total('read'):,} read, "
        f"{found.total('refused'):,} refused in a sentence, {len(found.failures):,} failed; "
        f"{found.cpu_s:,.0f} s of CPU time"
    )


def main() -> int:
    """Runs the cases, and prints how far they are."""
    parser = argparse.ArgumentParser(
        prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if min(given.first, given.cases - 1, given.processes - 1) < 0:
        parser.error("--from is 0 or more, --cases and --processes are 1 or more")
    end = given.first + given.cases
    pieces = [range(at, min(at + AT_ONCE, end)) for at in range(given.first, end, AT_ONCE)]
    found = Outcomes()
    with ProcessPoolExecutor(given.processes) as pool:
        for piece, more in zip(pieces, pool.map(in_own_folders, pieces), strict=True):
            found.add(more)
            print(*more.failures, line(range(given.first, piece.stop), found), sep="\n", flush=True)
    for part in sorted({part for part, _ in found.counts}):
        print(f"  {part}: {found.counts[part, 'read']:,} read, {found.counts[part, 'refused']:,} refused")
    return 1 if found.failures else 0


if __name__ == "__main__":
    sys.exit(main())
