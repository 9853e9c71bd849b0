"""Reads and writes the ledger of conformance, results/conformance.json: the subjects that passed the contract's checks.

An entry has the subject's workloads and, where `./bench test --all` ran the checks, the thread that served. A subject
that fell short is removed; a subject that was not run keeps its entry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError

FILE = Path("results/conformance.json")


class LedgerEntry(Frozen):
    """The workloads that a subject was checked by, and the thread that served (None where it was not noted).

    `round_trips` has those to the database that a request takes, by operation; it is empty where none were counted.
    """

    workloads: tuple[str, ...]
    thread: str | None = None
    round_trips: dict[str, float] = {}


def read_ledger(path: Path) -> dict[str, LedgerEntry]:
    """Read the entries by subject id; none where there is no file. Raises UsageError when the file can't be read."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {subject: LedgerEntry.model_validate(row) for subject, row in data.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError) as error:
        raise UsageError(
            f"{path} is no ledger of conformance: {str(error).splitlines()[0]}",
            "`./bench test --all` writes it; take it back from git.",
        ) from error


def write_ledger(
    path: Path, before: Mapping[str, LedgerEntry], ran: Mapping[str, LedgerEntry | None]
) -> None:
    """Write the ledger after a run: the entries of `ran` that passed, without those that did not (None).

    Round trips that a run did not count stay as they are.
    """
    rows = {subject: held for subject, held in {**before, **ran}.items() if held is not None}
    for subject in rows.keys() & before.keys():
        counted = rows[subject].round_trips or before[subject].round_trips
        rows[subject] = rows[subject].model_copy(update={"round_trips": counted})
    lines = [
        f"  {json.dumps(subject)}: {held.model_dump_json(exclude_none=True, exclude_defaults=True)}"
        for subject, held in sorted(rows.items())
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
