"""The table of systems: what each variant declares, with brackets around what no run has checked yet.

The ledger of conformance, results/conformance.json, has the subjects that passed the contract's checks. An entry has
the subject's workloads and, where `./bench test --all` ran the checks, the thread that served. A subject that fell
short is removed; a subject that was not run keeps its entry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.settings import IN_CONTAINER
from plumbline.subjects.catalog.variant import WORKLOADS, Variant

FILE = Path("results/conformance.json")

_SUITE_OF_STUDY = re.compile(r"seed-([0-9]{3})")


class LedgerEntry(Frozen):
    """The workloads that a subject was checked by, and the thread that served (None where it was not noted).

    `round_trips` has the round trips to the database of a request, by operation; it is empty where none were counted.
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


def write_ledger(path: Path, before: Mapping[str, LedgerEntry], results: Mapping[str, LedgerEntry | None]) -> None:
    """Write the ledger after a run: `results` has an entry for each subject that passed, and None for one that did not.

    Round trips and a thread that the run did not note stay as they were.
    """
    entries = {subject: entry for subject, entry in {**before, **results}.items() if entry is not None}
    for subject in entries.keys() & before.keys():
        new, former = entries[subject], before[subject]
        kept_values = {
            "round_trips": new.round_trips or former.round_trips,
            "thread": new.thread or former.thread,
        }
        entries[subject] = new.model_copy(update=kept_values)
    lines = [
        f"  {json.dumps(subject)}: {entry.model_dump_json(exclude_none=True, exclude_defaults=True)}"
        for subject, entry in sorted(entries.items())
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
SHOWN_OPERATION = "GET /fruits"

Row = dict[str, str]
"""A row of the table, with a cell for each word of HEAD."""


def rows(catalog: Catalog, ledger: Mapping[str, LedgerEntry]) -> list[Row]:
    """Return a row for each variant, by name, the control first."""
    control = catalog.bench.control.partition("/")[0]
    ids = sorted(catalog.variants, key=lambda name: (name != control, name))
    return [_row(catalog.variants[name], catalog, ledger) for name in ids]


def unchecked_subjects(catalog: Catalog, ledger: Mapping[str, LedgerEntry]) -> tuple[str, ...]:
    """Return the subjects of the suites that the ledger lacks, in the order of bench.toml."""
    return tuple(subject.id for subject in catalog.subjects_of_suites() if subject.id not in ledger)


def coverage_sentence(catalog: Catalog, ledger: Mapping[str, LedgerEntry]) -> str:
    """Return a sentence on how many subjects of the suites were held to the contract."""
    held, missing = len(catalog.subjects_of_suites()), len(unchecked_subjects(catalog, ledger))
    wrong = len(catalog.subjects_of_suites(wrong_on_purpose=True))
    unchecked = f", and no run has checked {missing} yet, which `./bench systems` names" if missing else ""
    return (
        f"The suites of `bench.toml` have {held + wrong} subjects: {held - missing} were checked by a run, "
        f"{wrong} are wrong on purpose{unchecked}."
    )


def as_markdown(table: Iterable[Row]) -> str:
    """Return the table in Markdown, without an end of line after its last."""
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    for row in table:
        cells = [f"`{row['system']}`", *(row[word] for word in HEAD[1:])]
        lines.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    return "\n".join(lines)


def put_between_marks(text: str, table: str, shown: str) -> str:
    """Return `text` with the table between BEGIN and END. Raises UsageError without the marks in `text`."""
    before, begin, remainder = text.partition(BEGIN)
    _, end, after = remainder.partition(END)
    if not begin or not end:
        raise UsageError(f"{shown} has no place for the table.", f"Put the two lines {BEGIN} and {END} there.")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def _row(variant: Variant, catalog: Catalog, ledger: Mapping[str, LedgerEntry]) -> Row:
    spec, own_settings = variant.spec, catalog.own_settings(variant.spec.settings)
    entries = {Subject.parse(text): entry for text, entry in ledger.items() if text.startswith(f"{variant.id}/")}
    extra_settings = {
        subject: {name: value for name, value in subject.settings.items() if own_settings.get(name) != value}
        for subject in entries
    }
    plain_entries = {subject: entry for subject, entry in entries.items() if not extra_settings[subject]}
    workloads = {name for entry in plain_entries.values() for name in entry.workloads}
    tls_checked = any(subject.settings.get("db-tls") == "require" for subject in entries)
    mark = "CLI" if spec.serves_on == "cli" else "x"
    marks = {name: "reads" if name in spec.reads_only else mark for name in spec.workloads}
    # One decimal: a driver sends the database a query of its own now and then, seldom one in 25 requests.
    trips = {
        round(entry.round_trips[SHOWN_OPERATION], 1)
        for subject, entry in plain_entries.items()
        if SHOWN_OPERATION in entry.round_trips
    }
    modes = spec.settings.get("db-tls", ())
    checked_modes = ({"off"} if plain_entries else set()) | ({"require"} if tls_checked else set())
    return {
        "system": variant.id,
        "study": ", ".join((*_studies_of(variant, catalog), *(["wrong on purpose"] if spec.only_in else []))),
        **{name: _cell(marks.get(name, ""), name in workloads) for name in WORKLOADS},
        "packagings": _list(spec.packaging, {subject.packaging for subject in plain_entries}),
        "engines": _list(spec.engines, {subject.engine for subject in plain_entries}),
        "database TLS": _list(modes, checked_modes),
        "container": _cell("x", any(settings == IN_CONTAINER for settings in extra_settings.values())),
        "serves on": _cell(spec.serves_on, bool(plain_entries)),
        "round trips": " or ".join(f"{count:g}" for count in sorted(trips)),
    }


def _studies_of(variant: Variant, catalog: Catalog) -> list[str]:
    """Return the studies whose suites have a subject of the variant; the control is part of every session."""
    subjects_by_study: dict[str, list[str]] = {}
    for name, suite in catalog.bench.suites.items():
        if match := _SUITE_OF_STUDY.match(name):
            subjects_by_study.setdefault(match[1], [catalog.bench.control]).extend(suite.subjects)
    return [
        study
        for study, texts in sorted(subjects_by_study.items())
        if any(text.startswith(f"{variant.id}/") for text in texts)
    ]


def _cell(word: str, checked: bool) -> str:
    return word if checked or not word else f"({word})"


def _list(words: Iterable[str], checked: Iterable[str]) -> str:
    """Return the packagings as a cell of the table; native images of either builder are one packaging to a reader."""
    checked_names = {word.partition(".")[0] for word in checked}
    names = dict.fromkeys(word.partition(".")[0] for word in words)
    return ", ".join(_cell(name, name in checked_names) for name in names)
