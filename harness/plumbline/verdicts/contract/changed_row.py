"""Chooses a row that the harness changes in the middle of a load, and computes the answer that must follow."""

from __future__ import annotations

import json
import random
import string

from plumbline.model.base import Frozen

# By workload: the table, its primary key, its column, and the key of that text in an answer's objects, which have their
# row's primary key as `id`.
_TEXTS = {
    "fruits": ("fruits", "id", "description", "description"),
    "companies": ("companies", "company_id", "company_name", "name"),
    "orders": ("orders", "id", "ship_to", "shipTo"),
}


class ChangedRow(Frozen):
    """A text that is served: the row of `table` with this `id` in its primary key has the text `before` in `column`."""

    table: str
    primary_key: str
    column: str
    id: int
    before: str
    after: str


def has_changeable_text(workload: str) -> bool:
    """Return whether the answers of a workload contain a text that can be changed."""
    return workload in _TEXTS


def choose_row(workload: str, golden: str, chance: random.Random) -> ChangedRow | None:
    """Return a row that the golden answer shows, with another text of the same length drawn by chance.

    None where the answer shows no such row, or shows the text of each more than once.
    """
    if workload not in _TEXTS:
        return None
    table, primary_key, column, key = _TEXTS[workload]
    answer = json.loads(golden)
    rows = answer if isinstance(answer, list) else [answer]
    with_text = [row for row in rows if isinstance(row, dict) and isinstance(row.get(key), str) and "id" in row]
    with_unique_text = [row for row in with_text if row[key].isascii() and golden.count(json.dumps(row[key])) == 1]
    if not with_unique_text:
        return None
    row = chance.choice(with_unique_text)
    after = "".join(chance.choices(string.ascii_lowercase, k=len(row[key])))
    return ChangedRow(table=table, primary_key=primary_key, column=column, id=row["id"], before=row[key], after=after)


def changed_answer(golden: str, row: ChangedRow) -> str:
    """Return what the golden answer becomes once the row has its other text."""
    return golden.replace(json.dumps(row.before), json.dumps(row.after))
