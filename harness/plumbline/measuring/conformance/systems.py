"""The table of systems: what each variant declares, with brackets around what no run has held to the contract yet.

The ledger of conformance, results/conformance.json, has the subjects that passed the contract's checks. An entry has
the subject's workloads and, where `./bench test --all` ran the checks, the thread that served. A subject that fell
short is removed; a subject that was not run keeps its entry.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.settings import IN_CONTAINER
from plumbline.subjects.catalog.variant import WORKLOADS, Variant

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

    What a run did not note, round trips or the thread, stays as it is.
    """
    rows = {subject: held for subject, held in {**before, **ran}.items() if held is not None}
    for subject in rows.keys() & before.keys():
        now, then = rows[subject], before[subject]
        noted = {"round_trips": now.round_trips or then.round_trips, "thread": now.thread or then.thread}
        rows[subject] = now.model_copy(update=noted)
    lines = [
        f"  {json.dumps(subject)}: {held.model_dump_json(exclude_none=True, exclude_defaults=True)}"
        for subject, held in sorted(rows.items())
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


HEAD = (
    "system",
    "study",
    *WORKLOADS,
    "packagings",
    "engines",
    "database TLS",
    "container",
    "serves on",
    "round trips",
)
# Lines around the table in a Markdown file: what stands between them is written by `./bench systems`.
BEGIN, END = "<!-- systems: ./bench systems --write -->", "<!-- /systems -->"

# The operation whose round trips the table shows; it has three statements in all variants.
TOLD = "GET /fruits"

Row = dict[str, str]
"""A row of the table, with a cell for each word of HEAD."""


def rows(catalog: Catalog, ledger: Mapping[str, LedgerEntry]) -> list[Row]:
    """Return a row for each variant, by name, the control first; variants that are wrong on purpose have none."""
    control = catalog.bench.control.partition("/")[0]
    right = [name for name, variant in catalog.variants.items() if not variant.spec.only_in]
    ids = sorted(right, key=lambda name: (name != control, name))
    return [
        _row(catalog.variants[name], catalog.own_settings(catalog.variants[name]), ledger) for name in ids
    ]


def not_held(catalog: Catalog, ledger: Mapping[str, LedgerEntry]) -> tuple[str, ...]:
    """Return the subjects of the suites that the ledger lacks, in the order of bench.toml."""
    return tuple(one.id for one in catalog.subjects_of_suites() if one.id not in ledger)


def in_words(catalog: Catalog, ledger: Mapping[str, LedgerEntry]) -> str:
    """Return a sentence on how many subjects of the suites were held to the contract."""
    named, missing = len(catalog.subjects_of_suites()), len(not_held(catalog, ledger))
    if not missing:
        return f"Each of the {named} subjects that the suites of `bench.toml` have was checked by a run."
    return (
        f"Of the {named} subjects that the suites of `bench.toml` have, {named - missing} were checked by a run. "
        "`./bench systems` names the others."
    )


def as_markdown(table: Iterable[Row]) -> str:
    """Return the table in Markdown, without an end of line after its last."""
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    for row in table:
        cells = [f"`{row['system']}`", *(row[word] for word in HEAD[1:])]
        lines.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    return "\n".join(lines)


def put_between_marks(text: str, table: str, shown: str) -> str:
    """Return `text` with the table between BEGIN and END. Raises UsageError when the marks are not in it."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UsageError(
            f"{shown} has no place for the table.", f"Put the two lines {BEGIN} and {END} there."
        )
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def _row(variant: Variant, own: Mapping[str, str], ledger: Mapping[str, LedgerEntry]) -> Row:
    spec = variant.spec
    held = {Subject.parse(text): what for text, what in ledger.items() if text.startswith(f"{variant.id}/")}
    asked = {
        one: {name: value for name, value in one.settings.items() if own.get(name) != value} for one in held
    }
    plain = {one: what for one, what in held.items() if not asked[one]}
    workloads = {name for what in plain.values() for name in what.workloads}
    encrypted = any(one.settings.get("db-tls") == "require" for one in held)
    done = "CLI" if spec.serves_on == "cli" else "x"
    marks = {name: "reads" if name in spec.reads_only else done for name in spec.workloads}
    # One decimal: a client asks the database something of its own once in a while, seldom a question in 25 requests.
    trips = {round(what.round_trips[TOLD], 1) for one, what in plain.items() if TOLD in what.round_trips}
    modes = spec.settings.get("db-tls", ())
    seen = ({"off"} if plain else set()) | ({"require"} if encrypted else set())
    return {
        "system": variant.id,
        "study": ", ".join(spec.studies),
        **{name: _cell(marks.get(name, ""), name in workloads) for name in WORKLOADS},
        "packagings": _list(spec.packaging, {one.packaging for one in plain}),
        "engines": _list(spec.engines, {one.engine for one in plain}),
        "database TLS": _list(modes, seen),
        "container": _cell("x", any(its == IN_CONTAINER for its in asked.values())),
        "serves on": _cell(spec.serves_on, bool(plain)),
        "round trips": " or ".join(f"{count:g}" for count in sorted(trips)),
    }


def _cell(word: str, held: bool) -> str:
    return word if held or not word else f"({word})"


def _list(words: Iterable[str], held: Iterable[str]) -> str:
    """Return the packagings as a cell of the table; native images of either builder are one packaging to a reader."""
    short = {word.partition(".")[0] for word in held}
    names = dict.fromkeys(word.partition(".")[0] for word in words)
    return ", ".join(_cell(name, name in short) for name in names)
