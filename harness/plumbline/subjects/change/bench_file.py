"""Compares two versions of `bench.toml` as data, key by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.settings import SETTINGS
from .scope import ChangeScope, FileChange, ScopeCell, Touch

# Keys with words for people, or with the time that a run may take: nothing that is measured.
_WORDS = {"about", "budget"}
# The keys that say which suite is meant when none is named.
_CHOICES = ("default_suite", "compare_suite", "quick_suite")


def touches(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    """Yield the subjects and scenarios that each difference of the two versions of bench.toml can affect."""
    try:
        before, after = change.as_toml()
    except ValueError:
        yield Touch(scope.cells, "bench.toml could not be compared with its older version")
        return
    yield from _defaults(_table(before, "defaults"), _table(after, "defaults"), scope)
    yield from _scenarios(_table(before, "scenarios"), _table(after, "scenarios"), scope)
    yield from _suites(before, after, scope)
    if before.get("control") != after.get("control"):
        yield Touch(scope.cells, "the control is another one, and every ratio is to it")
    if before.get("hosts") != after.get("hosts"):
        yield Touch((), "[hosts] says how a host is used, not what is compared")
    for key in _CHOICES:
        if before.get(key) != after.get(key):
            yield Touch((), f"{key} only chooses what is measured when nothing is named")
    compared_keys = {"defaults", "scenarios", "suites", "control", "hosts", *_CHOICES}
    for key in sorted((before.keys() | after.keys()) - compared_keys):
        if before.get(key) != after.get(key):
            yield Touch(scope.cells, f"'{key}' changed, and no rule says what it touches")


def _table(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = document.get(key)
    return found if isinstance(found, dict) else {}


def _changed_keys(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [key for key in {**before, **after} if before.get(key) != after.get(key)]


def _defaults(before: Mapping[str, Any], after: Mapping[str, Any], scope: ChangeScope) -> Iterator[Touch]:
    for name in _changed_keys(before, after):
        why = f"the default of {name} goes from {before.get(name, 'none')} to {after.get(name, 'none')}"
        yield Touch(tuple(cell for cell in scope.cells if _has_default(cell, name, scope)), why)


def _has_default(cell: ScopeCell, setting: str, scope: ChangeScope) -> bool:
    """Return whether a subject runs with the default of a setting."""
    if setting in cell.subject.settings or setting not in SETTINGS:
        return False
    spec = scope.catalog.variant(cell.subject.variant).spec
    return SETTINGS[setting].of_all or setting in spec.settings


def _scenarios(before: Mapping[str, Any], after: Mapping[str, Any], scope: ChangeScope) -> Iterator[Touch]:
    for name in _changed_keys(before, after):
        if name not in after:
            yield Touch((), f"scenario {name} is gone")
            continue
        keys = [key for key in _changed_keys(before.get(name, {}), after[name]) if key not in _WORDS]
        why = f"scenario {name}: {', '.join(keys) or 'words for people'} changed"
        if name not in before:
            why = f"scenario {name} is new"
        yield Touch(tuple(cell for cell in scope.cells if keys and cell.scenario == name), why)


def _suites(before: Mapping[str, Any], after: Mapping[str, Any], scope: ChangeScope) -> Iterator[Touch]:
    older, newer = _table(before, "suites"), _table(after, "suites")
    cells_before = {cell for suite in older.values() if isinstance(suite, dict) for cell in _cells_of(suite, scope)}
    for name in _changed_keys(older, newer):
        if name not in newer:
            yield Touch((), f"suite {name} is gone")
            continue
        old_suite, new_suite = older.get(name, {}), newer[name]
        cells_now = _cells_of(new_suite, scope)
        added = tuple(cell for cell in scope.cells if cell.key in cells_now - cells_before)
        if name not in older:
            yield Touch(added, f"suite {name} is new: what no other suite measures is measured for the first time")
            continue
        for key in _changed_keys(old_suite, new_suite):
            if key in _WORDS:
                yield Touch((), f"suite {name}: {key} is no part of what is measured")
            elif key in ("subjects", "scenarios", "rotation"):
                yield Touch(added, f"suite {name}: {key} changed; what is new there is measured for the first time")
            elif key == "blocks":
                yield Touch((), f"suite {name}: more or fewer trials of the same thing")
            else:
                cells = tuple(cell for cell in scope.cells if cell.key in cells_now)
                yield Touch(cells, f"suite {name}: {key} changed, so all of it is measured in another way")


def _cells_of(suite: Mapping[str, Any], scope: ChangeScope) -> set[tuple[str, str]]:
    """Return the cells that a suite as written has, as far as they exist today."""
    found = set()
    for text in [*suite.get("subjects", ()), *suite.get("rotation", ())]:
        try:
            subject = scope.catalog.subject(str(text)).id
        except UsageError:
            continue
        found |= {(subject, scenario) for scenario in suite.get("scenarios", ())}
    return found
