"""Compares two versions of `apps/<variant>/variant.toml` as data, key by key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plumbline.subjects.catalog.variant import Variant
from .scope import ChangeScope, FileChange, Touch

# Words for people and for checks: nothing reads them while it runs.
_LABELS = {"name", "framework", "http", "data", "studies", "answer_fields"}


def touches(change: FileChange, variant: Variant, scope: ChangeScope) -> Iterator[Touch]:
    """Yield the subjects that each difference of the two versions of variant.toml can affect."""
    all_cells = scope.of_variants([variant.id])
    if change.before is None:
        yield Touch(all_cells, f"{variant.id} is new")
        return
    try:
        before, after = change.as_toml()
    except ValueError:
        yield Touch(all_cells, f"{variant.id}: variant.toml could not be compared with its older version")
        return
    for key in {**before, **after}:
        if before.get(key) == after.get(key):
            continue
        if key in _LABELS:
            yield Touch((), f"{variant.id}: '{key}' is a label")
        elif key == "packaging":
            names = _packagings(before.get(key, {}), after.get(key, {}), variant)
            cells = tuple(cell for cell in all_cells if cell.subject.packaging in names)
            yield Touch(cells, f"{variant.id}: packaging {', '.join(sorted(names)) or 'that is gone'} changed")
        elif key == "settings":
            own_before, own_after = (scope.catalog.own_settings(side.get(key, {})) for side in (before, after))
            if own_before == own_after:
                yield Touch((), f"{variant.id}: which settings it takes changed, not what any subject runs with")
            else:
                yield Touch(all_cells, f"{variant.id}: a setting that all of its subjects have changed")
        elif key == "workloads":
            names = set(after.get(key, ())) - set(before.get(key, ()))
            cells = tuple(cell for cell in all_cells if scope.catalog.scenario(cell.scenario).workload in names)
            yield Touch(cells, f"{variant.id}: workloads {', '.join(sorted(names)) or 'that are gone'} are new")
        elif key == "engines":
            names = set(after.get(key, ())) - set(before.get(key, ()))
            cells = tuple(cell for cell in all_cells if cell.subject.engine in names)
            yield Touch(cells, f"{variant.id}: engines {', '.join(sorted(names)) or 'that are gone'} are new")
        else:
            yield Touch(all_cells, f"{variant.id}: '{key}' changed")


def _packagings(before: dict[str, Any], after: dict[str, Any], variant: Variant) -> set[str]:
    """Return the packagings whose own table changed, and those that are like one of them."""
    changed = {name for name in {**before, **after} if before.get(name) != after.get(name)}
    return {
        name
        for name, spec in variant.spec.packaging.items()
        if name in changed or (spec.like is not None and spec.like in changed)
    }
